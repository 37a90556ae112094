//! The binary `plimsoll`: the command line over the libraries.
//!
//! It knows all crates and holds no logic of theirs: arguments, files, the terminal and the
//! exit code are its only business.

mod args;
mod calibration;
mod commands;
mod environment;
mod fleet;
mod help;
mod jmx;
mod kept;
mod problems;
mod say;
mod session;
mod source;
mod watching;

use std::process::ExitCode;

use clap::FromArgMatches as _;

fn main() -> ExitCode {
    let matches = help::command(help::language(std::env::args_os())).get_matches();
    match args::Cli::from_arg_matches(&matches) {
        Ok(cli) => ExitCode::from(commands::dispatch(cli)),
        Err(error) => error.exit(),
    }
}
