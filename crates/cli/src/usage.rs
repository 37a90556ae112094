//! A wrong command line, and the help: what clap says of it, in the language of the rest.
//! Clap's own words are English.

use std::io::IsTerminal as _;
use std::net::AddrParseError;
use std::num::{ParseFloatError, ParseIntError};

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use plimsoll_text::{Lang, Message, render};

/// Why a value of the command line is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", render(Lang::En, .0))]
pub struct UsageRefused(pub Message);

impl UsageRefused {
    /// The reason by its id.
    #[must_use]
    pub fn because(id: &'static str) -> Self {
        Self(Message::new(id))
    }
}

/// Says what is wrong, or the help that was asked for; gives the exit code.
#[must_use]
pub fn tell(error: &Error, lang: Lang) -> u8 {
    match reason(error) {
        Some(reason) => crate::say::err(&wrong(error, &reason, lang)),
        None if error.use_stderr() => {
            crate::say::err_styled(placeholders(&shown(error), lang).trim_end());
        }
        None => crate::say::out(&placeholders(&shown(error), lang)),
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

/// What clap would print, with colours if a person reads it.
fn shown(error: &Error) -> String {
    let reads = match error.use_stderr() {
        true => std::io::stderr().is_terminal(),
        false => std::io::stdout().is_terminal(),
    };
    let text = error.render();
    match crate::say::colours(reads) {
        true => text.ansi().to_string(),
        false => text.to_string(),
    }
}

/// Clap writes these two names, and the colon of a heading, itself.
fn placeholders(text: &str, lang: Lang) -> String {
    let say = |id: &str| render(lang, &Message::new(id));
    let headings = ["help-heading-arguments", "help-heading-options"];
    let colon = if lang == Lang::Zh { "：" } else { ":" };
    let text = headings.iter().fold(text.to_owned(), |text, id| {
        let heading = say(id);
        text.replace(&format!("{heading}:"), &format!("{heading}{colon}"))
    });
    text.replace("[OPTIONS]", &format!("[{}]", say("usage-options")))
        .replace("<COMMAND>", &format!("<{}>", say("usage-command")))
}

fn wrong(error: &Error, reason: &Message, lang: Lang) -> String {
    let say = |message: &Message| render(lang, message);
    let told = Message::new("usage-wrong").with("reason", reason.clone());
    let mut lines = vec![say(&told)];
    lines.extend(hints(error).iter().map(|hint| format!("  {}", say(hint))));
    if let Some(usage) = text_of(error, ContextKind::Usage) {
        let usage = usage.trim_start_matches("Usage:").trim();
        let usage = Message::new("usage-line").with("usage", placeholders(usage, lang));
        lines.extend([String::new(), say(&usage)]);
    }
    lines.extend([String::new(), say(&Message::new("usage-more"))]);
    lines.join("\n")
}

/// What is wrong; nothing where help or the version was asked for.
fn reason(error: &Error) -> Option<Message> {
    let text = |kind| text_of(error, kind).unwrap_or_default();
    let about = |id: &'static str| Message::new(id).with("argument", text(ContextKind::InvalidArg));
    let with_value = |id| about(id).with("value", text(ContextKind::InvalidValue));
    let message = match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => return None,
        ErrorKind::InvalidValue if text(ContextKind::InvalidValue).is_empty() => {
            about("usage-no-value")
        }
        ErrorKind::InvalidValue => {
            with_value("usage-value").with("why", allowed(&text(ContextKind::ValidValue)))
        }
        ErrorKind::ValueValidation => with_value("usage-value").with("why", refusal(error)),
        ErrorKind::UnknownArgument => about("usage-unknown-argument"),
        ErrorKind::InvalidSubcommand => Message::new("usage-unknown-command")
            .with("command", text(ContextKind::InvalidSubcommand)),
        ErrorKind::MissingSubcommand => Message::new("usage-no-command"),
        ErrorKind::NoEquals => about("usage-no-equals"),
        ErrorKind::TooManyValues => with_value("usage-too-many-values"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => about("usage-values-missing"),
        ErrorKind::ArgumentConflict => conflict(
            about,
            &text(ContextKind::InvalidArg),
            &text(ContextKind::PriorArg),
        ),
        ErrorKind::MissingRequiredArgument => about("usage-missing"),
        ErrorKind::InvalidUtf8 => Message::new("usage-not-utf8"),
        // What clap may say one day is better shown in English than not at all.
        _ => Message::new("usage-other").with("reason", error.to_string()),
    };
    Some(message)
}

fn conflict(about: impl Fn(&'static str) -> Message, argument: &str, prior: &str) -> Message {
    match prior.is_empty() || prior == argument {
        true => about("usage-twice"),
        false => about("usage-conflict").with("other", prior.to_owned()),
    }
}

fn allowed(values: &str) -> Message {
    Message::new("usage-allowed").with("values", values.to_owned())
}

/// Why a value was refused: by our own parsers, or by the standard library's.
fn refusal(error: &Error) -> Message {
    let Some(source) = std::error::Error::source(error) else {
        return Message::new("usage-value-unusable");
    };
    if let Some(UsageRefused(message)) = source.downcast_ref::<UsageRefused>() {
        return message.clone();
    }
    if source.is::<ParseIntError>() {
        return Message::new("usage-wants-whole-number");
    }
    if source.is::<ParseFloatError>() {
        return Message::new("usage-wants-number");
    }
    if source.is::<AddrParseError>() {
        return Message::new("usage-wants-address");
    }
    let text = source.to_string();
    match text.split_once(" is not in ") {
        // Clap's own words for a number that is too small or too large.
        Some((_, range)) => Message::new("usage-allowed").with("values", range.replace("..=", "–")),
        None => Message::new("usage-other").with("reason", text),
    }
}

/// What was probably meant.
fn hints(error: &Error) -> Vec<Message> {
    [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ]
    .into_iter()
    .filter_map(|kind| text_of(error, kind))
    .map(|nearest| Message::new("usage-nearest").with("nearest", nearest))
    .collect()
}

fn text_of(error: &Error, kind: ContextKind) -> Option<String> {
    Some(match error.get(kind)? {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(texts) => texts.join(", "),
        ContextValue::StyledStr(text) => text.to_string(),
        ContextValue::StyledStrs(texts) => {
            let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
            texts.join(", ")
        }
        ContextValue::Number(number) => number.to_string(),
        _ => return None,
    })
}
