//! The load engine: schedules, users, protocols, recorders.
//!
//! One thread a core, each with its own current-thread runtime, users, connections and
//! recorder. Threads share nothing while running, except through the [`shared`] seam, which
//! exists only when a plan uses it. This crate knows nothing of where runs are stored or how
//! they are shown; it must not write files or print.

pub mod clock;
pub mod driver;
pub mod failure;
pub mod random;
pub mod schedule;
pub mod timer;
pub mod content_coding;
pub mod http1;
pub mod extract;
pub mod functions;
pub mod script;
pub mod shared;
pub mod variables;
pub mod check;
pub mod condition;
