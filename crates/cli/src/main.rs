//! The binary `plimsoll`: the command line over the libraries.
//!
//! It knows all crates and holds no logic of theirs: arguments, files, the terminal and the
//! exit code are its only business.

mod args;
mod commands;
mod environment;
mod problems;
mod session;
mod source;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    ExitCode::from(commands::dispatch(args::Cli::parse()))
}
