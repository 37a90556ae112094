//! Writing a run, second by second.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use plimsoll_stats::curve::LoadProfile;
use plimsoll_stats::summary::LoadChanged;
use plimsoll_stats::{GeneratorSecond, LabelId, LabelInterval, LabelKind, Summary};
use rusqlite::backup::Backup;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::find::directory_name;
use crate::minutes::MinuteBook;
use crate::pack::{Packer, compress};
use crate::private;
use crate::rows::{put_label, put_seconds, to_sql};
use crate::schema::{self, DATABASE, PLAN, SUMMARY};
use crate::target::TargetState;
use crate::{LabelDef, Run, RunMeta, StoreError};

/// Directories tried for runs that start in the same millisecond.
const MAX_TWINS: u32 = 1_000;

/// Seconds after which a run is worth waiting for the device (at checkpoints and the end):
/// from then on a power cut costs the last seconds at most. A run of one request would
/// spend most of its time waiting.
const SAFE_AFTER: u32 = 10;

/// Writes one run. Dropped without [`finish`](Self::finish), the run counts as cut short.
///
/// If the disk fails, the call that met it returns the error once and everything, that
/// call's data included, goes on in memory: the run can still be reported
/// ([`into_run`](Self::into_run)), it is only not kept.
#[derive(Debug)]
pub struct RunWriter {
    pub(crate) dir: PathBuf,
    db: Connection,
    meta: RunMeta,
    labels: Vec<LabelDef>,
    packer: Packer,
    pub(crate) target: TargetState,
    pub(crate) minutes: MinuteBook,
    in_memory: bool,
    /// What cannot be written is not kept in memory instead.
    on_disk_only: bool,
    /// Labels that are not on disk yet, since it failed.
    unwritten: Vec<LabelDef>,
    seconds: u32,
    /// Locked as long as the run is being written; readers look at that.
    _alive: Option<File>,
}

impl RunWriter {
    /// Makes the run's directory below `root` (made too if it is missing) and opens it.
    ///
    /// # Errors
    /// If nothing can be written there. [`RunWriter::in_memory`] always works.
    pub fn create(root: &Path, meta: &RunMeta) -> Result<Self, StoreError> {
        private::folders(root).map_err(|e| StoreError::io(root, e))?;
        let dir = create_directory(root, meta)?;
        let plan = dir.join(PLAN);
        let alive = write_plan(&plan, meta).map_err(|e| StoreError::io(&plan, e))?;
        let path = dir.join(DATABASE);
        // SQLite makes its other files as readable as this one.
        private::new_file(&path).map_err(|e| StoreError::io(&path, e))?;
        let open = || {
            let mut db = Connection::open(&path)?;
            // A killed process loses nothing that was committed. Waiting for
            // the device begins with `SAFE_AFTER`.
            db.pragma_update(None, "synchronous", "off")?;
            db.pragma_update(None, "journal_mode", "wal")?;
            begin(&mut db, meta, &[])?;
            Ok(db)
        };
        let db = open().map_err(|e| StoreError::sqlite(&path, e))?;
        Ok(Self::of(dir, db, meta.clone(), Vec::new(), Some(alive)))
    }

    /// A run that is kept in memory only, for when nothing can be written.
    ///
    /// # Errors
    /// If memory is short.
    pub fn in_memory(meta: &RunMeta) -> Result<Self, StoreError> {
        let dir = PathBuf::new();
        let open = || {
            let mut db = Connection::open_in_memory()?;
            begin(&mut db, meta, &[])?;
            Ok(db)
        };
        let db = open().map_err(|e| StoreError::sqlite(&dir, e))?;
        Ok(Self {
            in_memory: true,
            ..Self::of(dir, db, meta.clone(), Vec::new(), None)
        })
    }

    /// A writer of an open database.
    pub(crate) fn of(
        dir: PathBuf,
        db: Connection,
        meta: RunMeta,
        labels: Vec<LabelDef>,
        alive: Option<File>,
    ) -> Self {
        Self {
            dir,
            db,
            meta,
            labels,
            packer: Packer::default(),
            target: TargetState::default(),
            minutes: MinuteBook::default(),
            in_memory: false,
            on_disk_only: false,
            unwritten: Vec::new(),
            seconds: 0,
            _alive: alive,
        }
    }

    pub(crate) fn db(&self) -> &Connection {
        &self.db
    }

    /// From now on what cannot be written is an error and goes nowhere else.
    pub(crate) fn stay_on_disk(&mut self) {
        self.on_disk_only = true;
    }

    /// What a label is; one that is not known counts as a request.
    pub(crate) fn kind_of(&self, id: LabelId) -> LabelKind {
        let known = self.labels.iter().find(|label| label.id == id);
        known.map_or(LabelKind::Request, |label| label.kind)
    }

    pub(crate) fn unwritten_labels(&self) -> &[LabelDef] {
        &self.unwritten
    }

    pub(crate) fn labels_are_written(&mut self) {
        self.unwritten.clear();
    }

    /// The run's directory; empty if it never had one.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the run is, or has come to be, kept in memory only.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// Makes a label known. A label that is known already is replaced.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn add_label(&mut self, label: &LabelDef) -> Result<(), StoreError> {
        self.labels.retain(|known| known.id != label.id);
        self.labels.push(label.clone());
        let written = self.write(|db| put_label(db, label));
        if self.on_disk_only && written.is_err() {
            self.unwritten.push(label.clone());
        }
        written
    }

    /// Writes what the labels did in the second that began `second` s after the start, and
    /// what the generator saw of itself. One transaction. Several calls for one second
    /// (late parts) add up.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn write_second(
        &mut self,
        second: u32,
        labels: &[(LabelId, &LabelInterval)],
        generator: &GeneratorSecond,
    ) -> Result<(), StoreError> {
        self.put_second(second, false, labels, generator)
    }

    /// As [`write_second`](Self::write_second), for what ended after the load did: requests
    /// that were still in flight. They count in everything but the throughput.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn write_tail(
        &mut self,
        second: u32,
        labels: &[(LabelId, &LabelInterval)],
        generator: &GeneratorSecond,
    ) -> Result<(), StoreError> {
        self.put_second(second, true, labels, generator)
    }

    fn put_second(
        &mut self,
        second: u32,
        after_load: bool,
        labels: &[(LabelId, &LabelInterval)],
        generator: &GeneratorSecond,
    ) -> Result<(), StoreError> {
        let (intervals, own) = self.packed(labels, generator)?;
        let written = self.write(|db| put_seconds(db, second, after_load, &intervals, &own));
        self.add_up(second, after_load, labels, generator);
        written
    }

    /// The blobs of a second.
    pub(crate) fn packed(
        &mut self,
        labels: &[(LabelId, &LabelInterval)],
        generator: &GeneratorSecond,
    ) -> Result<(Vec<u8>, Vec<u8>), StoreError> {
        for (label, interval) in labels.iter().filter(|(_, i)| !i.is_empty()) {
            self.packer.add(label.0, |out| interval.encode(out));
        }
        let pack = |packer: &mut Packer| -> std::io::Result<_> {
            let generator = serde_json::to_vec(generator)?;
            Ok((packer.finish()?, compress(&generator)?))
        };
        let packed = pack(&mut self.packer).map_err(|e| StoreError::io(&self.dir, e))?;
        self.seconds += 1;
        if self.seconds == SAFE_AFTER {
            // Refused only within a transaction; there is none here.
            let _ = self.db.pragma_update(None, "synchronous", "normal");
        }
        Ok(packed)
    }

    /// Writes down that something happened, `at_ns` after the run's start.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn event(
        &mut self,
        at_ns: u64,
        kind: &str,
        args: &serde_json::Value,
    ) -> Result<(), StoreError> {
        let (at_ns, args) = (to_sql(at_ns), masked_args(args.clone()).to_string());
        self.write(|db| {
            db.prepare_cached("INSERT INTO events (at_ns, kind, args) VALUES (?1, ?2, ?3)")?
                .execute(params![at_ns, kind, args])
                .map(|_| ())
        })
    }

    /// Writes down that the load was changed: all changes so far, and the load over time as it is planned
    /// now.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn load_changed(
        &mut self,
        changes: &[LoadChanged],
        profile: Option<LoadProfile>,
    ) -> Result<(), StoreError> {
        self.meta.load_changes = changes.to_vec();
        self.meta.load_profile = profile;
        self.keep_meta()
    }

    /// From that second on the load is raised to see what room there is.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn probe_begins(&mut self, from_s: u32) -> Result<(), StoreError> {
        self.meta.probe_from_s = Some(from_s);
        self.keep_meta()
    }

    fn keep_meta(&mut self) -> Result<(), StoreError> {
        let json =
            serde_json::to_string(&self.meta).map_err(|e| StoreError::damaged(&self.dir, e))?;
        self.write(|db| db.execute("UPDATE meta SET json = ?1", [&json]).map(|_| ()))
    }

    /// Adds up a part of a second that was written.
    pub(crate) fn add_up(
        &mut self,
        second: u32,
        after_load: bool,
        labels: &[(LabelId, &LabelInterval)],
        generator: &GeneratorSecond,
    ) {
        let with_kind = |(id, did): &(LabelId, _)| ((*id, self.kind_of(*id)), *did);
        let labels: Vec<_> = labels.iter().map(with_kind).collect();
        let minutes = &mut self.minutes;
        minutes.add_up(&self.db, (second, after_load), &labels, generator);
    }

    /// Ends the run: keeps its summary, also as `summary.json`, and leaves one database
    /// file without a log beside it. A second call replaces the summary.
    ///
    /// # Errors
    /// If the disk failed; see the type's text.
    pub fn finish(&mut self, summary: &Summary) -> Result<(), StoreError> {
        self.make_columns(true)?;
        self.minutes.end(&self.db);
        let mut json =
            serde_json::to_string_pretty(summary).map_err(|e| StoreError::damaged(&self.dir, e))?;
        json.push('\n');
        self.write(|db| {
            let tx = db.unchecked_transaction()?;
            tx.execute("DELETE FROM summary", [])?;
            tx.execute("INSERT INTO summary (json) VALUES (?1)", [&json])?;
            tx.commit()
        })?;
        if self.in_memory {
            return Ok(());
        }
        // Fails harmlessly while somebody reads the run: the log then stays.
        let _ = self.db.pragma_update(None, "journal_mode", "delete");
        self._alive = None;
        let path = self.dir.join(SUMMARY);
        private::write(&path, json.as_bytes()).map_err(|e| StoreError::io(&path, e))
    }

    /// Goes over to reading what was written, on disk or in memory.
    ///
    /// # Errors
    /// If the run cannot be read back.
    pub fn into_run(self) -> Result<Run, StoreError> {
        if self.in_memory {
            return Run::of(self.dir, self.db);
        }
        let dir = self.dir.clone();
        drop(self);
        Run::open(&dir)
    }

    /// Makes the disk full once the database has that many pages. For tests: a real full
    /// disk takes a mount.
    #[doc(hidden)]
    pub fn limit_pages_for_test(&self, pages: u32) {
        let _ = self.db.pragma_update(None, "max_page_count", pages);
    }

    /// Runs a write; if it fails, goes on in memory, repeats it there and returns the error.
    pub(crate) fn write(
        &mut self,
        work: impl Fn(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let path = self.dir.join(DATABASE);
        let Err(error) = work(&self.db) else {
            return Ok(());
        };
        let error = StoreError::sqlite(&path, error);
        if !self.in_memory && !self.on_disk_only {
            let moved = self.move_to_memory().and_then(|()| work(&self.db));
            moved.map_err(|e| StoreError::sqlite(&path, e))?;
        }
        Err(error)
    }

    /// Copies what was written so far into memory; what the disk no longer gives is lost
    /// but for plan and labels.
    fn move_to_memory(&mut self) -> rusqlite::Result<()> {
        let mut memory = Connection::open_in_memory()?;
        let copied = Backup::new(&self.db, &mut memory)
            .and_then(|backup| backup.step(-1))
            .is_ok_and(|step| step == rusqlite::backup::StepResult::Done);
        if !copied {
            memory = Connection::open_in_memory()?;
            begin(&mut memory, &self.meta, &self.labels)?;
            self.target.put_keys(&memory)?;
        }
        self.db = memory;
        self.in_memory = true;
        self._alive = None;
        Ok(())
    }
}

/// Tables, meta data and labels in one go.
fn begin(db: &mut Connection, meta: &RunMeta, labels: &[LabelDef]) -> rusqlite::Result<()> {
    schema::create(db, |tx| {
        let json = serde_json::to_string(meta)
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        tx.execute("INSERT INTO meta (json) VALUES (?1)", [json])?;
        labels.iter().try_for_each(|label| put_label(tx, label))
    })
}

/// Arguments without secrets: an error's text may hold what somebody else wrote.
#[must_use]
pub fn masked_args(mut args: Value) -> Value {
    match &mut args {
        Value::String(text) => *text = plimsoll_secrets::text(text).into_owned(),
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| *value = masked_args(value.take())),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| *value = masked_args(value.take())),
        _ => {}
    }
    args
}

/// Makes a directory that nobody has: two processes never share one.
fn create_directory(root: &Path, meta: &RunMeta) -> Result<PathBuf, StoreError> {
    let name = directory_name(meta.started_at_unix_ns, meta.title());
    let mut dir = root.join(&name);
    for twin in 2..=MAX_TWINS {
        match private::folder(&dir) {
            Ok(()) => return Ok(dir),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
                dir = root.join(format!("{name}-{twin}"));
            }
            Err(e) => return Err(StoreError::io(&dir, e)),
        }
    }
    let exists = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
    Err(StoreError::io(&dir, exists))
}

fn write_plan(path: &Path, meta: &RunMeta) -> std::io::Result<File> {
    let mut file = private::new_file(path)?;
    file.write_all(meta.plan_source.as_bytes())?;
    // Some network file systems have no locks; the run is then only never
    // said to be still going on.
    let _ = file.try_lock();
    Ok(file)
}
