//! JMeter's properties, which both sides change.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use plimsoll_elements::Properties;

use crate::protocol::ask;
use crate::wire::FrameWriter;

/// Properties, and at which of their generations.
pub type Given = (u64, BTreeMap<String, String>);

/// JMeter's properties, and what the companion knows of them.
pub struct SharedProperties {
    properties: Properties,
    known: Mutex<Given>,
}

impl SharedProperties {
    /// What the companion was given of them when it started.
    pub const fn new(properties: Properties, known: Given) -> Self {
        Self {
            properties,
            known: Mutex::new(known),
        }
    }

    /// A frame with what changed since the last one; none when nothing did.
    pub fn changes(&self) -> Option<Vec<u8>> {
        let generation = self.properties.generation();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 == generation {
            return None;
        }
        let now = self.properties.all();
        let gone = known.1.keys().filter(|name| !now.contains_key(*name));
        let gone = gone.map(|name| (name.as_str(), None));
        let set = now
            .iter()
            .filter(|(name, value)| known.1.get(*name) != Some(value));
        let set = set.map(|(name, value)| (name.as_str(), Some(value.as_str())));
        let changes: Vec<_> = gone.chain(set).collect();
        let mut frame = FrameWriter::frame(ask::PROPERTIES);
        frame.count(changes.len());
        for (name, value) in &changes {
            frame.text(name);
            frame.maybe_text(*value);
        }
        let sent = !changes.is_empty();
        *known = (generation, now);
        sent.then(|| frame.finish())
    }

    /// The companion changed some.
    pub fn changed(&self, changes: Vec<(String, Option<String>)>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, value) in changes {
            match value {
                Some(value) => {
                    self.properties.set(&name, &value);
                    known.1.insert(name, value);
                }
                None => {
                    self.properties.remove(&name);
                    known.1.remove(&name);
                }
            }
        }
    }
}
