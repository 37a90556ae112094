//! Arguments of `tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use plimsoll_plan::study::StudyObjective;

use super::values::{RunsDir, duration};
use crate::usage::UsageRefused;

/// An objective as studies write it.
fn objective(text: &str) -> Result<StudyObjective, UsageRefused> {
    StudyObjective::parse(text).ok_or_else(|| UsageRefused::because("usage-wants-objective"))
}

/// `tune`.
#[derive(Debug, Clone, Args)]
pub struct TuneArgs {
    /// The study; with `start` the plan.
    #[arg(value_name = "STUDY.yaml", required_unless_present_any = ["restore", "knobs", "show"])]
    pub study: Option<PathBuf>,
    /// The command that starts the target, in place of a study.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["restore", "keep_best", "knobs"])]
    pub start: Option<String>,
    /// List the knobs, of one family or of all, or one, and do nothing.
    #[arg(long, value_name = "FAMILY|KNOB", num_args = 0..=1, default_missing_value = "",
        conflicts_with_all = ["study", "restore", "dry_run", "resume", "keep_best", "approve"])]
    pub knobs: Option<String>,
    /// The list as JSON.
    #[arg(long, requires = "knobs")]
    pub json: bool,
    /// Bring back what a study that was killed has left.
    #[arg(long, conflicts_with_all = ["dry_run", "resume", "keep_best", "approve"])]
    pub restore: bool,
    /// Print every command and every change, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Go on where the study stopped.
    #[arg(long)]
    pub resume: bool,
    /// The result of an earlier study, from whose trials the search starts.
    #[arg(long, value_name = "tune.json", conflicts_with_all = ["restore", "knobs", "dry_run"])]
    pub from: Option<PathBuf>,
    /// Leave what was found in the files.
    #[arg(long)]
    pub keep_best: bool,
    /// Ask before each change.
    #[arg(long)]
    pub approve: bool,
    /// What is to become better, in place of the study's.
    #[arg(long, value_name = "TEXT", value_parser = objective)]
    pub objective: Option<StudyObjective>,
    /// How long each run measures, in place of the study's.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub measure: Option<Duration>,
    /// The most that is waited for a steady state, in place of the study's.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub warm_up: Option<Duration>,
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
    /// Allow captures that disturb the target, in runs that do not count.
    #[arg(long)]
    pub watch_allow_capture: bool,
    /// The file for the result as JSON; by default tune.json in the folder of the runs.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Files for the story: HTML, Markdown, XLSX, by their names.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["restore", "knobs", "dry_run"])]
    pub report: Vec<PathBuf>,
    /// Tell a result that is there already.
    #[arg(long, value_name = "tune.json",
        conflicts_with_all = ["study", "start", "restore", "knobs", "dry_run", "resume", "output"])]
    pub show: Option<PathBuf>,
    /// No progress, no result on the terminal.
    #[arg(long)]
    pub quiet: bool,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}
