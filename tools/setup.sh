#!/usr/bin/env bash
# Checks that the machine has what the project needs and, as root on Debian or Ubuntu, installs what
# is missing. Elsewhere it prints what is missing and how to get it, and exits with 2. If nothing is
# missing it asks no package manager. See usage() below.
set -euo pipefail

root_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# Where rustup puts cargo, and where Debian puts nginx and ip, even if the caller's PATH has them not.
PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin:/usr/sbin:/sbin"

usage() {
    cat <<'USAGE'
usage: tools/setup.sh [--check] [GROUP…]
  build   compilers: Rust, C, pkg-config
  lab     the lab service: JDK 17, Maven
  cases   the tiers of the lab's cases: nginx with Lua, MariaDB, Redis, iproute2, Python
  compose the runtimes of drawn systems: Go, Node, gunicorn, uvicorn, PHP-FPM, PostgreSQL
  test    the test suite: nginx, HAProxy, MariaDB, PostgreSQL, PgBouncer, PHP-FPM, Redis, Prometheus exporters,
          NATS, Python, iproute2, nftables, procps, strace, sysstat, Chromium, rustfmt, clippy; the newest nats-server is built
          if there is Go
  bench   the benchmarks: nginx, Python, openssl, taskset
  dist    packages: a C compiler for static binaries, rpmbuild, debootstrap
  no GROUP means all; --check installs nothing
USAGE
}

java_release=17
# Each requirement: name | what to try | Debian package (alternatives in order of preference).
requirements() {
    case "$1" in
    build)
        echo "C compiler|command -v cc|build-essential"
        echo "make|command -v make|build-essential"
        echo "pkg-config|command -v pkg-config|pkg-config"
        echo "clang|command -v clang|clang"
        echo "curl|command -v curl|curl"
        echo "CA certificates|test -s /etc/ssl/certs/ca-certificates.crt|ca-certificates"
        echo "Rust $rust_release or newer|rust_is_new_enough|rust"
        ;;
    lab)
        echo "JDK $java_release or newer|jdk_is_new_enough|openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless"
        echo "Maven|command -v mvn|maven"
        echo "curl|command -v curl|curl"
        echo "flock, setsid|command -v flock && command -v setsid|util-linux"
        ;;
    cases)
        requirements lab
        echo "python3|command -v python3|python3"
        echo "nginx|command -v nginx|nginx-light"
        echo "nginx's Lua module|ls /usr/lib*/nginx/modules/ngx_http_lua_module.so|libnginx-mod-http-lua"
        echo "MariaDB server|command -v mariadbd && command -v mariadb-install-db|mariadb-server-core"
        echo "MariaDB client|command -v mariadb|mariadb-client-core mariadb-client"
        echo "my_print_defaults|command -v my_print_defaults|mariadb-client-core mariadb-client"
        echo "Redis|command -v redis-server|redis-server"
        echo "Tomcat's native library|has_tomcat_native|libtcnative-1"
        echo "iproute2|command -v ip && command -v tc|iproute2"
        echo "nsenter|command -v nsenter|util-linux"
        ;;
    compose)
        requirements cases
        echo "Go|command -v go|golang-go"
        echo "Node|command -v node|nodejs"
        echo "npm|command -v npm|npm"
        echo "gunicorn|/usr/bin/python3 -c 'import gunicorn'|python3-gunicorn"
        echo "uvicorn|/usr/bin/python3 -c 'import uvicorn'|python3-uvicorn"
        echo "Python's PyMySQL|/usr/bin/python3 -c 'import pymysql'|python3-pymysql"
        echo "Python's psycopg2|/usr/bin/python3 -c 'import psycopg2'|python3-psycopg2"
        echo "Python's redis|/usr/bin/python3 -c 'import redis'|python3-redis"
        echo "PHP-FPM|compgen -c php-fpm|php-fpm"
        echo "PHP's MySQL|has_php pdo_mysql|php-mysql"
        echo "PHP's PostgreSQL|has_php pdo_pgsql|php-pgsql"
        echo "PHP's Redis|has_php redis|php-redis"
        echo "PostgreSQL server|ls /usr/lib/postgresql/*/bin/initdb|postgresql"
        echo "setpriv|command -v setpriv|util-linux"
        echo "iproute2|command -v ip|iproute2"
        echo "nft|command -v nft|nftables"
        echo "HAProxy|test -x /usr/sbin/haproxy|haproxy"
        echo "Apache's httpd|test -x /usr/sbin/apache2|apache2-bin"
        echo "PgBouncer|test -x /usr/sbin/pgbouncer|pgbouncer"
        ;;
    test)
        requirements build
        echo "nginx|command -v nginx|nginx-light"
        echo "python3|command -v python3|python3"
        echo "iproute2|command -v ip && command -v ss && command -v nstat|iproute2"
        echo "nft|command -v nft|nftables"
        echo "procps|command -v vmstat && command -v free && command -v top|procps"
        echo "strace|command -v strace|strace"
        echo "sysstat|command -v iostat && command -v pidstat|sysstat"
        echo "MariaDB server|command -v mariadbd && command -v mariadb-install-db|mariadb-server-core"
        echo "my_print_defaults|command -v my_print_defaults|mariadb-client-core mariadb-client"
        echo "PostgreSQL server|ls /usr/lib/postgresql/*/bin/initdb|postgresql"
        echo "PHP-FPM|compgen -c php-fpm|php-fpm"
        echo "Redis server|command -v redis-server|redis-server"
        echo "redis-cli|command -v redis-cli|redis-tools"
        echo "memcached|command -v memcached|memcached"
        echo "mysqladmin|command -v mysqladmin|mariadb-client"
        echo "nats-server|command -v nats-server|nats-server"
        echo "setpriv|command -v setpriv|util-linux"
        echo "shellcheck|command -v shellcheck|shellcheck"
        echo "script|command -v script|bsdutils"
        echo "Zsh|is_there_or_nowhere zsh|zsh"
        echo "Fish|is_there_or_nowhere fish|fish"
        echo "mandoc|is_there_or_nowhere mandoc|mandoc"
        local exporter
        for exporter in node mysqld redis nginx; do
            exporter="prometheus-$exporter-exporter"
            echo "$exporter|is_there_or_nowhere $exporter|$exporter"
        done
        echo "HAProxy|is_there_or_nowhere haproxy|haproxy"
        echo "PgBouncer|is_there_or_nowhere pgbouncer|pgbouncer"
        echo "InfluxDB|is_there_or_nowhere influxd influxdb|influxdb"
        echo "Prometheus|is_there_or_nowhere prometheus|prometheus"
        echo "VictoriaMetrics|is_there_or_nowhere victoria-metrics|victoria-metrics"
        echo "Node|is_there_or_nowhere node nodejs|nodejs"
        echo "npm|is_there_or_nowhere npm|npm"
        echo "Chromium|is_there_or_nowhere chromium|chromium"
        echo "uvicorn|/usr/bin/python3 -c 'import uvicorn'|python3-uvicorn"
        echo "starlette|/usr/bin/python3 -c 'import starlette'|python3-starlette"
        echo "Python's websockets|/usr/bin/python3 -c 'import websockets'|python3-websockets"
        echo "rustfmt and clippy|cargo fmt --version && cargo clippy --version|rust-components"
        ;;
    bench)
        requirements build
        echo "nginx|command -v nginx|nginx-light"
        echo "python3|command -v python3|python3"
        echo "iproute2|command -v ip && command -v ss|iproute2"
        echo "openssl|command -v openssl|openssl"
        echo "taskset|command -v taskset|util-linux"
        ;;
    dist)
        requirements build
        echo "C compiler for static binaries|command -v musl-gcc|musl-tools"
        echo "rpmbuild|is_there_or_nowhere rpmbuild rpm|rpm"
        echo "debootstrap|is_there_or_nowhere debootstrap|debootstrap"
        echo "Node|is_there_or_nowhere node nodejs|nodejs"
        echo "npm|is_there_or_nowhere npm|npm"
        ;;
    *)
        echo "tools/setup.sh: unknown group '$1'" >&2
        usage >&2
        exit 2
        ;;
    esac
}

# Whether version $1 is at least version $2.
version_at_least() {
    [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]
}

rust_release="$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$root_dir/Cargo.toml" | head -n 1)"
[[ -n "$rust_release" ]] || { echo "tools/setup.sh: Cargo.toml names no rust-version" >&2; exit 2; }

rust_is_new_enough() {
    local rustc cargo
    # Asked in the project's folder, since rustup may choose a toolchain by folder.
    rustc="$(cd "$root_dir" && rustc --version)" || return 1
    cargo="$(cd "$root_dir" && cargo --version)" || return 1
    read -r _ rustc _ <<<"$rustc"
    read -r _ cargo _ <<<"$cargo"
    version_at_least "$rustc" "$rust_release" && version_at_least "$cargo" "$rust_release"
}

jdk_is_new_enough() {
    local javac="javac" version
    [[ -n "${JAVA_HOME:-}" && -x "$JAVA_HOME/bin/javac" ]] && javac="$JAVA_HOME/bin/javac"
    version="$("$javac" -version 2>&1)" || return 1
    version="${version#javac }"
    version="${version%%[.-]*}"
    [[ "$version" =~ ^[0-9]+$ ]] && ((version >= java_release))
}

has_tomcat_native() {
    compgen -G '/usr/lib/*/libtcnative-1.so*' || compgen -G '/usr/lib*/libtcnative-1.so*'
}

# Whether PHP-FPM has that module.
has_php() {
    local fpm
    fpm="$(compgen -c php-fpm | head -n 1)"
    [[ -n "$fpm" ]] && "$fpm" -m | grep -qix "$1"
}

# Whether a program of that package is there, or the system has no such package: its test is then
# left out.
is_there_or_nowhere() {
    command -v "$1" || ! apt_has "${2:-$1}"
}

# Sets missing (names) and packages (what would bring them), each once.
find_missing() {
    local group name try package
    missing=()
    packages=()
    local -A seen=()
    for group in "${groups[@]}"; do
        while IFS='|' read -r name try package; do
            [[ -z "${seen[$name]:-}" ]] || continue
            seen[$name]=1
            # Each "try" is a fixed text of requirements() above.
            eval "$try" >/dev/null 2>&1 && continue
            missing+=("$name")
            packages+=("$package")
        done < <(requirements "$group")
    done
}

has_apt() {
    command -v apt-get >/dev/null
}

apt_has() {
    local candidate
    candidate="$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')"
    [[ -n "$candidate" && "$candidate" != "(none)" ]]
}

# The first of several packages that this distribution has; if none, the first.
choose_package() {
    local package
    for package in "$@"; do
        apt_has "$package" && echo "$package" && return
    done
    echo "$1"
}

# While packages are installed no service of theirs may start; what stood there is put back.
policy_file=/usr/sbin/policy-rc.d
policy_saved=
forbid_services() {
    if [[ -e "$policy_file" ]]; then
        policy_saved="$policy_file.plimsoll-setup"
        mv "$policy_file" "$policy_saved"
    fi
    trap allow_services EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy_file"
    chmod 755 "$policy_file"
}

allow_services() {
    rm -f "$policy_file"
    [[ -z "$policy_saved" ]] || mv "$policy_saved" "$policy_file"
    trap - EXIT
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -y -qq --no-install-recommends \
        install "$@" >&2
}

install_apt_packages() {
    local package service came_with_us=()
    for package in nginx-common haproxy pgbouncer nats-server influxdb prometheus victoria-metrics prometheus-{node,mysqld,redis,nginx}-exporter; do
        dpkg -s "$package" >/dev/null 2>&1 || came_with_us+=("${package%-common}.service")
    done
    forbid_services
    apt_install "$@" || echo "tools/setup.sh: apt-get could not install everything" >&2
    allow_services
    # Services that came with us must not start at the next boot either.
    command -v systemctl >/dev/null || return 0
    for service in "${came_with_us[@]}"; do
        systemctl --quiet disable "$service" >/dev/null 2>&1 || true
    done
}

install_rust() {
    if ! command -v rustup >/dev/null && apt_has rustup; then
        install_apt_packages rustup
    fi
    if command -v rustup >/dev/null; then
        echo "tools/setup.sh: installing stable Rust with rustup" >&2
        rustup toolchain install stable --profile minimal --component rustfmt --component clippy >&2 &&
            rustup default stable >&2 ||
            echo "tools/setup.sh: rustup could not install a toolchain" >&2
    fi
}

install_rust_components() {
    command -v rustup >/dev/null && (cd "$root_dir" && rustup component add rustfmt clippy >&2) ||
        echo "tools/setup.sh: rustfmt and clippy could not be added" >&2
}

install_missing() {
    local entry apt_packages=() want_rust=false want_components=false
    echo "tools/setup.sh: installing: $(join_names "${missing[@]}")" >&2
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq update >&2 ||
        echo "tools/setup.sh: apt-get update failed; trying with the lists that are there" >&2
    for entry in "${packages[@]}"; do
        case "$entry" in
        rust) want_rust=true ;;
        rust-components) want_components=true ;;
        *)
            # shellcheck disable=SC2086 # alternatives are separated by blanks
            apt_packages+=("$(choose_package $entry)")
            ;;
        esac
    done
    ((${#apt_packages[@]} == 0)) || install_apt_packages "${apt_packages[@]}"
    if $want_rust; then install_rust; fi
    if $want_components; then install_rust_components; fi
    hash -r
}

join_names() {
    local joined
    printf -v joined '%s, ' "$@"
    echo "${joined%, }"
}

# What a person has to do, for each thing that is missing.
print_remedy() {
    local entry apt_packages=() rust=false
    echo "tools/setup.sh: missing: $(join_names "${missing[@]}")"
    for entry in "${packages[@]}"; do
        case "$entry" in
        rust | rust-components) rust=true ;;
        *) apt_packages+=("${entry%% *}") ;;
        esac
    done
    if ((${#apt_packages[@]} > 0)); then
        mapfile -t apt_packages < <(printf '%s\n' "${apt_packages[@]}" | sort -u)
        if has_apt; then
            echo "  install it as root:  apt-get install ${apt_packages[*]}"
        else
            echo "  install what your system has for these Debian packages:  ${apt_packages[*]}"
        fi
    fi
    if $rust; then
        echo "  Rust $rust_release or newer, with rustfmt and clippy: install rustup (package rustup in Debian 13"
        echo "  and Ubuntu 24.04, else https://rustup.rs), then run:  rustup default stable"
    fi
}

known=(build lab cases compose test bench dist)
check_only=false
groups=()
while (($#)); do
    case "$1" in
    --check) check_only=true ;;
    -h | --help) usage && exit 0 ;;
    *)
        if [[ " ${known[*]} " != *" $1 "* ]]; then
            echo "tools/setup.sh: '$1' is not known" >&2
            usage >&2
            exit 2
        fi
        groups+=("$1")
        ;;
    esac
    shift
done
((${#groups[@]} > 0)) || groups=("${known[@]}")

find_missing
if ((${#missing[@]} > 0)) && ! $check_only && ((EUID == 0)) && has_apt; then
    install_missing
    find_missing
fi
if ((${#missing[@]} > 0)); then
    print_remedy >&2
    exit 2
fi
# Not a requirement: the tests also run with the system's nats-server alone.
if [[ " ${groups[*]} " == *" test "* ]] && ! $check_only; then
    "$root_dir/tools/nats-server.sh" >/dev/null ||
        echo "tools/setup.sh: the newest nats-server could not be built: the tests use the system's" >&2
fi
