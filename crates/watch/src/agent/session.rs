//! What one controller has watched: the watcher, and what was seen but not yet fetched.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::{Batch, Catalogue, Entity, Fact};
use plimsoll_text::Message;
use tokio::sync::oneshot;

use super::limits;
use super::wire::{Answer, ArtifactHead, Item, Readings};
use crate::capture::Moment;
use crate::collector::{Note, NoteKind, Part};
use crate::watcher::{Captured, Seen, Watcher};

/// An entry that is kept until it arrived.
struct Kept {
    number: u64,
    since: Instant,
    what: What,
}

enum What {
    /// Points of one moment, encoded.
    Batch(Vec<u8>),
    /// The rest.
    Item(Box<Item>),
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

pub(super) struct Session {
    watcher: Watcher,
    entity: Arc<Entity>,
    catalogue: Catalogue,
    full: bool,
    kept: VecDeque<Kept>,
    kept_bytes: usize,
    /// Number of the latest entry, from 1.
    latest: u64,
    /// Number of the latest entry that was dropped before it arrived.
    dropped: u64,
    facts: BTreeMap<(Arc<Entity>, String), String>,
    captured: Vec<Captured>,
    asked: Instant,
}

impl Session {
    /// A session around a watcher that has begun; `entity` is the agent itself.
    pub(super) fn new(watcher: Watcher, entity: Arc<Entity>) -> Self {
        Self {
            watcher,
            entity,
            catalogue: Catalogue::default(),
            full: false,
            kept: VecDeque::new(),
            kept_bytes: 0,
            latest: 0,
            dropped: 0,
            facts: BTreeMap::new(),
            captured: Vec::new(),
            asked: Instant::now(),
        }
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
                    self.item(Item::Fact(fact));
                }
                Seen::Note(at, note) => self.note(at, &note),
                Seen::Source {
                    at_unix_ns,
                    about,
                    trouble,
                } => self.item(Item::Source {
                    at_unix_ns,
                    about,
                    trouble: trouble.as_ref().map(Into::into),
                }),
                Seen::Captured(captured) => self.captured.push(captured),
            }
        }
        while let Some(first) = self.kept.front()
            && (first.since.elapsed() > limits::KEPT || self.kept_bytes > limits::KEPT_BYTES)
        {
            self.dropped = first.number;
            self.let_go();
        }
    }

    fn points(&mut self, part: Part) {
        let mut batch = Batch {
            at_unix_ns: part.at_unix_ns,
            points: Vec::with_capacity(part.points.len()),
        };
        for (key, value) in part.points {
            let room = self.catalogue.keys().len() < limits::SERIES;
            if room || self.catalogue.id(&key).is_some() {
                batch.points.push((self.catalogue.intern(key).0, value));
            } else if !self.full {
                self.full = true;
                let message = Message::new("agent-too-many-series").with("most", limits::SERIES);
                let note = Note {
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

    fn note(&mut self, at_unix_ns: u64, note: &Note) {
        self.item(Item::Note {
            at_unix_ns,
            entity: note.entity.as_ref().clone(),
            kind: note.kind,
            message: (&note.message).into(),
        });
    }

    fn item(&mut self, item: Item) {
        self.keep(What::Item(Box::new(item)));
    }

    fn keep(&mut self, what: What) {
        self.latest += 1;
        self.kept_bytes += what.bytes();
        self.kept.push_back(Kept {
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

    /// The answer to `look`: everything after that entry, as far as one answer goes. The
    /// time of sending is put in when it is sent.
    pub(super) fn look(&mut self, after: u64, keys: u32, received_ns: u64) -> (Answer, Vec<u8>) {
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
        let answer = Answer::Looked {
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
        (answer, tail)
    }

    /// Has the captures of that moment taken.
    pub(super) fn capture(&mut self, moment: Moment) -> oneshot::Receiver<()> {
        self.asked();
        self.watcher.capture_then(moment)
    }

    /// The answer to `capture`, once they are taken.
    pub(super) fn captured(&mut self, moment: Moment) -> (Answer, Vec<u8>) {
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
        (Answer::Captured { artifacts }, tail)
    }

    /// The answer to `facts`.
    pub(super) fn facts(&mut self) -> Answer {
        self.asked();
        self.pull();
        let facts = self.facts.iter().map(|((entity, name), value)| Fact {
            entity: Arc::clone(entity),
            name: name.clone(),
            value: value.clone(),
        });
        Answer::Facts {
            facts: facts.collect(),
        }
    }
}
