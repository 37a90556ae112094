//! What one controller has watched: the watcher, and what was seen but not yet fetched.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::{Batch, Entity, EntityKind, Fact, KeyCatalogue};
use plimsoll_text::Message;
use tokio::sync::oneshot;

use super::limits;
use super::wire::{AgentResponse, ArtifactHead, Readings, WireItem};
use crate::capture::{Asked, Moment};
use crate::collector::{LookNote, LookPart, NoteKind};
use crate::watcher::{Captured, Seen, Watcher};

/// An entry that is kept until it arrived.
struct KeptEntry {
    number: u64,
    since: Instant,
    what: What,
}

enum What {
    /// Points of one moment, encoded.
    Batch(Vec<u8>),
    /// The rest.
    Item(Box<WireItem>),
}

impl What {
    /// Bytes it takes, roughly.
    fn bytes(&self) -> usize {
        match self {
            Self::Batch(bytes) => bytes.len() + 4,
            Self::Item(_) => 512,
        }
    }
}

pub(super) struct AgentSession {
    watcher: Watcher,
    entity: Arc<Entity>,
    catalogue: KeyCatalogue,
    full: bool,
    kept: VecDeque<KeptEntry>,
    kept_bytes: usize,
    /// Number of the latest entry, from 1.
    latest: u64,
    /// Number of the latest entry that was dropped before it arrived.
    dropped: u64,
    facts: BTreeMap<(Arc<Entity>, String), String>,
    captured: Vec<Captured>,
    asked: Instant,
    /// Connections that asked for it and are still open.
    connections: usize,
    /// When the last of them was closed.
    left: Option<Instant>,
}

impl AgentSession {
    /// A session around a watcher that has begun; `entity` is the agent itself.
    pub(super) fn new(watcher: Watcher, entity: Arc<Entity>) -> Self {
        Self {
            watcher,
            entity,
            catalogue: KeyCatalogue::default(),
            full: false,
            kept: VecDeque::new(),
            kept_bytes: 0,
            latest: 0,
            dropped: 0,
            facts: BTreeMap::new(),
            captured: Vec::new(),
            asked: Instant::now(),
            connections: 0,
            left: None,
        }
    }

    /// A connection asks for it for the first time.
    pub(super) fn joined(&mut self) {
        self.connections += 1;
        self.left = None;
    }

    /// A connection that asked for it was closed.
    pub(super) fn left(&mut self) {
        self.connections = self.connections.saturating_sub(1);
        if self.connections == 0 {
            self.left = Some(Instant::now());
        }
    }

    /// Whether nobody will ask for it any more, as far as can be told.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let since = |then: Instant| now.saturating_duration_since(then);
        let left = self
            .left
            .is_some_and(|left| since(left) >= limits::SESSION_LEFT);
        left || since(self.asked) >= limits::SESSION_IDLE
    }

    /// Notes that the controller is there.
    pub(super) fn asked(&mut self) {
        self.asked = Instant::now();
    }

    /// How long nobody has asked.
    pub(super) fn idle(&self) -> Duration {
        self.asked.elapsed()
    }

    /// Takes in what was seen, and lets go of what is too old or too much.
    pub(super) fn pull(&mut self) {
        for seen in self.watcher.drain() {
            match seen {
                Seen::Points(parts) => parts.into_iter().for_each(|part| self.points(part)),
                Seen::Fact(_, fact) => {
                    let key = (Arc::clone(&fact.entity), fact.name.clone());
                    self.facts.insert(key, fact.value.clone());
                    self.item(WireItem::Fact(fact));
                }
                Seen::Note(at, note) => self.note(at, &note),
                Seen::Source {
                    at_unix_ns,
                    about,
                    trouble,
                } => self.item(WireItem::Source {
                    at_unix_ns,
                    about,
                    trouble: trouble.as_ref().map(Into::into),
                }),
                Seen::Captured(captured) => self.captured.push(captured),
                // The request itself waits for that.
                Seen::Taken(_) => {}
            }
        }
        while let Some(first) = self.kept.front()
            && (first.since.elapsed() > limits::KEPT || self.kept_bytes > limits::KEPT_BYTES)
        {
            self.dropped = first.number;
            self.let_go();
        }
    }

    fn points(&mut self, part: LookPart) {
        let mut batch = Batch {
            at_unix_ns: part.at_unix_ns,
            points: Vec::with_capacity(part.points.len()),
        };
        for (mut key, value) in part.points {
            // The watcher here is the agent's, not the controller's on a host of that name.
            if key.entity.kind == EntityKind::Watcher {
                key.entity = Arc::clone(&self.entity);
            }
            let room = self.catalogue.keys().len() < limits::SERIES;
            if room || self.catalogue.id(&key).is_some() {
                batch.points.push((self.catalogue.intern(key).0, value));
            } else if !self.full {
                self.full = true;
                let message = Message::new("agent-too-many-series").with("most", limits::SERIES);
                let note = LookNote {
                    entity: Arc::clone(&self.entity),
                    kind: NoteKind::Missing,
                    at_unix_ns: None,
                    message,
                };
                self.note(part.at_unix_ns, &note);
            }
        }
        let mut bytes = Vec::new();
        batch.encode(&mut bytes);
        self.keep(What::Batch(bytes));
    }

    fn note(&mut self, at_unix_ns: u64, note: &LookNote) {
        self.item(WireItem::Note {
            at_unix_ns,
            entity: note.entity.as_ref().clone(),
            kind: note.kind,
            message: (&note.message).into(),
        });
    }

    fn item(&mut self, item: WireItem) {
        self.keep(What::Item(Box::new(item)));
    }

    fn keep(&mut self, what: What) {
        self.latest += 1;
        self.kept_bytes += what.bytes();
        self.kept.push_back(KeptEntry {
            number: self.latest,
            since: Instant::now(),
            what,
        });
    }

    fn let_go(&mut self) {
        if let Some(kept) = self.kept.pop_front() {
            self.kept_bytes -= kept.what.bytes();
        }
    }

    /// The response to `look`: everything after that entry, as far as one response goes. The
    /// time of sending is put in when it is sent.
    pub(super) fn look(
        &mut self,
        after: u64,
        keys: u32,
        received_ns: u64,
    ) -> (AgentResponse, Vec<u8>) {
        self.asked();
        self.pull();
        while self.kept.front().is_some_and(|kept| kept.number <= after) {
            self.let_go();
        }
        let (mut items, mut tail) = (Vec::new(), Vec::new());
        let mut last = after.max(self.dropped).min(self.latest);
        let mut bytes = 0;
        for kept in &self.kept {
            if bytes > limits::LOOK_BYTES {
                break;
            }
            bytes += kept.what.bytes();
            last = kept.number;
            match &kept.what {
                What::Batch(batch) => {
                    // One look's points are far below 4 GiB.
                    let length = u32::try_from(batch.len()).unwrap_or(u32::MAX);
                    tail.extend_from_slice(&length.to_be_bytes());
                    tail.extend_from_slice(batch);
                }
                What::Item(item) => items.push(item.as_ref().clone()),
            }
        }
        let known = self.catalogue.keys();
        let first = (keys as usize).min(known.len());
        let response = AgentResponse::Looked {
            clock: Readings {
                received_ns,
                sent_ns: received_ns,
            },
            // At most `SERIES` of them.
            first_key: u32::try_from(first).unwrap_or(u32::MAX),
            keys: known[first..].to_vec(),
            items,
            last,
            lost: self.dropped.saturating_sub(after),
            more: last < self.latest,
        };
        (response, tail)
    }

    /// Has what is asked for taken.
    pub(super) fn capture(&mut self, asked: Asked) -> oneshot::Receiver<()> {
        self.asked();
        self.watcher.capture_then(asked)
    }

    /// The response to `capture`, once they are taken.
    pub(super) fn captured(&mut self, moment: Moment) -> (AgentResponse, Vec<u8>) {
        self.asked();
        self.pull();
        let (mut artifacts, mut tail) = (Vec::new(), Vec::new());
        for captured in std::mem::take(&mut self.captured) {
            if captured.moment != moment {
                self.captured.push(captured);
                continue;
            }
            let artifact = captured.artifact;
            artifacts.push(ArtifactHead {
                entity: artifact.entity.as_ref().clone(),
                kind: artifact.kind,
                at_unix_ns: artifact.at_unix_ns,
                media_type: artifact.media_type,
                bytes: artifact.bytes.len() as u64,
            });
            tail.extend_from_slice(&artifact.bytes);
        }
        (AgentResponse::Captured { artifacts }, tail)
    }

    /// The response to `facts`.
    pub(super) fn facts(&mut self) -> AgentResponse {
        self.asked();
        self.pull();
        let facts = self.facts.iter().map(|((entity, name), value)| Fact {
            entity: Arc::clone(entity),
            name: name.clone(),
            value: value.clone(),
        });
        AgentResponse::Facts {
            facts: facts.collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::series::{SeriesKey, SeriesKind};

    use super::*;
    use crate::source::Opened;
    use crate::watcher::WatcherOptions;

    fn session() -> AgentSession {
        let watcher = Watcher::start(Opened::default, WatcherOptions::default()).unwrap();
        AgentSession::new(watcher, Entity::new(EntityKind::Watcher, "agent", "here"))
    }

    /// Points that take about 1 KiB a hundred.
    fn part(series: usize) -> LookPart {
        let entity = Entity::new(EntityKind::Host, "", "here");
        let points = (0..series).map(|n| {
            let key = SeriesKey {
                entity: Arc::clone(&entity),
                name: format!("test.{n}").into(),
                attributes: Vec::new(),
                unit: "1".into(),
                kind: SeriesKind::Gauge,
            };
            (key, 0.1)
        });
        LookPart {
            at_unix_ns: 1,
            points: points.collect(),
        }
    }

    fn looked(response: AgentResponse) -> (usize, u64, u64, bool) {
        match response {
            AgentResponse::Looked {
                keys,
                last,
                lost,
                more,
                ..
            } => (keys.len(), last, lost, more),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_did_not_arrive_is_given_again_and_what_did_is_not() {
        let mut session = session();
        (0..3).for_each(|_| session.points(part(2)));
        let (first, tail) = session.look(0, 0, 7);
        assert_eq!(looked(first), (2, 3, 0, false));
        let (again, same) = session.look(0, 2, 7);
        assert_eq!((looked(again), &same), ((0, 3, 0, false), &tail));
        session.points(part(3));
        let (next, rest) = session.look(3, 2, 7);
        assert_eq!(looked(next), (1, 4, 0, false));
        assert!(!rest.is_empty() && rest.len() < tail.len());
        assert_eq!(looked(session.look(4, 3, 7).0), (0, 4, 0, false));
        // Numbers that make no sense do no harm.
        assert_eq!(
            looked(session.look(u64::MAX, u32::MAX, 7).0),
            (0, 4, 0, false)
        );
    }

    #[test]
    fn it_keeps_so_much_and_says_what_is_lost() {
        let mut session = session();
        let points = part(2_000);
        let all = 2_500;
        (0..all).for_each(|_| session.points(points.clone()));
        let (mut after, mut keys, mut batches, mut responses) = (0, 0, 0, 0);
        let mut lost = 0;
        loop {
            let (response, tail) = session.look(after, keys, 7);
            assert!(tail.len() < limits::LOOK_BYTES + (64 << 10));
            let (new, last, gone, more) = looked(response);
            assert!(gone == 0 || responses == 0, "{gone}");
            lost += gone;
            batches += last - after.max(gone);
            (after, responses) = (last, responses + 1);
            keys += u32::try_from(new).unwrap();
            if !more {
                break;
            }
        }
        assert_eq!((after, keys), (all, 2_000));
        assert!(lost > 0 && responses > 1);
        assert_eq!(lost + batches, all);
        assert!(session.kept_bytes <= limits::KEPT_BYTES);
    }

    #[test]
    fn a_session_that_is_left_ends_sooner_than_one_whose_link_is_cut() {
        let mut session = session();
        let after = |seconds| Instant::now() + Duration::from_secs(seconds);
        session.joined();
        session.joined();
        session.left();
        assert!(!session.is_over(after(30)), "the other one is open still");
        session.left();
        assert!(!session.is_over(after(10)) && session.is_over(after(30)));
        session.joined();
        assert!(!session.is_over(after(30)), "it came back");
        assert!(session.is_over(after(100)), "nobody asks");
    }

    #[test]
    fn series_without_end_are_cut_off_and_told_of_once() {
        let mut session = session();
        session.points(part(limits::SERIES + 5));
        session.points(part(limits::SERIES + 5));
        let notes = session
            .kept
            .iter()
            .filter(|kept| matches!(kept.what, What::Item(_)));
        assert_eq!(notes.count(), 1);
        assert_eq!(session.catalogue.keys().len(), limits::SERIES);
    }
}
