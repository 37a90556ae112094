//! Whether a run that came from elsewhere is one: its tables and nothing else, whole.

use std::path::Path;

use rusqlite::Connection;

use crate::schema::{self, DATABASE};
use crate::{Run, StoreError, StoreErrorKind, fleet, hops};

/// What a database is made of: type, name, table and text of each part.
fn parts(db: &Connection) -> rusqlite::Result<Vec<[String; 4]>> {
    let mut statement =
        db.prepare("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| {
        Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
    })?;
    rows.collect()
}

/// What this program makes, as SQLite writes it down. Versions have added parts to it and changed none.
fn own_parts() -> rusqlite::Result<Vec<[String; 4]>> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(schema::TABLES)?;
    db.execute_batch(fleet::TABLES)?;
    db.execute_batch(hops::TABLE)?;
    // Somebody may have called it for a database.
    db.execute_batch("ANALYZE")?;
    parts(&db)
}

/// Opens a run that came from elsewhere. A database can hold what computes when it is checked, read or written
/// (constraints, generated columns, views, virtual tables, triggers): each part must be word for word one that this
/// program makes. Nor is let in what contradicts itself.
///
/// # Errors
/// What is no run, or not whole.
pub fn verified(dir: &Path) -> Result<Run, StoreError> {
    let path = dir.join(DATABASE);
    let db = schema::open(&path)?;
    let fail = |error| StoreError::sqlite(&path, error);
    db.pragma_update(None, "trusted_schema", false)
        .and_then(|()| db.pragma_update(None, "cell_size_check", true))
        .map_err(fail)?;
    let foreign = |what: String| StoreError::damaged(&path, what);
    let own = own_parts().map_err(fail)?;
    for part in parts(&db).map_err(fail)? {
        if !own.contains(&part) {
            let [kind, name, ..] = part;
            return Err(foreign(format!("{kind} {name}")));
        }
    }
    let whole: String = db
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(fail)?;
    if whole != "ok" {
        return Err(foreign(whole));
    }
    let run = Run::of(dir.to_owned(), db)?;
    if run.state()? == crate::RunState::Running {
        return Err(StoreError::new(dir, StoreErrorKind::StillWritten));
    }
    // What is read of every run can be.
    run.summary()?;
    run.span_s()?;
    run.series()?;
    run.captures()?;
    run.events()?;
    Ok(run)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{RunMeta, RunWriter};

    /// A run to which that was done.
    fn changed(sql: &str) -> Result<Run, StoreError> {
        let root = tempfile::tempdir().unwrap();
        let writer = RunWriter::create(root.path(), &RunMeta::default()).unwrap();
        let dir = writer.dir().to_owned();
        drop(writer);
        let db = rusqlite::Connection::open(dir.join(DATABASE)).unwrap();
        db.execute_batch(sql).unwrap();
        drop(db);
        verified(&dir)
    }

    #[test]
    fn a_database_of_another_kind_is_refused() {
        changed("").unwrap();
        changed("ANALYZE").unwrap();
        for sql in [
            "CREATE TABLE other (a)",
            "CREATE VIEW v AS SELECT 1",
            "CREATE TRIGGER t AFTER INSERT ON facts BEGIN SELECT 1; END",
            "DROP TABLE facts; CREATE VIEW facts AS SELECT 1 AS seq",
            "DROP TABLE facts; CREATE VIRTUAL TABLE facts USING rtree(a, b, c)",
            "DROP TABLE facts; CREATE TABLE facts (seq INTEGER, a GENERATED ALWAYS AS (abs(seq)))",
            "DROP TABLE facts; CREATE TABLE facts (seq INTEGER, a\tAS(hex(zeroblob(100000000))))",
            "DROP TABLE summary; CREATE TABLE summary (json TEXT NOT NULL CHECK (length(hex(zeroblob(9))) > 1))",
            "DROP TABLE summary; CREATE TABLE summary (json TEXT NOT NULL, a DEFAULT (randomblob(9)))",
            "CREATE INDEX i ON facts (abs(seq))",
            "CREATE INDEX i ON facts (seq) WHERE abs(seq)",
            "DROP TABLE meta",
            "UPDATE meta SET json = '{'",
            "PRAGMA application_id = 1",
            "PRAGMA user_version = 99",
            "DROP TABLE seconds",
            "INSERT INTO series VALUES (1, '[]')",
            "INSERT INTO summary VALUES ('{}')",
        ] {
            assert!(changed(sql).is_err(), "{sql}");
        }
    }
}
