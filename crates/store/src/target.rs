//! The target's side of a run: series, facts, captures.
//!
//! What was seen is written at once, as a row of one moment, so that a killed run loses
//! nothing. Once a minute the rows are turned into columns, one a series, which are many
//! times smaller.

use plimsoll_stats::series::{Batch, Catalogue, Column, Entity, Fact, SeriesId, SeriesKey};
use rusqlite::types::Type;
use rusqlite::{Connection, params};

use crate::pack::{compress, decompress};
use crate::writer::to_sql;
use crate::{Run, RunWriter, StoreError};

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
    /// Its number in the run, for [`Run::capture_bytes`].
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
    columns: Vec<Column>,
    points: usize,
    since_ms: Option<i64>,
    stretches: i64,
}

impl TargetState {
    fn keys_from(&self, from: usize) -> rusqlite::Result<KeyRows> {
        let keys = (0..).zip(self.catalogue.keys()).skip(from);
        keys.map(|(id, key)| {
            let json = serde_json::to_string(key)
                .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
            Ok((id, json))
        })
        .collect()
    }

    /// The columns gathered so far, packed; they begin anew.
    fn pack(&mut self) -> std::io::Result<Vec<(u32, Vec<u8>)>> {
        let (mut packed, mut plain) = (Vec::new(), Vec::new());
        for (id, column) in (0..).zip(&mut self.columns) {
            if !column.is_empty() {
                plain.clear();
                column.encode(&mut plain);
                *column = Column::default();
                packed.push((id, compress(&plain)?));
            }
        }
        self.points = 0;
        self.since_ms = None;
        Ok(packed)
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
        let known = self.target.catalogue.keys().len();
        let mut rows = Vec::new();
        for (at_unix_ns, points) in moments {
            rows.push(self.target_row(at_unix_ns, points)?);
        }
        if rows.is_empty() {
            return Ok(());
        }
        let keys = self.target.keys_from(known);
        let keys = keys.map_err(|e| StoreError::sqlite(self.dir(), e))?;
        let written = self.write(|db| {
            let tx = db.unchecked_transaction()?;
            put_keys(&tx, &keys)?;
            for row in &rows {
                tx.prepare_cached("INSERT INTO target_rows (points) VALUES (?1)")?
                    .execute([row])?;
            }
            tx.commit()
        });
        written.and(self.make_columns(false))
    }

    fn target_row(
        &mut self,
        at_unix_ns: u64,
        points: Vec<(SeriesKey, f64)>,
    ) -> Result<Vec<u8>, StoreError> {
        let target = &mut self.target;
        let at_ms = to_sql(at_unix_ns / 1_000_000);
        target.since_ms.get_or_insert(at_ms);
        let mut batch = Batch {
            at_unix_ns,
            points: Vec::with_capacity(points.len()),
        };
        for (key, value) in points {
            let (id, _) = target.catalogue.intern(key);
            let index = id.0 as usize;
            if target.columns.len() <= index {
                target.columns.resize_with(index + 1, Column::default);
            }
            target.columns[index].push(at_ms, value);
            target.points += 1;
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
        self.target.stretches += 1;
        self.write(|db| {
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
        })
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

fn from_sql(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

impl Run {
    /// Whether the run has anything of the target.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.series().is_ok_and(|series| !series.is_empty())
    }

    /// When the run's clock read 0, Unix nanoseconds.
    #[must_use]
    pub fn zero_unix_ns(&self) -> i64 {
        let written = self
            .db()
            .query_row("SELECT zero_unix_ns FROM clock", [], |row| row.get(0));
        written.unwrap_or_else(|_| to_sql(self.meta().started_at_unix_ns))
    }

    /// The series of the target, by number.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn series(&self) -> Result<Vec<(SeriesId, SeriesKey)>, StoreError> {
        if !self.knows_target()? {
            return Ok(Vec::new());
        }
        self.rows("SELECT id, key FROM series ORDER BY id", |row| {
            Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?))
        })?
        .into_iter()
        .map(|(id, key)| {
            let key = serde_json::from_str(&key);
            Ok((SeriesId(id), key.map_err(|e| self.damage(e))?))
        })
        .collect()
    }

    /// The points of some series, in ms since the run's start (negative: before it), in the
    /// order asked for.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn target(&self, wanted: &[SeriesId]) -> Result<Vec<Column>, StoreError> {
        let zero_ms = self.zero_unix_ns() / 1_000_000;
        let mut columns = Vec::with_capacity(wanted.len());
        for id in wanted {
            columns.push(self.stretches(*id)?);
        }
        for batch in self.target_rows()? {
            let at_ms = to_sql(batch.at_unix_ns / 1_000_000);
            for (id, value) in &batch.points {
                if let Some(index) = wanted.iter().position(|wanted| wanted == id) {
                    columns[index].push(at_ms, *value);
                }
            }
        }
        for column in &mut columns {
            column.at_ms.iter_mut().for_each(|at| *at -= zero_ms);
        }
        Ok(columns)
    }

    fn stretches(&self, id: SeriesId) -> Result<Column, StoreError> {
        let fail = |e| self.failure(e);
        let sql = "SELECT points FROM target_columns WHERE series = ?1 ORDER BY seq";
        let mut statement = self.db().prepare_cached(sql).map_err(fail)?;
        let mut rows = statement.query([id.0]).map_err(fail)?;
        let (mut whole, mut plain) = (Column::default(), Vec::new());
        while let Some(row) = rows.next().map_err(fail)? {
            let blob: Vec<u8> = row.get(0).map_err(fail)?;
            decompress(&blob, &mut plain).map_err(|e| self.damage(e))?;
            let column = Column::decode(&plain).map_err(|e| self.damage(e))?;
            whole.at_ms.extend(column.at_ms);
            whole.values.extend(column.values);
        }
        Ok(whole)
    }

    fn target_rows(&self) -> Result<Vec<Batch>, StoreError> {
        let blobs = self.rows("SELECT points FROM target_rows ORDER BY seq", |row| {
            row.get::<_, Vec<u8>>(0)
        })?;
        let mut plain = Vec::new();
        blobs
            .into_iter()
            .map(|blob| {
                decompress(&blob, &mut plain).map_err(|e| self.damage(e))?;
                Batch::decode(&plain).map_err(|e| self.damage(e))
            })
            .collect()
    }

    /// Facts of the target in the order in which they came.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn facts(&self) -> Result<Vec<FactRecord>, StoreError> {
        if !self.knows_target()? {
            return Ok(Vec::new());
        }
        let zero = self.zero_unix_ns();
        let sql = "SELECT at_unix_ns, entity, name, value FROM facts ORDER BY seq";
        self.rows(sql, |row| {
            let at: i64 = row.get(0)?;
            let entity: String = row.get(1)?;
            Ok((at - zero, entity, row.get(2)?, row.get(3)?))
        })?
        .into_iter()
        .map(|(at_ns, entity, name, value)| {
            let entity: Entity = serde_json::from_str(&entity).map_err(|e| self.damage(e))?;
            let entity = std::sync::Arc::new(entity);
            let fact = Fact {
                entity,
                name,
                value,
            };
            Ok(FactRecord { at_ns, fact })
        })
        .collect()
    }

    /// Captures of the run, without their bytes, each with its number.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn captures(&self) -> Result<Vec<StoredCapture>, StoreError> {
        if !self.knows_target()? {
            return Ok(Vec::new());
        }
        let zero = self.zero_unix_ns();
        let sql = "SELECT seq, at_unix_ns, length, entity, kind, moment, media_type, took_ns \
                   FROM captures ORDER BY seq";
        self.rows(sql, |row| {
            let entity: String = row.get(3)?;
            let entity = serde_json::from_str(&entity).map_err(|e| {
                rusqlite::Error::FromSqlConversionFailure(3, Type::Text, Box::new(e))
            })?;
            Ok(StoredCapture {
                number: row.get(0)?,
                at_ns: row.get::<_, i64>(1)? - zero,
                length: from_sql(row.get(2)?),
                record: CaptureRecord {
                    entity,
                    kind: row.get(4)?,
                    moment: row.get(5)?,
                    media_type: row.get(6)?,
                    took_ns: from_sql(row.get(7)?),
                },
            })
        })
    }

    /// The bytes of a capture by its number; none if there is no such capture.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn capture_bytes(&self, number: i64) -> Result<Option<Vec<u8>>, StoreError> {
        if !self.knows_target()? {
            return Ok(None);
        }
        let found = self.db().query_row(
            "SELECT bytes FROM captures WHERE seq = ?1",
            [number],
            |row| row.get::<_, Vec<u8>>(0),
        );
        match found {
            Ok(blob) => {
                let mut plain = Vec::new();
                decompress(&blob, &mut plain).map_err(|e| self.damage(e))?;
                Ok(Some(plain))
            }
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
            Err(error) => Err(self.failure(error)),
        }
    }

    /// Whether the file is of a version that knows the target.
    fn knows_target(&self) -> Result<bool, StoreError> {
        let version: i64 = self
            .db()
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|e| self.failure(e))?;
        Ok(version >= 2)
    }

    fn rows<T>(
        &self,
        sql: &str,
        read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let fail = |e| self.failure(e);
        let mut statement = self.db().prepare_cached(sql).map_err(fail)?;
        let rows = statement.query_map([], |row| read(row)).map_err(fail)?;
        rows.collect::<rusqlite::Result<_>>().map_err(fail)
    }

    fn failure(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path(), error)
    }

    fn damage(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
        StoreError::damaged(self.path(), error)
    }
}
