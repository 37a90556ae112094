//! Sources that refused the watcher or did not respond to it, as events of the run tell. What was refused to the
//! watcher is refused to whoever comes like it.

use plimsoll_store::{StoredEvent, kept_message};
use plimsoll_text::Message;
use plimsoll_watch::capture::known_kind;
use serde::{Deserialize, Serialize};

/// A source that could not be seen for a while.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnseenSource {
    /// What was watched, as the watcher calls it: `mysql 127.0.0.1:3306`.
    pub source: String,
    /// Since when, ms from the run's start.
    pub from_ms: i64,
    /// Until when; none: to the end of the run.
    pub until_ms: Option<i64>,
    /// The text that says why.
    pub reason: String,
    /// Its arguments.
    pub args: serde_json::Value,
}

/// Why a source could not be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It takes no more connections from anybody.
    Full,
    /// It does not let the watcher in, or not see what it asks for.
    Denied,
    /// Anything else: nobody listens, no response in time, something that is no such server.
    Silent,
}

impl UnseenSource {
    /// Why, for a person.
    #[must_use]
    pub fn reason(&self) -> Message {
        kept_message(self.reason.as_str(), &self.args)
    }

    /// What sort of reason it is.
    #[must_use]
    pub fn refusal(&self) -> Refusal {
        match self.reason.as_str() {
            "watch-server-full" => Refusal::Full,
            reason if reason.ends_with("-denied") => Refusal::Denied,
            _ => Refusal::Silent,
        }
    }

    /// The name of its source: `mysql`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.source.split(' ').next().unwrap_or_default()
    }

    /// Where it is: the last word of what it is called.
    #[must_use]
    pub fn address(&self) -> &str {
        self.source.rsplit(' ').next().unwrap_or_default()
    }

    /// The port of its address; empty for what has none.
    #[must_use]
    pub fn port(&self) -> &str {
        let authority = self.address().rsplit_once("://");
        let authority = authority.map_or(self.address(), |(_, rest)| rest);
        let authority = authority.split('/').next().unwrap_or_default();
        let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
        match port.bytes().all(|byte| byte.is_ascii_digit()) {
            true => port,
            false => "",
        }
    }

    /// Whether it could not be seen at some time of a stretch, ms from the run's start.
    #[must_use]
    pub fn is_in(&self, (from_ms, to_ms): (i64, i64)) -> bool {
        self.from_ms < to_ms && self.until_ms.is_none_or(|until_ms| until_ms > from_ms)
    }
}

/// What events say of sources that fail and are back. Captures that could not be taken are no sources.
pub(super) fn of_events(events: &[StoredEvent]) -> Vec<UnseenSource> {
    let mut all: Vec<UnseenSource> = Vec::new();
    for event in events {
        let at_ms = i64::try_from(event.at_ns / 1_000_000).unwrap_or(i64::MAX);
        let Some(source) = event.args["source"].as_str() else {
            continue;
        };
        match event.kind.as_str() {
            "watch-source-fails" => {
                let reason = &event.args["reason"];
                let unseen = UnseenSource {
                    source: source.to_owned(),
                    from_ms: at_ms,
                    until_ms: None,
                    reason: reason["id"].as_str().unwrap_or_default().to_owned(),
                    args: reason["args"].clone(),
                };
                let is_open = |one: &UnseenSource| one.source == source && one.until_ms.is_none();
                if known_kind(unseen.kind()).is_none()
                    && !unseen.reason.is_empty()
                    && !all.iter().any(is_open)
                {
                    all.push(unseen);
                }
            }
            "watch-source-back" => {
                let fails = all.iter_mut().rev().find(|one| one.source == source);
                if let Some(unseen) = fails {
                    unseen.until_ms = unseen.until_ms.or(Some(at_ms));
                }
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_text::{Lang, render};
    use serde_json::json;

    use super::*;
    use crate::testing::Chance;

    fn event(at_ms: u64, kind: &str, args: serde_json::Value) -> StoredEvent {
        StoredEvent {
            at_ns: at_ms * 1_000_000,
            kind: kind.to_owned(),
            args,
        }
    }

    fn fails(at_ms: u64, source: &str, reason: &str) -> StoredEvent {
        let args = json!({"reason": "Too many connections", "address": "127.0.0.1:3306"});
        let args = json!({"source": source, "reason": {"id": reason, "args": args}});
        event(at_ms, "watch-source-fails", args)
    }

    fn back(at_ms: u64, source: &str) -> StoredEvent {
        event(at_ms, "watch-source-back", json!({"source": source}))
    }

    #[test]
    fn what_refused_the_watcher_is_kept_with_its_time_and_its_reason() {
        let source = "mysql 127.0.0.1:3306";
        let events = [
            event(0, "watch-note", json!({"text": "x"})),
            fails(2_000, source, "watch-server-full"),
            // Said again where a run was taken up again.
            fails(3_000, source, "watch-server-full"),
            back(5_000, source),
            back(5_500, "mysql statements 127.0.0.1:3306"),
            fails(9_000, "redis details unix:/run/s", "watch-redis-denied"),
            fails(9_500, "jfr of jvm java[1] @ web", "watch-jvm-jfr-off"),
        ];
        let all = of_events(&events);
        assert_eq!(all.len(), 2, "{all:?}");
        assert_eq!((all[0].from_ms, all[0].until_ms), (2_000, Some(5_000)));
        assert_eq!((all[0].kind(), all[0].port()), ("mysql", "3306"));
        assert_eq!(
            (all[0].refusal(), all[1].refusal()),
            (Refusal::Full, Refusal::Denied)
        );
        assert_eq!((all[1].until_ms, all[1].port()), (None, ""));
        assert!(render(Lang::En, &all[0].reason()).contains("Too many connections"));
        let seen = |stretch_ms| all[0].is_in(stretch_ms);
        assert!(seen((0, 2_500)) && seen((4_900, 9_000)) && seen((0, 9_000)));
        assert!(!seen((0, 2_000)) && !seen((5_000, 9_000)));
    }

    /// Whatever events come in whatever order: no source is unseen twice at a time.
    #[test]
    fn no_source_is_unseen_twice_at_a_time() {
        let mut chance = Chance(3);
        for _ in 0..200 {
            let mut at_ms = 0;
            let events: Vec<StoredEvent> = (0..30)
                .map(|_| {
                    at_ms += u64::try_from(chance.below(900)).unwrap();
                    let source = ["mysql a:1", "redis b:2", "host x"]
                        [usize::try_from(chance.below(3)).unwrap()];
                    match chance.below(2) {
                        0 => fails(at_ms, source, "watch-server-slow"),
                        _ => back(at_ms, source),
                    }
                })
                .collect();
            let all = of_events(&events);
            for (number, one) in all.iter().enumerate() {
                let until_ms = one.until_ms.unwrap_or(i64::MAX);
                assert!(one.from_ms <= until_ms);
                let later = all[number + 1..].iter();
                let mut same = later.filter(|other| other.source == one.source);
                assert!(same.all(|other| other.from_ms >= until_ms), "{all:?}");
            }
        }
    }
}
