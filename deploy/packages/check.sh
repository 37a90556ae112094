#!/usr/bin/env bash
# Tries what tools/dist.sh made: deploy/packages/check.sh FOLDER (as root)
# It says what holds, what is wrong, and what could not be looked at here. Exit code 1 if something is wrong.
set -euo pipefail
folder="$(realpath "$1")"
cd "$(dirname "${BASH_SOURCE[0]}")"
root="$(cd ../.. && pwd)"
target="$(uname -m)-unknown-linux-musl"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
wrong=0
left_out() { echo "not looked at: $1"; }
# check WHAT COMMAND…
check() {
    local what="$1"
    shift
    if "$@" >"$work/output" 2>&1; then echo "holds: $what"; else
        echo "WRONG: $what" && head -n 20 "$work/output" | cut -c -200 | sed 's/^/    /'
        wrong=1
    fi
}
# What a script prints counts, too.
shown() { if ! "$@"; then wrong=1; fi; }

binary="$work/plimsoll"
tar -xzOf "$folder"/plimsoll-*-"$(uname -m)"-linux.tar.gz --wildcards '*/usr/bin/plimsoll' >"$binary"
chmod 755 "$binary"

sums() { (cd "$folder" && sha256sum --check --strict SHA256SUMS); }
check "SHA256SUMS are those of the files" sums
static() { ! ldd "$binary" 2>/dev/null | grep -q '=>' && ! readelf -l "$binary" | grep -q INTERP; }
check "the binary is static" static
no_paths() { ! strings -n 6 "$binary" | grep -oF -e "$root/" -e "$HOME/.cargo" -e "$HOME/.rustup" | sort | uniq -c | grep .; }
check "no path of the machine that built it is in the binary" no_paths
# In another folder, at another time, with other rights by default.
again() {
    (umask 077 && ./build.sh "$binary" "$target" "$work/again") || return 1
    diff <(cd "$folder" && grep -vi -e aarch64 -e companion SHA256SUMS) "$work/again/SHA256SUMS"
}
SOURCE_DATE_EPOCH="$(stat -c %Y "$(find "$folder" -name '*.tar.gz' | head -n 1)")"
export SOURCE_DATE_EPOCH
check "packed once more, all files are the same bytes" again

companion="$(find "$folder" -name 'plimsoll-companion-*.tar.gz' | head -n 1)"
companion_again() {
    ./companion.sh "$work/companion" || return 1
    local file
    for file in "$work"/companion/*; do cmp "$file" "$folder/$(basename "$file")" || return 1; done
}
# A script of a plan runs where the packages lie beside each other, wherever that is.
companion_runs() {
    mkdir -p "$work/beside/usr/bin" && cp "$binary" "$work/beside/usr/bin/"
    tar -xzf "$companion" -C "$work/beside" || return 1
    cat >"$work/groovy.jmx" <<'JMX'
<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="plan"/><hashTree>
<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="group">
<stringProp name="ThreadGroup.num_threads">1</stringProp>
<elementProp name="ThreadGroup.main_controller" elementType="LoopController">
<stringProp name="LoopController.loops">3</stringProp>
<boolProp name="LoopController.continue_forever">false</boolProp></elementProp></ThreadGroup><hashTree>
<JSR223Sampler guiclass="TestBeanGUI" testclass="JSR223Sampler" testname="script">
<stringProp name="scriptLanguage">groovy</stringProp>
<stringProp name="script">[1, 2, 3].sum() + vars.get('none').toString().length()</stringProp></JSR223Sampler><hashTree/>
</hashTree></hashTree></hashTree></jmeterTestPlan>
JMX
    (cd "$work" && env -u PLIMSOLL_COMPANION "$work/beside/usr/bin/plimsoll" run groovy.jmx -l groovy.jtl >/dev/null) ||
        [[ $? == 4 ]] || return 1
    [[ "$(grep -c ',script,200,OK,' "$work/groovy.jtl")" == 3 ]]
}
if [[ -n "$companion" ]] && command -v java >/dev/null; then
    check "the companion packed once more is the same bytes" companion_again
    check "a plan with Groovy runs with the companion's package beside the program" companion_runs
else
    left_out "the companion (no package of it, or no Java)"
fi

bill() {
    python3 - "$folder/sbom.cdx.json" "$root/Cargo.lock" <<'PYTHON'
import json, sys, tomllib
bill = json.load(open(sys.argv[1]))
lock = tomllib.load(open(sys.argv[2], "rb"))
known = {(one["name"], one["version"]) for one in lock["package"]}
assert bill["bomFormat"] == "CycloneDX" and bill["specVersion"] == "1.5", bill["specVersion"]
refs = [one["bom-ref"] for one in bill["components"]]
assert len(refs) == len(set(refs)) > 200, len(refs)
for one in bill["components"]:
    assert (one["name"], one["version"]) in known and one["licenses"], one
    assert "purl" not in one or one.get("hashes"), one
for one in bill["dependencies"]:
    assert set(one["dependsOn"]) <= set(refs), one
inner = {part["name"] for one in bill["components"] for part in one.get("components", [])}
assert inner == {"boringssl", "mimalloc", "quickjs-ng", "sqlite"}, inner
PYTHON
}
check "the bill of materials names crates of Cargo.lock, each with a licence, and the C code within" bill
if command -v dpkg-deb >/dev/null; then
    deb_contents() {
        dpkg-deb --contents "$folder"/plimsoll_*_*.deb >"$work/list" || return 1
        local file
        for file in ./usr/bin/plimsoll ./usr/lib/systemd/system/plimsoll-worker.service ./usr/lib/systemd/system/plimsoll-serve.service ./etc/plimsoll/agent.env \
            ./usr/share/man/man1/plimsoll-run.1.gz ./usr/share/man/zh_CN/man1/plimsoll.1.gz \
            ./usr/share/bash-completion/completions/plimsoll ./usr/share/doc/plimsoll/THIRD-PARTY-LICENSES.txt.gz; do
            grep -q " $file\$" "$work/list" || { echo "no $file" && return 1; }
        done
        ! grep -v ' root/root ' "$work/list"
    }
    check "the .deb holds what it should, all of it root's" deb_contents
fi
if command -v rpm >/dev/null; then
    rpm_installs() {
        mkdir "$work/rpm" && rpm --root "$work/rpm" --initdb &&
            rpm --root "$work/rpm" -i --nodeps --noscripts --nosignature "$folder"/plimsoll-*."$(uname -m)".rpm &&
            rpm --root "$work/rpm" -V --nodeps --nouser --nogroup --noscripts plimsoll &&
            [[ -x "$work/rpm/usr/bin/plimsoll" && -d "$work/rpm/var/lib/plimsoll" ]]
    }
    check "the .rpm installs into an empty root, and verifies there" rpm_installs
else
    left_out "the .rpm (no rpm)"
fi
if command -v systemd-analyze >/dev/null; then
    units() {
        mkdir -p "$work/units" && cp plimsoll-*.service "$work/units/" &&
            sed -i "s|/usr/bin/plimsoll|$binary|" "$work"/units/*.service &&
            systemd-analyze verify --man=no --recursive-errors=no "$work"/units/*.service
    }
    check "systemd reads the unit files" units
else
    left_out "the unit files (no systemd-analyze)"
fi
if ((EUID == 0)) && unshare -n true 2>/dev/null && command -v openssl >/dev/null; then
    shown python3 empty_root.py "$binary"
else
    left_out "an empty root (root, namespaces and openssl are needed)"
fi
if ((EUID == 0)) && command -v dpkg >/dev/null; then
    shown python3 first_steps.py "$(echo "$folder"/plimsoll_*_"$(dpkg --print-architecture)".deb)" "$root/target/tools/debian"
else
    left_out "the first steps in an empty Debian (root and dpkg are needed)"
fi
if ((EUID == 0)) && command -v dpkg >/dev/null; then
    shown python3 removal.py "$(echo "$folder"/plimsoll_*_"$(dpkg --print-architecture)".deb)" \
        "$(echo "$folder"/plimsoll-*."$(uname -m)".rpm)" "$root/target/tools/debian"
else
    left_out "removal of the packages (root and dpkg are needed)"
fi
exit "$wrong"
