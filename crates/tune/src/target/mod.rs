//! Trials on a real target: files and processes are changed and brought back.

mod advice;
mod arguments;
mod bench;
mod changes;
mod commands;
mod component;
mod fetch;
mod files;
mod journal;
mod marks;
mod measure;
mod named;
mod originals;
mod place;
mod readback;
mod resolve;
mod restore;
mod started;

pub use bench::{Approve, BenchSettings, TargetBench};
pub use changes::{Fragment, fragments_of};
pub use component::planned_commands;
pub use journal::{Entry, Journal, JournalError, state_folder, studies};
pub use measure::{Load, source};
pub use place::{NamedSetting, Place, TargetKnob};
pub use resolve::{Prepared, prepare};
pub use restore::{Restored, restore};
pub use started::of_start;
