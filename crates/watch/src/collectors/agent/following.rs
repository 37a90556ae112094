//! What is known of an agent's session from its beginning on.

use std::collections::HashSet;
use std::sync::Arc;

use plimsoll_stats::series::{Batch, Entity, SeriesKey};

use crate::agent::clock::AgentOffset;
use crate::agent::wire::{AgentRequest, WireItem};
use crate::collector::{Look, NoteKind, SourceState};

/// Most series an agent may have sent.
const SERIES: usize = 100_000;

/// A session at an agent.
pub(super) struct Following {
    id: String,
    after: u64,
    keys: Vec<SeriesKey>,
    entities: HashSet<Arc<Entity>>,
}

impl Following {
    pub(super) fn new(id: String) -> Self {
        Self {
            id,
            after: 0,
            keys: Vec::new(),
            entities: HashSet::new(),
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The request for what was seen since.
    pub(super) fn request(&self) -> AgentRequest {
        AgentRequest::Look {
            session: self.id.clone(),
            after: self.after,
            // At most `SERIES` of them.
            keys: u32::try_from(self.keys.len()).unwrap_or(u32::MAX),
        }
    }

    /// Everything up to that entry arrived.
    pub(super) fn arrived(&mut self, last: u64) {
        self.after = self.after.max(last);
    }

    /// Takes new keys in; whether they follow those that are known.
    pub(super) fn learn(&mut self, first: u32, keys: Vec<SeriesKey>) -> bool {
        let known = self.keys.len();
        if first as usize != known || known + keys.len() > SERIES {
            return false;
        }
        for mut key in keys {
            key.entity = self.shared(key.entity);
            self.keys.push(key);
        }
        true
    }

    /// The one copy of an entity that all its series share.
    fn shared(&mut self, entity: Arc<Entity>) -> Arc<Entity> {
        if let Some(known) = self.entities.get(&entity) {
            return Arc::clone(known);
        }
        self.entities.insert(Arc::clone(&entity));
        entity
    }

    /// Gives the points on, on this clock; whether they make sense.
    pub(super) fn points(&self, mut tail: &[u8], offset: AgentOffset, look: &mut Look) -> bool {
        while !tail.is_empty() {
            let Some((length, rest)) = tail.split_first_chunk::<4>() else {
                return false;
            };
            let length = u32::from_be_bytes(*length) as usize;
            let Some((bytes, rest)) = rest.split_at_checked(length) else {
                return false;
            };
            let Ok(batch) = Batch::decode(bytes) else {
                return false;
            };
            look.begin(offset.correct(batch.at_unix_ns));
            for (id, value) in batch.points {
                let Some(key) = self.keys.get(id.0 as usize) else {
                    return false;
                };
                look.point(key.clone(), value);
            }
            tail = rest;
        }
        true
    }

    /// Gives the rest on, on this clock. `host` stands before what its sources are called.
    pub(super) fn items(
        &mut self,
        items: Vec<WireItem>,
        offset: AgentOffset,
        look: &mut Look,
        host: &str,
    ) {
        for item in items {
            match item {
                WireItem::Fact(fact) => {
                    let entity = self.shared(fact.entity);
                    look.fact(&entity, fact.name, fact.value);
                }
                WireItem::Note {
                    at_unix_ns,
                    entity,
                    kind,
                    message,
                } => {
                    let entity = self.shared(Arc::new(entity));
                    match kind {
                        NoteKind::Event => {
                            let at = offset.correct(at_unix_ns);
                            look.event_at(&entity, at, message.into());
                        }
                        NoteKind::Missing => look.missing(&entity, message.into()),
                    }
                }
                WireItem::Source {
                    at_unix_ns,
                    about,
                    trouble,
                } => look.source(SourceState {
                    at_unix_ns: offset.correct(at_unix_ns),
                    about: format!("{about} @ {host}"),
                    trouble: trouble.map(Into::into),
                }),
            }
        }
    }
}
