//! Response codes: a number nearly always, but a plan may set any text.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The response code of a sample. Copying costs nothing; it prints as the
/// string that reports and JTL files show (empty for none).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// No response came.
    #[default]
    None,
    /// An HTTP status.
    Http(u16),
    /// Any other code; made by [`Code::from_text`], which keeps each distinct
    /// text once for the life of the process.
    Text(&'static str),
}

/// Distinct texts kept. A plan that makes up a code for each sample must not
/// eat the memory.
const MAX_TEXTS: usize = 10_000;
/// Longest text kept, in bytes.
const MAX_TEXT_LEN: usize = 200;
/// Stands for all further texts.
const OVERFLOW: &str = "(other)";

impl Code {
    /// The code that prints as `text`: three digits are an HTTP status, empty
    /// is none. Beyond 10,000 distinct texts in one process it is `(other)`;
    /// texts are cut at 200 bytes.
    ///
    /// Takes a lock for texts that are not a status; keep the result where it
    /// is used often.
    pub fn from_text(text: &str) -> Self {
        if text.is_empty() {
            return Self::None;
        }
        if text.len() == 3
            && text.bytes().all(|b| b.is_ascii_digit())
            && !text.starts_with('0')
            && let Ok(status) = text.parse::<u16>()
        {
            return Self::Http(status);
        }
        let mut end = text.len().min(MAX_TEXT_LEN);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self::Text(intern(&text[..end]))
    }
}

fn intern(text: &str) -> &'static str {
    static TEXTS: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    // The set is whole at any point where a panic could poison the lock.
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = texts.get_or_insert_default();
    if let Some(known) = texts.get(text) {
        return known;
    }
    if texts.len() >= MAX_TEXTS {
        return OVERFLOW;
    }
    let kept: &'static str = Box::leak(text.into());
    texts.insert(kept);
    kept
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Http(status) => fmt::Display::fmt(status, f),
            Self::Text(text) => f.pad(text),
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_text(&String::deserialize(deserializer)?))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_was_made_from() {
        for text in [
            "",
            "200",
            "999",
            "099",
            "+20",
            "20",
            "Non HTTP response code: X",
            "错误",
        ] {
            let code = Code::from_text(text);
            assert_eq!(code.to_string(), text);
            let json = serde_json::to_string(&code).unwrap();
            assert_eq!(serde_json::from_str::<Code>(&json).unwrap(), code);
        }
        assert_eq!(Code::from_text("200"), Code::Http(200));
        assert!(matches!(Code::from_text("+20"), Code::Text(_)));
        assert!(size_of::<Code>() <= 24);
    }

    #[test]
    fn texts_are_cut_at_a_character() {
        let code = Code::from_text(&"错".repeat(100));
        assert_eq!(code.to_string(), "错".repeat(66));
    }
}
