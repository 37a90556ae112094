//! What is known of a run before its first sample.

use plimsoll_stats::Ceiling;
use plimsoll_stats::curve::LoadProfile;
use plimsoll_stats::summary::LoadChanged;
use plimsoll_text::{Arg, Message};
use serde::{Deserialize, Serialize};

/// What a run was: plan, command, machine. Written when the run begins.
///
/// Secrets must be gone from every text here: the store keeps them as they come.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunMeta {
    /// Name shown in reports; the run's directory is called after it.
    pub name: String,
    /// The plan's own name.
    pub plan_name: String,
    /// The plan as text.
    pub plan_source: String,
    /// The command line, word by word.
    pub command_line: Vec<String>,
    /// Version of the program that ran.
    pub plimsoll_version: String,
    /// Wall clock at the run's start, in ns since 1970 (UTC).
    pub started_at_unix_ns: u64,
    /// Seed of everything random in the run.
    pub seed: u64,
    /// Whole seconds at the start that results leave out.
    pub warm_up_s: u32,
    /// The machine that made the load.
    pub environment: Environment,
    /// The address that was loaded.
    pub target: String,
    /// Other addresses that the plan is known to load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_origins: Vec<OriginMeta>,
    /// The goals, as written.
    pub goals: Vec<String>,
    /// The scenarios.
    pub scenarios: Vec<ScenarioMeta>,
    /// The load over time that the plan asks for, of all scenarios together, if it fixes one; with what
    /// it was changed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_profile: Option<LoadProfile>,
    /// What the load was changed to while the run went on, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub load_changes: Vec<LoadChanged>,
    /// Second from which the load is raised to see what room there is; nothing counts from there on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_from_s: Option<u32>,
    /// What it is only a step of; none: it stands for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_of: Option<StepOf>,
    /// What the load generator can do at most, as far as its machine was calibrated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ceilings: Vec<Ceiling>,
}

impl RunMeta {
    /// What the run is called.
    pub(crate) fn title(&self) -> &str {
        match self.name.is_empty() {
            true => &self.plan_name,
            false => &self.name,
        }
    }
}

/// An address that is loaded, with what goes there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OriginMeta {
    /// Scheme, host and port.
    pub origin: String,
    /// The labels whose requests all go there.
    pub labels: Vec<String>,
}

/// A search that a run is a step of. Its figures tell what was tried there, and nothing of how the target
/// does from release to release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOf {
    /// The search for the most load that meets the goals.
    Capacity,
    /// A study of settings.
    Study,
}

impl StepOf {
    /// Its stable name, as it is stored.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Capacity => "capacity",
            Self::Study => "study",
        }
    }
}

/// A scenario of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScenarioMeta {
    /// Its name.
    pub name: String,
    /// Its load in the plan's own words, e.g. `users: 200, hold: 60 s`.
    pub load: String,
}

/// The machine that made the load. Facts only, in no language.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Host name.
    pub host_name: String,
    /// Operating system, e.g. `Debian GNU/Linux 12`.
    pub os: String,
    /// Kernel release.
    pub kernel: String,
    /// Model of the first processor.
    pub cpu_model: String,
    /// Logical processors of the host.
    pub cpus: u32,
    /// Processors this process may use, by affinity and quota (a quota may be a fraction).
    pub allowed_cpus: f64,
    /// Memory of the host.
    pub memory_bytes: u64,
}

/// Something that happened at one moment of a run: a warning, an interruption, a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// When, in ns since the run's start.
    pub at_ns: u64,
    /// A stable name, e.g. `interrupted`; the text id is `event-<kind>`.
    pub kind: String,
    /// The arguments.
    pub args: serde_json::Value,
}

/// A message's arguments as they are kept. A message inside keeps its id, so that whoever shows it says it in his own
/// language.
#[must_use]
pub fn message_args(message: &Message) -> serde_json::Value {
    let args = message.args.iter().map(|(name, value)| {
        let value = match value {
            Arg::Text(text) => text.clone().into(),
            Arg::Number(number) => (*number).into(),
            Arg::Message(inner) => serde_json::json!({"id": inner.id, "args": message_args(inner)}),
        };
        (name.clone().into_owned(), value)
    });
    serde_json::Value::Object(args.collect())
}

/// A message with the arguments that an event kept of it; messages inside it, too.
#[must_use]
pub fn kept_message(id: impl Into<String>, args: &serde_json::Value) -> Message {
    let mut message = Message::new(id);
    for (name, value) in args.as_object().into_iter().flatten() {
        let arg: Arg = match (value.as_str(), value["id"].as_str()) {
            (Some(text), _) => text.into(),
            (None, Some(id)) => kept_message(id, &value["args"]).into(),
            (None, None) => value
                .as_f64()
                .map_or_else(|| value.to_string().into(), Arg::from),
        };
        message.args.push((name.clone().into(), arg));
    }
    message
}
