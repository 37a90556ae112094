//! The commands by what one wants of them, in the order in which the help tells them.

use clap::Command;

use super::texts::text;
use plimsoll_text::Lang;

/// A heading's text (`help-heading-…`) and the commands below it.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    ("begin", &["init", "check", "once", "run", "convert"]),
    (
        "results",
        &[
            "show", "report", "diagnose", "compare", "captures", "list", "serve",
        ],
    ),
    (
        "how-much",
        &["capacity", "tune", "hops", "calibrate", "size"],
    ),
    ("target", &["watch", "agent"]),
    ("hosts", &["worker", "workers"]),
    (
        "program",
        &["doctor", "schema", "completions", "man", "help"],
    ),
];

/// The groups of a command's subcommands: the heading, then names with what each does. None for a
/// command that has no subcommands.
pub(super) fn grouped(command: &Command, lang: Lang) -> Vec<(String, Vec<(String, String)>)> {
    if command.get_subcommands().next().is_none() {
        return Vec::new();
    }
    let about = |name: &&str| {
        let sub = command.find_subcommand(name)?;
        let about = sub.get_about().map(ToString::to_string);
        Some(((*name).to_owned(), about.unwrap_or_default()))
    };
    let groups = GROUPS.iter().map(|(heading, names)| {
        let heading = text(lang, &format!("help-heading-{heading}"));
        (heading, names.iter().filter_map(about).collect())
    });
    groups.collect()
}
