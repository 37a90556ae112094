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
mod command_line;
mod extent;
mod harmless;
mod headers;
mod known;
mod markup;
mod masking;
mod names;
mod pairs;
mod shapes;
mod spaced;
mod spans;
mod urls;
mod views;
mod words;

pub use command_line::{command_line, command_words};
pub use known::Known;
pub use masking::{bytes, document, in_place, places, spoken, text, value, within};
pub use names::is_secret;
pub use spans::MASK;

/// Whether a value that stands where a secret would says nothing of one: none at all, a truth, a reference such as
/// `${token}` or `$.data.token`, each also behind the scheme of credentials (`Bearer ${token}`).
///
/// ```
/// assert!(plimsoll_secrets::says_nothing("Bearer ${token}"));
/// assert!(plimsoll_secrets::says_nothing("$.data.token"));
/// assert!(!plimsoll_secrets::says_nothing("Bearer tok-1"));
/// ```
#[must_use]
pub fn says_nothing(value: &str) -> bool {
    headers::is_open_behind_scheme(value.as_bytes())
}
