//! What is said in one look, or why nothing could be seen.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use plimsoll_stats::series::{Entity, Fact, SeriesKey};
use plimsoll_text::Message;

use crate::names::SeriesName;

/// What a collector or a capture works on.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Trouble>> + 'a>>;

/// Why something could not be seen, for a person. It never holds a secret.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", plimsoll_text::render(plimsoll_text::Lang::En, .message))]
pub struct Trouble {
    /// What, where, and what to do next.
    pub message: Message,
}

impl Trouble {
    /// A trouble with that text.
    #[must_use]
    pub fn new(message: Message) -> Self {
        Self { message }
    }
}

/// How a note is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Something happened on the target: a full GC, a restart.
    Event,
    /// Something cannot be seen, and why; said once.
    Missing,
}

/// Something that is no number.
#[derive(Debug, Clone, PartialEq)]
pub struct LookNote {
    /// The thing it is about.
    pub entity: Arc<Entity>,
    /// How to take it.
    pub kind: NoteKind,
    /// When it happened if that was not the moment of the look, Unix nanoseconds.
    pub at_unix_ns: Option<u64>,
    /// What.
    pub message: Message,
}

/// That a source behind the collector (an agent's) fails or is back.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceState {
    /// When, Unix nanoseconds.
    pub at_unix_ns: u64,
    /// What is watched.
    pub about: String,
    /// Why it fails; none: it is back.
    pub trouble: Option<Message>,
}

/// Points of one moment.
#[derive(Debug, Clone, Default)]
pub struct LookPart {
    /// The moment, Unix nanoseconds.
    pub at_unix_ns: u64,
    /// What was seen.
    pub points: Vec<(SeriesKey, f64)>,
}

/// What a collector saw in one look.
#[derive(Debug)]
pub struct Look {
    parts: Vec<LookPart>,
    facts: Vec<Fact>,
    notes: Vec<LookNote>,
    sources: Vec<SourceState>,
}

impl Look {
    /// An empty look that begins at that moment, Unix nanoseconds.
    #[must_use]
    pub fn at(unix_ns: u64) -> Self {
        Self {
            parts: vec![LookPart {
                at_unix_ns: unix_ns,
                points: Vec::new(),
            }],
            facts: Vec::new(),
            notes: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// The moment that points are given for now.
    #[must_use]
    pub fn moment_unix_ns(&self) -> u64 {
        self.parts.last().map_or(0, |part| part.at_unix_ns)
    }

    /// What follows was seen at another moment (log lines, an agent's batches).
    pub fn begin(&mut self, at_unix_ns: u64) {
        self.parts.push(LookPart {
            at_unix_ns,
            points: Vec::new(),
        });
    }

    /// A value under a known name. Attributes come sorted by name. A value that is no number
    /// is left out: a gap says the same.
    pub fn value(
        &mut self,
        entity: &Arc<Entity>,
        metric: &SeriesName,
        attributes: &[(&'static str, &str)],
        value: f64,
    ) {
        debug_assert!(
            attributes.is_sorted_by_key(|(name, _)| *name),
            "{}",
            metric.name
        );
        let attributes = attributes
            .iter()
            .map(|(name, value)| (Cow::Borrowed(*name), (*value).to_owned()));
        let key = SeriesKey {
            entity: Arc::clone(entity),
            name: Cow::Borrowed(metric.name),
            attributes: attributes.collect(),
            unit: Cow::Borrowed(metric.unit),
            kind: metric.kind,
        };
        self.point(key, value);
    }

    /// A value under any key.
    pub fn point(&mut self, key: SeriesKey, value: f64) {
        if value.is_finite()
            && let Some(part) = self.parts.last_mut()
        {
            part.points.push((key, value));
        }
    }

    /// A version, a setting. Said at every look or once: only changes are kept.
    pub fn fact(
        &mut self,
        entity: &Arc<Entity>,
        name: impl Into<String>,
        value: impl Into<String>,
    ) {
        self.facts.push(Fact {
            entity: Arc::clone(entity),
            name: name.into(),
            value: value.into(),
        });
    }

    /// Something happened on the target, at this moment.
    pub fn event(&mut self, entity: &Arc<Entity>, message: Message) {
        self.note(entity, NoteKind::Event, None, message);
    }

    /// Something happened on the target, at another moment (Unix nanoseconds).
    pub fn event_at(&mut self, entity: &Arc<Entity>, at_unix_ns: u64, message: Message) {
        self.note(entity, NoteKind::Event, Some(at_unix_ns), message);
    }

    /// Something cannot be seen: what, why, and what would make it visible. Said at every
    /// look or once: it is told once.
    pub fn missing(&mut self, entity: &Arc<Entity>, message: Message) {
        self.note(entity, NoteKind::Missing, None, message);
    }

    /// A source behind this collector fails or is back.
    pub fn source(&mut self, state: SourceState) {
        self.sources.push(state);
    }

    /// What was said of sources so far.
    pub fn take_sources(&mut self) -> Vec<SourceState> {
        std::mem::take(&mut self.sources)
    }

    fn note(&mut self, entity: &Arc<Entity>, kind: NoteKind, at: Option<u64>, message: Message) {
        self.notes.push(LookNote {
            entity: Arc::clone(entity),
            kind,
            at_unix_ns: at,
            message,
        });
    }

    /// Takes the look apart: points by moment, facts, notes.
    #[must_use]
    pub fn into_parts(self) -> (Vec<LookPart>, Vec<Fact>, Vec<LookNote>) {
        (self.parts, self.facts, self.notes)
    }

    /// All points so far, for tests and for collectors that build on others.
    pub fn points(&self) -> impl Iterator<Item = &(SeriesKey, f64)> {
        self.parts.iter().flat_map(|part| &part.points)
    }

    /// All facts so far.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// All notes so far.
    #[must_use]
    pub fn notes(&self) -> &[LookNote] {
        &self.notes
    }
}
