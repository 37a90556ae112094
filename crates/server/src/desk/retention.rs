//! What goes after a time: plans that were sent, runs, what was thrown away.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use plimsoll_store::{Run, RunState, list};

use super::journal::DeskJournal;
use crate::shared::Retention;

const DAY: Duration = Duration::from_secs(86_400);

/// Clears away what is older than it may be. What cannot be removed stays for the next time.
pub(crate) fn clear(root: &Path, journal: &DeskJournal, retention: &Retention, now: SystemTime) {
    clear_plans(journal, retention, now);
    clear_runs(root, journal, retention, now);
    let Some(days) = retention.trash_days else {
        return;
    };
    let trash = journal.own_folder().join("trash");
    for folder in folders(&trash) {
        // A folder that is moved keeps its times; when it was moved its change time says.
        if changed(&folder).is_some_and(|since| is_older(since, days, now)) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Plans that were sent: by age, and beyond a number the oldest.
pub(crate) fn clear_plans(journal: &DeskJournal, retention: &Retention, now: SystemTime) {
    let mut plans = folders(&journal.own_folder().join("plans"));
    // Their names are the times at which they came.
    plans.sort();
    let over = plans.len().saturating_sub(retention.plans as usize);
    for (number, plan) in plans.iter().enumerate() {
        let is_old = retention.plans_days.is_some_and(|days| {
            let came = fs::metadata(plan).and_then(|known| known.modified());
            came.is_ok_and(|came| is_older(came, days, now))
        });
        if (number < over || is_old) && !journal.is_held(plan) {
            let _ = fs::remove_dir_all(plan);
        }
    }
}

fn clear_runs(root: &Path, journal: &DeskJournal, retention: &Retention, now: SystemTime) {
    let Some(days) = retention.runs_days else {
        return;
    };
    let Ok(trash) = journal.folder("trash") else {
        return;
    };
    for entry in list(root).unwrap_or_default() {
        let written = fs::metadata(entry.dir.join("run.sqlite")).and_then(|known| known.modified());
        let is_old = written.is_ok_and(|written| is_older(written, days, now));
        let goes_on = || {
            let state = Run::open(&entry.dir).and_then(|run| run.state());
            matches!(state, Ok(RunState::Running))
        };
        let to = trash.join(&entry.name);
        if is_old && !goes_on() && !to.exists() {
            let _ = fs::rename(&entry.dir, to);
        }
    }
}

fn is_older(since: SystemTime, days: u32, now: SystemTime) -> bool {
    now.duration_since(since).is_ok_and(|age| age >= DAY * days)
}

fn changed(folder: &Path) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = fs::symlink_metadata(folder).ok()?.ctime();
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// The folders in a folder; links are none.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    entries
        .filter(is_folder)
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn plans_go_by_number_and_age_but_not_while_they_are_needed() {
        let dir = tempfile::tempdir().unwrap();
        let journal = DeskJournal::open(dir.path()).unwrap();
        let held: Vec<_> = (0..6)
            .map(|_| journal.plan_folder("plans").unwrap())
            .collect();
        let paths: Vec<PathBuf> = held.iter().map(|held| held.path().to_owned()).collect();
        let there = || paths.iter().map(|path| path.exists()).collect::<Vec<_>>();
        let retention = Retention {
            plans: 2,
            ..Retention::default()
        };
        clear_plans(&journal, &retention, SystemTime::now());
        assert_eq!(there(), [true; 6], "all are needed");
        let mut held = held.into_iter();
        let first = held.next().unwrap();
        drop(held);
        clear_plans(&journal, &retention, SystemTime::now());
        assert_eq!(there(), [true, false, false, false, true, true]);
        let later = SystemTime::now() + DAY * 31;
        clear(dir.path(), &journal, &retention, later);
        assert_eq!(there(), [true, false, false, false, false, false]);
        drop(first);
        clear(dir.path(), &journal, &retention, later);
        assert_eq!(there(), [false; 6]);
    }

    #[test]
    fn the_trash_goes_after_its_days() {
        let dir = tempfile::tempdir().unwrap();
        let journal = DeskJournal::open(dir.path()).unwrap();
        let old = journal.folder("trash").unwrap().join("run");
        fs::create_dir(&old).unwrap();
        let retention = Retention::default();
        clear(
            dir.path(),
            &journal,
            &retention,
            SystemTime::now() + DAY * 29,
        );
        assert!(old.exists());
        clear(
            dir.path(),
            &journal,
            &retention,
            SystemTime::now() + DAY * 31,
        );
        assert!(!old.exists());
    }
}
