#!/usr/bin/env bash
# Installs the tools that bench/run.py measures beside plimsoll, from the package
# registries, into bench/.peers. A peer that cannot be installed is reported here
# and named as missing in the table; it never fails the run.
# usage: bench/peers.sh [all|apt|oha|vegeta|k6|jmeter|gatling]...
set -u
cd "$(dirname "$0")" || exit 1
peers=$PWD/.peers
bin=$peers/bin
log=$peers/log
mkdir -p "$bin" "$log"
renice -n 10 $$ >/dev/null # builds must not disturb other work
missing=()

K6_VERSION=${K6_VERSION:-v1.8.1}
OHA_VERSION=${OHA_VERSION:-1.16.0}

# attempt NAME COMMAND... : runs it quietly, keeps its output.
attempt() {
    local name=$1
    shift
    printf '%-8s ' "$name"
    if "$@" >"$log/$name.log" 2>&1; then
        echo "installed"
    else
        echo "NOT installed (see bench/.peers/log/$name.log)"
        missing+=("$name")
    fi
}

have() { command -v "$1" >/dev/null 2>&1; }

install_apt() {
    local sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo -n)
    "${sudo[@]}" apt-get update && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends nginx-light wrk nghttp2-client apache2-utils openssl
}

peer_apt() {
    if have nginx && have wrk && have h2load && have ab && have openssl; then
        echo "apt      already there: nginx wrk h2load ab openssl"
    else
        attempt apt install_apt
    fi
}

peer_oha() {
    [ -x "$bin/oha" ] && { echo "oha      already there"; return; }
    attempt oha cargo install oha --version "$OHA_VERSION" --root "$peers" --locked \
        --no-default-features --features rustls --target-dir "$peers/oha-target"
    rm -rf "$peers/oha-target"
}

# `go install …/v12@version` also asks for the module's list of versions, which not
# every proxy serves; a small module of our own that names the version does not.
install_vegeta() {
    local module=$peers/vegeta-module
    mkdir -p "$module"
    cp vegeta/go.mod "$module/"
    (cd "$module" && GOFLAGS=-mod=mod go build -o "$bin/vegeta" github.com/tsenart/vegeta/v12)
}

peer_vegeta() {
    [ -x "$bin/vegeta" ] && { echo "vegeta   already there"; return; }
    attempt vegeta install_vegeta
}

peer_k6() {
    [ -x "$bin/k6" ] && { echo "k6       already there"; return; }
    attempt k6 env GOBIN="$bin" go install "go.k6.io/k6@$K6_VERSION"
}

# A JMeter home from the published libraries: its own in lib/ext, the rest in lib,
# the launcher and the default properties in bin.
install_jmeter() {
    local home=$peers/jmeter
    rm -rf "$home"
    mvn -q -B -f jmeter/pom.xml package -Djmeter.home="$home" || return 1
    mkdir -p "$home/lib/junit" &&
        mv "$home/config/bin" "$home/bin" &&
        mv "$home"/lib/ext/ApacheJMeter-[0-9]*.jar "$home/bin/ApacheJMeter.jar" &&
        mv "$home"/lib/ext/jorphan-*.jar "$home/lib/" &&
        rm -rf "$home/config" "$home/build"
}

peer_jmeter() {
    [ -f "$peers/jmeter/bin/ApacheJMeter.jar" ] && { echo "jmeter   already there"; return; }
    attempt jmeter install_jmeter
}

install_gatling() {
    local home=$peers/gatling
    rm -rf "$home"
    mvn -q -B -f gatling/pom.xml package -Dgatling.home="$home" || return 1
    mkdir -p "$home/classes"
    cp gatling/logback.xml "$home/classes/" &&
        javac -cp "$home/lib/*" -d "$home/classes" gatling/GetSimulation.java
}

peer_gatling() {
    [ -f "$peers/gatling/classes/GetSimulation.class" ] && { echo "gatling  already there"; return; }
    attempt gatling install_gatling
}

[ $# -gt 0 ] || set -- all
for peer in "$@"; do
    case $peer in
        all) for each in apt oha vegeta k6 jmeter gatling; do "peer_$each"; done ;;
        apt | oha | vegeta | k6 | jmeter | gatling) "peer_$peer" ;;
        *) echo "unknown peer: $peer" >&2; exit 2 ;;
    esac
done
# wrk2 has no package in any registry; the table names it as missing.
[ ${#missing[@]} -eq 0 ] || echo "missing: ${missing[*]}"
exit 0
