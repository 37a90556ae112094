//! `plimsoll init`: a commented plan that runs, made of a URL, a curl command line or a JMeter plan.

mod ask;

use std::path::{Path, PathBuf};

use plimsoll_plan::model::Span;
use plimsoll_plan::{
    Problem, quoted, read_curl, starter_of_curl, starter_of_jmeter, to_yaml_without_secrets,
};
use plimsoll_run::{PlanSource, jmx};
use plimsoll_text::{Lang, Message, render};

use crate::args::ConvertArgs;
use crate::made_plan::{command_line, path_from, placed, with_options_behind, write, written};
use crate::problems;
use crate::say::{err, out};
use crate::tell::{BAD_USE, fail, say};

/// A plan that was made, and what its user has to know.
struct MadePlan {
    text: String,
    /// Variables of the environment that it needs.
    secrets: Vec<String>,
    /// Where it is written, unless another file is named.
    path: PathBuf,
}

/// Runs `plimsoll init`; gives the exit code.
#[must_use]
pub fn run(args: &ConvertArgs, lang: Lang) -> u8 {
    let first = args.command.first().map_or("", String::as_str);
    // Words of a curl command line are curl's; what follows anything else is ours.
    let args = match first.is_empty() || is_program(first) || first == "$" {
        true => args.clone(),
        false => match with_options_behind(args, "plimsoll init") {
            Ok(args) => args,
            Err(error) => return crate::usage::tell(&error, lang),
        },
    };
    let asked = match args.command.is_empty() && ask::is_possible() {
        true => ask::source(lang).map(|line| vec![line]),
        false => Ok(args.command.clone()),
    };
    let made = match asked.and_then(|words| made(&words, &args, lang)) {
        Ok(made) => made,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    match made {
        Some(made) => tell(&made, &args, lang),
        None => BAD_USE,
    }
}

/// The program of a command line that was given in words.
fn is_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "curl" || name.eq_ignore_ascii_case("curl.exe")
}

/// The plan of what was given; none when its problems were told.
fn made(words: &[String], args: &ConvertArgs, lang: Lang) -> Result<Option<MadePlan>, Message> {
    let line = command_line(words)?;
    let source = line.trim();
    if source.is_empty() {
        return Err(Message::new("init-nothing"));
    }
    if jmx::is_jmx(source) {
        return Ok(of_jmeter(source, args, lang));
    }
    if source.contains(char::is_whitespace) || is_program(source) {
        return Ok(of_curl(source, source, args, lang));
    }
    // What names a file is no address: a host of that name would be loaded.
    let scheme = source.split_once("://").map(|(scheme, _)| scheme);
    let has_scheme = scheme.is_some_and(|it| it.chars().all(|c| c.is_ascii_alphanumeric()));
    if !has_scheme && (source.contains(['(', '<', '{']) || Path::new(source).exists()) {
        return Err(Message::new("init-no-source").with("found", shortened(source)));
    }
    // Who gives an address wants what a browser would show.
    let command = format!("curl -gL {}", quoted(source));
    Ok(of_curl(&command, source, args, lang))
}

/// The begin of a text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Of a curl command line, which is `source` unless that is an address alone.
fn of_curl(command: &str, source: &str, args: &ConvertArgs, lang: Lang) -> Option<MadePlan> {
    let output = args.output.as_deref();
    let paths = |path: &str| path_from(output.filter(|path| *path != Path::new("-")), path);
    // Places are those of what was given.
    let told = |problems: Vec<Problem>| {
        let begin = Span { line: 1, column: 1 };
        let at_begin = |problem: Problem| Problem {
            at: begin,
            ..problem
        };
        let problems = match command == source {
            true => problems,
            false => problems.into_iter().map(at_begin).collect(),
        };
        problems::print(&placed(problems), source, lang);
    };
    let (plan, warnings) = match read_curl(command, &paths) {
        Ok(plan) => plan,
        Err(mistakes) => {
            told(mistakes);
            return None;
        }
    };
    // Secrets are told of below, without the line that they stand in.
    let is_secret = |warning: &Problem| warning.message.id == "plan-curl-secret";
    told(
        warnings
            .into_iter()
            .filter(|warning| !is_secret(warning))
            .collect(),
    );
    let text = starter_of_curl(&plan, lang);
    Some(MadePlan {
        text,
        secrets: plan.secrets,
        path: PathBuf::from("plan.yaml"),
    })
}

/// Of a JMeter plan: beside it, so that the files that it names are found.
fn of_jmeter(source: &str, args: &ConvertArgs, lang: Lang) -> Option<MadePlan> {
    let source = PlanSource {
        jmeter: (&args.jmeter).into(),
        ..PlanSource::new(source.to_owned())
    };
    match jmx::load(&source) {
        Ok((plan, text, warnings, _)) => {
            problems::print(&warnings, &text, lang);
            let (text, secrets) = to_yaml_without_secrets(&plan);
            Some(MadePlan {
                text: starter_of_jmeter(&text, &source.plan, lang),
                secrets,
                path: Path::new(&source.plan).with_extension("yaml"),
            })
        }
        Err(rejected) => {
            problems::print(&rejected.problems, &rejected.text, lang);
            None
        }
    }
}

/// Writes the plan, and says what comes next.
fn tell(made: &MadePlan, args: &ConvertArgs, lang: Lang) -> u8 {
    let path = args.output.as_deref().unwrap_or(&made.path);
    if path == Path::new("-") {
        let code = write(Some(path), &made.text, args.force, lang);
        tell_secrets(&made.secrets, lang, &|line| err(line.trim_end()));
        return code;
    }
    if let Err(message) = written(path, &made.text, args.force, lang) {
        return fail(&message, lang, BAD_USE);
    }
    let shown = quoted(&path.display().to_string());
    say(
        &Message::new("init-written").with("path", shown.as_str()),
        lang,
    );
    tell_secrets(&made.secrets, lang, &|line| out(line));
    say(&Message::new("init-next"), lang);
    for command in ["check", "once", "run"] {
        let more = if command == "run" {
            " --report report.html"
        } else {
            ""
        };
        out(&format!("  plimsoll {command} {shown}{more}\n"));
    }
    0
}

/// Says what was taken for a secret, and what may still be one.
fn tell_secrets(secrets: &[String], lang: Lang, tell: &dyn Fn(&str)) {
    let about = match secrets.is_empty() {
        true => return,
        false => Message::new("init-secrets").with("count", secrets.len()),
    };
    tell(&format!("{}\n", render(lang, &about)));
    for name in secrets {
        tell(&format!("  export {name}=…\n"));
    }
}
