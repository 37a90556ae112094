//! What a writer remembers of the target.

use plimsoll_stats::series::{Batch, Column, KeyCatalogue, SeriesId, SeriesKey};
use rusqlite::{Connection, params};

use super::gaps::Gaps;
use crate::pack::compress;
use crate::rows::to_sql;

/// Keys as rows: number and JSON.
pub(super) type KeyRows = Vec<(u32, String)>;

/// What a writer remembers of the target.
#[derive(Debug, Default)]
pub(crate) struct TargetState {
    pub(super) catalogue: KeyCatalogue,
    /// How many of the keys are on disk.
    pub(super) written: usize,
    pub(super) columns: Vec<Column>,
    pub(super) points: usize,
    pub(super) since_ms: Option<i64>,
    pub(super) stretches: i64,
    pub(super) gaps: Gaps,
}

impl TargetState {
    /// The state of a writer that goes on: series that are on disk, points that are rows there,
    /// and the stretches that are columns.
    pub(super) fn restored(
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
    pub(super) fn push(&mut self, id: SeriesId, at_ms: i64, value: f64) {
        let index = id.0 as usize;
        if self.columns.len() <= index {
            self.columns.resize_with(index + 1, Column::default);
        }
        self.columns[index].push(at_ms, value);
        self.points += 1;
        self.since_ms.get_or_insert(at_ms);
    }

    /// The keys from that one on.
    pub(super) fn keys_from(&self, from: usize) -> rusqlite::Result<KeyRows> {
        let keys = (0..).zip(self.catalogue.keys()).skip(from);
        keys.map(|(id, key)| {
            let json = serde_json::to_string(key)
                .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
            Ok((id, json))
        })
        .collect()
    }

    /// The columns gathered so far, packed.
    pub(super) fn pack(&self) -> std::io::Result<Vec<(u32, Vec<u8>)>> {
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
    pub(super) fn packed(&mut self) {
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

/// Keeps keys.
pub(super) fn put_keys(db: &Connection, keys: &KeyRows) -> rusqlite::Result<()> {
    for (id, json) in keys {
        db.prepare_cached("INSERT OR REPLACE INTO series (id, key) VALUES (?1, ?2)")?
            .execute(params![id, json])?;
    }
    Ok(())
}
