//! Arguments of `worker`, `workers`, and of `run` over workers.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use plimsoll_access::Right;
use plimsoll_run::{FleetSettings, NatsSettings};
use plimsoll_text::Message;

use super::values::{duration, parse_pair};
use crate::usage::UsageRefused;

/// How NATS is reached.
#[derive(Debug, Clone, Default, Args)]
#[group(id = "nats_options", multiple = true)]
pub struct NatsArgs {
    /// A server; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub nats: Vec<String>,
    /// What all subjects begin with.
    #[arg(long, value_name = "PREFIX")]
    pub nats_prefix: Option<String>,
    /// The user.
    #[arg(long, value_name = "NAME")]
    pub nats_user: Option<String>,
    /// The seed of an nkey.
    #[arg(long, value_name = "FILE")]
    pub nats_nkey: Option<PathBuf>,
    /// A credentials file.
    #[arg(long, value_name = "FILE")]
    pub nats_credentials: Option<PathBuf>,
    /// Certificates to trust.
    #[arg(long, value_name = "FILE")]
    pub nats_ca: Option<PathBuf>,
    /// This side's certificate.
    #[arg(long, value_name = "FILE")]
    pub nats_certificate: Option<PathBuf>,
    /// Its key.
    #[arg(long, value_name = "FILE")]
    pub nats_key: Option<PathBuf>,
}

impl From<&NatsArgs> for NatsSettings {
    fn from(args: &NatsArgs) -> Self {
        let args = args.clone();
        Self {
            servers: args.nats,
            prefix: args.nats_prefix,
            user: args.nats_user,
            nkey_file: args.nats_nkey,
            credentials_file: args.nats_credentials,
            ca_file: args.nats_ca,
            certificate_file: args.nats_certificate,
            key_file: args.nats_key,
        }
    }
}

/// `worker`.
#[derive(Debug, Clone, Args)]
pub struct WorkerArgs {
    /// How NATS is reached.
    #[command(flatten)]
    pub nats: NatsArgs,
    /// The worker's name; by default the host's.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// A label by which runs choose it; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', value_parser = parse_pair)]
    pub labels: Vec<(String, String)>,
    /// What plans may do beyond requests.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub allow: Vec<Allowed>,
    /// Where plans are unpacked and reports kept that do not fit in memory.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Write the samples of each run to a file there.
    #[arg(long, value_name = "DIR")]
    pub jtl_dir: Option<PathBuf>,
}

/// What a worker may allow a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Allowed {
    /// Start processes.
    Processes,
    /// Run scripts and other Java parts.
    Scripts,
    /// Use files outside the bundle.
    Files,
}

impl Allowed {
    /// What it allows.
    #[must_use]
    pub const fn right(self) -> Right {
        match self {
            Self::Processes => Right::Processes,
            Self::Scripts => Right::Scripts,
            Self::Files => Right::Files,
        }
    }
}

/// `workers`.
#[derive(Debug, Clone, Args)]
pub struct WorkersArgs {
    /// How NATS is reached.
    #[command(flatten)]
    pub nats: NatsArgs,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// A run over workers.
#[derive(Debug, Clone, Default, Args)]
pub struct FleetArgs {
    /// Share the load among so many workers.
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Only workers with this label; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', value_parser = parse_pair, requires = "workers")]
    pub workers_with: Vec<(String, String)>,
    /// Wait so long for NATS and enough workers.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "0s", requires = "workers")]
    pub workers_within: Duration,
    /// Every worker runs the whole plan.
    #[arg(long, requires = "workers")]
    pub each: bool,
    /// A further file that workers need; may be given several times.
    #[arg(long, value_name = "FILE", requires = "workers")]
    pub bundle: Vec<PathBuf>,
    /// The most that a worker's clock may be unsure.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "50ms")]
    pub clock_error: Duration,
    /// How long a worker may go on without a controller.
    #[arg(long, value_name = "DURATION", value_parser = lease, default_value = "10s")]
    pub lease: Duration,
    /// Take up a run again whose controller was lost.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["workers", "repeat"])]
    pub resume: Option<String>,
    /// How NATS is reached.
    #[command(flatten)]
    pub nats: NatsArgs,
}

impl FleetArgs {
    /// The workers that are asked for; none for a run on this machine.
    #[must_use]
    pub fn settings(&self) -> Option<FleetSettings> {
        let args = self.clone();
        self.workers.map(|workers| FleetSettings {
            workers,
            workers_with: args.workers_with,
            workers_within: args.workers_within,
            each: args.each,
            bundle: args.bundle,
            clock_error: args.clock_error,
            lease: args.lease,
            nats: (&args.nats).into(),
        })
    }
}

fn lease(text: &str) -> Result<Duration, UsageRefused> {
    let lease = duration(text)?;
    match (4..=600).contains(&lease.as_secs()) {
        true => Ok(lease),
        false => Err(UsageRefused(
            Message::new("usage-allowed").with("values", "4s–10m"),
        )),
    }
}
