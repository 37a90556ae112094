//! `plimsoll help`: the help of the program or of a command.

use std::ffi::OsString;

use plimsoll_text::Lang;

use crate::args::HelpArgs;
use crate::help;

/// Runs `plimsoll help`; gives the exit code.
#[must_use]
pub fn run(args: &HelpArgs, lang: Lang) -> u8 {
    let words = ["plimsoll"].into_iter().chain(args.topic.as_deref());
    let words: Vec<OsString> = words.chain(["--help"]).map(OsString::from).collect();
    match help::parse(&words, lang) {
        // Help is what clap calls an error.
        Err(told) => crate::usage::tell(&told, lang),
        Ok(_) => 0,
    }
}
