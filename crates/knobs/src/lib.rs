//! Settings of servers by name.
//!
//! A [`Knob`] says what a setting may be, what it is by default, what it gives up, what has to restart
//! for it, where it is written ([`KnobPlace`]) and how a running target shows it ([`ReadWay`]).
//! [`formats`] changes one value in a configuration file or a start command and leaves every other byte;
//! [`write`] puts a file in another's place; [`readback`] compares what a target shows with what was
//! written. Nothing of a target is executed.
//!
//! This crate stands below the diagnosis, whose advice names knobs: it must not know how a target is
//! watched, loaded, diagnosed or tuned. Who reads back hands in what it sees ([`readback::Sight`]).

mod attributes;
mod families;
pub mod formats;
mod giving;
mod knob;
mod knob_names;
mod list;
mod programs;
mod quantity;
pub mod readback;
mod registry;
mod value;
pub mod write;
mod written;

pub use attributes::FileAttributes;
pub use formats::{
    Address, EditError, Format, Found, MAX_BYTES, get, includes, place, remove, set,
};
pub use giving::{giving, value_gives};
pub use knob::{
    Applies, Condition, Family, Gives, Knob, KnobDefault, KnobPlace, KnobRange, KnobScale,
    KnobUnit, PlaceKind, ReadWay, Spelling,
};
pub use list::{KNOBS_SCHEMA_VERSION, detail, details, document, table};
pub use programs::{KnobFit, fit, is_of_command};
pub use registry::{FAMILIES, all, find, named};
pub use value::{KnobValue, ValueError};
pub use written::{PutError, spring_variable};
