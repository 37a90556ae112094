//! Pauses, of steps and of scopes.

use std::time::Duration;

use super::Decoder;
use super::scope::SHARED_BY;
use crate::model::{Pause, PauseTime, Rendezvous, ScopePause};
use crate::units::parse_duration;
use crate::yaml::node::Node;
use crate::yaml::table;

/// The time of a pause whose length a template gives.
const NO_TIME: PauseTime = PauseTime::Fixed(Duration::ZERO);

impl Decoder<'_> {
    /// What delays each request below an object.
    pub(super) fn pauses(&mut self, node: &Node) -> Vec<ScopePause> {
        let mut pauses = Vec::new();
        pauses.extend(self.pause(node, "think").map(ScopePause::Think));
        let Some(list) = node.get("pauses") else {
            return pauses;
        };
        for item in list.one_or_many() {
            if let Some(pause) = self.pause(item, "think") {
                pauses.push(ScopePause::Think(pause));
            } else if let Some(meeting) = self.rendezvous(item) {
                pauses.push(ScopePause::Rendezvous(meeting));
            } else if let Some(per_minute) = self.text(item, "throughput") {
                let shared_by = self.word(item, "shared-by", SHARED_BY).unwrap_or_default();
                pauses.push(ScopePause::Throughput {
                    per_minute,
                    shared_by,
                });
            } else if let Some(element) = self.element(item) {
                pauses.push(ScopePause::Element(element));
            } else {
                self.broken(item);
            }
        }
        pauses
    }

    /// A pause under a key.
    pub(super) fn pause(&mut self, node: &Node, key: &str) -> Option<Pause> {
        let node = node.get(key)?;
        let (time, template_ms) = match node.scalar() {
            Some(text) if table::is_template(text) => (NO_TIME, node.text()),
            Some(text) => match table::pause_range(text) {
                Some((from, to)) if from == to => (PauseTime::Fixed(from), None),
                Some((from, to)) => (PauseTime::Uniform(from, to), None),
                None => {
                    self.broken(node);
                    return None;
                }
            },
            None => match self.text(node, "ms") {
                Some(text) => (NO_TIME, Some(text)),
                None => (self.distribution(node)?, None),
            },
        };
        Some(Pause {
            time,
            template_ms,
            at: node.at,
        })
    }

    fn distribution(&mut self, node: &Node) -> Option<PauseTime> {
        if let Some(mean) = self.duration(node, "exponential") {
            return Some(PauseTime::Exponential(mean));
        }
        if let Some(lambda) = self.duration(node, "poisson") {
            let offset = self.duration(node, "plus").unwrap_or_default();
            return Some(PauseTime::Poisson { lambda, offset });
        }
        for key in ["uniform", "normal"] {
            let Some(list) = node.get(key) else { continue };
            let values = self.parsed_list(node, key, parse_duration);
            return match (key, values.as_slice()) {
                ("uniform", [from, to]) if from <= to => Some(PauseTime::Uniform(*from, *to)),
                ("normal", [mean, deviation]) => Some(PauseTime::Normal(*mean, *deviation)),
                _ => {
                    self.error(list.at, "plan-two-durations");
                    None
                }
            };
        }
        self.broken(node);
        None
    }

    /// A rendezvous under the key `rendezvous`.
    pub(super) fn rendezvous(&mut self, node: &Node) -> Option<Rendezvous> {
        let node = node.get("rendezvous")?;
        let name = match node.map() {
            Some(_) => self.string(node, "name"),
            None => node.scalar().map(str::to_owned),
        };
        Some(Rendezvous {
            name: name.unwrap_or_default(),
            users: self.int(node, "users").unwrap_or(0),
            timeout: self.duration(node, "timeout"),
            at: node.at,
        })
    }
}
