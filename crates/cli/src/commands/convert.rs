//! `plimsoll convert`: from a JMeter plan or a curl command line to a plan of our own.

use std::path::Path;

use plimsoll_plan::{from_curl_with, to_yaml_without_secrets};
use plimsoll_run::{PlanSource, jmx};
use plimsoll_text::{Lang, Message};

use crate::args::ConvertArgs;
use crate::made_plan::{command_line, path_from, placed, with_options_behind, write};
use crate::problems;
use crate::tell::{BAD_USE, fail, tell_warning};

/// Runs `plimsoll convert`; gives the exit code.
#[must_use]
pub fn run(args: &ConvertArgs, lang: Lang) -> u8 {
    let first = args.command.first().map_or("", String::as_str);
    let is_file = jmx::is_jmx(first);
    let args = &match is_file || first.trim_start().starts_with("curl ") {
        false => args.clone(),
        true => match with_options_behind(args, "plimsoll convert") {
            Ok(args) => args,
            Err(error) => return crate::usage::tell(&error, lang),
        },
    };
    if is_file {
        return jmeter_plan(args, lang);
    }
    let command = match command_line(&args.command) {
        Ok(command) => command,
        Err(message) => return fail(&message, lang, BAD_USE),
    };
    let output = args.output.as_deref();
    let paths = |path: &str| path_from(output.filter(|path| *path != Path::new("-")), path);
    let (plan, warnings) = match from_curl_with(&command, &paths) {
        Ok(converted) => converted,
        Err(mistakes) => {
            problems::print(&placed(mistakes), &command, lang);
            return BAD_USE;
        }
    };
    problems::print(&placed(warnings), &command, lang);
    write(args.output.as_deref(), &plan, args.force, lang)
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
            // The same plan: what is secret in it is, too.
            let (_, secrets) = to_yaml_without_secrets(&plan);
            if !secrets.is_empty() {
                let message = Message::new("convert-holds-secrets")
                    .with("count", secrets.len())
                    .with("names", secrets.join(", ").to_lowercase());
                tell_warning(Some(&message), lang);
            }
            write(
                args.output.as_deref(),
                &plimsoll_plan::to_yaml(&plan),
                args.force,
                lang,
            )
        }
        Err(rejected) => {
            problems::print(&rejected.problems, &rejected.text, lang);
            BAD_USE
        }
    }
}
