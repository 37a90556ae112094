//! Runs on disk: one directory a run, holding `run.sqlite`, a copy of the plan and, once
//! the run is over, `summary.json`. Every report can be made again from it.
//!
//! A run is written second by second ([`RunWriter`]) and read back ([`Run`]) also while it
//! is being written, or after its process was killed: then at most the last second is lost
//! and the run says that it was cut short.
//!
//! This crate keeps what it is given. It must not know how load is made, what a plan means
//! or how a report looks.

mod curve;
mod error;
mod figures;
mod find;
mod fleet;
mod follow;
mod hops;
mod meta;
mod minutes;
mod pack;
pub mod private;
mod rebuild;
mod rows;
mod run;
mod schema;
mod sums;
mod target;
mod time;
mod verify;
mod writer;

pub use curve::MeasuredLoad;
pub use error::{StoreError, StoreErrorKind};
pub use figures::{MINUTE_S, SecondFigures};
pub use find::{DEFAULT_ROOT, RunEntry, list, resolve};
pub use fleet::{Applied, Contains};
pub use follow::{FollowedMoment, FollowedSecond, WrittenSoFar};
pub use meta::{
    Environment, OriginMeta, RunMeta, ScenarioMeta, StepOf, StoredEvent, kept_message, message_args,
};
pub use minutes::{MinuteSums, TEN_S};
pub use plimsoll_stats::LabelInfo as LabelDef;
pub use run::{Run, RunState, StoredPart};
pub use schema::SCHEMA_VERSION;
pub use target::{CaptureRecord, FactRecord, StoredCapture, TargetPoints};
pub use time::rfc3339;
pub use verify::verified;
pub use writer::{RunWriter, masked_args};
