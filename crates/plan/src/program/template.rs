//! Text with variables and function calls, compiled.

use super::{ScriptId, Slot};

/// Compiled text: pieces put one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Template {
    /// The pieces; no two texts follow each other.
    pub parts: Vec<Part>,
}

/// A piece.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// As it stands.
    Text(Box<str>),
    /// A variable's value. While it is not set: a failure, or `literal`, as the plan wants.
    Slot {
        /// The variable.
        slot: Slot,
        /// `${name}`, as written.
        literal: Box<str>,
    },
    /// A function's value.
    Call(Box<Call>),
    /// A script's value.
    Script(ScriptId),
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    /// The function.
    pub function: crate::functions::Function,
    /// Its arguments.
    pub args: Vec<Template>,
    /// What it shares with other users (`counter`).
    pub shared: Option<super::SharedId>,
    /// Where it keeps what it keeps (JMeter's functions).
    pub site: super::SiteId,
    /// As written, `${…}` and all.
    pub raw: Box<str>,
}

impl Template {
    /// A text without variables.
    #[must_use]
    pub fn text(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        if text.is_empty() {
            Self::default()
        } else {
            Self {
                parts: vec![Part::Text(text)],
            }
        }
    }

    /// Its text when it holds no variables or calls.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }
}
