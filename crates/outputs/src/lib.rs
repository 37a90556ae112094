//! Who hears a run while it goes on: streams to other systems and files.
//!
//! An [`Output`] is one file and one line in [`OUTPUTS`]. Each has a thread and a bounded queue of its own
//! ([`Feed`]), so that none slows the run or another: one that falls behind gets intervals merged, and
//! what it never took is counted and told.
//!
//! This crate must not know plans, how load is made, or where runs lie.

mod exponential;
mod feed;
mod http;
mod influxdb;
mod json_lines;
mod metrics;
mod otlp;
mod output;
mod prometheus;
mod registry;
pub mod remote_write;
mod spec;

pub use feed::{Feed, FeedDelivery, Pace};
pub use json_lines::label_json;
pub use output::{
    LabelPart, LoadInterval, Output, OutputError, RunBegin, RunEnd, RunEvent, RunPart, TargetMoment,
};
pub use registry::{OUTPUTS, OutputKind, open};
pub use spec::{OutputSpec, split_option};
