//! Where to look next: by a model of what was seen, by chance, or one knob after the other.

mod candidates;
mod encode;
mod expected;
mod gp;
mod observed;
mod propose;

pub use encode::Encoding;
pub use expected::{best_but, best_by_model, promising, simplified};
pub use gp::{Process, Seen};
pub use observed::Observed;
pub use propose::Proposer;
