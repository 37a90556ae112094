//! One run over many load hosts: what the controller and the workers say to each other, who
//! works on what and until when, and one result out of many reports
//! (`docs/design/fleet.md`).
//!
//! It must not know how plans are read, how load is made, how runs are stored or shown: the
//! caller gives it what works on a share and hears the merged seconds.

pub mod bundle;
pub mod clock;
pub mod controller;
pub mod lease;
pub mod link;
pub mod lost;
pub mod merge;
pub mod share;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod testing;
pub mod wire;
pub mod worker;

pub use link::{JournalEntry, Link, LinkError, LinkJournal, LinkMessage, Objects, Subscription};
