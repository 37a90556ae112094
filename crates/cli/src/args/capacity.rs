//! Arguments of `capacity` and `size`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use plimsoll_plan::model::Rate;
use plimsoll_plan::units::{parse_rate, parse_size};
use plimsoll_run::measure::capacity::CapacityLoad;
use plimsoll_stats::curve::LoadModel;

use super::run::SourceArgs;
use super::values::{RunsDir, duration, rate};
use crate::usage::UsageRefused;

/// `capacity`.
#[derive(Debug, Clone, Args)]
pub struct CapacityArgs {
    /// What to load.
    #[command(flatten)]
    pub source: SourceArgs,
    /// A goal that must hold; may be given several times.
    #[arg(long = "goal", value_name = "GOAL")]
    pub goals: Vec<String>,
    /// The first load: users, or a rate.
    #[arg(long, value_name = "N|N/s", value_parser = capacity_load)]
    pub from: Option<CapacityLoad>,
    /// The largest load that may be tried.
    #[arg(long, value_name = "N|N/s", value_parser = capacity_load)]
    pub to: Option<CapacityLoad>,
    /// Seconds that a load is held for a measurement.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(5..=86_400))]
    pub step_seconds: u32,
    /// Measurements at most.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub max_measurements: u32,
    /// How near the ends of the result should lie, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 3.0, value_parser = percentage)]
    pub precision: f64,
    /// How often each end of the result is measured.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub repeats: u32,
    /// Time without load between measurements.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "3s")]
    pub cool_down: Duration,
    /// Load at the first load before anything is measured.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub warm_up: Option<Duration>,
    /// Users in flight over which an arrival counts as not started (URL only).
    #[arg(long, value_name = "N")]
    pub max_in_flight: Option<u32>,
    /// Load threads.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Watch this while the load runs; may be given several times.
    #[arg(long, value_name = "SOURCE[=ADDRESS][,KEY=VALUE]")]
    pub watch: Vec<String>,
    /// Allow captures that disturb the target.
    #[arg(long)]
    pub watch_allow_capture: bool,
    /// The file for the result as JSON; by default capacity.json in the folder of the runs.
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, no table.
    #[arg(long)]
    pub quiet: bool,
    /// Where runs lie.
    #[command(flatten)]
    pub runs: RunsDir,
}

/// `size`.
#[derive(Debug, Clone, Default, Args)]
pub struct SizeArgs {
    /// Visits of a day.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub visits_per_day: Option<f64>,
    /// The share of them that comes in the busy time, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 80.0, value_parser = percentage)]
    pub busy_visits: f64,
    /// The share of the day that the busy time takes, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 40.0, value_parser = percentage)]
    pub busy_day: f64,
    /// Target throughput, where it is known.
    #[arg(long, value_name = "N/s", value_parser = rate, conflicts_with = "visits_per_day")]
    pub tps: Option<Rate>,
    /// Users at work at once, where they are known.
    #[arg(long, value_name = "N", value_parser = positive, conflicts_with_all = ["visits_per_day", "tps"])]
    pub users: Option<f64>,
    /// Mean response time.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub response_time: Option<Duration>,
    /// Pause of a user between requests.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "0s")]
    pub think_time: Duration,
    /// Cores of the web server's host.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub cores: Option<u32>,
    /// Memory of the web server's host.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
    /// For programs.
    #[arg(long)]
    pub json: bool,
}

fn size(text: &str) -> Result<u64, UsageRefused> {
    parse_size(text)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| UsageRefused::because("usage-wants-size"))
}

fn positive(text: &str) -> Result<f64, UsageRefused> {
    let number = text.replace([',', '_'], "").parse::<f64>().ok();
    number
        .filter(|number| number.is_finite() && *number > 0.0)
        .ok_or_else(|| UsageRefused::because("usage-wants-positive"))
}

fn percentage(text: &str) -> Result<f64, UsageRefused> {
    let number = text
        .trim()
        .trim_end_matches('%')
        .trim_end()
        .parse::<f64>()
        .ok();
    number
        .filter(|number| *number > 0.0 && *number <= 100.0)
        .ok_or_else(|| UsageRefused::because("usage-wants-percentage"))
}

fn capacity_load(text: &str) -> Result<CapacityLoad, UsageRefused> {
    let users = text.parse::<u32>().ok().filter(|users| *users > 0);
    if let Some(users) = users {
        return Ok(CapacityLoad {
            value: f64::from(users),
            model: LoadModel::Users,
        });
    }
    let rate = parse_rate(text).filter(|rate| rate.arrivals > 0);
    rate.map(|rate| CapacityLoad {
        value: rate.as_per_second(),
        model: LoadModel::Rate,
    })
    .ok_or_else(|| UsageRefused::because("usage-wants-load"))
}
