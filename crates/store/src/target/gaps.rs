//! Times in which nobody looked at the target.

use plimsoll_stats::series::Column;
use rusqlite::Connection;

use crate::rows::{put_notes, to_sql};
use crate::{Run, StoreError};

/// The note that holds the times in which nobody looked.
const NOTE: &str = "target.gaps";

/// Times in which nobody looked at the target.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gaps {
    /// From and to, Unix ms.
    known: Vec<(i64, i64)>,
    /// The last point before the run was taken up again, until there is a further one.
    open_ms: Option<i64>,
    is_written: bool,
    /// The last one was not told yet.
    is_news: bool,
}

impl Gaps {
    /// Those that are kept; a further one begins with the next point if there is a last one.
    pub(super) fn after(run: &Run, open_ms: Option<i64>) -> Result<Self, StoreError> {
        Ok(Self {
            open_ms,
            is_written: true,
            ..run.gaps()?
        })
    }

    /// Something is seen at that moment, Unix ns.
    pub(super) fn seen_again(&mut self, at_unix_ns: u64) {
        let at_ms = to_sql(at_unix_ns / 1_000_000);
        if let Some(from_ms) = self.open_ms.take() {
            self.known.push((from_ms, at_ms.max(from_ms)));
            (self.is_written, self.is_news) = (false, true);
        }
    }

    /// What is to be kept with the next points; nothing if it is kept already.
    pub(super) fn to_write(&self) -> Option<String> {
        let fresh = !self.is_written && !self.known.is_empty();
        // Pairs of numbers can always be written.
        fresh.then(|| serde_json::to_string(&self.known).unwrap_or_default())
    }

    pub(super) fn are_written(&mut self) {
        self.is_written = true;
    }

    /// The last gap, from and to, Unix ms, if it was not told yet.
    pub(super) fn take_news(&mut self) -> Option<(i64, i64)> {
        let news = std::mem::take(&mut self.is_news);
        self.known.last().copied().filter(|_| news)
    }

    /// Marks the gaps in a column, whose times are Unix ms.
    pub(super) fn mark(&self, column: &mut Column) {
        let first_after = |(from_ms, _): &(i64, i64)| {
            let place = column.at_ms.partition_point(|at_ms| at_ms <= from_ms);
            (place > 0 && place < column.len()).then_some(place)
        };
        column.breaks = self.known.iter().filter_map(first_after).collect();
    }
}

/// Keeps gaps, as [`Gaps::to_write`] gives them.
pub(super) fn put_gaps(db: &Connection, gaps: &str) -> rusqlite::Result<()> {
    put_notes(db, &[(NOTE, gaps.as_bytes())])
}

impl Run {
    /// The times in which nobody looked.
    pub(super) fn gaps(&self) -> Result<Gaps, StoreError> {
        let sql = format!("SELECT name, value FROM notes WHERE name = '{NOTE}'");
        let notes = self.rows_of("notes", &sql, |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?))
        })?;
        let known = notes.get(NOTE).map(|json| serde_json::from_slice(json));
        let known = known.transpose().map_err(|e| self.damage(e))?;
        Ok(Gaps {
            known: known.unwrap_or_default(),
            ..Gaps::default()
        })
    }
}
