//! The binary `plimsoll`: the command line over the libraries.
//!
//! It knows all crates and holds no logic of theirs: arguments, files, the terminal and the
//! exit code are its only business.

mod args;
mod chain;
mod commands;
mod editors;
mod ended;
mod help;
mod interrupt;
mod kept;
mod live;
mod made_plan;
mod outputs;
mod problems;
mod remote;
mod result_output;
mod say;
mod tell;
mod usage;
mod version;
mod written;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches as _;

// The allocator of musl has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let lang = help::language(&arguments);
    let parsed =
        help::parse(&arguments, lang).and_then(|matches| args::Cli::from_arg_matches(&matches));
    ExitCode::from(match parsed {
        Ok(cli) => commands::dispatch(cli, lang),
        Err(error) => usage::tell(&error, lang),
    })
}
