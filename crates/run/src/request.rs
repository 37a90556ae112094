//! What is asked for: what to load, how much, and who makes the load.

use std::path::PathBuf;
use std::time::Duration;

use plimsoll_access::Access;
use plimsoll_plan::LoadOptions;
use serde::{Deserialize, Serialize};

/// What to load, and how its plan is read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PlanSource {
    /// The path of a plan, or the URL to load.
    pub plan: String,
    /// Variables of the plan that are set.
    pub set: Vec<(String, String)>,
    /// Further hosts that may be loaded, `host[:port]`.
    pub allow_hosts: Vec<String>,
    /// The request, for a URL.
    pub url: UrlRequest,
    /// What JMeter's own command line would say.
    pub jmeter: JMeterSettings,
    /// Where it is unpacked, on a worker.
    #[serde(skip)]
    pub unpacked: Option<UnpackedPlan>,
}

/// The request to a URL that is loaded without a plan.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct UrlRequest {
    /// Method; by default GET, or POST when there is a body.
    pub method: Option<String>,
    /// Headers, `Name: value`.
    pub headers: Vec<String>,
    /// Body; `@FILE` takes a file's bytes.
    pub body: Option<String>,
    /// Certificates are not checked.
    pub insecure: bool,
    /// Time-out of the whole request.
    pub timeout: Option<Duration>,
}

/// A plan that came from elsewhere: its folder, and the environment that it was written for.
#[derive(Debug, Clone)]
pub struct UnpackedPlan {
    /// What relative paths start from.
    pub folder: PathBuf,
    /// Environment variables that the plan names.
    pub env: Vec<(String, String)>,
    /// What the plan may do here.
    pub access: Access,
}

impl PlanSource {
    /// A plan or a URL as it is.
    #[must_use]
    pub fn new(plan: impl Into<String>) -> Self {
        Self {
            plan: plan.into(),
            ..Self::default()
        }
    }

    /// Whether it is a URL and not a file.
    #[must_use]
    pub fn is_url(&self) -> bool {
        is_url(&self.plan)
    }

    /// What the plan may do on this host: all that its user may, unless it came from elsewhere.
    #[must_use]
    pub fn access(&self) -> Access {
        match &self.unpacked {
            Some(unpacked) => unpacked.access.clone(),
            None => Access::of_user(),
        }
    }
}

/// Whether a text is a URL and not a file.
#[must_use]
pub(crate) fn is_url(source: &str) -> bool {
    source.starts_with("http://") || source.starts_with("https://")
}

/// What JMeter's own command line says to a .jmx plan.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct JMeterSettings {
    /// Properties (`-J`).
    pub properties: Vec<(String, String)>,
    /// Properties on workers too (`-G`): `NAME=VALUE`, or a file.
    pub global: Vec<String>,
    /// Java's system properties (`-D`).
    pub system: Vec<(String, String)>,
    /// Files of Java's system properties (`-S`).
    pub system_files: Vec<PathBuf>,
    /// Files of properties (`-q`).
    pub files: Vec<PathBuf>,
    /// Folders with jars of elements and functions (`--plugins`), beside the companion's `lib/ext`.
    #[serde(default)]
    pub plugins: Vec<PathBuf>,
    /// The plan runs although some of its elements are not supported.
    pub allow_unsupported: bool,
}

/// The load, and what the run is judged by, as far as they differ from the plan's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LoadSettings {
    /// The load.
    pub load: LoadOptions,
    /// The first part that is kept out of the result.
    pub warm_up: Option<Duration>,
    /// Load threads; by default one for each CPU.
    pub threads: Option<usize>,
    /// Each load thread is kept on a CPU of its own.
    pub pin: bool,
    /// There are load threads for so many users at least, if the load is to be changed to more than the
    /// plan's; 0: for as many as the plan has.
    #[serde(default)]
    pub room_users: u32,
    /// Seed of all randomness.
    pub seed: Option<u64>,
    /// The kernel's receive time of every response is taken.
    pub time_all_receives: bool,
    /// Further goals.
    pub goals: Vec<String>,
    /// What is watched beside what the plan names: `SOURCE[=ADDRESS][,KEY=VALUE]…`.
    pub watch: Vec<String>,
    /// Captures may disturb the target.
    pub watch_allow_capture: bool,
    /// Who else hears of the run while it goes on: `NAME=ADDRESS[,KEY=VALUE]…`.
    #[serde(default)]
    pub outputs: Vec<String>,
}

/// A run over workers.
#[derive(Debug, Clone)]
pub struct FleetSettings {
    /// How many workers; at least one.
    pub workers: usize,
    /// Only workers with these labels.
    pub workers_with: Vec<(String, String)>,
    /// NATS and enough workers are waited for so long.
    pub workers_within: Duration,
    /// Every worker runs the whole plan.
    pub each: bool,
    /// Further files that workers need.
    pub bundle: Vec<PathBuf>,
    /// The most that a worker's clock may be unsure.
    pub clock_error: Duration,
    /// How long a worker may go on without a controller.
    pub lease: Duration,
    /// How NATS is reached.
    pub nats: NatsSettings,
}

/// How NATS is reached; what is not given is taken from the environment.
#[derive(Debug, Clone, Default)]
pub struct NatsSettings {
    /// Servers.
    pub servers: Vec<String>,
    /// What all subjects begin with.
    pub prefix: Option<String>,
    /// The user.
    pub user: Option<String>,
    /// File with the seed of an nkey.
    pub nkey_file: Option<PathBuf>,
    /// A credentials file.
    pub credentials_file: Option<PathBuf>,
    /// File with the certificates to trust.
    pub ca_file: Option<PathBuf>,
    /// File with this side's certificate.
    pub certificate_file: Option<PathBuf>,
    /// File with its key.
    pub key_file: Option<PathBuf>,
}
