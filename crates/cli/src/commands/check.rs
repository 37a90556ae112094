//! `plimsoll check`: whether a plan is right, and what it compiles to.

use plimsoll_text::{Lang, Message};

use super::{BAD_USE, out, say};
use crate::args::{CheckArgs, LoadArgs};
use crate::{problems, source};

/// Runs `plimsoll check`; gives the exit code.
#[must_use]
pub fn run(args: &CheckArgs, lang: Lang) -> u8 {
    let loaded = match source::load(&args.source, &LoadArgs::default()) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            problems::print(&rejected.problems, &rejected.text, lang);
            return BAD_USE;
        }
    };
    problems::print(&loaded.warnings, &loaded.text, lang);
    if !args.quiet {
        out(&loaded.program.to_string());
    }
    let message = Message::new("check-right")
        .with("source", args.source.source.as_str())
        .with("warnings", loaded.warnings.len());
    say(&message, lang);
    0
}
