//! The targets are in `fuzz_targets`; `fuzz/run.sh` builds and runs them.
