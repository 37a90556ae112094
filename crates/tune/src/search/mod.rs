//! Where to look next: by a model of what was seen, by chance, or one knob after the other.

mod candidates;
mod encode;
mod gp;
mod propose;

pub use encode::Encoding;
pub use gp::{Process, Seen};
pub use propose::{Observed, Proposer, best_but, best_by_model, promising, simplified};
