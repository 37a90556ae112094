//! Messages as texts of a language.

use std::borrow::Cow;

use fluent_bundle::{FluentArgs, FluentValue};

use crate::catalogue::find;
use crate::system::{SystemText, translated};
use crate::{Arg, Lang, Message};

/// Ids that runs of older versions keep, and what they are now.
const RENAMED: [(&str, &str); 6] = [
    ("event-not-started", "event-dropped"),
    ("exhibit-answers", "exhibit-responses"),
    ("exhibit-answer-size", "exhibit-response-size"),
    ("finding-split-answers", "finding-split-responses"),
    (
        "finding-unanswered-requests",
        "finding-requests-without-response",
    ),
    (
        "error-kind-malformed-answer",
        "error-kind-malformed-response",
    ),
];

/// The longest text that is put into a message, bytes: what nobody could read is cut.
const LONGEST_TEXT: usize = 32 << 10;

/// The message in a language. A text that is missing there falls back to English, and one
/// that is missing everywhere to its id, so that nothing is ever swallowed.
#[must_use]
pub fn render(lang: Lang, message: &Message) -> String {
    let id = renamed(&message.id);
    for lang in [lang, Lang::En] {
        let Some(found) = find(lang, &id) else {
            continue;
        };
        let mut args = FluentArgs::new();
        for (name, value) in &message.args {
            let value = match value {
                Arg::Text(text) => match translated(lang, name, text) {
                    SystemText::Text(text) => FluentValue::from(listed(lang, name, cut(text))),
                    SystemText::Message(message) => FluentValue::from(render(lang, &message)),
                },
                Arg::Number(number) => FluentValue::from(*number),
                Arg::Message(inner) => FluentValue::from(render(lang, inner)),
            };
            args.set(name.as_ref(), value);
        }
        return found.text(&args);
    }
    message.id.clone()
}

/// Arguments whose texts are lists of names.
const LISTS: [&str; 4] = ["known", "allowed", "keys", "near"];

/// A list with the marks that the language has between its parts.
fn listed<'t>(lang: Lang, name: &str, text: Cow<'t, str>) -> Cow<'t, str> {
    if lang == Lang::Zh && LISTS.contains(&name) && text.contains(", ") {
        return Cow::Owned(text.replace(", ", "、"));
    }
    text
}

/// A text, or its beginning.
fn cut(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= LONGEST_TEXT {
        return text;
    }
    let mut end = LONGEST_TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}…", &text[..end]))
}

/// What an id is now, with its attribute.
fn renamed(id: &str) -> Cow<'_, str> {
    let (message, attribute) = id.split_at(id.find('.').unwrap_or(id.len()));
    let found = RENAMED.iter().find(|(before, _)| *before == message);
    found.map_or(Cow::Borrowed(id), |(_, now)| {
        Cow::Owned(format!("{now}{attribute}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_the_marks_of_the_language() {
        let message = Message::new("plan-unknown-key.remedy").with("allowed", "users, rate");
        assert!(render(Lang::En, &message).contains("users, rate"));
        assert!(render(Lang::Zh, &message).contains("users、rate"));
        let other = Message::new("plan-unknown-key.nearest").with("nearest", "a, b");
        assert!(render(Lang::Zh, &other).contains("a, b"));
    }

    #[test]
    fn what_nobody_could_read_is_cut() {
        for letter in ["x", "字"] {
            let long = letter.repeat(LONGEST_TEXT + 1);
            let message = Message::new("report-bad-goal").with("reason", long);
            let told = render(Lang::En, &message);
            assert!(told.len() < LONGEST_TEXT + 1_000 && told.ends_with('…'));
        }
    }

    #[test]
    fn ids_of_older_runs_are_known() {
        for (before, now) in RENAMED {
            let [before, now] = [before, now].map(|id| render(Lang::En, &Message::new(id)));
            assert_eq!(before, now);
            assert!(now.contains(' '), "{now}");
        }
    }

    #[test]
    fn a_missing_text_shows_its_id() {
        assert_eq!(
            render(Lang::Zh, &Message::new("no-such-text")),
            "no-such-text"
        );
    }
}
