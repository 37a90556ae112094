//! What a request of another protocol says, compiled.

use std::time::Duration;

use super::{CheckProgram, Template};
use crate::model::Rate;

/// What a step of a protocol says beside the request that carries it.
#[derive(Debug, Clone)]
pub struct ExchangeProgram {
    /// The step, by the key that begins it.
    pub step: &'static str,
    /// The request has a URL. The others work on a connection that is open.
    pub has_url: bool,
    /// Its own values, by their keys.
    pub fields: Vec<(&'static str, FieldProgram)>,
}

/// A value of an exchange.
#[derive(Debug, Clone)]
pub enum FieldProgram {
    /// A text.
    Text(Template),
    /// Texts.
    Texts(Vec<Template>),
    /// A word or a name.
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
    Checks(Vec<CheckProgram>),
}

impl ExchangeProgram {
    /// The value of a key.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&FieldProgram> {
        let found = self.fields.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| value)
    }

    /// The text of a key.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&Template> {
        match self.field(key)? {
            FieldProgram::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a key.
    #[must_use]
    pub fn texts(&self, key: &str) -> &[Template] {
        match self.field(key) {
            Some(FieldProgram::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// The word or name of a key.
    #[must_use]
    pub fn word(&self, key: &str) -> Option<&str> {
        match self.field(key)? {
            FieldProgram::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether a key says yes.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.field(key), Some(FieldProgram::Flag(true)))
    }

    /// The number of a key.
    #[must_use]
    pub fn count(&self, key: &str) -> Option<u64> {
        match self.field(key)? {
            FieldProgram::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// The duration of a key.
    #[must_use]
    pub fn time(&self, key: &str) -> Option<Duration> {
        match self.field(key)? {
            FieldProgram::Time(time) => Some(*time),
            _ => None,
        }
    }

    /// The rate of a key.
    #[must_use]
    pub fn rate(&self, key: &str) -> Option<Rate> {
        match self.field(key)? {
            FieldProgram::Rate(rate) => Some(*rate),
            _ => None,
        }
    }

    /// The checks of a key.
    #[must_use]
    pub fn checks(&self, key: &str) -> &[CheckProgram] {
        match self.field(key) {
            Some(FieldProgram::Checks(checks)) => checks,
            _ => &[],
        }
    }
}
