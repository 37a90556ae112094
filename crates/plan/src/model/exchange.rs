//! What a request of another protocol says beside its URL, headers and settings.

use std::time::Duration;

use super::{Check, Rate, Text};

/// An exchange of a protocol that is built on HTTP or begins with it.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The step, by the key that begins it: `ws-send`.
    pub step: &'static str,
    /// The step's first value is a URL. The others work on a connection that is open.
    pub has_url: bool,
    /// Its own values, by their keys; what the plan leaves out is not here.
    pub fields: Vec<(&'static str, ExchangeField)>,
}

/// A value of an exchange.
#[derive(Debug, Clone)]
pub enum ExchangeField {
    /// A text that may hold variables.
    Text(Text),
    /// Texts that may hold variables.
    Texts(Vec<Text>),
    /// One of the words that the key knows, or a name.
    Word(String),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A duration.
    Time(Duration),
    /// So many in so much time.
    Rate(Rate),
    /// What must hold.
    Checks(Vec<Check>),
}
