//! The commands, one file each.

pub mod run;

use plimsoll_text::Lang;

use crate::args::{Cli, Command};

/// Does what the command line says; gives the exit code.
#[must_use]
pub fn dispatch(cli: Cli) -> u8 {
    let lang = cli.lang.unwrap_or_else(Lang::from_env);
    match cli.command {
        Command::Run(args) => run::run(&args, lang),
        _ => 2,
    }
}
