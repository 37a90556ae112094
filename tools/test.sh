#!/usr/bin/env bash
# Sets up what is missing and runs the tests of the project: tools/test.sh [PART…]
# Parts: see `stages` below; without any, all of them. `clippy` and `live` run only if they are named.
# The last line is the sum over all runners. Exit code: 0 all passed, 1 something failed, 2 the machine
# could not be set up. Logs of the parts: target/test-logs.
#
# Whether generated files (schema/plan.schema.json, the reference in docs/plan*.md) are up to
# date is among the tests of crates/plan, whether examples are good plans too.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

# One after the other; what a stage has in lanes ("|") runs side by side, as far as its lanes do not
# need the same: what waits for servers and downloads beside what computes. What measures what the
# machine can do (alone, live) has it for itself.
stages=(
    "format shell docs house deploy | pages"
    "programs | companion service bench"
    "crates | jmeter lab plans web"
    "browser | fuzz"
    "alone"
)
apart=(clippy live)
# Maven's own JVM lives for seconds: what compiles best costs more than it brings.
export MAVEN_OPTS="${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
fuzz_seconds="${FUZZ_SECONDS:-10}"
logs=target/test-logs

format() { cargo fmt --all -- --check; }
clippy() { cargo clippy --locked --workspace --all-targets -- -D warnings; }
shell() {
    setup_groups || return 1
    command -v shellcheck >/dev/null || { echo "shellcheck is not installed: left out"; return 0; }
    git ls-files '*.sh' .ci/run | xargs shellcheck -x -P SCRIPTDIR -S warning
}
# Each group that the Makefile sets up is one that the script knows.
setup_groups() {
    local groups said
    mapfile -t groups < <(sed -nE 's/^\t@?tools\/setup\.sh +(.+)$/\1/p' Makefile | tr ' ' '\n' | sort -u)
    said="$(tools/setup.sh --check "${groups[@]}" 2>&1)" || true
    [[ "$said" != *"is not known"* ]] || { echo "${said%%$'\n'*}" && return 1; }
}
docs() { tools/troubleshooting.sh --check; }
# No circle of files that was not there: what is listed stands below its list.
house() { python3 tools/house.py --check; }
# Containers, chart and manifests, as far as there are tools for them; it says what was left out.
deploy() { deploy/check.sh; }
# What runs the Java parts of JMeter plans, and the plugins that our own plans use.
companion() { companion/build.sh && plugins; }
plugins() { tests/jmeter/peer/jars.sh "${CARGO_TARGET_DIR:-target}/companion"; }
# The programs that the parts after this one run, and all lints: see `linting`.
programs() { cargo test --locked --workspace --no-run; }
# target/debug/plimsoll as the tests have it: alone, with other features, its dependencies would be built anew. After
# `programs` it is there, and cargo would wait for what a lane beside builds.
plimsoll() { wanted programs || cargo test --locked --workspace --no-run --test places; }
crates() { PLIMSOLL_NEED_COMPANION=1 tools/run_tests.py together; }
alone() { PLIMSOLL_NEED_COMPANION=1 tools/run_tests.py alone; }
# Our own JMeter plans against what JMeter made of them.
jmeter() {
    plimsoll && plugins &&
        PLIMSOLL="${CARGO_TARGET_DIR:-target}/debug/plimsoll" python3 tests/jmeter/differential.py
}
# The demo's plan and the examples, as a user checks them.
plans() {
    local plan status=0
    plimsoll || return 1
    for plan in demo/*.yaml examples/*.yaml; do
        if "${CARGO_TARGET_DIR:-target}/debug/plimsoll" check --quiet "$plan"; then
            echo "plan passed"
        else
            echo "plan failed: $plan"
            status=1
        fi
    done
    return $status
}
service() { (cd lab/service && mvn -B test); }
# The workbench's pages, built before the programs, which have them in them.
pages() {
    has_node || return 0
    (cd web && npm ci --no-audit --no-fund --loglevel=error && npm run -s build) && touch crates/server/build.rs
}
web() {
    has_node || return 0
    (cd web && npm run -s lint && npm run -s types && NO_COLOR=1 npm run -s unit)
}
# The pages on the server itself, in a real Chromium.
browser() {
    has_node || return 0
    command -v chromium >/dev/null || {
        echo "note: left out: what needs a browser: chromium is not here (apt-get install chromium)"
        return 0
    }
    plimsoll && (cd web && npm run -s browser)
}
has_node() {
    command -v node >/dev/null && command -v npm >/dev/null && return
    echo "note: left out: node and npm are not here (apt-get install nodejs npm)"
    return 1
}
bench() { (cd bench && python3 -m unittest discover -s tests -t .); }
lab() {
    local status=0 first
    first="$(mktemp)"
    if lab/check-scripts.sh >"$first" 2>&1; then
        cat "$first"
    else
        sed 's/^/first: /' "$first"
        echo "note: lab/check-scripts.sh was run twice: it failed beside others"
        lab/check-scripts.sh || status=1
    fi
    rm -f "$first"
    # Its tests check the plans of the cases with the program itself.
    plimsoll || status=1
    (
        PLIMSOLL="$(realpath "${CARGO_TARGET_DIR:-target}")/debug/plimsoll"
        export PLIMSOLL
        cd lab && python3 -m unittest discover -s tests -t .
    ) || status=1
    return $status
}
# The diagnosis on cases of the lab, faulty and cured, and on drawn systems, by a seed. What comes out wrong is recorded
# once more: a busy machine may hide an effect once. Lines that begin with "note: " are shown.
live() {
    local seed="${LIVE_SEED:-$(shuf -n 1 -i 1-2147483647)}" wanted="${LIVE_CASES:-4}" lacks out cases
    lacks="$(live_lacks)"
    ((wanted > 0)) || lacks="LIVE_CASES is $wanted"
    if [[ -n "$lacks" ]]; then
        echo "note: left out: $lacks"
        return 0
    fi
    echo "note: $wanted cases by the seed $seed; again: LIVE_SEED=$seed tools/test.sh live"
    live_program || return 1
    out="$(mktemp -d)"
    lab/plimsoll-lab evidence --some "$wanted" --seed "$seed" --out "$out"
    lab/plimsoll-lab score "$out" --strict >"$out/score.txt"
    mapfile -t cases < <(sed -nE 's/^(wrong|unfit): ([^ ]+).*/\2/p' "$out/score.txt")
    if ((${#cases[@]} > 0)); then
        cat "$out/score.txt"
        echo "note: recorded twice: ${cases[*]}"
        lab/plimsoll-lab evidence "${cases[@]}" --seed "$seed" --out "$out" --repeat
        lab/plimsoll-lab score "$out" --strict >"$out/score.txt"
    fi
    live_drawn "$seed" "$out/drawn" >>"$out/score.txt"
    cat "$out/score.txt"
    sed -n 's/^unfit: /note: not judged: /p' "$out/score.txt"
    if ! grep -q '^right: \|^unfit: ' "$out/score.txt" || grep -q '^wrong: ' "$out/score.txt"; then
        echo "note: the recordings are in $out"
        return 1
    fi
    rm -rf "$out"
}
# The same of systems that are drawn, of seeds that rules may be written by.
live_drawn() {
    local out="$2" wanted="${LIVE_DRAWN:-2}" seeds again said
    ((wanted > 0)) || return 0
    seeds="$(shuf -n "$wanted" -i 1-999 --random-source=<(yes "$1") | paste -sd,)"
    lab/plimsoll-lab compose --seeds "$seeds" --out "$out" >&2
    said="$(lab/plimsoll-lab compose-score "$out" --strict)"
    mapfile -t again < <(sed -nE 's/^(wrong|unfit): drawn ([0-9]+):.*/\2/p' <<<"$said")
    if ((${#again[@]} > 0)); then
        echo "note: recorded twice: drawn ${again[*]}"
        (cd "$out" && rm -rf "${again[@]}")
        lab/plimsoll-lab compose --seeds "$(IFS=, && echo "${again[*]}")" --out "$out" >&2
        said="$(lab/plimsoll-lab compose-score "$out" --strict)"
    fi
    grep -E '^(right|wrong|unfit): ' <<<"$said"
}
# What the lab's cases need and this machine has not.
live_lacks() {
    local probe="plimsoll-probe-$$"
    if ((EUID != 0)); then
        echo "only root can make network namespaces and shares of the CPUs"
    elif ! ip netns add "$probe" 2>/dev/null; then
        echo "network namespaces cannot be made here"
    else
        ip netns del "$probe"
    fi
}
# The program that makes the load: optimised if there is such a build, since it has little CPU there.
live_program() {
    local target release=()
    target="$(realpath "${CARGO_TARGET_DIR:-target}")"
    PLIMSOLL="$target/debug/plimsoll"
    if [[ -x "$target/release/plimsoll" ]]; then
        PLIMSOLL="$target/release/plimsoll"
        release=(--release)
    fi
    export PLIMSOLL
    env -u RUSTC_WORKSPACE_WRAPPER cargo build --locked "${release[@]}" -p plimsoll-cli
}
# With what the browser's tests, which wait much, leave of the CPUs.
fuzz() { nice -n 5 fuzz/run.sh "$fuzz_seconds"; }

# Has the compiler that builds the programs lint them too, as `cargo clippy` would: to check all crates once
# more for their lints alone takes five minutes. Clippy's driver is rustc with more lints; what it compiles
# differs in optimisations of MIR, of which there are none in these programs.
linting() {
    RUSTC_WORKSPACE_WRAPPER="$(command -v clippy-driver)"
    # The separator is that of `cargo clippy`.
    CLIPPY_ARGS="-Dwarnings__CLIPPY_HACKERY__"
    export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
}

# The sum of the numbers that a sed expression finds in the log.
sum_of() { sed -nE "$1" "$log" | awk '{ sum += $1 } END { print sum + 0 }'; }
count_of() { grep -cE "$1" "$log" || true; }

# What Python's unittest says.
count_unittest() {
    ran_bad=$(($(sum_of 's/^FAILED .*failures=([0-9]+).*/\1/p') + $(sum_of 's/^FAILED .*errors=([0-9]+).*/\1/p')))
    ran_ok=$(($(sum_of 's/^Ran ([0-9]+) tests?.*/\1/p') - ran_bad))
}

# Sets ran_ok and ran_bad from the log of a part; parts that are one check give nothing.
count() {
    ran_ok=0 ran_bad=0
    case "$1" in
    crates | alone)
        ran_ok=$(sum_of 's/^sum: ([0-9]+) passed, [0-9]+ failed$/\1/p')
        ran_bad=$(sum_of 's/^sum: [0-9]+ passed, ([0-9]+) failed$/\1/p')
        ;;
    jmeter)
        ran_ok=$(count_of '^ok    ')
        ran_bad=$(count_of '^FAIL  ')
        ;;
    plans)
        ran_ok=$(count_of '^plan passed')
        ran_bad=$(count_of '^plan failed')
        ;;
    service)
        local line='^\[[A-Z]+\] Tests run: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+), Skipped: ([0-9]+)$'
        local run skipped
        run=$(sum_of "s/$line/\\1/p")
        ran_bad=$(($(sum_of "s/$line/\\2/p") + $(sum_of "s/$line/\\3/p")))
        skipped=$(sum_of "s/$line/\\4/p")
        ran_ok=$((run - ran_bad - skipped))
        ;;
    bench) count_unittest ;;
    web | browser)
        ran_ok=$(($(sum_of 's/^ +Tests .* ([0-9]+) passed.*/\1/p') + $(sum_of 's/^# pass ([0-9]+)$/\1/p')))
        ran_bad=$(($(sum_of 's/^ +Tests +([0-9]+) failed.*/\1/p') + $(sum_of 's/^# fail ([0-9]+)$/\1/p')))
        # Nothing to count where it was left out.
        ((ran_ok + ran_bad > 0)) || return 1
        ;;
    lab)
        count_unittest
        ran_ok=$((ran_ok + $(sum_of 's/^([0-9]+) passed, [0-9]+ failed$/\1/p')))
        ran_bad=$((ran_bad + $(sum_of 's/^[0-9]+ passed, ([0-9]+) failed$/\1/p')))
        ;;
    live)
        # Of the last table; where everything was left out or not judged there is nothing to count.
        ran_ok=$(awk '/^case /{n = 0} /^right: /{n++} END {print n + 0}' "$log")
        ran_bad=$(awk '/^case /{n = 0} /^wrong: /{n++} END {print n + 0}' "$log")
        ((ran_ok + ran_bad > 0)) || return 1
        ;;
    fuzz)
        ran_bad=$(count_of 'found a fault:')
        ran_ok=$(($(count_of '^fuzz: .* for [0-9]+ s$') - ran_bad))
        ;;
    *) return 1 ;;
    esac
}

# What failed, by name.
failed_names() { grep -E '^(test .*FAILED|FAILED|FAIL[: ]|ERROR:|error(\[|:)|\[ERROR\]| *not ok )' "$log" | head -n 40; }

# What failed tests printed, as cargo, the comparison of plans and node tell it, cut to what one can read.
failed_outputs() {
    awk '/^---- .* ----$/ || /^FAIL  / || /^ *not ok / {shown = 60}
        /^failures:$/ || /^ *ok / {shown = 0} shown-- > 0' "$log" |
        head -n 240
}

# Runs a part, keeps what came of it in its file of results, and prints that at once.
run_part() {
    local part="$1" status=0 begin=$SECONDS log
    log="$logs/$part.log"
    "$part" >"$log" 2>&1 </dev/null || status=$?
    if count "$part"; then
        # A runner that fails without a failed test (it does not compile), or runs nothing.
        if ((status != 0 && ran_bad == 0)) || ((ran_ok + ran_bad == 0)); then
            ran_bad=$((ran_bad + 1))
        fi
    else
        ran_ok=$((status == 0)) ran_bad=$((status != 0))
    fi
    echo "$ran_ok $ran_bad" >"$logs/$part.result"
    show_part "$part" "$((SECONDS - begin))" >"$logs/$part.shown"
    # In one piece: another lane may print meanwhile.
    cat "$logs/$part.shown"
}

# What people read of a part.
show_part() {
    printf '%-9s %5d passed, %d failed  (%d s)\n' "$1" "$ran_ok" "$ran_bad" "$2"
    # Rust's own notes are no notes of ours.
    sed -n '/^note: Some details are omitted/d; s/^note: /          /p' "$log"
    ((ran_bad > 0)) || return 0
    failed_names
    failed_outputs
    echo "--- last lines of $log"
    tail -n 40 "$log"
    echo "---"
}

# Runs those parts of a stage that are wanted, its lanes side by side.
run_stage() {
    local lane part lanes
    IFS='|' read -ra lanes <<<"$1"
    for lane in "${lanes[@]}"; do
        for part in $lane; do
            if wanted "$part"; then run_part "$part"; fi
        done &
    done
    wait
}

wanted() { [[ " ${parts[*]} " == *" $1 "* ]]; }

# All parts that a stage names.
parts_of() { tr '|' ' ' <<<"$*"; }

read -ra parts <<<"$(parts_of "${stages[*]}")"
if (($#)); then
    for part in "$@"; do
        [[ " ${parts[*]} ${apart[*]} " == *" $part "* ]] ||
            { echo "tools/test.sh: no part '$part'; the parts are: ${parts[*]} ${apart[*]}" >&2; exit 2; }
    done
    parts=("$@")
fi
# What lets the next compile reuse parts costs a fresh clone a quarter of its time and gives it nothing.
[[ -d "${CARGO_TARGET_DIR:-target}/debug" ]] || export CARGO_INCREMENTAL=0
tools/setup.sh build lab cases test || exit 2
linting
mkdir -p "$logs"
rm -f "$logs"/*.result "$logs/stumbled"
# What fails beside others is judged where nothing runs beside it.
if wanted crates && wanted alone; then export STUMBLED="$PWD/$logs/stumbled"; fi
for stage in "${stages[@]}" "${apart[@]}"; do run_stage "$stage"; done
passed=0 failed=0 failed_parts=()
for part in "${parts[@]}"; do
    # A part that was ended from outside has no result.
    read -r ran_ok ran_bad <"$logs/$part.result" || { ran_ok=0 ran_bad=1; }
    passed=$((passed + ran_ok))
    failed=$((failed + ran_bad))
    ((ran_bad == 0)) || failed_parts+=("$part")
done
# What failed once more, below all else.
for part in "${failed_parts[@]}"; do
    echo "failed part: $part"
    log="$logs/$part.log" failed_names
done
echo "$passed passed, $failed failed"
((failed == 0))
