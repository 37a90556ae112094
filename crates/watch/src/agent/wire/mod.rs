//! What travels between controller and agent.
//!
//! ```text
//! u32   length of the rest, big-endian, limited
//! u32   length of the head, big-endian
//! head  JSON: a Request or a Response
//! tail  bytes that the head speaks of: points, captures
//! ```
//!
//! Points are [`Batch`](plimsoll_stats::series::Batch)es, each behind its length (u32,
//! big-endian); keys of series are sent once a session and then stand as numbers.

mod frame;
mod text;

use plimsoll_stats::series::{Entity, Fact, SeriesKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capture::{Level, Moment};
use crate::collector::NoteKind;

pub use frame::{AgentFrameError, decode, encode};
pub(crate) use frame::{FrameError, read, write};
pub use text::WireText;

/// The version of the protocol: both ends must speak the same.
pub const VERSION: u16 = 2;

/// What a controller may ask: nothing else is understood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum AgentRequest {
    /// Who asks. The first request of a connection, and only then.
    Hello {
        /// The protocol the controller speaks.
        version: u16,
        /// The secret, if one is needed.
        token: Option<String>,
    },
    /// Read the clock.
    Clock,
    /// Watch these sources; without any, those that the agent was started with.
    Watch {
        /// The sources.
        sources: Vec<SourceSpec>,
        /// The name of the host in series, if not its own.
        host: Option<String>,
        /// What may be done for captures.
        level: Level,
    },
    /// Give what was seen after that entry.
    Look {
        /// The session that `watch` began.
        session: String,
        /// The last entry that arrived; earlier ones need not be kept.
        after: u64,
        /// Keys of series that arrived.
        keys: u32,
    },
    /// Take the captures of that moment.
    Capture {
        /// The session.
        session: String,
        /// The moment.
        moment: Moment,
        /// Only captures of this kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
    },
    /// Give all facts as they are now.
    Facts {
        /// The session.
        session: String,
    },
    /// End the session: nobody will ask any more.
    End {
        /// The session.
        session: String,
    },
    /// Something that who may change this host understands.
    Tune {
        /// What it is.
        ask: Value,
    },
}

/// What an agent responds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "response", rename_all = "snake_case")]
pub enum AgentResponse {
    /// To `hello`.
    Hello {
        /// The protocol it speaks.
        version: u16,
        /// The version of the program.
        program: String,
        /// Its host's name.
        host: String,
        /// What it allows.
        level: Level,
        /// Whether it lets studies change its host.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        tune: bool,
    },
    /// To `clock`.
    Clock(Readings),
    /// To `watch`.
    Watching {
        /// The session that began.
        session: String,
        /// What may be done in it: the lesser of what was asked and what is allowed.
        level: Level,
        /// Sources that are not watched, and why.
        problems: Vec<WireText>,
    },
    /// To `look`; the tail holds batches.
    Looked {
        /// Its clock.
        clock: Readings,
        /// The number of the first of `keys`.
        first_key: u32,
        /// Keys that are new since the number that was asked for.
        keys: Vec<SeriesKey>,
        /// What was seen beside points.
        items: Vec<WireItem>,
        /// The last entry of this response, to be given as `after` next.
        last: u64,
        /// Entries that were not fetched in time and are lost.
        lost: u64,
        /// There is more already.
        more: bool,
    },
    /// To `capture`; the tail holds their bytes, one after the other.
    Captured {
        /// What was taken.
        artifacts: Vec<ArtifactHead>,
    },
    /// To `facts`.
    Facts {
        /// All facts.
        facts: Vec<Fact>,
    },
    /// To `end`.
    Ended,
    /// To `tune`.
    Tuned {
        /// What is said to it.
        said: Value,
    },
    /// It does not do that.
    Refused {
        /// What kind of refusal, for the program.
        why: AgentRefusal,
        /// Why, for a person.
        message: WireText,
    },
}

/// Readings of the agent's clock, Unix nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readings {
    /// When the request was there.
    pub received_ns: u64,
    /// When the response was about to be sent.
    pub sent_ns: u64,
}

/// Why something is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentRefusal {
    /// Another version of the protocol.
    Version,
    /// No token, or a wrong one.
    Token,
    /// Too many connections or sessions.
    Busy,
    /// No such session (any more): watch again.
    Session,
    /// Not allowed.
    NotAllowed,
    /// Not understood.
    Request,
}

/// A source to be watched, as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSpec {
    /// Its name.
    pub source: String,
    /// Its address.
    #[serde(default)]
    pub address: String,
    /// Further settings.
    #[serde(default)]
    pub options: std::collections::BTreeMap<String, String>,
}

/// What was seen beside points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "item", rename_all = "snake_case")]
pub enum WireItem {
    /// A fact that is new or changed.
    Fact(Fact),
    /// An event, or what cannot be seen.
    Note {
        /// When, Unix nanoseconds.
        at_unix_ns: u64,
        /// The thing.
        entity: Entity,
        /// How to take it.
        kind: NoteKind,
        /// What.
        message: WireText,
    },
    /// A source fails or is back.
    Source {
        /// When, Unix nanoseconds.
        at_unix_ns: u64,
        /// What is watched.
        about: String,
        /// Why it fails; none: it is back.
        trouble: Option<WireText>,
    },
}

/// An artifact without its bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactHead {
    /// The thing it is of.
    pub entity: Entity,
    /// What it is.
    pub kind: String,
    /// When, Unix nanoseconds.
    pub at_unix_ns: u64,
    /// Its form.
    pub media_type: String,
    /// Length of its bytes in the tail.
    pub bytes: u64,
}
