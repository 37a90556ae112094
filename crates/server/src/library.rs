//! The runs below a folder, as they are listed. What a finished run says is read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use plimsoll_run::runs::summary_of;
use plimsoll_stats::{Summary, Verdict};
use plimsoll_store::{Run, RunState, StepOf, StoreError, list, rfc3339};
use plimsoll_text::Message;
use serde::Serialize;
use utoipa::ToSchema;

use crate::data::diagnoses::Diagnoses;
use crate::data::rollup::{Rollups, sparkline};
use crate::notes::RunNotes;
use crate::problem::ApiError;

/// Points of a sparkline at most.
const SPARKLINE: usize = 60;

/// How far a run got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunProgress {
    /// Others are made before it.
    Queued,
    /// It goes on.
    Running,
    /// It came to its end.
    Finished,
    /// Somebody ended it.
    Interrupted,
    /// Its process was killed: all seconds but the last are there.
    Incomplete,
}

impl RunProgress {
    /// Of a stored run.
    pub fn of(state: RunState, verdict: Verdict) -> Self {
        match (state, verdict) {
            (RunState::Running, _) => Self::Running,
            (RunState::CutShort, _) => Self::Incomplete,
            (RunState::Finished, Verdict::Interrupted) => Self::Interrupted,
            (RunState::Finished, _) => Self::Finished,
        }
    }
}

/// A run in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct RunListed {
    /// What the run is called; its folder's name.
    pub id: String,
    /// The plan's name, or the one that was asked for.
    pub name: String,
    /// When it began, UTC.
    pub begin: String,
    /// Length of the measured part.
    pub duration_s: f64,
    /// The plan's name.
    pub plan: String,
    /// The address that is loaded.
    pub target: String,
    /// As in the summary; null while it goes on.
    pub verdict: Option<&'static str>,
    /// Tags.
    pub tags: Vec<String>,
    /// A note.
    pub note: String,
    /// How far it got.
    pub state: RunProgress,
    /// Requests a second.
    pub throughput: f64,
    /// The response time that 95 % of the requests had at most; null without any.
    pub p95_ms: Option<f64>,
    /// Failed requests in all, 0 to 1.
    #[serde(rename = "error_share")]
    pub error_rate: f64,
    /// Requests a second over time, 60 numbers at most.
    pub sparkline: Vec<f64>,
    /// The same for all runs of a plan against a target.
    pub trend_key: String,
    /// The search that it is a step of: of a capacity, or of a study. Trends leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_of: Option<&'static str>,
    /// Why it cannot be read; the rest is empty then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// When a file was written, and how long it is; none: it is not there.
pub(crate) type FileStamp = Option<(SystemTime, u64)>;

/// What a run's files were when it was read.
type Stamp = Vec<FileStamp>;

/// A file as it is now.
pub(crate) fn file_stamp(path: &Path) -> FileStamp {
    let known = std::fs::metadata(path).ok()?;
    Some((known.modified().ok()?, known.len()))
}

/// The runs below a folder.
pub(crate) struct Library {
    root: PathBuf,
    known: Mutex<HashMap<String, (Stamp, RunListed)>>,
    /// What is added up of runs.
    pub rollups: Rollups,
    /// What limits them.
    pub diagnoses: Arc<Diagnoses>,
}

impl Library {
    /// The runs below that folder.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            known: Mutex::default(),
            rollups: Rollups::default(),
            diagnoses: Arc::default(),
        }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a run by its whole name.
    ///
    /// # Errors
    /// What is no name, or of no run.
    pub fn folder(&self, id: &str) -> Result<PathBuf, ApiError> {
        let missing = || ApiError::not_found(Message::new("server-no-run").with("run", id));
        // A name and nothing else: no way out of the folder, and nothing that is hidden in it.
        let is_name = !id.is_empty()
            && id.len() <= 255
            && !id.starts_with('.')
            && !id.contains(['/', '\\', '\0']);
        let dir = self.root.join(id);
        (is_name && dir.join("run.sqlite").is_file() && self.is_within(&dir))
            .then_some(dir)
            .ok_or_else(missing)
    }

    /// Whether a run's folder and its files lie below the folder of the runs, wherever links lead.
    fn is_within(&self, dir: &Path) -> bool {
        let is_link =
            |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|known| known.is_symlink());
        let leads_out = |path: &Path| match (path.canonicalize(), self.root.canonicalize()) {
            (Ok(path), Ok(root)) => !path.starts_with(root),
            _ => true,
        };
        if is_link(dir) && leads_out(dir) {
            return false;
        }
        let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut links = files.map(|file| file.path()).filter(|path| is_link(path));
        !links.any(|path| leads_out(&path))
    }

    /// A run by its whole name.
    ///
    /// # Errors
    /// No such run, or one that cannot be read.
    pub fn open(&self, id: &str) -> Result<Run, ApiError> {
        Ok(Run::open(&self.folder(id)?)?)
    }

    /// The names of all runs, the newest first.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        let runs = list(&self.root)?.into_iter().rev();
        let runs = runs.filter(|entry| self.is_within(&entry.dir));
        Ok(runs.map(|entry| entry.name).collect())
    }

    /// A run as it is listed. One that cannot be read says why.
    pub fn listed(&self, id: &str) -> RunListed {
        let dir = self.root.join(id);
        let stamp = stamp(&dir);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, listed)) = known.get(id)
            && *of == stamp
        {
            return listed.clone();
        }
        drop(known);
        let listed = self
            .read(id, &dir)
            .unwrap_or_else(|error| unreadable(id, &error));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(id.to_owned(), (stamp, listed.clone()));
        listed
    }

    fn read(&self, id: &str, dir: &Path) -> Result<RunListed, StoreError> {
        let run = Run::open(dir)?;
        let state = run.state()?;
        let summary = summary_of(&run)?;
        let figures = run.figures(run.span_s()?.1)?;
        let mut listed = listed(id, &run, state, &summary);
        listed.sparkline = sparkline(&figures, SPARKLINE);
        let notes = RunNotes::read(dir);
        (listed.note, listed.tags) = (notes.note, notes.tags);
        Ok(listed)
    }
}

impl RunListed {
    /// Whether its figures belong to the history of its plan: it came to its end, and was no step of a search.
    pub fn is_of_trends(&self) -> bool {
        let is_over = !matches!(self.state, RunProgress::Queued | RunProgress::Running);
        self.unreadable.is_none() && self.step_of.is_none() && is_over
    }
}

fn listed(id: &str, run: &Run, state: RunState, summary: &Summary) -> RunListed {
    let (meta, total) = (run.meta(), &summary.total);
    RunListed {
        id: id.to_owned(),
        name: meta.name.clone(),
        begin: rfc3339(meta.started_at_unix_ns),
        duration_s: summary.duration_s,
        plan: meta.plan_name.clone(),
        target: meta.target.clone(),
        verdict: (state != RunState::Running).then(|| summary.verdict.name()),
        tags: Vec::new(),
        note: String::new(),
        state: RunProgress::of(state, summary.verdict),
        throughput: total.throughput_per_s,
        p95_ms: (total.samples > 0).then_some(total.response_time_ms.p95),
        error_rate: total.error_rate,
        sparkline: Vec::new(),
        trend_key: format!("{} @ {}", meta.plan_name, meta.target),
        step_of: meta.step_of.map(StepOf::name),
        unreadable: None,
    }
}

fn unreadable(id: &str, error: &StoreError) -> RunListed {
    RunListed {
        id: id.to_owned(),
        name: id.to_owned(),
        begin: String::new(),
        duration_s: 0.0,
        plan: String::new(),
        target: String::new(),
        verdict: Some(Verdict::Error.name()),
        tags: Vec::new(),
        note: String::new(),
        state: RunProgress::Incomplete,
        throughput: 0.0,
        p95_ms: None,
        error_rate: 0.0,
        sparkline: Vec::new(),
        trend_key: String::new(),
        step_of: None,
        unreadable: Some(error.to_string()),
    }
}

/// A run's files as they are now. A killed run changes when its lock goes, which no file tells: those are
/// asked again as long as they have no summary.
fn stamp(dir: &Path) -> Stamp {
    let mut stamp: Stamp = ["run.sqlite", "run.sqlite-wal", "summary.json", "notes.json"]
        .map(|name| file_stamp(&dir.join(name)))
        .into();
    if stamp[2].is_none() {
        let locked =
            std::fs::File::open(dir.join("plan")).is_ok_and(|plan| plan.try_lock_shared().is_err());
        stamp.push(locked.then_some((SystemTime::UNIX_EPOCH, 1)));
    }
    stamp
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::symlink;

    use plimsoll_store::{RunMeta, RunWriter};

    use super::*;

    fn a_run(root: &Path) -> PathBuf {
        let meta = RunMeta {
            plan_name: "shop".to_owned(),
            ..RunMeta::default()
        };
        RunWriter::create(root, &meta).unwrap().dir().to_owned()
    }

    #[test]
    fn links_lead_nowhere_but_to_runs_of_the_folder() {
        let top = tempfile::tempdir().unwrap();
        let (root, other) = (top.path().join("runs"), top.path().join("other"));
        let (own, foreign) = (a_run(&root), a_run(&other));
        let name = own.file_name().unwrap().to_str().unwrap().to_owned();
        let library = Library::new(root.clone());
        symlink(&foreign, root.join("foreign")).unwrap();
        symlink("../other", root.join("above")).unwrap();
        symlink(&own, root.join("alias")).unwrap();
        for file in ["run.sqlite", "plan", "notes.json", "notes.json.new"] {
            let dir = root.join(format!("with-{file}"));
            std::fs::create_dir(&dir).unwrap();
            std::fs::copy(own.join("run.sqlite"), dir.join("run.sqlite")).unwrap();
            let _ = std::fs::remove_file(dir.join(file));
            let target = match file {
                "run.sqlite" => foreign.join(file),
                _ => PathBuf::from("/etc/passwd"),
            };
            symlink(target, dir.join(file)).unwrap();
            assert!(library.folder(&format!("with-{file}")).is_err(), "{file}");
        }
        symlink("loop", root.join("loop")).unwrap();
        symlink("nowhere", own.join("dangling")).unwrap();
        assert!(library.folder(&name).is_err(), "it may lead out one day");
        std::fs::remove_file(own.join("dangling")).unwrap();
        assert!(library.folder(&name).is_ok());
        assert!(library.folder("alias").is_ok());
        for hostile in [
            "",
            ".",
            "..",
            "foreign",
            "above",
            "loop",
            "alias/../../other",
            "..\\other",
            "a\0b",
            ".workbench",
            "/etc",
            "alias/",
        ] {
            assert!(library.folder(hostile).is_err(), "{hostile:?}");
        }
        assert!(library.folder(&"x".repeat(100_000)).is_err());
        let mut names = library.names().unwrap();
        names.sort();
        assert_eq!(names, [name, "alias".to_owned()]);
        // A folder of runs that is a link itself is one.
        symlink(&root, top.path().join("linked")).unwrap();
        let linked = Library::new(top.path().join("linked"));
        assert!(linked.folder("alias").is_ok());
        assert!(linked.folder("foreign").is_err());
    }
}
