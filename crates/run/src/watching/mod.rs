//! Watching the target of a run: what the plan and the options name is opened, runs beside
//! the load, and is stored with it.

pub mod kept;
pub mod requests;
mod specs;
pub mod taking;
mod target;

pub use specs::{from_texts, specs};
pub use target::{Again, Heard, LoadSum, Target, load_second, open};
