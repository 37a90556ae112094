//! From a command line of curl to a plan in YAML.
//!
//! Secrets (passwords, tokens, cookies) do not go into the plan: each becomes a variable that
//! the environment gives.

mod address;
mod cmd;
mod hidden;
mod mistake;
mod options;
mod pasted;
mod request;
mod words;
mod write;

use plimsoll_text::Message;

use crate::error::Problem;
use crate::model::Span;
use crate::yaml::suggest::nearest;
use mistake::mistake;
use options::{FLAGS, Flag, Meaning};
pub use pasted::curl_goes_on;
use request::Curl;
use words::Word;
pub use write::CurlPlan;

/// Turns a command line of curl into the text of a plan: one user, one iteration, ready to
/// be given a load.
///
/// With the plan come warnings: what of the command line has no place in a plan, which
/// secrets the environment must give.
///
/// # Errors
/// Every mistake of the command line, with its place in it: unknown options, missing values,
/// options that cannot be said in a plan.
///
/// ```
/// use plimsoll_plan::{from_curl, parse_yaml};
///
/// let (text, warnings) = from_curl("curl -X PUT -d tea http://127.0.0.1:8080/cart").unwrap();
/// assert!(warnings.is_empty() && text.contains("put: /cart"), "{text}");
/// assert!(parse_yaml(&text, "plan.yaml").is_ok());
/// assert!(from_curl("curl --no-such-option http://h/").is_err());
/// ```
pub fn from_curl(command_line: &str) -> Result<(String, Vec<Problem>), Vec<Problem>> {
    let (plan, problems) = read_curl(command_line)?;
    let CurlPlan { head, steps, .. } = plan;
    let load = "users: 1\niterations: 1\n";
    let text = format!("# Converted from a curl command line.\n{head}{load}{steps}");
    Ok((text, problems))
}

/// Turns a command line of curl into the parts of a plan that has no load yet, with warnings.
///
/// # Errors
/// As [`from_curl`].
pub fn read_curl(command_line: &str) -> Result<(CurlPlan, Vec<Problem>), Vec<Problem>> {
    let mut problems = Vec::new();
    let words = match cmd::is_for_cmd(command_line) {
        true => cmd::split(command_line),
        false => words::split(command_line),
    };
    let words = words.map_err(|at| vec![mistake(at, "plan-curl-quote")])?;
    let mut words = words.into_iter().peekable();
    // `$ curl …`, as copied from a terminal.
    words.next_if(|word| word.text == "$");
    if words.next_if(|word| is_curl(&word.text)).is_none() {
        let at = words
            .peek()
            .map_or(Span { line: 1, column: 1 }, |word| word.at);
        return Err(vec![mistake(at, "plan-curl-not-curl")]);
    }
    let mut curl = Curl::default();
    let mut only_addresses = false;
    while let Some(word) = words.next() {
        if only_addresses || !word.text.starts_with('-') || word.text == "-" {
            curl.urls.push(word);
        } else if word.text == "--" {
            only_addresses = true;
        } else {
            for (flag, at, attached) in flags(&word, &mut problems) {
                let value = match (flag.takes_value, attached) {
                    (false, _) => Word {
                        text: String::new(),
                        at,
                    },
                    (true, Some(value)) => Word { text: value, at },
                    (true, None) => match words.next() {
                        Some(value) => value,
                        None => {
                            let message = Message::new("plan-curl-no-value")
                                .with("option", format!("--{}", flag.long));
                            problems.push(Problem::mistake(at, message));
                            continue;
                        }
                    },
                };
                if flag.meaning == Meaning::Unsaid {
                    let message =
                        Message::new("plan-curl-unsaid").with("option", format!("--{}", flag.long));
                    problems.push(Problem::warning(at, message));
                }
                curl.option(flag.meaning, value, &mut problems);
            }
        }
    }
    let plan = write::plan(curl, &mut problems);
    let wrong = problems
        .iter()
        .any(|p| p.severity == crate::Severity::Error);
    if wrong {
        Err(problems)
    } else {
        Ok((plan, problems))
    }
}

fn is_curl(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "curl" || name.eq_ignore_ascii_case("curl.exe")
}

/// The options in one word: a long one, or several short ones of which the last may have its
/// value attached.
fn flags(word: &Word, problems: &mut Vec<Problem>) -> Vec<(&'static Flag, Span, Option<String>)> {
    let mut unknown = |name: String| {
        let message = Message::new("plan-curl-unknown-option").with("option", name.as_str());
        let known = FLAGS.iter().map(|flag| flag.long);
        let long = name.strip_prefix("--");
        let remedy = match long.and_then(|long| nearest(long, known)) {
            Some(near) => {
                Message::new("plan-unknown-key.nearest").with("nearest", format!("--{near}"))
            }
            None => Message::new("plan-curl-unknown-option.remedy"),
        };
        problems.push(Problem::error(word.at, message).remedy(remedy));
    };
    if let Some(long) = word.text.strip_prefix("--") {
        return match FLAGS.iter().find(|flag| flag.long == long) {
            Some(flag) => vec![(flag, word.at, None)],
            None => {
                unknown(word.text.clone());
                Vec::new()
            }
        };
    }
    let mut found = Vec::new();
    let mut letters = word.text.chars().skip(1);
    while let Some(letter) = letters.next() {
        let Some(flag) = FLAGS.iter().find(|flag| flag.short == Some(letter)) else {
            unknown(format!("-{letter}"));
            // What follows may be this option's value.
            break;
        };
        if flag.takes_value {
            let rest: String = letters.collect();
            found.push((flag, word.at, Some(rest).filter(|rest| !rest.is_empty())));
            break;
        }
        found.push((flag, word.at, None));
    }
    found
}
