//! Arguments of `hops`.

use std::path::PathBuf;

use clap::Args;

use super::run::SourceArgs;
use super::values::{RunsDir, parse_pair};

/// Users that load each hop where nobody says otherwise: one does not wait for another.
pub const USERS: u32 = 1;
/// Rounds that count.
pub const ROUNDS: u32 = 3;
/// Seconds of a round.
pub const ROUND_SECONDS: u32 = 2;

/// `hops`.
#[derive(Debug, Clone, Args)]
pub struct HopsArgs {
    /// What to load.
    #[command(flatten)]
    pub source: SourceArgs,
    /// A hop, the outermost first; by default those of the plan.
    #[arg(long = "hop", value_name = "NAME=URL", value_parser = parse_pair)]
    pub hops: Vec<(String, String)>,
    /// Users of each scenario, the same for all hops.
    #[arg(long, alias = "connections", short = 'c', value_name = "N", default_value_t = USERS, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub users: u32,
    /// Rounds that count; each loads every hop once.
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub rounds: u32,
    /// Seconds that a hop is loaded in a round.
    #[arg(long, value_name = "N", default_value_t = ROUND_SECONDS, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    pub round_seconds: u32,
    /// Keep the times in this run.
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last")]
    pub keep_in: Option<String>,
    /// Load threads.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
    /// The file for the times as JSON.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, no table.
    #[arg(long)]
    pub quiet: bool,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}
