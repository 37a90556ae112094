//! Changes settings of a target, reads them back, measures again, and keeps what helps by test.
//!
//! A study ([`plimsoll_plan::study`]) says what may be changed ([`space`]). The [`engine`] asks for trials,
//! judges them ([`judge`]) and says where to look next ([`search`]); it knows configurations and scores and
//! nothing else, so that the same engine works on surfaces that were measured before. A [`trial::TrialBench`]
//! makes trials: [`target`] does so on a real target, whose files and processes it changes and brings back;
//! components on other hosts an agent changes ([`remote`]).
//!
//! What is said of a study is made in [`told`]. This crate must not know arguments and terminals.

pub mod effects;
pub mod engine;
mod fingerprint;
pub mod given_file;
pub mod judge;
pub mod notes;
pub mod outcome;
pub mod remote;
pub mod resumed;
pub mod search;
mod senseless;
pub mod shown;
pub mod space;
pub mod study;
pub mod target;
pub mod told;
pub mod trial;
