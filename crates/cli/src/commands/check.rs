//! `plimsoll check`: whether a plan is right, and what it compiles to.

use plimsoll_text::{Lang, Message};

use super::{BAD_USE, out, say};
use crate::args::{CheckArgs, LoadArgs};
use crate::source;

/// Runs `plimsoll check`; gives the exit code.
#[must_use]
pub fn run(args: &CheckArgs, lang: Lang) -> u8 {
    let Some(loaded) = source::load_telling(&args.source, &LoadArgs::default(), lang) else {
        return BAD_USE;
    };
    if !args.quiet {
        out(&loaded.program.to_string());
    }
    let message = Message::new("check-right")
        .with("source", args.source.source.as_str())
        .with("warnings", loaded.warnings.len());
    say(&message, lang);
    0
}
