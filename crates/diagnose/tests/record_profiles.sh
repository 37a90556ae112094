#!/usr/bin/env bash
# Records tests/profiles anew from a real JVM: record_profiles.sh LIBASYNCPROFILER.so
#
# async-profiler 4.1 is tools.profiler:async-profiler on Maven Central; crates/watch/tests
# unpacks it to target/tmp/async-profiler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

library=${1:-}
if ! [[ -f $library ]]; then
    echo "record_profiles.sh: name async-profiler's library (libasyncProfiler.so)" >&2
    exit 2
fi
library=$(realpath "$library")
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -d "$classes" java/Shop.java
# As plimsoll's captures are taken: 10 ms of CPU a sample, nanoseconds of waiting.
profile() {
    java "-agentpath:$library=start,$1,file=profiles/$2" -cp "$classes" Shop "${@:3}"
}
mkdir -p profiles
profile event=itimer,interval=10ms,collapsed cpu.txt
profile event=lock,collapsed,total locks.txt slow
