//! Telling people: sentences by their id, in their language.

use plimsoll_text::{Lang, Message, render};

use crate::say::{err, out_foreign};

/// Exit code of bad arguments, of a bad plan, and of runs that cannot be read.
pub const BAD_USE: u8 = 2;

/// Says a sentence on standard output.
pub fn say(message: &Message, lang: Lang) {
    out_foreign(format!("{}\n", render(lang, message)).as_bytes());
}

/// Says what comes next, to people who want to know it.
pub fn progress(quiet: bool, lang: Lang, message: &Message) {
    if !quiet {
        err(&render(lang, message));
    }
}

/// Warns of something on standard error.
pub fn tell_warning(warning: Option<&Message>, lang: Lang) {
    if let Some(message) = warning {
        err(&render(lang, message));
    }
}

/// Says a sentence on standard error; gives the exit code on.
pub fn fail(message: &Message, lang: Lang, code: u8) -> u8 {
    err(&render(lang, message));
    code
}
