//! Reading what was seen of the target.

use plimsoll_stats::series::{Batch, Column, Entity, Fact, SeriesId, SeriesKey};
use rusqlite::types::Type;

use super::records::{CaptureRecord, FactRecord, StoredCapture};
use crate::pack::{decompress, decompress_within};
use crate::rows::to_sql;
use crate::{Run, StoreError};

/// No capture is longer than this, bytes: recordings have 12 MiB at most.
const LONGEST_CAPTURE: u64 = 64 << 20;

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
        let gaps = self.gaps()?;
        for column in &mut columns {
            gaps.mark(column);
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

    pub(crate) fn target_rows(&self) -> Result<Vec<Batch>, StoreError> {
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
    /// If the run cannot be read, or the capture is longer than any that is taken.
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
                decompress_within(&blob, &mut plain, LONGEST_CAPTURE)
                    .map_err(|e| self.damage(e))?;
                Ok(Some(plain))
            }
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
            Err(error) => Err(self.failure(error)),
        }
    }

    /// Whether the file is of a version that knows the target.
    pub(crate) fn knows_target(&self) -> Result<bool, StoreError> {
        let version: i64 = self
            .db()
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|e| self.failure(e))?;
        Ok(version >= 2)
    }
}
