//! Whether a run that came from elsewhere is one: its tables and nothing else, whole.

use std::path::Path;

use crate::schema::{self, DATABASE};
use crate::{Run, StoreError, StoreErrorKind};

/// Tables that a run may have.
const TABLES: [&str; 17] = [
    "meta",
    "labels",
    "seconds",
    "minutes",
    "events",
    "summary",
    "clock",
    "series",
    "target_rows",
    "target_columns",
    "facts",
    "captures",
    "applied",
    "notes",
    "hops",
    "sqlite_stat1",
    "sqlite_sequence",
];

/// Opens a run that came from elsewhere. A database can hold what acts by itself when it is read (views, virtual
/// tables) or written (triggers); none of that is let in, nor what contradicts itself.
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
    let mut statement = db
        .prepare("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema")
        .map_err(fail)?;
    let rows = statement.query_map([], |row| {
        let texts: [String; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
        Ok(texts)
    });
    for row in rows.map_err(fail)? {
        let [kind, name, table, sql] = row.map_err(fail)?;
        let is_plain = match kind.as_str() {
            "table" => sql.trim_start().to_uppercase().starts_with("CREATE TABLE"),
            "index" => sql.is_empty() || name == "seconds_by_second",
            _ => false,
        };
        // A generated column computes when it is read.
        let computes =
            sql.to_uppercase().contains(" AS ") || sql.to_uppercase().contains("GENERATED");
        if !is_plain || computes || !TABLES.contains(&table.as_str()) {
            return Err(foreign(format!("{kind} {name}")));
        }
    }
    drop(statement);
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
        for sql in [
            "CREATE TABLE other (a)",
            "CREATE VIEW v AS SELECT 1",
            "CREATE TRIGGER t AFTER INSERT ON facts BEGIN SELECT 1; END",
            "DROP TABLE facts; CREATE VIEW facts AS SELECT 1 AS seq",
            "DROP TABLE facts; CREATE VIRTUAL TABLE facts USING rtree(a, b, c)",
            "DROP TABLE facts; CREATE TABLE facts (seq INTEGER, a GENERATED ALWAYS AS (abs(seq)))",
            "CREATE INDEX i ON facts (abs(seq))",
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
