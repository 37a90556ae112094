//! `plimsoll init`: a commented plan that runs, made of a URL, a curl command line or a JMeter plan.

mod ask;

use std::path::{Path, PathBuf};

use plimsoll_plan::{Problem, read_curl, starter_of_curl, starter_of_jmeter};
use plimsoll_run::{PlanSource, jmx};
use plimsoll_text::{Lang, Message};

use crate::args::ConvertArgs;
use crate::made_plan::{command_line, placed, quoted, with_options_behind, write, written};
use crate::problems;
use crate::say::out;
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
    Ok(match jmx::is_jmx(source) {
        true => of_jmeter(source, args, lang),
        false => of_curl(source, lang),
    })
}

/// Of a curl command line, or of an address alone.
fn of_curl(source: &str, lang: Lang) -> Option<MadePlan> {
    let is_address = !source.contains(char::is_whitespace) && !is_program(source);
    // Who gives an address wants what a browser would show.
    let command = match is_address {
        true => format!("curl -L {}", quoted(source)),
        false => source.to_owned(),
    };
    let (plan, warnings) = match read_curl(&command) {
        Ok(plan) => plan,
        Err(mistakes) => {
            problems::print(&placed(mistakes), &command, lang);
            return None;
        }
    };
    // Secrets are told of below, without the line that they stand in.
    let is_secret = |warning: &Problem| warning.message.id == "plan-curl-secret";
    let (_, others): (Vec<Problem>, Vec<Problem>) = warnings.into_iter().partition(is_secret);
    problems::print(&placed(others), &command, lang);
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
            Some(MadePlan {
                text: starter_of_jmeter(&plimsoll_plan::to_yaml(&plan), &source.plan, lang),
                secrets: Vec::new(),
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
        return write(Some(path), &made.text, args.force, lang);
    }
    if let Err(message) = written(path, &made.text, args.force) {
        return fail(&message, lang, BAD_USE);
    }
    let shown = quoted(&path.display().to_string());
    say(
        &Message::new("init-written").with("path", shown.as_str()),
        lang,
    );
    if !made.secrets.is_empty() {
        say(&Message::new("init-secrets"), lang);
        for name in &made.secrets {
            out(&format!("  export {name}=…\n"));
        }
    }
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
