//! Rows as they are written.

use rusqlite::{Connection, params};

use crate::LabelDef;

/// SQLite's integers end at 2^63: 292 years of nanoseconds.
pub(crate) fn to_sql(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A part of a second.
pub(crate) fn put_seconds(
    db: &Connection,
    second: u32,
    after_load: bool,
    intervals: &[u8],
    generator: &[u8],
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO seconds (second, after_load, intervals, generator) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![second, after_load, intervals, generator])
    .map(|_| ())
}

/// A label; one that is there is replaced.
pub(crate) fn put_label(db: &Connection, label: &LabelDef) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO labels (id, name, kind, parent) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![
        label.id.0,
        label.name,
        label.kind.name(),
        label.parent.map(|id| id.0)
    ])
    .map(|_| ())
}

/// Notes by their names; those that are there are replaced.
pub(crate) fn put_notes(db: &Connection, notes: &[(&str, &[u8])]) -> rusqlite::Result<()> {
    for (name, value) in notes {
        db.prepare_cached("INSERT OR REPLACE INTO notes (name, value) VALUES (?1, ?2)")?
            .execute(params![name, value])?;
    }
    Ok(())
}
