//! Whole runs, which wait most of their time: `tools/test.sh workers` runs them several at once.

mod access;
mod allow;
mod clocks;
mod cluster;
mod gone;
mod results;
mod runs;
