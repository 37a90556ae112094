//! Plans that are made of something else: what they are made of, and where they are written.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Component, Path, PathBuf};

use clap::Parser as _;
use plimsoll_plan::limits::{PLAN_BYTES, read_all};
use plimsoll_plan::{Problem, quoted};
use plimsoll_run::reasons::file_failed;
use plimsoll_text::{Lang, Message};

use crate::args::{ConvertArgs, JMeterArgs, parse_lang};
use crate::say::out;
use crate::tell::{BAD_USE, fail, say};

/// Where mistakes of the command line are said to be.
const PLACE: &str = "curl";

/// The arguments with the options that follow the first word: what follows the words of a curl
/// command line is curl's, but what follows a file, or such a line in one word, is ours.
pub fn with_options_behind(args: &ConvertArgs, command: &str) -> Result<ConvertArgs, clap::Error> {
    /// The options alone.
    #[derive(clap::Parser)]
    #[command(name = "plimsoll", disable_help_flag = true)]
    struct Behind {
        #[arg(long, short = 'o')]
        output: Option<PathBuf>,
        #[arg(long)]
        force: bool,
        /// Known already: see `main`.
        #[arg(long, value_parser = parse_lang)]
        lang: Option<Lang>,
        #[command(flatten)]
        jmeter: JMeterArgs,
    }
    let (plan, behind) = args.command.split_first().unzip();
    let name = command.to_owned();
    let words = std::iter::once(&name).chain(behind.unwrap_or_default());
    let behind = Behind::try_parse_from(words)?;
    let mut all = args.clone();
    all.command = plan.into_iter().cloned().collect();
    all.output = behind.output.or(all.output);
    all.force |= behind.force;
    // Said before the command was known.
    let _: Option<Lang> = behind.lang;
    all.jmeter.properties.extend(behind.jmeter.properties);
    all.jmeter.global.extend(behind.jmeter.global);
    all.jmeter.system.extend(behind.jmeter.system);
    all.jmeter.files.extend(behind.jmeter.files);
    all.jmeter.allow_unsupported |= behind.jmeter.allow_unsupported;
    Ok(all)
}

/// Writes a file that is not there yet, unless it may be written over. For editors it names the
/// schema, where this user's programs find it from any folder; who has the plan from somebody else is
/// told how to replace that line.
pub fn written(path: &Path, plan: &str, force: bool, lang: Lang) -> Result<(), Message> {
    let line = crate::editors::schema_line(lang).unwrap_or_default();
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

/// Writes the plan to the file that is named, or to standard output; gives the exit code.
#[must_use]
pub fn write(output: Option<&Path>, plan: &str, force: bool, lang: Lang) -> u8 {
    let Some(path) = output.filter(|path| *path != Path::new("-")) else {
        out(plan);
        return 0;
    };
    match written(path, plan, force, lang) {
        Ok(()) => {
            let path = path.display().to_string();
            say(&Message::new("run-written").with("path", path), lang);
            0
        }
        Err(message) => fail(&message, lang, BAD_USE),
    }
}

/// Problems of a command line, with the place they are said to be in.
pub fn placed(problems: Vec<Problem>) -> Vec<Problem> {
    problems
        .into_iter()
        .map(|problem| problem.in_file(PLACE))
        .collect()
}

/// The command line as a shell would read it; standard input's where no word or `-` is given.
pub fn command_line(words: &[String]) -> Result<String, Message> {
    match words {
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

/// Standard input, as long as a plan may be.
pub fn read_stdin() -> Result<String, Message> {
    let unreadable = |reason: String| Message::new("convert-unreadable").with("reason", reason);
    let bytes = read_all(std::io::stdin().lock(), PLAN_BYTES);
    let bytes = bytes.map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))
}

/// How a plan that is written to a file names another file, which the command line names from this
/// folder: paths of a plan start from its own.
pub fn path_from(plan: Option<&Path>, path: &str) -> String {
    let folder = plan.and_then(Path::parent).unwrap_or(Path::new(""));
    let is_here = folder.components().all(|part| part == Component::CurDir);
    if is_here || Path::new(path).is_absolute() {
        return path.to_owned();
    }
    let is_below = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let is_link = |part: &Path| part.is_symlink();
    // `..` of a folder that is a link leads elsewhere.
    if folder.components().all(|part| is_below(&part)) && !folder.ancestors().any(is_link) {
        let named = folder
            .components()
            .filter(|part| *part != Component::CurDir);
        return "../".repeat(named.count()) + path;
    }
    let absolute = std::path::absolute(path);
    absolute.map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::path_from;

    #[test]
    fn files_are_named_from_the_plan() {
        let of = |plan, path| path_from(Some(Path::new(plan)), path);
        assert_eq!(of("plan.yaml", "b.txt"), "b.txt");
        assert_eq!(of("./plan.yaml", "b.txt"), "b.txt");
        assert_eq!(of("a/./b/plan.yaml", "c/b.txt"), "../../c/b.txt");
        assert_eq!(of("a/plan.yaml", "/b.txt"), "/b.txt");
        assert!(Path::new(&of("../plan.yaml", "b.txt")).is_absolute());
        assert!(Path::new(&of("/tmp/plan.yaml", "b.txt")).is_absolute());
        assert_eq!(path_from(None, "b.txt"), "b.txt");
    }
}
