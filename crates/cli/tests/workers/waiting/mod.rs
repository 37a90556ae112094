//! Whole runs, which wait most of their time: `tools/run_tests.py` runs more of them at once than there are CPUs.

mod access;
mod allow;
mod clocks;
mod cluster;
mod ends;
mod errors;
mod gone;
mod results;
mod runs;
mod secrets;
mod warned;
