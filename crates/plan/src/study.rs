//! A study: what `plimsoll tune` may change of a target, how it is measured, and what it must keep.
//!
//! Plain data as a person wrote it. What a change does to a file or a process is not known here.

use std::time::Duration;

use plimsoll_text::Message;

use crate::model::{GoalSpec, Span, Text};

/// A study as it is written.
#[derive(Debug, Clone, Default)]
pub struct Study {
    /// Name in reports; by default the file's.
    pub name: String,
    /// The plan's path, from the study's folder, or a URL.
    pub plan: Text,
    /// What is to become better.
    pub objective: StudyObjective,
    /// What must hold in each trial for its configuration to be kept.
    pub constraints: Vec<GoalSpec>,
    /// The most memory that all components together may hold, in bytes.
    pub most_memory: Option<u64>,
    /// The most processor time that all components together may use, in CPUs: 1.5 is one and a half.
    pub most_cpu: Option<Text>,
    /// What the target is made of, in the order in which it is started.
    pub components: Vec<StudyComponent>,
    /// What may be changed.
    pub knobs: Vec<StudyKnob>,
    /// What must hold between knobs, such as `pool <= threads - 10`.
    pub relations: Vec<Text>,
    /// What else may be given up by name: durability, safety.
    pub allow: Vec<Text>,
    /// Files and knobs that are never touched.
    pub never: Vec<Text>,
    /// Brings data back between trials.
    pub reset: Option<Text>,
    /// How it is looked for.
    pub search: StudySearch,
    /// Users of each run, for a URL or in place of the plan's.
    pub users: Option<u32>,
    /// How long each run measures; none: as long as the plan does.
    pub measure: Option<Duration>,
    /// The most that is waited for a steady state before.
    pub warm_up: Option<Duration>,
    /// Most runs that are measured.
    pub trials: u32,
    /// The most time that all takes.
    pub time: Option<Duration>,
    /// The share of studies without anything to gain that may keep something, in percent.
    pub error_rate: Option<Text>,
    /// Differences below this share are none that matter, in percent.
    pub smallest_gain: Option<Text>,
    /// Seed of the search.
    pub seed: Option<u64>,
}

/// What a study makes better.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyObjective {
    /// The sum's parts; one with the weight 1 as a rule.
    pub parts: Vec<ObjectivePart>,
}

/// A part of an objective.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectivePart {
    /// Whether more is better.
    pub maximise: bool,
    /// Of what.
    pub metric: ObjectiveMetric,
    /// Its weight for one of its units, where there are several.
    pub weight: f64,
}

/// What an objective looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ObjectiveMetric {
    /// Successful samples a second.
    Throughput,
    /// A percentile of the response time of successes, ms: one of 50, 90, 95, 99 and 99.9.
    Percentile(f64),
    /// Their mean response time, ms.
    Mean,
    /// The load that meets the constraints: users, or arrivals a second.
    Capacity,
    /// Resident memory of the components, MiB.
    Memory,
}

/// A run that is shorter tells nothing.
pub const LEAST_MEASURE: Duration = Duration::from_secs(1);

/// That with a value of a key no trial, or no study, says anything.
#[must_use]
pub fn cannot_judge(key: &'static str, value: String) -> Message {
    Message::new("study-cannot-judge")
        .with("key", key)
        // A name is not there yet where texts are chosen.
        .with("what", key)
        .with("value", value)
}

/// Percentiles that every run's summary has.
const PERCENTILES: [f64; 5] = [50.0, 90.0, 95.0, 99.0, 99.9];

impl Default for StudyObjective {
    fn default() -> Self {
        let part = ObjectivePart {
            maximise: true,
            metric: ObjectiveMetric::Throughput,
            weight: 1.0,
        };
        Self { parts: vec![part] }
    }
}

impl ObjectiveMetric {
    /// Its unit.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Throughput => "/s",
            Self::Percentile(_) | Self::Mean => "ms",
            Self::Capacity => "",
            Self::Memory => "MiB",
        }
    }

    const fn more_is_better(self) -> bool {
        matches!(self, Self::Throughput | Self::Capacity)
    }

    fn parse(text: &str) -> Option<Self> {
        let percentile = |text: &str| text.strip_prefix('p')?.parse::<f64>().ok();
        Some(match text {
            "throughput" => Self::Throughput,
            "mean" => Self::Mean,
            "capacity" => Self::Capacity,
            "memory" => Self::Memory,
            _ => Self::Percentile(percentile(text).filter(|p| PERCENTILES.contains(p))?),
        })
    }

    /// As it is written.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Throughput => "throughput".to_owned(),
            Self::Percentile(p) => format!("p{p}"),
            Self::Mean => "mean".to_owned(),
            Self::Capacity => "capacity".to_owned(),
            Self::Memory => "memory".to_owned(),
        }
    }
}

impl StudyObjective {
    /// Reads `maximise throughput`, `minimise p99`, or a sum with weights by unit:
    /// `maximise throughput * 1 - p99 * 0.5`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (verb, sum) = text.trim().split_once(char::is_whitespace)?;
        let maximise = match verb {
            "maximise" | "maximize" => true,
            "minimise" | "minimize" => false,
            _ => return None,
        };
        let mut parts = Vec::new();
        let mut sign = true;
        let mut words = sum.split_whitespace().peekable();
        loop {
            let metric = ObjectiveMetric::parse(words.next()?)?;
            let mut weight = 1.0;
            if words.next_if_eq(&"*").is_some() {
                weight = words.next()?.parse::<f64>().ok()?;
            }
            // Nobody wants less throughput, or longer times.
            let is_meant = (maximise == sign) == metric.more_is_better();
            if !weight.is_finite() || weight <= 0.0 || !is_meant {
                return None;
            }
            parts.push(ObjectivePart {
                maximise: maximise == sign,
                metric,
                weight,
            });
            sign = match words.next() {
                None => return Some(Self { parts }),
                Some("+") => true,
                Some("-") => false,
                Some(_) => return None,
            };
        }
    }

    /// As it is written.
    #[must_use]
    pub fn text(&self) -> String {
        let first = self.parts.first().is_none_or(|part| part.maximise);
        let mut text = if first { "maximise" } else { "minimise" }.to_owned();
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                text.push_str(if part.maximise == first { " +" } else { " -" });
            }
            text = format!("{text} {}", part.metric.text());
            if self.parts.len() > 1 {
                text = format!("{text} * {}", part.weight);
            }
        }
        text
    }
}

/// What an agent lets studies change on its host: a file of the agent's operator, never of a controller.
#[derive(Debug, Clone, Default)]
pub struct AgentScope {
    /// The components that may be started, stopped and reloaded, with the commands for it.
    pub components: Vec<StudyComponent>,
    /// What may be changed of them, where it stands and what it may be.
    pub knobs: Vec<StudyKnob>,
    /// What must hold between knobs.
    pub relations: Vec<Text>,
    /// What may be given up by name: durability, safety.
    pub allow: Vec<Text>,
    /// Files and knobs that are never touched.
    pub never: Vec<Text>,
    /// How long after a study was last heard of everything is put back.
    pub lease: Option<Duration>,
}

/// A part of the target: a process, a unit, a service.
#[derive(Debug, Clone, Default)]
pub struct StudyComponent {
    /// Its name in the study.
    pub name: String,
    /// The command that is the process itself.
    pub start: Option<Text>,
    /// Its working folder, from the study's.
    pub folder: Option<Text>,
    /// Its environment, beside the one that is there.
    pub environment: Vec<(String, Text)>,
    /// Stops it; by default a signal does.
    pub stop: Option<Text>,
    /// Has it read its files again.
    pub reload: Option<Text>,
    /// The unit that systemd runs it as.
    pub systemd: Option<Text>,
    /// The service that Docker Compose runs it as.
    pub compose: Option<Text>,
    /// Compose's file.
    pub compose_file: Option<Text>,
    /// It runs already and is only reloaded.
    pub running: bool,
    /// The agent on its host, which knows how it is run: `tls://HOST:PORT,fingerprint=…,token-file=…`.
    pub agent: Option<Text>,
    /// When it is ready: a URL, `host:port`, or a command.
    pub ready: Option<Text>,
    /// How long it may take to be ready.
    pub ready_within: Option<Duration>,
    /// How long it may take to stop.
    pub stop_within: Option<Duration>,
    /// What shows its settings and is watched while it is loaded: `SOURCE[=ADDRESS][,KEY=VALUE]`.
    pub watch: Vec<Text>,
    /// Where it takes statements: `mysql://HOST:PORT,user=NAME,password-env=NAME`, or `postgresql://…`.
    pub database: Option<Text>,
    /// Where it is written.
    pub at: Span,
}

/// Something that may be changed.
#[derive(Debug, Clone, Default)]
pub struct StudyKnob {
    /// Its name in the study.
    pub name: String,
    /// One of those that `plimsoll tune --knobs` lists; by default the one of its name.
    pub knob: Option<Text>,
    /// The component that it belongs to; by default the only one.
    pub of: Option<Text>,
    /// The file that it stands in, from the study's folder.
    pub file: Option<Text>,
    /// The file's form, where its name does not say it.
    pub format: Option<Text>,
    /// Its key in the file.
    pub key: Option<Text>,
    /// The argument of the start command, with `{}` for the value.
    pub argument: Option<Text>,
    /// The environment variable of the component.
    pub env: Option<Text>,
    /// The command that sets it, with `{}` for the value.
    pub command: Option<Text>,
    /// The statement that sets it in the component's database, with `{}` for the value.
    pub sql: Option<Text>,
    /// From and to, of a number.
    pub range: Option<Text>,
    /// The step of a range.
    pub step: Option<Text>,
    /// What stands behind a number, such as `m`.
    pub unit: Option<Text>,
    /// Its range is searched by ratio.
    pub by_ratio: bool,
    /// The values, of a choice.
    pub values: Vec<Text>,
    /// What it is without a change, where that cannot be read.
    pub default: Option<Text>,
    /// What must hold for it to count, such as `collector = g1`.
    pub only_if: Option<Text>,
    /// A reload of the component is enough.
    pub by_reload: bool,
    /// How the value is read from the running target.
    pub read_back: Option<ReadBackSpec>,
    /// Where it is written.
    pub at: Span,
}

/// How the value of a knob is read from the running target.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadBackSpec {
    /// From a response, by a JSON pointer or as a whole.
    Http(Text, Option<Text>),
    /// From what a command prints.
    Command(Text),
    /// From the last column of the first row that the component's database responds with.
    Sql(Text),
    /// Nothing can show it.
    Nothing(bool),
}

/// How values are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StudySearch {
    /// A model of the objective says where to look next.
    #[default]
    Model,
    /// Drawn by chance.
    Random,
    /// One knob after the other.
    OneAtATime,
    /// Only what findings advise.
    AdviceOnly,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_and_written() {
        for text in [
            "maximise throughput",
            "minimise p99",
            "minimise p99.9",
            "maximise capacity",
            "maximise throughput * 1 - p99 * 0.5",
            "minimise memory * 2 + mean * 10",
        ] {
            assert_eq!(StudyObjective::parse(text).unwrap().text(), text);
        }
        for text in [
            "",
            "throughput",
            "maximise",
            "maximise speed",
            "minimise p0",
            "minimise p100",
            "maximise throughput *",
            "maximise throughput * -1",
            "maximise throughput p99",
            "maximise throughput * nan",
            "maximise p99",
            "minimise throughput",
            "maximise throughput * 1 + p99 * 0.5",
        ] {
            assert_eq!(StudyObjective::parse(text), None, "{text}");
        }
    }
}
