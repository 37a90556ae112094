//! The target's side of a run: what hosts, processes, JVMs, web servers, proxies, databases
//! and caches do while they are loaded, on the load's own clock.
//!
//! A [`SourceKind`] opens [`Collector`]s, which look once a period and say what they saw in a
//! [`Look`], and [`Capture`]s, which take what is too expensive to take every second (thread
//! dumps, histograms, profiles). The [`Watcher`] runs all of them on a thread of its own and
//! hands on what was [`Seen`]. An agent on another host is a source like any other.
//!
//! A gap stays a gap, a source that fails is told of once and tried again, and nothing
//! secret leaves the place where it was read.
//!
//! This crate must not know plans, load, storage or presentation. It looks and never changes
//! anything.

pub mod agent;
mod attach;
pub mod capture;
pub mod captures;
mod clock;
pub mod collector;
pub mod collectors;
mod config_files;
pub mod discover;
pub mod fastcgi;
mod hotspot;
mod http;
pub mod jfr;
mod look;
pub use plimsoll_stats::names;
mod perf;
pub mod pg;
mod proc;
mod remembered;
mod rows;
pub mod settings;
mod sockets;
pub mod source;
mod sources;
pub mod stacks;
mod statement;
mod thread_states;
pub mod threads;
mod together;
pub mod watcher;

pub use capture::{Artifact, Asked, Capture, Level, Moment};
pub use collector::{
    Collector, Look, LookNote, LookPart, Nearness, NoteKind, Pending, SourceState, Trouble,
};
pub use discover::{Discovered, around};
pub use perf::may_sample_cpus;
pub use source::{Opened, Spec, SpecError};
pub use sources::{SOURCES, SourceKind};
pub use together::named_once;
pub use watcher::{Captured, Seen, Watcher, WatcherOptions};
