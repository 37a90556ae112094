//! What is a secret, and how a text is shown without it: the one place that knows.
//!
//! A secret is told by the name it stands under ([`is_secret`]), by its own shape (tokens, private
//! keys), by its place (the password of a URL, the value of an option), or because it is known
//! ([`Known`]). Text is looked at as it is and with its escapes undone, in one pass each, so that the
//! spelling does not matter. Everything is masked by the same fixed text, which says nothing of the
//! length. Masking twice gives what masking once gives.
//!
//! This crate knows no other crate: neither plans nor protocols, and no messages.

mod assignments;
mod command;
mod extent;
mod headers;
mod known;
mod markup;
mod names;
mod pairs;
mod shapes;
mod spans;
mod urls;
mod views;

use std::borrow::Cow;

pub use command::{command_line, command_words};
pub use known::Known;
pub use names::is_secret;

use spans::Spans;

/// What stands for a secret, whatever its length.
pub const MASK: &str = "***";

/// A text without secrets: a log line, a message, a body, a head, a configuration file.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    Spans::of(text.as_bytes(), None).masked_text(text, false)
}

/// The same for a source whose lines and columns are told of: everything keeps its place.
#[must_use]
pub fn in_place(text: &str) -> Cow<'_, str> {
    Spans::of(text.as_bytes(), None).in_place(text)
}

/// What is secret in a text, to be looked for in what is said of it.
#[must_use]
pub fn within(text: &str) -> Known {
    Known::new(Spans::of(text.as_bytes(), None).texts(text))
}

/// Bytes without secrets, whatever their character set.
#[must_use]
pub fn bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    Spans::of(bytes, None).masked(bytes, false)
}

/// A YAML document without secrets that can still be read as one.
#[must_use]
pub fn document(text: &str) -> Cow<'_, str> {
    Spans::of(text.as_bytes(), None).masked_text(text, true)
}

/// The value of a setting, a header, a variable or a field: masked when its name says that it is a
/// secret, else without the secrets in it.
#[must_use]
pub fn value<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    if !is_secret(name) || value.is_empty() {
        return text(value);
    }
    let mut spans = Spans::of(value.as_bytes(), None);
    headers::hide(name, value.as_bytes(), 0, value.len(), &mut spans.whole());
    spans.masked_text(value, false)
}
