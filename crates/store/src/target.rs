//! The target's side of a run: series, facts, captures.
//!
//! What was seen is written at once, as a row of one moment, so that a killed run loses
//! nothing. Once a minute the rows are turned into columns, one a series, which are many
//! times smaller.

mod gaps;
mod read;
mod records;
mod resumed;
mod state;

use plimsoll_stats::series::{Batch, Fact, SeriesKey};
use rusqlite::params;

use self::gaps::put_gaps;
use self::state::put_keys;
use crate::pack::compress;
use crate::rows::to_sql;
use crate::{RunWriter, StoreError};

pub use self::records::{CaptureRecord, FactRecord, StoredCapture, TargetPoints};
pub(crate) use self::state::TargetState;

/// Rows are turned into columns when they span this long.
const COLUMN_MS: i64 = 60_000;
/// Or when there are this many points.
const COLUMN_POINTS: usize = 200_000;

impl RunWriter {
    /// Says when the run's clock read 0, Unix nanoseconds: the target's times are told
    /// against it.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn set_zero(&mut self, unix_ns: u64) -> Result<(), StoreError> {
        let zero = to_sql(unix_ns);
        self.write(|db| {
            db.execute("DELETE FROM clock", [])?;
            db.execute("INSERT INTO clock (zero_unix_ns) VALUES (?1)", [zero])
                .map(|_| ())
        })
    }

    /// Writes what was seen of the target. One transaction.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn write_target(&mut self, moments: Vec<TargetPoints>) -> Result<(), StoreError> {
        let Some(first_ns) = moments.iter().map(|(at_unix_ns, _)| *at_unix_ns).min() else {
            return Ok(());
        };
        self.target.gaps.seen_again(first_ns);
        let mut rows = Vec::new();
        for (at_unix_ns, points) in moments {
            rows.push(self.target_row(at_unix_ns, points)?);
        }
        let keys = self.target.keys_from(self.target.written);
        let keys = keys.map_err(|e| StoreError::sqlite(self.dir(), e))?;
        let gaps = self.target.gaps.to_write();
        let written = self.write(|db| {
            let tx = db.unchecked_transaction()?;
            put_keys(&tx, &keys)?;
            if let Some(gaps) = &gaps {
                put_gaps(&tx, gaps)?;
            }
            for row in &rows {
                tx.prepare_cached("INSERT INTO target_rows (points) VALUES (?1)")?
                    .execute([row])?;
            }
            tx.commit()
        });
        if written.is_ok() || self.is_in_memory() {
            self.target.written += keys.len();
            self.target.gaps.are_written();
        }
        // Rows that the disk did not take are in the columns all the same.
        written.and(self.make_columns(false))
    }

    fn target_row(
        &mut self,
        at_unix_ns: u64,
        points: Vec<(SeriesKey, f64)>,
    ) -> Result<Vec<u8>, StoreError> {
        let target = &mut self.target;
        let at_ms = to_sql(at_unix_ns / 1_000_000);
        let mut batch = Batch {
            at_unix_ns,
            points: Vec::with_capacity(points.len()),
        };
        for (key, value) in points {
            let (id, _) = target.catalogue.intern(key);
            target.push(id, at_ms, value);
            batch.points.push((id, value));
        }
        let mut plain = Vec::new();
        batch.encode(&mut plain);
        compress(&plain).map_err(|e| StoreError::io(self.dir(), e))
    }

    /// Turns rows into columns when it is time, or `now`.
    pub(crate) fn make_columns(&mut self, now: bool) -> Result<(), StoreError> {
        let latest = self
            .target
            .columns
            .iter()
            .filter_map(|c| c.at_ms.last())
            .max();
        let span_ms = latest
            .zip(self.target.since_ms)
            .map_or(0, |(to, from)| to - from);
        let due = now || span_ms >= COLUMN_MS || self.target.points >= COLUMN_POINTS;
        if !due || self.target.points == 0 {
            return Ok(());
        }
        let packed = self.target.pack();
        let packed = packed.map_err(|e| StoreError::io(&self.dir, e))?;
        let stretch = self.target.stretches;
        let written = self.write(|db| {
            let tx = db.unchecked_transaction()?;
            for (series, blob) in &packed {
                tx.prepare_cached(
                    "INSERT OR REPLACE INTO target_columns (series, seq, points) \
                     VALUES (?1, ?2, ?3)",
                )?
                .execute(params![series, stretch, blob])?;
            }
            tx.execute("DELETE FROM target_rows", [])?;
            tx.commit()
        });
        if written.is_ok() || self.is_in_memory() {
            self.target.packed();
        }
        written
    }

    /// Keeps a fact, at a moment in Unix nanoseconds.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn write_fact(&mut self, at_unix_ns: u64, fact: &Fact) -> Result<(), StoreError> {
        let entity = json(&*fact.entity, self.dir())?;
        self.write(|db| {
            db.prepare_cached(
                "INSERT INTO facts (at_unix_ns, entity, name, value) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![to_sql(at_unix_ns), entity, fact.name, fact.value])
            .map(|_| ())
        })
    }

    /// Keeps a capture taken at a moment in Unix nanoseconds.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn write_capture(
        &mut self,
        at_unix_ns: u64,
        record: &CaptureRecord,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let entity = json(&record.entity, self.dir())?;
        let packed = compress(bytes).map_err(|e| StoreError::io(self.dir(), e))?;
        self.write(|db| {
            db.prepare_cached(
                "INSERT INTO captures (at_unix_ns, moment, kind, entity, media_type, took_ns, \
                 length, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                to_sql(at_unix_ns),
                record.moment,
                record.kind,
                entity,
                record.media_type,
                to_sql(record.took_ns),
                to_sql(bytes.len() as u64),
                packed
            ])
            .map(|_| ())
        })
    }
}

fn json(value: &impl serde::Serialize, path: &std::path::Path) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|e| StoreError::damaged(path, e))
}
