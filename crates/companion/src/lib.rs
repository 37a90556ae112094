//! The JVM companion: a small Java program beside the engine which runs JMeter's own classes
//! (scripts, plugins, any leaf or function that is not native) with the objects JMeter gives
//! them. It is started only for a plan that needs it.
//!
//! [`find`] says whether it is there, [`Companion::start`] starts it, and each user talks to
//! it through a [`CompanionSession`]: [`CompanionSession::call`] gives a future, so a call never blocks a load
//! thread. What both sides know of a user (variables, properties, the last result, elements)
//! is sent only when it changed. This crate knows elements and results, and nothing of the
//! engine.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod call;
mod changes;
mod companion;
#[expect(clippy::disallowed_methods, reason = "asked for in describe")]
mod describe;
mod error;
#[expect(
    clippy::disallowed_methods,
    reason = "the companion and Java are the host's own"
)]
mod find;
mod known;
mod link;
mod options;
mod outcome;
#[expect(clippy::disallowed_methods, reason = "asked for in Companion::start")]
mod process;
mod properties;
mod protocol;
mod session;
mod wire;

pub use call::{CallMoment, CompanionUser, Site, TestStart, Variables, Work};
pub use changes::ResultChanges;
pub use companion::Companion;
pub use describe::{ForeignKind, describe};
pub use error::{CallError, StartError};
pub use find::{Installed, find, find_in};
pub use options::CompanionOptions;
pub use outcome::{CallResult, WorkOutcome};
pub use process::LogLine;
pub use session::{CompanionSession, PendingCall};
