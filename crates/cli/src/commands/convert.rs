//! `plimsoll convert`: from a JMeter plan or a curl command line to a plan of our own.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Parser as _;
use plimsoll_plan::{Problem, from_curl};
use plimsoll_run::reasons::file_failed;
use plimsoll_run::{PlanSource, jmx};
use plimsoll_text::{Lang, Message};

use crate::args::{ConvertArgs, JMeterArgs};
use crate::problems;
use crate::say::out;
use crate::tell::{BAD_USE, fail, say};

/// Where mistakes of the command line are said to be.
const PLACE: &str = "curl";

/// Runs `plimsoll convert`; gives the exit code.
#[must_use]
pub fn run(args: &ConvertArgs, lang: Lang) -> u8 {
    let first = args.command.first().map_or("", String::as_str);
    let is_file = jmx::is_jmx(first);
    let args = &match is_file || first.trim_start().starts_with("curl ") {
        false => args.clone(),
        true => match with_options_behind(args) {
            Ok(args) => args,
            Err(error) => return crate::usage::tell(&error, lang),
        },
    };
    if is_file {
        return jmeter_plan(args, lang);
    }
    let command = match command_line(args) {
        Ok(command) => command,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    let (plan, warnings) = match from_curl(&command) {
        Ok(converted) => converted,
        Err(mistakes) => {
            problems::print(&placed(mistakes), &command, lang);
            return BAD_USE;
        }
    };
    problems::print(&placed(warnings), &command, lang);
    write(args, &plan, lang)
}

/// The arguments with the options that follow the first word: what follows the words of a curl
/// command line is curl's, but what follows a file, or such a line in one word, is ours.
fn with_options_behind(args: &ConvertArgs) -> Result<ConvertArgs, clap::Error> {
    /// The options alone, as `convert` has them.
    #[derive(clap::Parser)]
    #[command(name = "plimsoll convert", disable_help_flag = true)]
    struct Behind {
        #[arg(long, short = 'o')]
        output: Option<PathBuf>,
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        jmeter: JMeterArgs,
    }
    let (plan, behind) = args.command.split_first().unzip();
    let name = "plimsoll convert".to_owned();
    let words = std::iter::once(&name).chain(behind.unwrap_or_default());
    let behind = Behind::try_parse_from(words)?;
    let mut all = args.clone();
    all.command = plan.into_iter().cloned().collect();
    all.output = behind.output.or(all.output);
    all.force |= behind.force;
    all.jmeter.properties.extend(behind.jmeter.properties);
    all.jmeter.global.extend(behind.jmeter.global);
    all.jmeter.system.extend(behind.jmeter.system);
    all.jmeter.files.extend(behind.jmeter.files);
    all.jmeter.allow_unsupported |= behind.jmeter.allow_unsupported;
    Ok(all)
}

/// Converts a JMeter plan.
fn jmeter_plan(args: &ConvertArgs, lang: Lang) -> u8 {
    let source = PlanSource {
        jmeter: (&args.jmeter).into(),
        ..PlanSource::new(args.command.concat())
    };
    match jmx::load(&source) {
        Ok((plan, text, warnings, _)) => {
            problems::print(&warnings, &text, lang);
            write(args, &plimsoll_plan::to_yaml(&plan), lang)
        }
        Err(rejected) => {
            problems::print(&rejected.problems, &rejected.text, lang);
            BAD_USE
        }
    }
}

/// Writes the plan to the file that is named, or to standard output.
fn write(args: &ConvertArgs, plan: &str, lang: Lang) -> u8 {
    match args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    {
        None => out(plan),
        Some(path) => match written(path, plan, args.force) {
            Ok(()) => {
                let path = path.display().to_string();
                say(&Message::new("run-written").with("path", path), lang);
            }
            Err(message) => return fail(&message, lang, BAD_USE),
        },
    }
    0
}

/// Writes a file that is not there yet, unless it may be written over. For editors it names the
/// schema, where this user's programs find it from any folder.
fn written(path: &Path, plan: &str, force: bool) -> Result<(), Message> {
    let line = crate::editors::schema_line().unwrap_or_default();
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(force).truncate(force);
    let opened = options.create_new(!force).open(path);
    let written = opened.and_then(|mut file| file.write_all(format!("{line}{plan}").as_bytes()));
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Message::new("convert-exists").with("path", path.display().to_string())
        }
        _ => file_failed(path, &error),
    })
}

fn placed(problems: Vec<Problem>) -> Vec<Problem> {
    problems
        .into_iter()
        .map(|problem| problem.in_file(PLACE))
        .collect()
}

/// The command line as a shell would read it.
fn command_line(args: &ConvertArgs) -> Result<String, Message> {
    match args.command.as_slice() {
        [] if std::io::stdin().is_terminal() => Err(Message::new("convert-nothing")),
        [] => read_stdin(),
        [word] if word == "-" => read_stdin(),
        [line] => Ok(line.clone()),
        words => Ok(words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" ")),
    }
}

fn read_stdin() -> Result<String, Message> {
    let mut text = String::new();
    match std::io::stdin().read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Message::new("convert-unreadable").with("reason", error.to_string())),
    }
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("http://h/x"), "http://h/x");
        assert_eq!(quoted("A: b"), "'A: b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
