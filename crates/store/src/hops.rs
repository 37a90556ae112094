//! The hops of a run's chain, each loaded alone after it.

use plimsoll_stats::HopTimes;
use rusqlite::{Connection, OpenFlags, params};

use crate::{Run, RunState, StoreError, StoreErrorKind};

/// Made when the first times are kept: runs have no such table before.
pub(crate) const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS hops (seq INTEGER PRIMARY KEY, json TEXT NOT NULL)";

impl Run {
    /// Keeps the times of the hops with a run that is over, in place of those it had.
    ///
    /// # Errors
    /// If the run goes on, or cannot be written.
    pub fn keep_hops(&self, times: &HopTimes) -> Result<(), StoreError> {
        if self.state()? == RunState::Running {
            return Err(StoreError::new(self.dir(), StoreErrorKind::StillWritten));
        }
        let fail = |e| self.failure(e);
        let json = serde_json::to_string(times).map_err(|e| self.damage(e))?;
        let keep = |db: &Connection| {
            let tx = db.unchecked_transaction()?;
            tx.execute(TABLE, [])?;
            tx.execute("DELETE FROM hops", [])?;
            tx.execute("INSERT INTO hops (json) VALUES (?1)", params![json])?;
            tx.commit()
        };
        if self.dir().as_os_str().is_empty() {
            return keep(self.db()).map_err(fail);
        }
        let open = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
            let db = Connection::open_with_flags(self.path(), flags)?;
            db.busy_timeout(crate::schema::BUSY)?;
            keep(&db)
        };
        open().map_err(fail)
    }

    /// The times of the hops of the run's chain; `None` where none were measured.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn hops(&self) -> Result<Option<HopTimes>, StoreError> {
        match self.has_table("hops")? {
            true => self.json("SELECT json FROM hops ORDER BY seq DESC LIMIT 1"),
            false => Ok(None),
        }
    }
}
