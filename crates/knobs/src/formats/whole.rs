//! Files that hold one value and nothing else.

use super::address::Address;
use super::editor::{Editor, Splice, Standing};
use super::error::Stop;
use super::lines::{exactly, one_line};

/// A file that holds the value alone.
pub(super) struct WholeFile;

impl Editor for WholeFile {
    fn find(&self, text: &str, _: &Address) -> Result<Option<Standing>, Stop> {
        let value = text.trim();
        let start = text.len() - text.trim_start().len();
        let span = start..start + value.len();
        // The kernel marks what is chosen: `always [madvise] never`.
        let chosen = value
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        let value = chosen.map_or(value, |(word, _)| word).to_owned();
        Ok((!value.is_empty()).then(|| Standing {
            value,
            whole: span.clone(),
            span,
        }))
    }

    fn replaced(
        &self,
        _: &str,
        _: &Address,
        place: &Standing,
        value: &str,
    ) -> Result<Splice, Stop> {
        exactly(place, value)
    }

    fn added(&self, text: &str, _: &Address, value: &str) -> Result<Splice, Stop> {
        one_line(value)?;
        Ok(Splice {
            range: text.len()..text.len(),
            with: value.to_owned(),
        })
    }
}
