//! `plimsoll check`: whether a plan is right, and what it compiles to.

mod overview;
mod places;

use plimsoll_jmx::support::Row;
use plimsoll_run::{LoadSettings, PlanSource, jmx};
use plimsoll_text::{Lang, Message, render};

use crate::args::CheckArgs;
use crate::problems;
use crate::say::{out, out_foreign};
use crate::tell::{BAD_USE, say};

/// Runs `plimsoll check`; gives the exit code.
#[must_use]
pub fn run(args: &CheckArgs, lang: Lang) -> u8 {
    let source = PlanSource::from(&args.source);
    let Some(ready) = problems::ready(&source, &LoadSettings::default(), lang) else {
        if !args.quiet {
            // What a plan of JMeter's is made of is to be seen also when it cannot run.
            table(&jmx::table_of(&source), lang);
        }
        return BAD_USE;
    };
    if !args.quiet {
        let columns = crate::say::screen().columns;
        out(&overview::text(&ready, columns, lang));
        out("\n");
        if let Some(jmeter) = &ready.jmeter {
            table(&jmeter.table, lang);
        }
    }
    if args.operations {
        out_foreign(ready.program.to_string().as_bytes());
        out("\n");
    }
    let message = Message::new("check-right")
        .with("source", args.source.source.as_str())
        .with("warnings", ready.warnings.len());
    say(&message, lang);
    0
}

/// The table of JMeter's elements, if there are any.
fn table(rows: &[Row], lang: Lang) {
    if !rows.is_empty() {
        let columns = crate::say::screen().columns;
        out(&places::text(
            rows,
            no_companion(lang).as_deref(),
            columns,
            lang,
        ));
    }
}

/// Why the JVM companion cannot be started here; nothing when it can.
fn no_companion(lang: Lang) -> Option<String> {
    let error = plimsoll_companion::find().err()?;
    let message = Message::new("jmeter-check-no-companion").with("reason", error.message());
    Some(render(lang, &message))
}
