//! A study in words: a line for each trial, what came of all, and the story as people hand it in.

mod document;
mod effect;
mod planned;
mod story;

pub use document::{better, changes, text, trial_line};
pub use planned::planned;
pub use story::write as write_story;
