//! Texts without their secrets: what is found by all that look for them is masked.

use std::borrow::Cow;

use crate::known::Known;
use crate::names::is_secret;
use crate::spans::{SpanSink, Spans};
use crate::{assignments, command, headers, markup, shapes, urls, views};

/// A text without secrets: a log line, a message, a body, a head, a configuration file.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    secrets_of(text.as_bytes(), None).masked_text(text, false)
}

/// A sentence of ours, in which `said` are the texts of others: our own words are no secrets, whatever they stand
/// behind.
///
/// ```
/// let told = plimsoll_secrets::spoken("Show a token: Authorization: Bearer …", &[]);
/// assert_eq!(told, "Show a token: Authorization: Bearer …");
/// let told = plimsoll_secrets::spoken("password: hunter2 is wrong", &["hunter2"]);
/// assert_eq!(told, "password: *** is wrong");
/// ```
#[must_use]
pub fn spoken<'a>(text: &'a str, said: &[&str]) -> Cow<'a, str> {
    let mut places = Vec::new();
    for said in said.iter().filter(|said| !said.is_empty()) {
        let before = places.len();
        let found = text.match_indices(said);
        places.extend(found.map(|(at, found)| (at, at + found.len())));
        if places.len() == before {
            // It was cut, translated or left out: nobody knows which words are ours.
            return self::text(text);
        }
    }
    let mut spans = secrets_of(text.as_bytes(), None);
    spans.keep_in(&places);
    spans.masked_text(text, false)
}

/// The same as [`text`] for a source whose lines and columns are told of: everything keeps its place.
#[must_use]
pub fn in_place(text: &str) -> Cow<'_, str> {
    secrets_of(text.as_bytes(), None).in_place(text)
}

/// What is secret in a text, to be looked for in what is said of it.
#[must_use]
pub fn within(text: &str) -> Known {
    Known::new(secrets_of(text.as_bytes(), None).texts(text))
}

/// Where the secrets of a text stand, in their order.
///
/// ```
/// let text = "{\"password\": \"hunter2\"}";
/// let places = plimsoll_secrets::places(text);
/// assert_eq!(&text[places[0].clone()], "hunter2");
/// ```
#[must_use]
pub fn places(text: &str) -> Vec<std::ops::Range<usize>> {
    secrets_of(text.as_bytes(), None).places(text)
}

/// Bytes without secrets, whatever their character set.
#[must_use]
pub fn bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    secrets_of(bytes, None).masked(bytes, false)
}

/// A YAML document without secrets that can still be read as one.
#[must_use]
pub fn document(text: &str) -> Cow<'_, str> {
    secrets_of(text.as_bytes(), None).masked_text(text, true)
}

/// The value of a setting, a header, a variable or a field: masked when its name says that it is a
/// secret, else without the secrets in it.
#[must_use]
pub fn value<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    if !is_secret(name) || value.is_empty() {
        return text(value);
    }
    let mut spans = secrets_of(value.as_bytes(), None);
    headers::hide(name, value.as_bytes(), 0, value.len(), &mut spans.whole());
    spans.masked_text(value, false)
}

impl Known {
    /// A text without these values and without what else is secret in it.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        secrets_of(text.as_bytes(), Some(self)).masked_text(text, false)
    }

    /// The same for bytes.
    #[must_use]
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        secrets_of(bytes, Some(self)).masked(bytes, false)
    }

    /// The same for a YAML document, which can still be read as one.
    #[must_use]
    pub fn document<'a>(&self, text: &'a str) -> Cow<'a, str> {
        secrets_of(text.as_bytes(), Some(self)).masked_text(text, true)
    }
}

/// What is secret in a text, as it is and with its escapes undone.
fn secrets_of(text: &[u8], known: Option<&Known>) -> Spans {
    let mut spans = Spans::default();
    if let Some(known) = known {
        known.find(text, &mut spans.whole());
    }
    look(text, &mut spans.whole());
    for view in views::of(text) {
        look(&view.bytes, &mut spans.seen_in(&view));
    }
    spans
}

fn look(bytes: &[u8], sink: &mut SpanSink<'_>) {
    shapes::find(bytes, sink);
    urls::find(bytes, sink);
    command::find(bytes, sink);
    markup::find(bytes, sink);
    assignments::find(bytes, sink);
}
