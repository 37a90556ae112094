//! What plans compile to: run by a small machine whose responses the test makes up.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod controllers;
mod elements;
mod errors;
mod jumps;
mod machine;
mod plans;
mod requests;
mod variables;
