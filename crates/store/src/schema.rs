//! The tables of `run.sqlite`.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::{StoreError, StoreErrorKind};

/// Version of the tables and blobs. A file of a newer version is refused; version 1 knew
/// nothing of the target, version 2 nothing of groups of failures in intervals.
pub const SCHEMA_VERSION: i64 = 3;

/// Name of the database in a run's directory.
pub(crate) const DATABASE: &str = "run.sqlite";
/// Name of the copy of the plan.
pub(crate) const PLAN: &str = "plan";
/// Name of the summary in JSON.
pub(crate) const SUMMARY: &str = "summary.json";

/// "Plim": marks the file as ours, also for `file(1)`.
const APPLICATION_ID: i64 = 0x506c_696d;

/// How long to wait for a lock of another process.
pub(crate) const BUSY: Duration = Duration::from_secs(5);

pub(crate) const TABLES: &str = "
CREATE TABLE meta    (json TEXT NOT NULL);
CREATE TABLE labels  (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL,
                      parent INTEGER);
CREATE TABLE seconds (seq INTEGER PRIMARY KEY, second INTEGER NOT NULL,
                      after_load INTEGER NOT NULL, intervals BLOB NOT NULL, generator BLOB NOT NULL);
CREATE INDEX seconds_by_second ON seconds (second);
CREATE TABLE events  (seq INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, kind TEXT NOT NULL,
                      args TEXT NOT NULL);
CREATE TABLE minutes (minute INTEGER PRIMARY KEY, parts INTEGER NOT NULL, last INTEGER NOT NULL,
                      crc INTEGER NOT NULL, figures BLOB NOT NULL, tens BLOB NOT NULL, labels BLOB NOT NULL);
CREATE TABLE summary (json TEXT NOT NULL);
CREATE TABLE clock   (zero_unix_ns INTEGER NOT NULL);
CREATE TABLE series  (id INTEGER PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE target_rows (seq INTEGER PRIMARY KEY, points BLOB NOT NULL);
CREATE TABLE target_columns (series INTEGER NOT NULL, seq INTEGER NOT NULL, points BLOB NOT NULL,
                      PRIMARY KEY (series, seq)) WITHOUT ROWID;
CREATE TABLE facts   (seq INTEGER PRIMARY KEY, at_unix_ns INTEGER NOT NULL, entity TEXT NOT NULL,
                      name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE captures (seq INTEGER PRIMARY KEY, at_unix_ns INTEGER NOT NULL, moment TEXT NOT NULL,
                      kind TEXT NOT NULL, entity TEXT NOT NULL, media_type TEXT NOT NULL,
                      took_ns INTEGER NOT NULL, length INTEGER NOT NULL, bytes BLOB NOT NULL);
";

/// Makes the tables in an empty database and fills them, in one transaction.
pub(crate) fn create(
    db: &mut Connection,
    fill: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    db.busy_timeout(BUSY)?;
    let tx = db.transaction()?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    tx.execute_batch(TABLES)?;
    fill(&tx)?;
    tx.commit()
}

/// Opens a database to go on writing it. It is written as a killed run would have gone on: what
/// is committed survives the process, and power cuts too.
pub(crate) fn open_to_write(path: &Path) -> Result<Connection, StoreError> {
    let fail = |e| StoreError::sqlite(path, e);
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fail)?;
    db.busy_timeout(BUSY).map_err(fail)?;
    db.pragma_update(None, "journal_mode", "wal")
        .and_then(|()| db.pragma_update(None, "synchronous", "normal"))
        .map_err(fail)?;
    Ok(db)
}

/// Marks a database that is written on: what is added is of this version, which an older program
/// must be told. Tables that version 1 lacks are not made.
pub(crate) fn mark(db: &Connection) -> rusqlite::Result<()> {
    let found: i64 = pragma(db, "user_version")?;
    if (2..SCHEMA_VERSION).contains(&found) {
        db.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    Ok(())
}

/// Opens a database for reading, also while it is being written and on a read-only medium.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    let fail = |e| StoreError::sqlite(path, e);
    // A killed run leaves a log behind that only a writer may take in; where
    // nothing may be written, the file is read as it is.
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|db| probe(&db).map(|()| db))
        .or_else(|_| open_immutable(path))
        .map_err(fail)?;
    db.busy_timeout(BUSY).map_err(fail)?;
    let id: i64 = pragma(&db, "application_id").map_err(fail)?;
    if id != APPLICATION_ID {
        return Err(StoreError::new(path, StoreErrorKind::NotARun));
    }
    let found: i64 = pragma(&db, "user_version").map_err(fail)?;
    if found > SCHEMA_VERSION {
        let known = SCHEMA_VERSION;
        return Err(StoreError::new(
            path,
            StoreErrorKind::NewerVersion { found, known },
        ));
    }
    db.pragma_update(None, "query_only", true).map_err(fail)?;
    Ok(db)
}

fn probe(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.push_str(&format!("%{byte:02x}")),
            _ => uri.push(byte as char),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(uri, flags)?;
    probe(&db)?;
    Ok(db)
}

fn pragma(db: &Connection, name: &str) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, name, |row| row.get(0))
}
/// Whether there is such a table.
pub(crate) fn has_table(db: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    db.query_row(sql, [table], |row| row.get::<_, i64>(0))
        .map(|tables| tables > 0)
}
