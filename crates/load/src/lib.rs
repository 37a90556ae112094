//! The load engine: schedules, users, protocols, recorders.
//!
//! One thread a core, each with its own current-thread runtime, users, connections and
//! recorder. Threads share nothing while running, except through the [`shared`] seam, which
//! exists only when a plan uses it. This crate knows nothing of where runs are stored or how
//! they are shown; it must not write files or print.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod auth;
mod bind_error;
pub mod bound;
pub mod check;
pub mod clock;
pub mod condition;
pub mod content_coding;
pub mod cookies;
pub mod data;
pub mod deadline;
pub mod driver;
pub mod echo;
pub mod engine;
pub mod extension;
pub mod extract;
pub mod failed;
pub mod failure;
pub mod functions;
pub mod http1;
pub mod in_flight;
pub mod lease;
#[expect(
    clippy::disallowed_methods,
    reason = "what the kernel says of this process, and no plan"
)]
pub mod monitor;
pub mod nap;
pub mod protocols;
pub mod random;
pub mod recorder;
pub mod schedule;
pub mod script;
pub mod shared;
pub mod timer;
pub mod trace;
pub mod turn;
pub mod user;
pub mod variables;
