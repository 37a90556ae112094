//! Runs over several load hosts: which reports a second is made of, and notes by which a run is
//! taken up again.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use plimsoll_stats::{GeneratorSecond, LabelId, LabelInterval};
use rusqlite::{Connection, params};

use crate::rows::{put_label, put_notes, put_seconds, to_sql};
use crate::schema::{self, DATABASE, PLAN};
use crate::target::TargetState;
use crate::{Run, RunWriter, StoreError, StoreErrorKind};

pub(crate) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS applied (writer INTEGER PRIMARY KEY, number INTEGER NOT NULL,
                      next_second INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
";

/// What a part of a second is made of, kept with it or not at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Contains<'a> {
    /// Reports: writer and number. The numbers of a writer only grow.
    pub reports: &'a [(u32, u64)],
    /// Names and what is kept under them.
    pub notes: &'a [(&'a str, &'a [u8])],
}

/// How far the reports of a writer were taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// The number of the last one.
    pub number: u64,
    /// The second after its last one.
    pub next_second: u64,
}

impl RunWriter {
    /// Makes this the writer of a run over several load hosts: what cannot be written is an
    /// error and changes nothing, for the reports are elsewhere until it can.
    ///
    /// # Errors
    /// If the disk failed.
    pub fn over_workers(mut self) -> Result<Self, StoreError> {
        let path = self.dir.join(DATABASE);
        let made = self.db().execute_batch(TABLES);
        made.map_err(|e| StoreError::sqlite(&path, e))?;
        self.stay_on_disk();
        Ok(self)
    }

    /// Opens a run over several load hosts that was cut short, to go on with it.
    ///
    /// # Errors
    /// If there is none, it is finished or still being written, or cannot be opened.
    pub fn reopen(dir: &Path) -> Result<Self, StoreError> {
        let run = Run::open(dir)?;
        let path = dir.join(DATABASE);
        if run.summary()?.is_some() {
            return Err(StoreError::new(dir, StoreErrorKind::Finished));
        }
        let plan = dir.join(PLAN);
        let alive = File::open(&plan).map_err(|e| StoreError::io(&plan, e))?;
        if matches!(alive.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
            return Err(StoreError::new(dir, StoreErrorKind::StillWritten));
        }
        let (meta, labels) = (run.meta().clone(), run.labels().to_vec());
        let target = TargetState::of(&run)?;
        drop(run);
        let db = schema::open_to_write(&path)?;
        let there = schema::has_table(&db, "applied");
        if !there.map_err(|e| StoreError::sqlite(&path, e))? {
            return Err(StoreError::new(dir, StoreErrorKind::OneMachine));
        }
        schema::mark(&db).map_err(|e| StoreError::sqlite(&path, e))?;
        let mut writer = Self::of(dir.to_owned(), db, meta, labels, Some(alive));
        writer.target = target;
        writer.stay_on_disk();
        Ok(writer)
    }

    /// Writes what reports of several workers say of a second, which reports these are, and
    /// notes, in one transaction. Labels that could not be written before are written with it.
    ///
    /// # Errors
    /// If the disk failed: nothing was written then.
    pub fn write_part(
        &mut self,
        second: u32,
        after_load: bool,
        labels: &[(LabelId, &LabelInterval)],
        generator: &GeneratorSecond,
        contains: &Contains<'_>,
    ) -> Result<(), StoreError> {
        let (intervals, own) = self.packed(labels, generator)?;
        let path = self.dir.join(DATABASE);
        let write = || {
            let tx = self.db().unchecked_transaction()?;
            for label in self.unwritten_labels() {
                put_label(&tx, label)?;
            }
            put_seconds(&tx, second, after_load, &intervals, &own)?;
            for (writer, number) in contains.reports {
                put_applied(&tx, *writer, *number, u64::from(second) + 1)?;
            }
            put_notes(&tx, contains.notes)?;
            tx.commit()
        };
        write().map_err(|e| StoreError::sqlite(&path, e))?;
        self.labels_are_written();
        self.add_up(second, after_load, labels, generator);
        Ok(())
    }

    /// Keeps notes, in one transaction.
    ///
    /// # Errors
    /// If the disk failed: nothing was written then.
    pub fn put_notes(&mut self, notes: &[(&str, &[u8])]) -> Result<(), StoreError> {
        let path = self.dir.join(DATABASE);
        let write = || {
            let tx = self.db().unchecked_transaction()?;
            put_notes(&tx, notes)?;
            tx.commit()
        };
        write().map_err(|e| StoreError::sqlite(&path, e))
    }
}

impl Run {
    /// How far the reports of each writer were taken in; empty for a run on one machine.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn applied(&self) -> Result<BTreeMap<u32, Applied>, StoreError> {
        let sql = "SELECT writer, number, next_second FROM applied";
        self.rows_of("applied", sql, |row| {
            let number: i64 = row.get(1)?;
            let next_second: i64 = row.get(2)?;
            let applied = Applied {
                number: u64::try_from(number).unwrap_or(0),
                next_second: u64::try_from(next_second).unwrap_or(0),
            };
            Ok((row.get(0)?, applied))
        })
    }

    /// The notes by their names; empty for a run on one machine.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn notes(&self) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
        let sql = "SELECT name, value FROM notes";
        self.rows_of("notes", sql, |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

fn put_applied(db: &Connection, writer: u32, number: u64, next: u64) -> rusqlite::Result<()> {
    let (number, next) = (to_sql(number), to_sql(next));
    db.prepare_cached(
        "INSERT INTO applied (writer, number, next_second) VALUES (?1, ?2, ?3) \
         ON CONFLICT (writer) DO UPDATE SET number = max(number, excluded.number), \
         next_second = max(next_second, excluded.next_second)",
    )?
    .execute(params![writer, number, next])
    .map(|_| ())
}
