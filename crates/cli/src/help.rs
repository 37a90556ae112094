//! The help of the command line in both languages: texts of `locales/*/help.ftl` put into
//! clap's command, which is walked for it.

mod groups;
mod layout;
mod roff;
mod texts;

use std::ffi::OsString;

use clap::builder::{ArgPredicate, Resettable};
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory as _, ValueHint};
use plimsoll_text::{Lang, Message, render};

use crate::args::Cli;
pub use roff::ManPage;
use texts::{find, text};

/// Parses a command line. Texts are made only for one that is wrong or asks for help: all of them
/// take longer than the rest of a program's start.
///
/// # Errors
/// What is wrong with it, or the help that it asks for, in that language.
pub fn parse(arguments: &[OsString], lang: Lang) -> Result<ArgMatches, clap::Error> {
    let parsed = syntax().try_get_matches_from(arguments);
    parsed.or_else(|_| command(lang).try_get_matches_from(arguments))
}

/// What may stand in a command line.
fn syntax() -> Command {
    Cli::command()
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(flag("help", 'h', ArgAction::Help).global(true))
        .arg(flag("version", 'V', ArgAction::Version))
        .mut_subcommand("compare", with_rules)
        .mut_subcommand("run", without_plan)
}

/// The command line with its help in a language.
fn command(lang: Lang) -> Command {
    let (command, names) = described_commands(lang);
    with_layout(command, &names, lang)
}

/// The same without our layout of the help, for those who lay it out themselves.
#[must_use]
pub fn plain(lang: Lang) -> Command {
    let hinted = |arg: Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        let hint = match names.first().map(clap::builder::Str::as_str) {
            Some("DIR") => ValueHint::DirPath,
            Some(name) if name.contains("FILE") || name.contains("PLAN") => ValueHint::FilePath,
            _ => return arg,
        };
        arg.value_hint(hint)
    };
    let (command, names) = described_commands(lang);
    let add =
        |command: Command, name: &String| command.mut_subcommand(name, |sub| sub.mut_args(hinted));
    names.iter().fold(command, add)
}

/// The manual pages, that of the program first.
#[must_use]
pub fn man_pages(lang: Lang) -> Vec<ManPage> {
    let (mut command, names) = described_commands(lang);
    command.build();
    let mut pages = vec![roff::page(&mut command, &names, lang)];
    for name in &names {
        let sub = command.find_subcommand_mut(name);
        pages.extend(sub.map(|sub| roff::page(sub, &names, lang)));
    }
    pages
}

/// The command line with its texts, and the names of its commands.
fn described_commands(lang: Lang) -> (Command, Vec<String>) {
    let command = syntax().long_version(crate::version::long(lang));
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    let command = names.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |sub| translated(sub, lang))
    });
    (translated(command, lang), names)
}

/// The help of each command as we lay it out: clap fits no texts to a width.
fn with_layout(mut command: Command, names: &[String], lang: Lang) -> Command {
    // What clap adds to the commands when it parses, such as global options.
    let mut built = command.clone();
    built.build();
    for name in names {
        if let Some(sub) = built.find_subcommand_mut(name) {
            let help = layout::laid_out(sub, lang);
            command = command.mut_subcommand(name, |sub| sub.override_help(help));
        }
    }
    let help = layout::laid_out(&mut built, lang);
    command.override_help(help)
}

/// The language, before the command line is parsed: its `--lang`, else the environment's.
#[must_use]
pub fn language(arguments: &[OsString]) -> Lang {
    let mut texts = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned());
    while let Some(text) = texts.next() {
        let named = match text.as_str() {
            "--" => break,
            "--lang" => texts.next(),
            _ => text.strip_prefix("--lang=").map(str::to_owned),
        };
        if let Some(lang) = named.as_deref().and_then(Lang::parse) {
            return lang;
        }
    }
    Lang::from_env()
}

fn flag(name: &'static str, short: char, action: ArgAction) -> Arg {
    Arg::new(name)
        .short(short)
        .long(name)
        .action(action)
        .display_order(usize::MAX)
}

/// What of `compare` makes runs goes with `--interleave` only, and what takes runs without.
fn with_rules(compare: Command) -> Command {
    let of_runs = ["a", "b", "paired"];
    let of_both = [
        "format",
        "fail_if_worse",
        "out",
        "interleave",
        "lang",
        "help",
    ];
    compare.mut_args(|arg| {
        let name = arg.get_id().as_str();
        if of_runs.contains(&name) {
            arg.conflicts_with("interleave")
        } else if of_both.contains(&name) {
            arg
        } else {
            arg.conflicts_with_all(of_runs)
        }
    })
}

/// A run that is taken up again knows its plan.
fn without_plan(run: Command) -> Command {
    run.mut_arg("source", |arg| {
        arg.required(false)
            .required_unless_present("resume")
            .default_value_if("resume", ArgPredicate::IsPresent, "")
    })
}

fn translated(command: Command, lang: Lang) -> Command {
    let name = command.get_name().to_owned();
    let about = text(lang, &format!("help-{name}"));
    let command = match find(lang, &format!("help-{name}-after")) {
        Some(after) => command.after_help(after),
        None => command,
    };
    command
        .about(about)
        .long_about(Resettable::Reset)
        .mut_args(|arg| described(arg, &name, lang))
}

fn described(arg: Arg, command: &str, lang: Lang) -> Arg {
    let help = describe(&arg, command, lang).unwrap_or_default();
    arg.help(help).long_help(Resettable::Reset)
}

/// The argument's text with its default, its values and its other names; nothing if it has
/// no text.
fn describe(arg: &Arg, command: &str, lang: Lang) -> Option<String> {
    let id = arg.get_id().as_str().replace('_', "-");
    let own = find(lang, &format!("help-{command}-{id}"));
    let mut help = own.or_else(|| find(lang, &format!("help-arg-{id}")))?;
    let takes_value = arg.get_action().takes_values();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    let aliases: Vec<String> = arg
        .get_all_aliases()
        .unwrap_or_default()
        .into_iter()
        .map(|alias| format!("--{alias}"))
        .collect();
    let additions = [
        ("help-with-values", "values", values),
        ("help-with-default", "default", defaults),
        ("help-with-alias", "alias", aliases),
    ];
    for (id, name, found) in additions {
        if !found.is_empty() && (takes_value || name == "alias") {
            let message = Message::new(id)
                .with("text", help)
                .with(name, found.join(", "));
            help = render(lang, &message);
        }
    }
    Some(help)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn all_commands(lang: Lang) -> Vec<Command> {
        let root = command(lang);
        let subs: Vec<Command> = root.get_subcommands().cloned().collect();
        [vec![root], subs].concat()
    }

    #[test]
    fn every_command_and_argument_has_a_text_in_both_languages() {
        for lang in Lang::ALL {
            for command in all_commands(lang) {
                let name = command.get_name();
                let about = command.get_about().unwrap().to_string();
                assert!(!about.starts_with("help-"), "{name} has no text");
                for arg in command.get_arguments() {
                    let id = arg.get_id();
                    assert!(
                        describe(arg, name, lang).is_some(),
                        "{name} {id} has no text"
                    );
                    assert!(
                        !arg.get_help().unwrap().to_string().is_empty(),
                        "{name} {id}"
                    );
                }
            }
        }
    }

    #[test]
    fn chinese_help_is_chinese() {
        for command in all_commands(Lang::Zh) {
            for arg in command.get_arguments() {
                let help = arg.get_help().unwrap().to_string();
                let chinese = help.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
                assert!(chinese, "{} {}: {help}", command.get_name(), arg.get_id());
            }
        }
    }

    #[test]
    fn no_text_of_an_argument_is_left_over() {
        let (_, source) = plimsoll_text::texts(Lang::En)
            .iter()
            .find(|(area, _)| *area == "help")
            .unwrap();
        let commands = all_commands(Lang::En);
        let used = |id: &str| {
            let of = |command: &Command, arg: &Arg| {
                let arg = arg.get_id().as_str().replace('_', "-");
                id == format!("help-{}-{arg}", command.get_name())
                    || id == format!("help-arg-{arg}")
            };
            commands.iter().any(|command| {
                let name = command.get_name();
                id == format!("help-{name}")
                    || id == format!("help-{name}-after")
                    || command.get_arguments().any(|arg| of(command, arg))
            })
        };
        let frame = |id: &str| {
            ["help-heading-", "help-with-", "help-man-title-"]
                .iter()
                .any(|frame| id.starts_with(frame))
                || id == "help-usage"
        };
        for line in source.lines() {
            let Some((id, _)) = line.split_once(" =") else {
                continue;
            };
            if id.starts_with("help-") {
                assert!(used(id) || frame(id), "{id} is used nowhere");
            }
        }
    }

    #[test]
    fn every_command_stands_in_one_group_of_the_help() {
        let (_, names) = described_commands(Lang::En);
        let grouped = groups::GROUPS.iter().flat_map(|(_, names)| names.iter());
        let mut grouped: Vec<&str> = grouped.copied().collect();
        grouped.sort_unstable();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(grouped, names);
    }

    #[test]
    fn the_command_line_is_consistent() {
        command(Lang::En).debug_assert();
    }

    #[test]
    fn the_language_is_found_before_parsing() {
        let of = |args: &[&str]| language(&args.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["plimsoll", "run", "--lang", "zh"]), Lang::Zh);
        assert_eq!(of(&["plimsoll", "--lang=zh", "run"]), Lang::Zh);
        assert_eq!(of(&["plimsoll", "--lang", "zh", "--lang=en"]), Lang::Zh);
    }
}
