//! The target of a run that is taken up again: what was seen goes on where it was, and the time in
//! which nobody looked is kept as such.

use plimsoll_stats::series::Column;
use rusqlite::Connection;

use crate::fleet::put_notes;
use crate::pack::decompress;
use crate::target::TargetState;
use crate::writer::to_sql;
use crate::{Run, RunWriter, StoreError};

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
    /// Something is seen at that moment, Unix ns.
    pub(crate) fn seen_again(&mut self, at_unix_ns: u64) {
        let at_ms = to_sql(at_unix_ns / 1_000_000);
        if let Some(from_ms) = self.open_ms.take() {
            self.known.push((from_ms, at_ms.max(from_ms)));
            (self.is_written, self.is_news) = (false, true);
        }
    }

    /// What is to be kept with the next points; nothing if it is kept already.
    pub(crate) fn to_write(&self) -> Option<String> {
        let fresh = !self.is_written && !self.known.is_empty();
        // Pairs of numbers can always be written.
        fresh.then(|| serde_json::to_string(&self.known).unwrap_or_default())
    }

    pub(crate) fn are_written(&mut self) {
        self.is_written = true;
    }

    /// Marks the gaps in a column, whose times are Unix ms.
    pub(crate) fn mark(&self, column: &mut Column) {
        let first_after = |(from_ms, _): &(i64, i64)| {
            let place = column.at_ms.partition_point(|at_ms| at_ms <= from_ms);
            (place > 0 && place < column.len()).then_some(place)
        };
        column.breaks = self.known.iter().filter_map(first_after).collect();
    }
}

/// Keeps gaps, as [`Gaps::to_write`] gives them.
pub(crate) fn put_gaps(db: &Connection, gaps: &str) -> rusqlite::Result<()> {
    put_notes(db, &[(NOTE, gaps.as_bytes())])
}

impl TargetState {
    /// What the writer of a run knew that is gone on with.
    pub(crate) fn of(run: &Run) -> Result<Self, StoreError> {
        let (rows, stretches) = match run.knows_target()? {
            true => (run.target_rows()?, run.stretch_count()?),
            false => (Vec::new(), 0),
        };
        let series = run.series()?;
        if series.iter().zip(0..).any(|((id, _), place)| id.0 != place) {
            return Err(run.damage("a series of the target is missing"));
        }
        let last_row = rows
            .iter()
            .map(|batch| to_sql(batch.at_unix_ns / 1_000_000));
        let open_ms = match last_row.max() {
            Some(at_ms) => Some(at_ms),
            None if stretches > 0 => run.end_of_stretch_ms(stretches - 1)?,
            None => None,
        };
        let gaps = Gaps {
            open_ms,
            is_written: true,
            ..run.gaps()?
        };
        let keys = series.into_iter().map(|(_, key)| key);
        Ok(Self::restored(keys, &rows, stretches, gaps))
    }
}

impl RunWriter {
    /// A time in which nobody looked at the target, since the run had to be taken up again: from
    /// and to, Unix nanoseconds. It is told once, when something was seen again.
    pub fn take_gap(&mut self) -> Option<(u64, u64)> {
        let gaps = &mut self.target.gaps;
        let ns = |ms: i64| u64::try_from(ms).unwrap_or(0).saturating_mul(1_000_000);
        let news = std::mem::take(&mut gaps.is_news);
        let last = gaps.known.last().filter(|_| news);
        last.map(|(from_ms, to_ms)| (ns(*from_ms), ns(*to_ms)))
    }
}

impl Run {
    /// The times in which nobody looked.
    pub(crate) fn gaps(&self) -> Result<Gaps, StoreError> {
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

    /// How many stretches are kept as columns.
    fn stretch_count(&self) -> Result<i64, StoreError> {
        let sql = "SELECT coalesce(max(seq) + 1, 0) FROM target_columns";
        let count = self.rows(sql, |row| row.get::<_, i64>(0))?;
        Ok(count.first().copied().unwrap_or(0))
    }

    /// The time of the last point of a stretch, Unix ms.
    fn end_of_stretch_ms(&self, stretch: i64) -> Result<Option<i64>, StoreError> {
        let sql = format!("SELECT points FROM target_columns WHERE seq = {stretch}");
        let (mut last_ms, mut plain) = (None, Vec::new());
        for blob in self.rows(&sql, |row| row.get::<_, Vec<u8>>(0))? {
            decompress(&blob, &mut plain).map_err(|e| self.damage(e))?;
            let column = Column::decode(&plain).map_err(|e| self.damage(e))?;
            last_ms = last_ms.max(column.at_ms.last().copied());
        }
        Ok(last_ms)
    }
}
