//! Reading a run.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use plimsoll_stats::{GeneratorSecond, IntervalTotals, LabelId, LabelInterval, LabelKind, Summary};
use rusqlite::{Connection, OptionalExtension};
use serde::de::DeserializeOwned;

use crate::pack::{decompress, parts};
use crate::schema::{self, DATABASE, PLAN};
use crate::{LabelDef, RunMeta, StoreError, StoreErrorKind, StoredEvent};

/// How far a run got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It has its summary.
    Finished,
    /// It is being written at this moment.
    Running,
    /// It was killed: no summary, and nobody writes it any more.
    CutShort,
}

/// What one label did in one second, or in a part of it.
#[derive(Debug, Clone, Copy)]
pub struct StoredPart<'a> {
    /// Seconds from the run's start to the beginning of the second.
    pub second: u32,
    /// Whether it ended after the load did: then it counts in everything but the throughput.
    pub after_load: bool,
    /// The label.
    pub label: &'a LabelDef,
    /// What it did.
    pub interval: &'a LabelInterval,
}

/// The head of a row of seconds.
#[derive(Clone, Copy)]
pub(crate) struct SecondsRow {
    pub second: u32,
    pub after_load: bool,
}

/// A run that was written, or is being written.
#[derive(Debug)]
pub struct Run {
    dir: PathBuf,
    path: PathBuf,
    db: Connection,
    labels: Vec<LabelDef>,
    meta: RunMeta,
}

const SUMMARY: &str = "SELECT json FROM summary";

impl Run {
    /// Opens the run in a directory.
    ///
    /// # Errors
    /// If there is no run, it was written by a newer version, or cannot be read.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(DATABASE);
        if !path.is_file() {
            return Err(StoreError::new(dir, StoreErrorKind::NotARun));
        }
        let db = schema::open(&path)?;
        Self::of(dir.to_owned(), db)
    }

    /// The run in an open database.
    pub(crate) fn of(dir: PathBuf, db: Connection) -> Result<Self, StoreError> {
        let mut run = Self {
            path: dir.join(DATABASE),
            dir,
            db,
            labels: Vec::new(),
            meta: RunMeta::default(),
        };
        let meta = run.json("SELECT json FROM meta")?;
        run.meta = meta.ok_or_else(|| run.failure(rusqlite::Error::QueryReturnedNoRows))?;
        let labels = "SELECT id, name, kind, parent FROM labels ORDER BY id";
        run.labels = run.rows(labels, |row| {
            let kind: String = row.get(2)?;
            Ok(LabelDef {
                id: LabelId(row.get(0)?),
                name: row.get(1)?,
                kind: kind_from_name(&kind),
                parent: row.get::<_, Option<u32>>(3)?.map(LabelId),
            })
        })?;
        Ok(run)
    }

    /// The run's directory; empty for one that was never on disk.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn db(&self) -> &Connection {
        &self.db
    }

    /// The directory's name, by which the run is called.
    #[must_use]
    pub fn id(&self) -> String {
        match self.dir.file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.meta.name.clone(),
        }
    }

    /// What was known before the first sample.
    #[must_use]
    pub fn meta(&self) -> &RunMeta {
        &self.meta
    }

    /// The labels known when the run was opened, by id.
    #[must_use]
    pub fn labels(&self) -> &[LabelDef] {
        &self.labels
    }

    /// The label of that id. One the run does not describe appears as `#id`.
    #[must_use]
    pub fn label(&self, id: LabelId) -> LabelDef {
        let known = self.labels.iter().find(|label| label.id == id);
        known.cloned().unwrap_or_else(|| LabelDef {
            id,
            name: format!("#{}", id.0),
            kind: LabelKind::Request,
            parent: None,
        })
    }

    /// Whether the run is finished, going on or was cut short.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn state(&self) -> Result<RunState, StoreError> {
        if self.text(SUMMARY)?.is_some() {
            return Ok(RunState::Finished);
        }
        // The writer holds a lock on the plan as long as it lives.
        let free = File::open(self.dir.join(PLAN)).is_ok_and(|plan| plan.try_lock_shared().is_ok());
        Ok(match free || self.dir.as_os_str().is_empty() {
            true => RunState::CutShort,
            false => RunState::Running,
        })
    }

    /// The summary the run ended with; `None` if it goes on or was cut short
    /// ([`rebuild_summary`](Self::rebuild_summary) makes one then).
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn summary(&self) -> Result<Option<Summary>, StoreError> {
        self.json(SUMMARY)
    }

    /// First second and the one after the last; `(0, 0)` without any.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn span_s(&self) -> Result<(u32, u32), StoreError> {
        self.span("SELECT coalesce(min(second), 0), coalesce(max(second) + 1, 0) FROM seconds")
    }

    /// The same without what ended after the load did.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn load_span_s(&self) -> Result<(u32, u32), StoreError> {
        self.span(
            "SELECT coalesce(min(second), 0), coalesce(max(second) + 1, 0) FROM seconds \
             WHERE NOT after_load",
        )
    }

    fn span(&self, sql: &str) -> Result<(u32, u32), StoreError> {
        self.db
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(|e| self.failure(e))
    }

    /// Calls `each` with every label's part of the seconds from `from_s` to before `to_s`,
    /// in the order of time. A second that was written in parts comes part by part.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn for_each_second(
        &self,
        from_s: u32,
        to_s: u32,
        mut each: impl FnMut(&StoredPart<'_>),
    ) -> Result<(), StoreError> {
        let mut interval = LabelInterval::default();
        self.for_each_encoded(from_s, to_s, |row, label, bytes| {
            interval.clear();
            interval.merge_encoded(bytes).map_err(|e| self.damage(e))?;
            each(&StoredPart {
                second: row.second,
                after_load: row.after_load,
                label,
                interval: &interval,
            });
            Ok(())
        })
    }

    /// Calls `each` with the totals of every label in the seconds from one to before another.
    pub(crate) fn for_each_total(
        &self,
        from_s: u32,
        to_s: u32,
        mut each: impl FnMut(SecondsRow, &LabelDef, &IntervalTotals),
    ) -> Result<(), StoreError> {
        self.for_each_encoded(from_s, to_s, |row, label, bytes| {
            let totals = IntervalTotals::read(bytes).map_err(|e| self.damage(e))?;
            each(row, label, &totals);
            Ok(())
        })
    }

    pub(crate) fn for_each_encoded(
        &self,
        from_s: u32,
        to_s: u32,
        mut each: impl FnMut(SecondsRow, &LabelDef, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let fail = |e| self.failure(e);
        let mut labels: Vec<LabelDef> = self.labels.clone();
        let sql = "SELECT second, after_load, intervals FROM seconds \
                   WHERE second >= ?1 AND second < ?2 ORDER BY second, seq";
        let mut statement = self.db.prepare_cached(sql).map_err(fail)?;
        let mut rows = statement.query([from_s, to_s]).map_err(fail)?;
        let mut plain = Vec::new();
        while let Some(row) = rows.next().map_err(fail)? {
            let blob = row.get_ref(2).map_err(fail)?;
            let blob = blob.as_blob().map_err(|e| self.damage(e))?;
            let row = SecondsRow {
                second: row.get(0).map_err(fail)?,
                after_load: row.get(1).map_err(fail)?,
            };
            let damaged = |e: String| self.damage(e);
            decompress(blob, &mut plain).map_err(damaged)?;
            for part in parts(&plain) {
                let (id, bytes) = part.map_err(damaged)?;
                let at = match labels.binary_search_by_key(&id, |label| label.id.0) {
                    Ok(at) => at,
                    Err(at) => {
                        labels.insert(at, self.label(LabelId(id)));
                        at
                    }
                };
                each(row, &labels[at], bytes)?;
            }
        }
        Ok(())
    }

    /// What the generator saw of itself, second by second.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn generator(&self) -> Result<Vec<GeneratorSecond>, StoreError> {
        let all = self.generator_between(0, u32::MAX)?;
        Ok(all.into_iter().map(|(_, own)| own).collect())
    }

    /// The same from one second to before another, each with the second that it was written for.
    pub(crate) fn generator_between(
        &self,
        from_s: u32,
        to_s: u32,
    ) -> Result<Vec<(u32, GeneratorSecond)>, StoreError> {
        let fail = |e| self.failure(e);
        let sql = "SELECT second, generator FROM seconds \
                   WHERE second >= ?1 AND second < ?2 ORDER BY second, seq";
        let mut statement = self.db.prepare_cached(sql).map_err(fail)?;
        let mut rows = statement.query([from_s, to_s]).map_err(fail)?;
        let (mut plain, mut seconds) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next().map_err(fail)? {
            let blob: Vec<u8> = row.get(1).map_err(fail)?;
            decompress(&blob, &mut plain).map_err(|e| self.damage(e))?;
            let own = serde_json::from_slice(&plain).map_err(|e| self.damage(e))?;
            seconds.push((row.get(0).map_err(fail)?, own));
        }
        Ok(seconds)
    }

    /// What happened, in the order of time.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn events(&self) -> Result<Vec<StoredEvent>, StoreError> {
        let sql = "SELECT seq, at_ns, kind, args FROM events ORDER BY at_ns, seq";
        let rows = self.event_rows(sql)?;
        Ok(rows.into_iter().map(|(_, event)| event).collect())
    }

    /// The events that a query gives, each with its place.
    pub(crate) fn event_rows(&self, sql: &str) -> Result<Vec<(i64, StoredEvent)>, StoreError> {
        let rows = self.rows(sql, |row| {
            let at_ns: i64 = row.get(1)?;
            Ok((row.get(0)?, at_ns, row.get(2)?, row.get::<_, String>(3)?))
        })?;
        let event = |(place, at_ns, kind, args): (i64, i64, String, String)| {
            let event = StoredEvent {
                at_ns: u64::try_from(at_ns).unwrap_or(0),
                kind,
                args: serde_json::from_str(&args).map_err(|e| self.damage(e))?,
            };
            Ok((place, event))
        };
        rows.into_iter().map(event).collect()
    }

    /// The first text that a query gives.
    fn text(&self, sql: &str) -> Result<Option<String>, StoreError> {
        let text = self.db.query_row(sql, [], |row| row.get(0));
        text.optional().map_err(|e| self.failure(e))
    }

    /// What the first text that a query gives says.
    pub(crate) fn json<T: DeserializeOwned>(&self, sql: &str) -> Result<Option<T>, StoreError> {
        let read = |json: String| serde_json::from_str(&json).map_err(|e| self.damage(e));
        self.text(sql)?.map(read).transpose()
    }

    /// Whether there is such a table.
    pub(crate) fn has_table(&self, table: &str) -> Result<bool, StoreError> {
        schema::has_table(&self.db, table).map_err(|e| self.failure(e))
    }

    /// Rows of a table that not every run has, by a key.
    pub(crate) fn rows_of<K: Ord, V>(
        &self,
        table: &str,
        sql: &str,
        read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<(K, V)>,
    ) -> Result<BTreeMap<K, V>, StoreError> {
        match self.has_table(table)? {
            true => Ok(self.rows(sql, read)?.into_iter().collect()),
            false => Ok(BTreeMap::new()),
        }
    }

    /// All rows that a query gives.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let fail = |e| self.failure(e);
        let mut statement = self.db().prepare_cached(sql).map_err(fail)?;
        let rows = statement.query_map([], |row| read(row)).map_err(fail)?;
        rows.collect::<rusqlite::Result<_>>().map_err(fail)
    }

    /// The error that something of this run is not as it was written.
    #[must_use]
    pub fn damaged(&self, what: String) -> StoreError {
        self.damage(what)
    }

    /// A query that failed.
    pub(crate) fn failure(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(self.path(), error)
    }

    /// Something that was written otherwise than it is read.
    pub(crate) fn damage(
        &self,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> StoreError {
        StoreError::damaged(self.path(), error)
    }
}

fn kind_from_name(name: &str) -> LabelKind {
    [LabelKind::Transaction, LabelKind::SubRequest]
        .into_iter()
        .find(|kind| kind.name() == name)
        .unwrap_or(LabelKind::Request)
}
