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
mod no_request;
mod outputs;
mod problems;
mod reasons;
mod say;
mod session;
mod source;
mod usage;
mod watching;

use std::process::ExitCode;

use clap::FromArgMatches as _;

fn main() -> ExitCode {
    let lang = help::language(std::env::args_os());
    let parsed = help::command(lang)
        .try_get_matches()
        .and_then(|matches| args::Cli::from_arg_matches(&matches));
    ExitCode::from(match parsed {
        Ok(cli) => commands::dispatch(cli),
        Err(error) => usage::tell(&error, lang),
    })
}
