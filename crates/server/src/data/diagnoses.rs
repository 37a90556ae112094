//! What limits each of the runs that were looked at last: a run that is over is diagnosed once, whoever asks.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_diagnose::{Diagnosis, Evidence, diagnose};
use plimsoll_store::{Run, RunState, StoreError};

/// Diagnoses that are kept at most.
const MOST_DIAGNOSES: usize = 32;

/// Which run: its name, when it began, and its database, which another run of that name does not share.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DiagnosedRun {
    run: String,
    began_unix_ns: u64,
    /// Device, inode, length, and when it was written.
    database: (u64, u64, u64, i64, i64),
}

impl DiagnosedRun {
    /// None: its database is not there to be looked at.
    fn of(run: &Run) -> Option<Self> {
        let database = database(run.dir())?;
        Some(Self {
            run: run.id(),
            began_unix_ns: run.meta().started_at_unix_ns,
            database,
        })
    }
}

fn database(dir: &Path) -> Option<(u64, u64, u64, i64, i64)> {
    let known = std::fs::metadata(dir.join("run.sqlite")).ok()?;
    let written = (known.mtime(), known.mtime_nsec());
    Some((known.dev(), known.ino(), known.len(), written.0, written.1))
}

/// Made by who asks first; who asks meanwhile waits for it.
type DiagnosisCell = Arc<Mutex<Option<Arc<Diagnosis>>>>;

/// The diagnoses of the runs that were looked at last, the latest at the end.
#[derive(Default)]
pub(crate) struct Diagnoses(Mutex<Vec<(DiagnosedRun, DiagnosisCell)>>);

impl Diagnoses {
    /// What limits a run. One that goes on is diagnosed anew.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn of(&self, run: &Run) -> Result<Arc<Diagnosis>, StoreError> {
        self.of_by(run, |run| Ok(diagnose(&Evidence::of_run(run)?)))
    }

    fn of_by(
        &self,
        run: &Run,
        make: impl FnOnce(&Run) -> Result<Diagnosis, StoreError>,
    ) -> Result<Arc<Diagnosis>, StoreError> {
        let is_over = run.state()? != RunState::Running;
        let Some(key) = DiagnosedRun::of(run).filter(|_| is_over) else {
            return make(run).map(Arc::new);
        };
        let cell = self.cell(key);
        let mut known = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(diagnosis) = &*known {
            return Ok(Arc::clone(diagnosis));
        }
        let made = Arc::new(make(run)?);
        *known = Some(Arc::clone(&made));
        Ok(made)
    }

    /// The place of a run's diagnosis. Another one under its name is forgotten.
    fn cell(&self, key: DiagnosedRun) -> DiagnosisCell {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(known, _)| *known == key);
        let cell = known.map(|at| kept.remove(at).1).unwrap_or_default();
        kept.retain(|(known, _)| known.run != key.run);
        kept.push((key, Arc::clone(&cell)));
        let over = kept.len().saturating_sub(MOST_DIAGNOSES);
        kept.drain(..over);
        cell
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use plimsoll_store::{RunMeta, RunWriter};

    use super::*;

    const BEGAN: u64 = 1_772_593_445_000_000_000;

    fn begun(root: &Path, name: &str, began: u64) -> RunWriter {
        let meta = RunMeta {
            plan_name: name.to_owned(),
            started_at_unix_ns: began,
            ..RunMeta::default()
        };
        RunWriter::create(root, &meta).unwrap()
    }

    fn over(root: &Path, name: &str, began: u64) -> PathBuf {
        let mut writer = begun(root, name, began);
        let dir = writer.dir().to_owned();
        let summary = Run::open(&dir).unwrap().rebuild_summary().unwrap();
        writer.finish(&summary).unwrap();
        dir
    }

    /// Diagnoses that say how often they were made.
    #[derive(Default)]
    struct Counted {
        kept: Diagnoses,
        made: AtomicUsize,
    }

    impl Counted {
        fn of(&self, run: &Run) -> Arc<Diagnosis> {
            let make = |run: &Run| {
                self.made.fetch_add(1, Ordering::Relaxed);
                Ok(diagnose(&Evidence::of_run(run)?))
            };
            self.kept.of_by(run, make).unwrap()
        }

        fn made_for(&self, dir: &Path) -> usize {
            self.of(&Run::open(dir).unwrap());
            self.made.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn who_comes_at_once_has_it_made_once() {
        let root = tempfile::tempdir().unwrap();
        let dir = over(root.path(), "shop", BEGAN);
        let (counted, all_are_here) = (Counted::default(), Barrier::new(8));
        let all: Vec<Arc<Diagnosis>> = std::thread::scope(|scope| {
            let look = || {
                let run = Run::open(&dir).unwrap();
                all_are_here.wait();
                counted.of(&run)
            };
            let looks: Vec<_> = (0..8).map(|_| scope.spawn(look)).collect();
            looks.into_iter().map(|look| look.join().unwrap()).collect()
        });
        assert_eq!(counted.made_for(&dir), 1);
        assert!(all.iter().all(|one| Arc::ptr_eq(one, &all[0])));
    }

    #[test]
    fn a_run_that_goes_on_is_diagnosed_anew() {
        let root = tempfile::tempdir().unwrap();
        let writer = begun(root.path(), "shop", BEGAN);
        let counted = Counted::default();
        assert_eq!(counted.made_for(writer.dir()), 1);
        assert_eq!(counted.made_for(writer.dir()), 2);
        let dir = writer.dir().to_owned();
        // Its process is gone: it is over.
        drop(writer);
        assert_eq!(counted.made_for(&dir), 3);
        assert_eq!(counted.made_for(&dir), 3);
    }

    #[test]
    fn another_run_of_the_same_name_has_its_own() {
        let root = tempfile::tempdir().unwrap();
        let dir = over(root.path(), "shop", BEGAN);
        let counted = Counted::default();
        assert_eq!(counted.made_for(&dir), 1);
        // Taken away, and one of the same name and begin taken in.
        let other = root.path().join("elsewhere");
        let imported = over(&other, "shop", BEGAN);
        assert_eq!(imported.file_name(), dir.file_name());
        std::fs::remove_dir_all(&dir).unwrap();
        std::fs::rename(&imported, &dir).unwrap();
        assert_eq!(counted.made_for(&dir), 2);
        assert_eq!(counted.made_for(&dir), 2);
        assert_eq!(counted.kept.0.lock().unwrap().len(), 1, "one is forgotten");
    }

    #[test]
    fn what_was_looked_at_longest_ago_is_forgotten() {
        let root = tempfile::tempdir().unwrap();
        let runs =
            (0..=MOST_DIAGNOSES).map(|number| over(root.path(), &format!("shop{number}"), BEGAN));
        let dirs: Vec<PathBuf> = runs.collect();
        let counted = Counted::default();
        for dir in &dirs[..MOST_DIAGNOSES] {
            counted.made_for(dir);
        }
        // The first is looked at again, so that the second is the oldest.
        assert_eq!(counted.made_for(&dirs[0]), MOST_DIAGNOSES);
        assert_eq!(counted.made_for(&dirs[MOST_DIAGNOSES]), MOST_DIAGNOSES + 1);
        assert_eq!(counted.made_for(&dirs[0]), MOST_DIAGNOSES + 1);
        assert_eq!(counted.made_for(&dirs[1]), MOST_DIAGNOSES + 2);
        assert_eq!(counted.kept.0.lock().unwrap().len(), MOST_DIAGNOSES);
    }

    #[test]
    fn what_failed_is_tried_again() {
        let root = tempfile::tempdir().unwrap();
        let dir = over(root.path(), "shop", BEGAN);
        let (run, kept) = (Run::open(&dir).unwrap(), Diagnoses::default());
        let failed = kept.of_by(&run, |run| Err(run.damaged("torn".to_owned())));
        assert!(failed.is_err());
        assert!(kept.of(&run).is_ok());
    }
}
