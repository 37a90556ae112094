//! Components on other hosts: a study asks the agent there, which changes its host as its own file says.
//!
//! ```text
//! plimsoll tune ── knobs and values ──▶ agent ── its file: commands, files, ranges ──▶ its host
//!      peer            wire            host (lease, journal, audit)
//! ```
//!
//! Nothing that comes over the network names a file or a command: a study names knobs of the agent's file and
//! values, which must lie in the ranges of that file. What was changed is put back by the agent itself: at the
//! study's end, when it has not heard of the study for the time of its lease, and when it starts again.

mod audit;
mod host;
mod lease;
mod peer;
mod scope;
mod state;
pub mod wire;
mod work;

pub use host::HostTuner;
pub use peer::TuneAgent;
pub use scope::HostScope;
