#!/usr/bin/env bash
# RUSTC_WORKSPACE_WRAPPER of fuzz/run.sh: compiles our own crates so that libFuzzer sees which way an
# input took; what they depend on stays as all tests have it. Works with stable Rust: the
# instrumentation is an LLVM pass that any rustc has.
set -euo pipefail
# What runs while building has no libFuzzer.
case " $* " in
*" --crate-name build_script_build "*) exec "$@" ;;
esac
exec "$@" \
    --cap-lints=allow \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1
