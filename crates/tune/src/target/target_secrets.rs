//! What is secret on a target, and what is said of a target without it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plimsoll_secrets::Known;
use plimsoll_text::{Arg, Message};

use super::originals;
use super::prepared::Prepared;
use crate::space::{Domain, SpaceKnob};
use crate::trial::{NotArrived, SeenValue, Stopped, TrialEnd};

/// Arguments of messages that are paths: they are ours, and whoever reads them goes there.
const PATHS: [&str; 4] = ["path", "original", "other", "now"];

/// What is secret in the files that a study changes, and in its own values: a target may say it when it fails.
pub struct TargetSecrets {
    known: Known,
    /// What the knobs may be: the study itself says that.
    domains: BTreeMap<String, Domain>,
}

impl TargetSecrets {
    /// Of a study whose files are as they were found, or have their originals beside them.
    #[must_use]
    pub fn of(prepared: &Prepared) -> Self {
        let files = prepared
            .knobs
            .iter()
            .filter_map(|knob| knob.place.in_file());
        let paths: BTreeSet<&Path> = files.map(|(path, ..)| path).collect();
        let mut secrets: Vec<String> = Vec::new();
        for bytes in paths
            .into_iter()
            .filter_map(|path| originals::read(path).ok())
        {
            let text = String::from_utf8_lossy(&bytes);
            let places = plimsoll_secrets::places(&text).into_iter();
            // Without the end of a line of Windows.
            secrets.extend(places.filter_map(|at| Some(text.get(at)?.trim().to_owned())));
        }
        let knobs = &prepared.space.knobs;
        secrets.extend(knobs.iter().flat_map(hidden).cloned());
        let domains = knobs
            .iter()
            .map(|knob| (knob.name.clone(), knob.domain.clone()));
        Self {
            known: Known::new(secrets),
            domains: domains.collect(),
        }
    }

    /// What somebody said.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.known.text(text).into_owned()
    }

    /// What is to be said of it.
    #[must_use]
    pub fn message(&self, message: Message) -> Message {
        let args = message.args.into_iter().map(|(name, arg)| {
            let arg = match arg {
                Arg::Text(text) if !PATHS.contains(&name.as_ref()) => Arg::Text(self.text(&text)),
                Arg::Message(inner) => Arg::Message(Box::new(self.message(*inner))),
                arg => arg,
            };
            (name, arg)
        });
        Message {
            id: message.id,
            args: args.collect(),
        }
    }

    /// How a trial ended.
    #[must_use]
    pub fn end(&self, end: TrialEnd) -> TrialEnd {
        match end {
            TrialEnd::Measured(mut measured) => {
                measured.read_back = self.seen(std::mem::take(&mut measured.read_back));
                TrialEnd::Measured(measured)
            }
            TrialEnd::Void { instead } => {
                let instead = instead.into_iter().map(|it| NotArrived {
                    has: self.value(&it.knob, &it.has),
                    ..it
                });
                TrialEnd::Void {
                    instead: instead.collect(),
                }
            }
            TrialEnd::Failed { what, detail } => {
                let detail = self.text(&detail);
                TrialEnd::Failed { what, detail }
            }
            TrialEnd::Interrupted => TrialEnd::Interrupted,
        }
    }

    /// Why something was not done.
    #[must_use]
    pub fn stopped(&self, stopped: Stopped) -> Stopped {
        match stopped {
            Stopped::End(end) => Stopped::End(self.end(end)),
            Stopped::Broken(message) => Stopped::Broken(self.message(message)),
        }
    }

    /// Values that it showed.
    #[must_use]
    pub fn seen(&self, seen: Vec<SeenValue>) -> Vec<SeenValue> {
        let seen = seen.into_iter().map(|it| SeenValue {
            has: self.value(&it.knob, &it.has),
            by: self.text(&it.by),
            ..it
        });
        seen.collect()
    }

    /// What it has of a knob: a number alone, and what the knob may be, tells no secret.
    fn value(&self, knob: &str, has: &str) -> String {
        let domain = self.domains.get(knob);
        let is_its_own = domain.is_some_and(|domain| domain.allowed(has).is_some());
        match is_its_own || has.trim().parse::<f64>().is_ok() {
            true => has.to_owned(),
            false => self.text(has),
        }
    }
}

/// Values of a knob that nobody may see.
fn hidden(knob: &SpaceKnob) -> impl Iterator<Item = &String> {
    let values = match &knob.domain {
        Domain::Choice(values) => values.as_slice(),
        Domain::Number { .. } => &[],
    };
    let all = values.iter().chain(&knob.found);
    all.filter(move |value| knob.shown(value) != value.as_str())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_text::{Lang, render};

    use super::*;
    use crate::target::prepare;
    use crate::trial::{FailedTrial, Measured};

    const SECRET: &str = "hunter2hunter2";

    fn secrets() -> TargetSecrets {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("workers=1\r\npassword={SECRET}\r\n");
        std::fs::write(folder.path().join("a.properties"), text).unwrap();
        let study = "plan: http://127.0.0.1:1/\nusers: 2\nobjective: maximise throughput\ncomponents:\n  app:\n    \
                     start: sleep 9\n    ready: 'true'\nknobs:\n  workers: { file: a.properties, key: workers, \
                     range: 1..8 }\n  mode: { argument: '--password={}', values: [first-value-1, other-value-2] }\n";
        let (study, _) = plimsoll_plan::parse_study(study, "study.yaml").unwrap();
        let prepared = prepare(study, &folder.path().join("study.yaml"), None).unwrap();
        TargetSecrets::of(&prepared)
    }

    fn not_arrived(has: &str) -> NotArrived {
        NotArrived {
            knob: "workers".to_owned(),
            wanted: "8".to_owned(),
            has: has.to_owned(),
        }
    }

    #[test]
    fn whatever_a_target_says_is_said_without_its_secrets() {
        let secrets = secrets();
        let said = format!("no one logs in with {SECRET}, or as other-value-2");
        let seen = SeenValue {
            knob: "workers".to_owned(),
            has: said.clone(),
            by: said.clone(),
        };
        let ends = [
            TrialEnd::Failed {
                what: FailedTrial::Died,
                detail: said.clone(),
            },
            TrialEnd::Void {
                instead: vec![not_arrived(&said)],
            },
            TrialEnd::Measured(Box::new(Measured {
                read_back: vec![seen],
                ..Measured::default()
            })),
        ];
        for end in ends {
            let told = format!("{:?}", secrets.end(end));
            assert!(told.contains("no one logs in"), "{told}");
            assert!(
                !told.contains(SECRET) && !told.contains("other-value-2"),
                "{told}"
            );
        }
        let inner = Message::new("tune-command-failed").with("detail", said);
        let message = Message::new("tune-both")
            .with("first", inner)
            .with("rest", SECRET);
        let told = render(Lang::En, &secrets.message(message));
        assert!(
            told.contains("no one logs in") && !told.contains(SECRET),
            "{told}"
        );
    }

    #[test]
    fn what_a_knob_may_be_is_shown() {
        let secrets = secrets();
        for has in ["4", "1024", "0.5"] {
            let end = TrialEnd::Void {
                instead: vec![not_arrived(has)],
            };
            assert_eq!(secrets.end(end.clone()), end);
        }
    }
}
