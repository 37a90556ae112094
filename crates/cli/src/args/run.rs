//! Arguments of `run`: what to load, how much, where the result goes.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use plimsoll_plan::LoadOptions;
use plimsoll_plan::model::Rate;
use plimsoll_run::{JMeterSettings, LoadSettings, PlanSource, UrlRequest};

use super::fleet::FleetArgs;
use super::values::{duration, parse_pair, rate};

/// What to load, and how a plan is read.
#[derive(Debug, Clone, Default, Args)]
pub struct SourceArgs {
    /// A plan, or the URL to load.
    #[arg(value_name = "PLAN|URL")]
    pub source: String,
    /// Set a variable of the plan.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub set: Vec<(String, String)>,
    /// A further host that may be loaded.
    #[arg(long = "allow-host", value_name = "HOST[:PORT]")]
    pub allow_host: Vec<String>,
    /// Method (URL only).
    #[arg(short = 'X', long = "method")]
    pub method: Option<String>,
    /// Header (URL only).
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// Body, or @FILE (URL only).
    #[arg(short = 'd', long = "data", value_name = "TEXT|@FILE")]
    pub data: Option<String>,
    /// Do not check certificates (URL only).
    #[arg(short = 'k', long = "insecure")]
    pub insecure: bool,
    /// Time-out of a request (URL only).
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// What JMeter's own command line would say.
    #[command(flatten)]
    pub jmeter: JMeterArgs,
}

impl From<&SourceArgs> for PlanSource {
    fn from(args: &SourceArgs) -> Self {
        let args = args.clone();
        Self {
            plan: args.source,
            set: args.set,
            allow_hosts: args.allow_host,
            url: UrlRequest {
                method: args.method,
                headers: args.headers,
                body: args.data,
                insecure: args.insecure,
                timeout: args.timeout,
            },
            jmeter: (&args.jmeter).into(),
            unpacked: None,
        }
    }
}

/// What JMeter's own command line says to a .jmx plan.
#[derive(Debug, Clone, Default, Args)]
pub struct JMeterArgs {
    /// Set a property.
    #[arg(id = "jmeter_property", short = 'J', value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub properties: Vec<(String, String)>,
    /// Set a property, on workers too.
    #[arg(id = "jmeter_global", short = 'G', value_name = "NAME=VALUE|FILE")]
    pub global: Vec<String>,
    /// Set a Java system property.
    #[arg(id = "jmeter_system", short = 'D', value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub system: Vec<(String, String)>,
    /// Read Java system properties from a file.
    #[arg(
        id = "jmeter_system_file",
        short = 'S',
        long = "systemPropertyFile",
        value_name = "FILE"
    )]
    pub system_files: Vec<PathBuf>,
    /// Read properties from a file.
    #[arg(id = "addprop", short = 'q', long = "addprop", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Look for elements and functions in the jars of a folder, too.
    #[arg(long, value_name = "DIR")]
    pub plugins: Vec<PathBuf>,
    /// Run a plan although some of its elements are not supported.
    #[arg(long)]
    pub allow_unsupported: bool,
}

impl From<&JMeterArgs> for JMeterSettings {
    fn from(args: &JMeterArgs) -> Self {
        let args = args.clone();
        Self {
            properties: args.properties,
            global: args.global,
            system: args.system,
            system_files: args.system_files,
            files: args.files,
            plugins: args.plugins,
            allow_unsupported: args.allow_unsupported,
        }
    }
}

/// The load.
#[derive(Debug, Clone, Default, Args)]
pub struct LoadArgs {
    /// Users of a closed load.
    #[arg(long, alias = "connections", short = 'c', value_name = "N")]
    pub users: Option<u32>,
    /// Arrivals of an open load.
    #[arg(long, value_name = "N/s", value_parser = rate)]
    pub rate: Option<Rate>,
    /// Time to go from nothing to the full load.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub ramp_up: Option<Duration>,
    /// The first part that is kept out of the result.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub warm_up: Option<Duration>,
    /// Time of the whole load.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub duration: Option<Duration>,
    /// Iterations of each user.
    #[arg(long, value_name = "N")]
    pub iterations: Option<u64>,
    /// Users in flight over which an arrival counts as not started.
    #[arg(long, value_name = "N")]
    pub max_in_flight: Option<u32>,
    /// Load threads.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Keep each load thread on a CPU of its own.
    #[arg(long)]
    pub pin: bool,
    /// Seed of all randomness.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Take the kernel's receive time of every response.
    #[arg(long)]
    pub time_all_receives: bool,
    /// A goal; may be given several times.
    #[arg(long = "goal", value_name = "GOAL")]
    pub goals: Vec<String>,
    /// Watch this while the load runs; may be given several times.
    #[arg(long, value_name = "SOURCE[=ADDRESS][,KEY=VALUE]")]
    pub watch: Vec<String>,
    /// Allow captures that disturb the target.
    #[arg(long)]
    pub watch_allow_capture: bool,
    /// Tell this while the load runs; may be given several times.
    #[arg(long = "output", value_name = "NAME=ADDRESS[,KEY=VALUE]")]
    pub outputs: Vec<String>,
}

impl From<&LoadArgs> for LoadSettings {
    fn from(args: &LoadArgs) -> Self {
        Self {
            load: LoadOptions {
                users: args.users,
                rate: args.rate,
                ramp_up: args.ramp_up,
                duration: args.duration,
                iterations_per_user: args.iterations,
                iterations_total: None,
                max_in_flight: args.max_in_flight,
            },
            warm_up: args.warm_up,
            threads: args.threads,
            pin: args.pin,
            room_users: 0,
            seed: args.seed,
            time_all_receives: args.time_all_receives,
            goals: args.goals.clone(),
            watch: args.watch.clone(),
            watch_allow_capture: args.watch_allow_capture,
            outputs: args.outputs.clone(),
        }
    }
}

/// `run`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// What to load.
    #[command(flatten)]
    pub source: SourceArgs,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Run so many times.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: u32,
    /// Raise the load at its end.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "5s", value_parser = duration)]
    pub probe: Option<Duration>,
    /// Do not lower the load at its end where the target is watched.
    #[arg(long, conflicts_with = "probe")]
    pub no_probe: bool,
    /// Folder of the runs.
    #[arg(long, value_name = "DIR", default_value = "plimsoll-runs")]
    pub out: PathBuf,
    /// Write the summary as JSON.
    #[arg(long, value_name = "FILE")]
    pub summary_json: Option<PathBuf>,
    /// Write every sample as JMeter does.
    #[arg(long, short = 'l', value_name = "FILE")]
    pub jtl: Option<PathBuf>,
    /// Write a report; its form follows from the file's name.
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
    /// No progress, no table.
    #[arg(long)]
    pub quiet: bool,
    /// Workers that make the load.
    #[command(flatten)]
    pub fleet: FleetArgs,
}
