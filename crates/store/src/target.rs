//! The target's side of a run: series, facts, captures.
//!
//! What was seen is written at once, as a row of one moment, so that a killed run loses
//! nothing. Once a minute the rows are turned into columns, one a series, which are many
//! times smaller.

mod read;

use plimsoll_stats::series::{Batch, Catalogue, Column, Entity, Fact, SeriesId, SeriesKey};
use rusqlite::{Connection, params};

use crate::pack::compress;
use crate::resumed::{self, Gaps};
use crate::writer::to_sql;
use crate::{RunWriter, StoreError};

/// Points of one moment, Unix nanoseconds.
pub type TargetPoints = (u64, Vec<(SeriesKey, f64)>);

/// Rows are turned into columns when they span this long.
const COLUMN_MS: i64 = 60_000;
/// Or when there are this many points.
const COLUMN_POINTS: usize = 200_000;

/// A capture to be kept.
#[derive(Debug, Clone)]
pub struct CaptureRecord {
    /// The thing it is of.
    pub entity: Entity,
    /// `thread_dump`, `class_histogram` …
    pub kind: String,
    /// `start`, `knee`, `worst`, `end`, `request`.
    pub moment: String,
    /// Its form, such as `text/plain`.
    pub media_type: String,
    /// How long taking it took.
    pub took_ns: u64,
}

/// A capture of a run, without its bytes.
#[derive(Debug, Clone)]
pub struct StoredCapture {
    /// Its number in the run, for [`Run::capture_bytes`](crate::Run::capture_bytes).
    pub number: i64,
    /// When, in ns since the run's start; negative: before it.
    pub at_ns: i64,
    /// Its length in bytes.
    pub length: u64,
    /// What it is.
    pub record: CaptureRecord,
}

/// A fact and since when it holds, in ns since the run's start.
#[derive(Debug, Clone, PartialEq)]
pub struct FactRecord {
    /// Since when; negative: it was known before the load began.
    pub at_ns: i64,
    /// The fact.
    pub fact: Fact,
}

/// Keys as rows: number and JSON.
type KeyRows = Vec<(u32, String)>;

/// What a writer remembers of the target.
#[derive(Debug, Default)]
pub(crate) struct TargetState {
    catalogue: Catalogue,
    /// How many of the keys are on disk.
    written: usize,
    columns: Vec<Column>,
    points: usize,
    since_ms: Option<i64>,
    stretches: i64,
    pub(crate) gaps: Gaps,
}

impl TargetState {
    /// The state of a writer that goes on: series that are on disk, points that are rows there,
    /// and the stretches that are columns.
    pub(crate) fn restored(
        keys: impl Iterator<Item = SeriesKey>,
        rows: &[Batch],
        stretches: i64,
        gaps: Gaps,
    ) -> Self {
        let mut state = Self {
            stretches,
            gaps,
            ..Self::default()
        };
        for key in keys {
            state.catalogue.intern(key);
        }
        state.written = state.catalogue.keys().len();
        for batch in rows {
            let at_ms = to_sql(batch.at_unix_ns / 1_000_000);
            for (id, value) in &batch.points {
                state.push(*id, at_ms, *value);
            }
        }
        state
    }

    /// Adds a point to its column.
    fn push(&mut self, id: SeriesId, at_ms: i64, value: f64) {
        let index = id.0 as usize;
        if self.columns.len() <= index {
            self.columns.resize_with(index + 1, Column::default);
        }
        self.columns[index].push(at_ms, value);
        self.points += 1;
        self.since_ms.get_or_insert(at_ms);
    }

    fn keys_from(&self, from: usize) -> rusqlite::Result<KeyRows> {
        let keys = (0..).zip(self.catalogue.keys()).skip(from);
        keys.map(|(id, key)| {
            let json = serde_json::to_string(key)
                .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
            Ok((id, json))
        })
        .collect()
    }

    /// The columns gathered so far, packed.
    fn pack(&self) -> std::io::Result<Vec<(u32, Vec<u8>)>> {
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        for (id, column) in (0..).zip(&self.columns) {
            if !column.is_empty() {
                plain.clear();
                column.encode(&mut plain);
                packed.push((id, compress(&plain)?));
            }
        }
        Ok(packed)
    }

    /// The columns are kept; they begin anew.
    fn packed(&mut self) {
        self.columns.fill(Column::default());
        self.points = 0;
        self.since_ms = None;
        self.stretches += 1;
    }

    /// All keys, for a database that begins anew.
    pub(crate) fn put_keys(&self, db: &Connection) -> rusqlite::Result<()> {
        put_keys(db, &self.keys_from(0)?)
    }
}

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
                resumed::put_gaps(&tx, gaps)?;
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

fn put_keys(db: &Connection, keys: &KeyRows) -> rusqlite::Result<()> {
    for (id, json) in keys {
        db.prepare_cached("INSERT OR REPLACE INTO series (id, key) VALUES (?1, ?2)")?
            .execute(params![id, json])?;
    }
    Ok(())
}

fn json(value: &impl serde::Serialize, path: &std::path::Path) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|e| StoreError::damaged(path, e))
}
