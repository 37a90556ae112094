//! The load engine: schedules, users, protocols, recorders.
//!
//! One thread a core, each with its own current-thread runtime, users, connections and
//! recorder. Threads share nothing while running, except through the [`shared`] seam, which
//! exists only when a plan uses it. This crate knows nothing of where runs are stored or how
//! they are shown; it must not write files or print.

// Files, processes, the environment and other hosts: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod auth;
mod bind_error;
mod bound;
mod check;
pub mod clock;
mod condition;
mod content_coding;
mod cookies;
mod data;
mod deadline;
mod driver;
mod echo;
pub mod engine;
mod extension;
mod extract;
mod failed;
mod failure;
mod functions;
mod http1;
mod in_flight;
pub mod kit;
mod lease;
#[expect(
    clippy::disallowed_methods,
    reason = "what the kernel says of this process, and no plan"
)]
pub mod monitor;
mod nap;
mod protocols;
mod random;
mod recorder;
pub mod schedule;
mod script;
mod shared;
mod timer;
pub mod trace;
mod turn;
mod user;
mod variables;

pub use data::column_names;
pub use echo::EchoServer;
pub use lease::Lease;
pub use recorder::LoggedSample;
pub use turn::TIMED_EVERY;
