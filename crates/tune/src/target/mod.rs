//! Trials on a real target: files and processes are changed and brought back.

mod addresses;
mod advice;
mod arguments;
mod asked;
mod bench;
mod changes;
mod command_line;
mod commands;
mod component;
mod database;
mod domains;
mod fetch;
mod file_messages;
mod files;
mod fragment;
mod hands;
mod identity;
mod included;
mod journal;
mod load_told;
mod log;
mod marks;
mod measure;
mod named;
mod never;
mod not_finished;
mod originals;
mod outstanding;
mod place;
mod prepared;
mod readback;
mod resolve;
mod restore;
mod spring_profiles;
mod standing;
mod started;
mod target_file;
mod target_folder;
mod target_secrets;
mod trusted;
mod usage;
mod values;
mod writable;

pub use bench::{Approve, BenchSettings, TargetBench};
pub use changes::fragments_of;
pub use component::planned_commands;
pub use file_messages::together;
pub use fragment::Fragment;
pub use hands::Hands;
pub use identity::digest;
pub use journal::{
    AskedBy, Entry, JOURNAL_VERSION, Journal, JournalError, PeekedJournal, journal_failed, peeked,
    state_folder, studies,
};
pub use marks::with_descendants;
pub use measure::{Load, Watched, source};
pub use not_finished::NotFinished;
pub use place::{NamedSetting, Place, TargetKnob};
pub use prepared::Prepared;
pub use resolve::{never_of_nothing, options_in_vain, prepare, prepare_asking};
pub use restore::{Restored, left_beside, restore, restore_with};
pub use started::{of_start, start_study_name};
pub use usage::{memory, processor_s};
pub use writable::unwritable;
