//! A file's bytes as text, and back.

use super::error::{EditError, EditFault, MAX_BYTES, Stop};

/// A file as text. One that is not UTF-8 (comments in GBK, say) is taken byte for byte, so that it comes
/// out as it went in; what gives it its structure is ASCII in any case.
pub(super) struct FileText {
    text: String,
    utf8: bool,
}

impl FileText {
    pub(super) fn read(file: &[u8]) -> Result<Self, EditError> {
        let stop = |fault| Err(Stop::nowhere(fault).at(""));
        if file.len() > MAX_BYTES {
            return stop(EditFault::TooLong);
        }
        // UTF-16 and UTF-32 have zero bytes, too.
        if file.contains(&0) || file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff") {
            return stop(EditFault::NotText);
        }
        Ok(match std::str::from_utf8(file) {
            Ok(text) => Self {
                text: text.to_owned(),
                utf8: true,
            },
            Err(_) => Self {
                text: file.iter().copied().map(char::from).collect(),
                utf8: false,
            },
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// A changed text in the file's own bytes.
    pub(super) fn bytes(&self, changed: String) -> Result<Vec<u8>, Stop> {
        if self.utf8 {
            return Ok(changed.into_bytes());
        }
        let one = |letter: char| {
            u8::try_from(letter).map_err(|_| Stop::value(&letter.to_string(), "knobs-why-not-utf8"))
        };
        changed.chars().map(one).collect()
    }
}
