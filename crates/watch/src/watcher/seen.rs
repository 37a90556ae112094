//! What a watcher hands on.

use std::time::Duration;

use plimsoll_stats::series::Fact;
use plimsoll_text::Message;

use crate::capture::{Artifact, Asked, Moment};
use crate::collector::{LookNote, LookPart};

/// What a watcher hands on.
#[derive(Debug)]
pub enum Seen {
    /// Points, by moment.
    Points(Vec<LookPart>),
    /// A fact that is new or changed, and when (Unix nanoseconds).
    Fact(u64, Fact),
    /// Something happened or cannot be seen, and when (Unix nanoseconds).
    Note(u64, LookNote),
    /// A source fails (told once), or is back.
    Source {
        /// When, Unix nanoseconds.
        at_unix_ns: u64,
        /// What is watched.
        about: String,
        /// Why it fails; none: it is back.
        trouble: Option<Message>,
    },
    /// A capture was taken.
    Captured(Captured),
    /// All that was asked for is taken, or could not be.
    Taken(Asked),
}

/// One capture that was taken.
#[derive(Debug)]
pub struct Captured {
    /// What for.
    pub moment: Moment,
    /// How long taking it and its companions took.
    pub took: Duration,
    /// What was taken.
    pub artifact: Artifact,
}
