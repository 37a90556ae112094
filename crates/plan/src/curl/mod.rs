//! From a command line of curl to a plan in YAML.
//!
//! Secrets (passwords, tokens, cookies) do not go into the plan: each becomes a variable that
//! the environment gives.

mod address;
mod cmd;
mod glob;
mod mistake;
mod options;
mod pasted;
mod request;
mod words;
mod write;

use plimsoll_text::Message;

use crate::error::{Problem, sort_problems};
use crate::model::Span;
use crate::yaml::suggest::nearest;
use mistake::mistake;
use options::{FLAGS, Flag, Meaning};
pub use pasted::curl_goes_on;
use request::Curl;
pub use words::quoted;
use words::{Pasted, Word};
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
    from_curl_with(command_line, &str::to_owned)
}

/// The same; `paths` says how the plan names a file.
///
/// # Errors
/// As [`from_curl`].
pub fn from_curl_with(
    command_line: &str,
    paths: &dyn Fn(&str) -> String,
) -> Result<(String, Vec<Problem>), Vec<Problem>> {
    let (plan, problems) = read_curl(command_line, paths)?;
    let CurlPlan { head, steps, .. } = plan;
    let load = "users: 1\niterations: 1\n";
    let text = format!("# Converted from a curl command line.\n{head}{load}{steps}");
    Ok((text, problems))
}

/// Turns a command line of curl, or several (separate lines, `;`, `&&`, `&`), into the parts of a
/// plan that has no load yet, with warnings. `paths` says how the plan names a file.
///
/// # Errors
/// As [`from_curl`].
pub fn read_curl(
    command_line: &str,
    paths: &dyn Fn(&str) -> String,
) -> Result<(CurlPlan, Vec<Problem>), Vec<Problem>> {
    let pasted = match cmd::is_for_cmd(command_line) {
        true => cmd::split(command_line),
        false => words::split(command_line),
    };
    let Pasted {
        commands,
        mut problems,
    } = pasted.map_err(|at| vec![mistake(at, "plan-curl-quote")])?;
    let with_nul = commands
        .iter()
        .flatten()
        .filter(|word| word.text.contains('\0'));
    problems.extend(with_nul.map(|word| mistake(word.at, "plan-curl-nul")));
    let mut curls = Vec::new();
    for (number, words) in commands.into_iter().enumerate() {
        if let Some(words) = of_curl(words, number == 0, &mut problems) {
            command(words, &mut curls, &mut problems);
        }
    }
    if curls.is_empty() && problems.is_empty() {
        problems.push(mistake(Span { line: 1, column: 1 }, "plan-curl-not-curl"));
    }
    let plan = write::plan(curls, paths, &mut problems);
    sort_problems(&mut problems);
    let wrong = problems
        .iter()
        .any(|p| p.severity == crate::Severity::Error);
    if wrong {
        Err(problems)
    } else {
        Ok((plan, problems))
    }
}

/// The words behind `curl`; none when it is another command, which is told.
fn of_curl(
    words: Vec<Word>,
    is_first: bool,
    problems: &mut Vec<Problem>,
) -> Option<(Span, Vec<Word>)> {
    let mut words = words.into_iter().peekable();
    // `$ curl …`, as copied from a terminal.
    words.next_if(|word| word.text == "$");
    let program = words.next()?;
    if is_curl(&program.text) {
        return Some((program.at, words.collect()));
    }
    let id = match is_first {
        true => "plan-curl-not-curl",
        false => "plan-curl-other-command",
    };
    let message = Message::new(id).with("command", program.text);
    problems.push(Problem::mistake(program.at, message));
    None
}

/// What a command asks for: a request, and one more behind each `--next`.
fn command((at, words): (Span, Vec<Word>), curls: &mut Vec<Curl>, problems: &mut Vec<Problem>) {
    let mut words = words.into_iter();
    let begun = |at| Curl {
        at,
        ..Curl::default()
    };
    let mut curl = begun(at);
    let mut only_addresses = false;
    while let Some(word) = words.next() {
        if word.text == "--next" || word.text == "-:" {
            curls.push(std::mem::replace(&mut curl, begun(word.at)));
        } else if only_addresses || !word.text.starts_with('-') || word.text == "-" {
            curl.urls.push(word);
        } else if word.text == "--" {
            only_addresses = true;
        } else {
            options_of(&word, &mut words, &mut curl, problems);
        }
    }
    curls.push(curl);
}

/// Takes in the options of a word, with their values.
fn options_of(
    word: &Word,
    words: &mut impl Iterator<Item = Word>,
    curl: &mut Curl,
    problems: &mut Vec<Problem>,
) {
    for (flag, at, attached) in flags(word, problems) {
        let option = format!("--{}", flag.long);
        let of_text = |text: String| Some(Word { text, at });
        let value = match (flag.takes_value, attached) {
            (false, _) => of_text(String::new()),
            (true, Some(value)) => of_text(value),
            (true, None) => words.next(),
        };
        let Some(value) = value else {
            let message = Message::new("plan-curl-no-value").with("option", option);
            problems.push(Problem::mistake(at, message));
            continue;
        };
        if flag.meaning == Meaning::Unsaid {
            let message = Message::new("plan-curl-unsaid").with("option", option);
            problems.push(Problem::warning(at, message));
        }
        curl.option(flag.meaning, value, problems);
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
