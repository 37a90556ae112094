//! `plimsoll check`: whether a plan is right, and what it compiles to.

mod places;

use plimsoll_text::{Lang, Message, render};

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
        if let Some(jmeter) = loaded.jmeter.as_ref().filter(|plan| !plan.table.is_empty()) {
            out(&places::text(
                &jmeter.table,
                no_companion(lang).as_deref(),
                lang,
            ));
        }
        out(&loaded.program.to_string());
    }
    let message = Message::new("check-right")
        .with("source", args.source.source.as_str())
        .with("warnings", loaded.warnings.len());
    say(&message, lang);
    0
}

/// Why the JVM companion cannot be started here; nothing when it can.
fn no_companion(lang: Lang) -> Option<String> {
    let error = plimsoll_companion::find().err()?;
    let message = Message::new("jmeter-check-no-companion").with("reason", error.message());
    Some(render(lang, &message))
}
