#!/usr/bin/env bash
# Runs every fuzz target for a short time: fuzz/run.sh [SECONDS [TARGET…]]
#
# The targets are built beside the other tests and share what those depend on; our own crates alone are
# compiled for libFuzzer (instrument.sh). There is no address sanitizer (that needs nightly), which the
# code under test, safe Rust, can do without.
#
# Corpora: seeds/TARGET (what once failed, or was hard to reach) and the examples
# that the tests have anyway; new inputs go to corpus/TARGET (not kept).
# Exit code: 0 nothing found, 1 a finding (its path is printed), 2 cannot run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

seconds=${1:-20}
shift || true
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "fuzz/run.sh: SECONDS must be a whole number of at least 1, not '$seconds'" >&2
    exit 2
fi

need() {
    command -v "$1" >/dev/null && return
    echo "fuzz/run.sh: $1 is missing: $2" >&2
    exit 2
}
need cargo "install Rust from https://rustup.rs"
# libFuzzer itself is C++ and is compiled from source.
export CXX=${CXX:-$(command -v clang++ || command -v c++ || echo clang++)}
need "$CXX" "install a C++ compiler (Debian: apt-get install clang)"

mapfile -t targets < <(
    if (($#)); then printf '%s\n' "$@"; else
        for file in fuzz_targets/*.rs; do basename "$file" .rs; done
    fi
)

for target in "${targets[@]}"; do
    if ! [[ -f fuzz_targets/$target.rs ]]; then
        echo "fuzz/run.sh: no target '$target' (there are: $(ls fuzz_targets))" >&2
        exit 2
    fi
done
# All crates of the workspace are named, so that what they depend on has the features that all tests have.
built=$(mktemp)
trap 'rm -f "$built"' EXIT
if ! RUSTC_WORKSPACE_WRAPPER="$PWD/instrument.sh" cargo test --locked --workspace --no-run \
    "${targets[@]/#/--test=fuzz_}" 2>"$built"; then
    cat "$built" >&2
    echo "fuzz/run.sh: a target does not build (see above)" >&2
    exit 2
fi
# The program of a target, as cargo named it.
program_of() { sed -nE "s|^ *Executable .*fuzz_targets/$1\.rs \((.*)\)\$|\1|p" "$built"; }

declare -A examples=(
    [http1_response]="../crates/load/tests/http1/responses"
    [jmx_reader]="../tests/jmeter/plans ../bench/jmeter"
    [profile_reader]="../crates/diagnose/tests/profiles"
    [plan_yaml]="../crates/plan/tests/plans ../examples ../bench/plans"
)

# Seconds for one input where they are not 5: what is limited in CPU time may use all of that,
# several times.
declare -A timeouts=([evaluated]=60 [selectors]=60)

# Fuzzes one target and says what came of it; 1 if something was found.
fuzz_one() {
    local target=$1 folder log found program status=0
    program=$(cd .. && realpath "$(program_of "$target")")
    local corpora=("corpus/$target")
    for folder in "seeds/$target" ${examples[$target]:-}; do
        if [[ -d $folder ]]; then corpora+=("$folder"); fi
    done
    mkdir -p "corpus/$target" "artifacts/$target"
    log=$(mktemp)
    if ! "$program" "${corpora[@]}" \
        -max_total_time="$seconds" -timeout="${timeouts[$target]:-5}" -rss_limit_mb=2048 \
        -artifact_prefix="artifacts/$target/" >"$log" 2>&1; then
        status=1
    fi
    echo "fuzz: $target for $seconds s"
    if ((status == 0)); then
        grep -E '^Done|^stat::number' "$log" || true
    else
        # What panicked stands before the stack of libFuzzer; the input follows it.
        echo "FAIL  fuzz $target"
        grep -aE -A 4 'panicked at|^==[0-9]+== ?ERROR' "$log" | head -n 15 | cut -c -2000 || true
        tail -n 40 "$log" | cut -c -2000
        found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        echo "fuzz: $target found a fault: fuzz/${found:-artifacts/$target (see above)}" >&2
    fi
    rm -f "$log"
    return "$status"
}

# One target keeps one CPU busy.
status=0 running=0
for target in "${targets[@]}"; do
    if ((running >= $(nproc))); then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz_one "$target" &
    running=$((running + 1))
done
while ((running > 0)); do
    wait -n || status=1
    running=$((running - 1))
done
exit "$status"
