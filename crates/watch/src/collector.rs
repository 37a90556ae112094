//! The seam of the collectors: one look, once a period.

use std::time::Duration;

use crate::capture::{Capture, Level};

pub use crate::look::{Look, LookNote, LookPart, NoteKind, Pending, SourceState, Trouble};

/// How near a collector is to what it tells of. Where several tell of the same, the nearest is
/// heard; the order here is that order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It looks at the thing itself: the kernel's files, the server's own status.
    Itself,
    /// It reads what the thing wrote about itself.
    Log,
    /// Another of us looks, on the thing's own host.
    Agent,
    /// The thing's management beans.
    Beans,
    /// An exporter's or a framework's metrics, which may sum up or lag behind.
    Exporter,
}

/// Watches one thing.
pub trait Collector {
    /// What it watches, for messages: `nginx http://127.0.0.1:8080/stub_status`. No secret.
    fn about(&self) -> String;

    /// How near it is to what it tells of.
    fn nearness(&self) -> Nearness {
        Nearness::Itself
    }

    /// How often it looks; the watcher may stretch it when looking costs too much.
    fn period(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// Looks once. Dropped at any await when it takes too long, so what it keeps must stay
    /// sound then. What was said before a failure still counts.
    ///
    /// # Errors
    /// What could not be seen; the next look comes all the same.
    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()>;

    /// The watching ends, and no look follows: says so to who would go on for nothing. It is
    /// given a moment, and is not told of a failure.
    fn leave(&mut self) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// What the last look found that is to be watched too; asked for after each look.
    fn found(&mut self) -> Opened {
        Opened::default()
    }
}

/// What a source consists of.
#[derive(Default)]
pub struct Opened {
    /// They look every period.
    pub collectors: Vec<Box<dyn Collector>>,
    /// They are taken at moments.
    pub captures: Vec<Box<dyn Capture>>,
}

impl Opened {
    /// Adds what another source consists of, without the captures that `level` forbids.
    pub fn add(&mut self, other: Self, level: Level) {
        self.collectors.extend(other.collectors);
        let allowed = other.captures.into_iter();
        self.captures
            .extend(allowed.filter(|capture| capture.level() <= level));
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collectors.is_empty() && self.captures.is_empty()
    }
}
