//! From an English text back to the message that it was made of, so that it can be said in another
//! language: the details of failed samples are kept in English, by which failures are counted.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::sources::texts;
use crate::{Arg, Lang, Message};

/// Areas whose messages become details of samples.
const AREAS: [&str; 2] = ["load", "access"];

/// Arguments that are messages themselves.
const INNER: [&str; 5] = ["of", "test", "how", "why", "wants"];

/// Those of them that begin with a text of their own.
const BEGUN: [&str; 2] = ["of", "test"];

/// Fixed text of a message, so that it fits by more than chance, bytes.
const LEAST: usize = 8;

/// A message in English as text: what is fixed, and the names of what is put in between.
struct RetoldPattern {
    id: String,
    first: String,
    /// Each argument with the text behind it.
    rest: Vec<(String, String)>,
}

/// The message that an English text was made of, if one of those fits.
#[must_use]
pub fn retold(text: &str) -> Option<Message> {
    best(text, LEAST, true)
}

/// The message that fits best, of those with at least so much fixed text, or whose parts are all messages that are
/// known; `is_whole`: it may begin with one of its arguments.
fn best(text: &str, least: usize, is_whole: bool) -> Option<Message> {
    let patterns = patterns().iter();
    let patterns = patterns.filter(|pattern| is_whole || !pattern.first.is_empty());
    let fits = patterns.filter_map(|pattern| {
        let message = pattern.of(text)?;
        (pattern.fixed() >= least || is_of_messages(&message)).then_some(message)
    });
    // The one that leaves least to its arguments says most.
    fits.min_by_key(free)
}

/// Bytes that a message leaves to its arguments, and they to theirs.
fn free(message: &Message) -> usize {
    let lengths = message.args.iter().map(|(_, value)| match value {
        Arg::Text(text) => text.len(),
        Arg::Message(inner) => free(inner),
        Arg::Number(_) => 0,
    });
    lengths.sum()
}

fn is_of_messages(message: &Message) -> bool {
    let is_one = |(_, value): &(Cow<'static, str>, Arg)| matches!(value, Arg::Message(_));
    !message.args.is_empty() && message.args.iter().all(is_one)
}

fn patterns() -> &'static [RetoldPattern] {
    static PATTERNS: OnceLock<Vec<RetoldPattern>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let areas = texts(Lang::En).iter();
        let lines = areas
            .filter(|(area, _)| AREAS.contains(area))
            .flat_map(|(_, text)| text.lines());
        lines
            .filter_map(|line| RetoldPattern::read(line.split_once(" = ")?))
            .collect()
    })
}

impl RetoldPattern {
    fn read((id, text): (&str, &str)) -> Option<Self> {
        let mut parts = text.split("{ $");
        let first = parts.next()?.to_owned();
        let rest: Option<Vec<(String, String)>> = parts
            .map(|part| {
                let (name, behind) = part.split_once(" }")?;
                let name = name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
                    .then(|| name.to_owned())?;
                Some((name, behind.to_owned()))
            })
            .collect();
        let pattern = Self {
            id: id.to_owned(),
            first,
            rest: rest?,
        };
        // What holds more than arguments is not taken apart.
        let is_plain = !pattern.first.contains('{')
            && pattern.rest.iter().all(|(_, behind)| !behind.contains('{'));
        is_plain.then_some(pattern)
    }

    fn fixed(&self) -> usize {
        let behind = self.rest.iter().map(|(_, behind)| behind.len());
        self.first.len() + behind.sum::<usize>()
    }

    /// The message with the arguments that make this text of it.
    fn of(&self, text: &str) -> Option<Message> {
        let mut left = text.strip_prefix(self.first.as_str())?;
        let mut message = Message::new(self.id.clone());
        for (at, (name, behind)) in self.rest.iter().enumerate() {
            let is_last = at + 1 == self.rest.len();
            let end = match (is_last, behind.is_empty()) {
                (true, _) => left.len().checked_sub(behind.len())?,
                (false, true) => return None,
                (false, false) => left.find(behind.as_str())?,
            };
            let (value, rest) = left.split_at_checked(end)?;
            left = rest.strip_prefix(behind.as_str())?;
            let inner = INNER.contains(&name.as_str()).then(|| {
                // What is looked at, and how, begins with its own words: it holds no other message.
                best(value, 1, !BEGUN.contains(&name.as_str()))
            });
            let value = inner.flatten().map_or_else(|| value.into(), Arg::from);
            message.args.push((Cow::Owned(name.clone()), value));
        }
        left.is_empty().then_some(message)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::render;

    fn said_again(message: &Message) -> String {
        render(Lang::Zh, &retold(&render(Lang::En, message)).unwrap())
    }

    #[test]
    fn details_are_said_again_in_chinese() {
        let failed = Message::new("check-failed")
            .with("of", Message::new("extract-status"))
            .with("test", Message::new("test-status-in").with("ranges", "200"))
            .with("found", "503 must be, but is: 7");
        let nothing = Message::new("extract-nothing").with("name", "token").with(
            "how",
            Message::new("extract-json-path").with("what", "$.token"),
        );
        for message in [failed, nothing] {
            assert_eq!(said_again(&message), render(Lang::Zh, &message));
        }
    }

    #[test]
    fn what_a_check_wants_is_said_again_without_what_it_found() {
        for (text, wanted) in [
            ("the status must be 201", "状态码应为 201"),
            (
                "the number of matches of JSONPath $.a must be at least 3",
                "JSONPath",
            ),
        ] {
            let told = render(Lang::Zh, &retold(text).unwrap());
            assert!(told.contains(wanted) && !told.contains("must"), "{told}");
        }
        // What somebody else wrote is no check.
        for text in ["title must be unique", "the status must shine"] {
            assert_eq!(retold(text), None, "{text}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "",
            "HTTP 503",
            "be 200",
            "Connection refused (os error 111)",
            "it",
        ] {
            assert_eq!(retold(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_is_never_another_one() {
        for text in ["a must b, but is: c", "the file x cannot be read: y"] {
            if let Some(message) = retold(text) {
                assert_eq!(render(Lang::En, &message), text);
            }
        }
    }
}
