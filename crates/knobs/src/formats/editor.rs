//! What each format can do.

use std::ops::Range;

use super::address::Address;
use super::error::Stop;

/// A file that a file takes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Included {
    /// The path or pattern, as it is written.
    pub path: String,
    /// All files of the folder `path` are meant.
    pub folder: bool,
    /// Its line, from 1.
    pub line: usize,
}

/// Where a value stands in a text.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    /// What it says.
    pub(super) value: String,
    /// Its bytes, quotes included.
    pub(super) span: Range<usize>,
    /// The bytes of the setting with its name, line end included.
    pub(super) whole: Range<usize>,
}

/// What takes the place of a part of a text.
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) with: String,
}

/// One way to write values.
pub(super) trait Editor: Sync {
    /// Where the value stands that holds.
    fn find(&self, text: &str, address: &Address) -> Result<Option<Standing>, Stop>;
    /// Another value where one stands.
    fn replaced(
        &self,
        text: &str,
        address: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop>;
    /// A value where none stands.
    fn added(&self, text: &str, address: &Address, value: &str) -> Result<Splice, Stop>;
    /// What goes when the value goes.
    fn whole(&self, _text: &str, place: &Standing) -> Range<usize> {
        place.whole.clone()
    }
    /// All that stands elsewhere, as a number: it may not change.
    fn others(&self, _text: &str, _address: &Address) -> Result<u64, Stop> {
        Ok(0)
    }
    /// What the text takes in.
    fn includes(&self, _text: &str) -> Vec<Included> {
        Vec::new()
    }
}

/// A name of Spring as it is compared: in small letters, without dashes and underscores
/// (`ConfigurationPropertyName`).
pub(crate) fn relaxed(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}
