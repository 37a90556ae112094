//! Series of the target: what collectors saw over time, in columns that stay small.
//!
//! A collector gives points under a [`SeriesKey`]; a [`KeyCatalogue`] turns keys into small
//! ids; a [`Batch`] carries what was seen at one moment (over the wire, and into the run at
//! once, so that a killed run loses nothing); [`Column`]s keep a series' older points.
//! A gap stays a gap: nothing is ever filled in.

mod batch;
mod catalogue;
mod column;
pub mod fold;
mod key;

pub use batch::Batch;
pub use catalogue::KeyCatalogue;
pub use column::Column;
pub use key::{Entity, EntityKind, Fact, SeriesId, SeriesKey, SeriesKind, shared};
