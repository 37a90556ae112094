//! The target of a run that is taken up again: what was seen goes on where it was, and the time in
//! which nobody looked is kept as such.

use plimsoll_stats::series::Column;

use super::gaps::Gaps;
use super::state::TargetState;
use crate::pack::decompress;
use crate::rows::to_sql;
use crate::{Run, RunWriter, StoreError};

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
        let gaps = Gaps::after(run, open_ms)?;
        let keys = series.into_iter().map(|(_, key)| key);
        Ok(Self::restored(keys, &rows, stretches, gaps))
    }
}

impl RunWriter {
    /// A time in which nobody looked at the target, since the run had to be taken up again: from
    /// and to, Unix nanoseconds. It is told once, when something was seen again.
    pub fn take_gap(&mut self) -> Option<(u64, u64)> {
        let ns = |ms: i64| u64::try_from(ms).unwrap_or(0).saturating_mul(1_000_000);
        let news = self.target.gaps.take_news();
        news.map(|(from_ms, to_ms)| (ns(from_ms), ns(to_ms)))
    }
}

impl Run {
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
