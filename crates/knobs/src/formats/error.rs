//! Why a value was not read or written.

use std::fmt;

use plimsoll_text::{Lang, Message, render};

use super::placing;

/// Files that are longer are not looked at.
pub const MAX_BYTES: usize = 64 << 20;

/// Why a value was not read or written, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditError {
    /// The line, from 1; 0 if it is about no line.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub fault: EditFault,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditFault {
    /// Zero bytes or another encoding than one whose letters are ASCII's.
    NotText,
    /// Longer than [`MAX_BYTES`].
    TooLong,
    /// It is not of the format: what its reader says.
    Syntax(String),
    /// Nested deeper than this.
    TooDeep(usize),
    /// The address does not belong to the format: what it must look like.
    Address {
        /// What was given.
        given: String,
        /// What is allowed.
        form: &'static str,
    },
    /// The part of the address that must be there before a value can be added.
    NoParent(String),
    /// It stands in several places: their lines.
    Several(Vec<usize>),
    /// The place is shared with others (an anchor of YAML, an alias).
    Shared(String),
    /// Beside this, the program takes no notice of it.
    Overruled(String),
    /// It stands where a single value does not (a list, a block): what is there.
    NotSingle(String),
    /// The value cannot be written there: why.
    Value {
        /// The value.
        given: String,
        /// Id of the text that says why.
        why: &'static str,
    },
    /// What was written would not be read as this value.
    NotKept(String),
}

impl EditError {
    /// What to say: where, what, what is allowed.
    #[must_use]
    pub fn message(&self) -> Message {
        let fault = self.fault.message();
        match self.line {
            0 => fault,
            line => Message::new("knobs-edit-at")
                .with("line", line)
                .with("column", self.column)
                .with("fault", fault),
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(Lang::En, &self.message()))
    }
}

impl std::error::Error for EditError {}

impl EditFault {
    /// It stands at each of these bytes of the text.
    pub(super) fn several(text: &str, bytes: impl IntoIterator<Item = usize>) -> Self {
        let lines = bytes.into_iter().map(|byte| placing::place(text, byte).0);
        Self::Several(lines.collect())
    }

    fn message(&self) -> Message {
        match self {
            Self::NotText => Message::new("knobs-edit-not-text"),
            Self::TooLong => Message::new("knobs-edit-too-long").with("limit_mib", MAX_BYTES >> 20),
            Self::Syntax(detail) => {
                Message::new("knobs-edit-syntax").with("detail", detail.as_str())
            }
            Self::TooDeep(limit) => Message::new("knobs-edit-too-deep").with("limit", *limit),
            Self::Address { given, form } => Message::new("knobs-edit-address")
                .with("given", given.as_str())
                .with("form", *form),
            Self::NoParent(name) => {
                Message::new("knobs-edit-no-parent").with("name", name.as_str())
            }
            Self::Several(lines) => {
                let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
                Message::new("knobs-edit-several").with("lines", lines.join(", "))
            }
            Self::Overruled(name) => {
                Message::new("knobs-edit-overruled").with("name", name.as_str())
            }
            Self::Shared(name) => Message::new("knobs-edit-shared").with("name", name.as_str()),
            Self::NotSingle(name) => {
                Message::new("knobs-edit-not-single").with("name", name.as_str())
            }
            Self::Value { given, why } => Message::new("knobs-edit-value")
                .with("given", given.as_str())
                .with("why", Message::new(*why)),
            Self::NotKept(value) => {
                Message::new("knobs-edit-not-kept").with("value", value.as_str())
            }
        }
    }
}

/// A fault at a byte of the text.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) byte: Option<usize>,
    pub(super) fault: EditFault,
}

impl Stop {
    pub(super) const fn nowhere(fault: EditFault) -> Self {
        Self { byte: None, fault }
    }

    pub(super) const fn here(byte: usize, fault: EditFault) -> Self {
        Self {
            byte: Some(byte),
            fault,
        }
    }

    pub(super) fn value(given: &str, why: &'static str) -> Self {
        Self::nowhere(EditFault::Value {
            given: given.to_owned(),
            why,
        })
    }

    pub(super) fn address(given: &str, form: &'static str) -> Self {
        Self::nowhere(EditFault::Address {
            given: given.to_owned(),
            form,
        })
    }

    /// The error with its line and column in the text.
    pub(super) fn at(self, whole: &str) -> EditError {
        let (line, column) = self.byte.map_or((0, 0), |byte| placing::place(whole, byte));
        EditError {
            line,
            column,
            fault: self.fault,
        }
    }
}
