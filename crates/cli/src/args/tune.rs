//! Arguments of `tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::{RunsDir, duration};

/// `tune`.
#[derive(Debug, Clone, Args)]
pub struct TuneArgs {
    /// The study.
    #[arg(value_name = "STUDY.yaml", required_unless_present = "restore")]
    pub study: Option<PathBuf>,
    /// Bring back what a study that was killed has left.
    #[arg(long, conflicts_with_all = ["dry_run", "resume", "keep_best", "approve"])]
    pub restore: bool,
    /// Print every command and every change, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Go on where the study stopped.
    #[arg(long)]
    pub resume: bool,
    /// Leave what was found in the files.
    #[arg(long)]
    pub keep_best: bool,
    /// Ask before each change.
    #[arg(long)]
    pub approve: bool,
    /// Trials at most, in place of the study's.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub trials: Option<u32>,
    /// Time at most, in place of the study's.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub time: Option<Duration>,
    /// Seed of the search.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Watch this while the load runs; may be given several times.
    #[arg(long, value_name = "SOURCE[=ADDRESS][,KEY=VALUE]")]
    pub watch: Vec<String>,
    /// The file for the result as JSON; by default tune.json in the folder of the runs.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, no result on the terminal.
    #[arg(long)]
    pub quiet: bool,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}
