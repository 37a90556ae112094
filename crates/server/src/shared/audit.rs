//! Who did what: a line of JSON for each change that was asked for, appended and never altered. Old files go when
//! there are many. Those who have not logged in have files of their own, so that nobody can wash out with them what
//! users did.

mod entry;
mod pages;

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(crate) use self::entry::AuditEntry;
use self::entry::KINDS;
pub(crate) use self::pages::AuditPlace;
use crate::now::now_s;

/// A file of this length is closed and another begun.
const MOST_BYTES: u64 = 10 << 20;
/// What files are called that belong together, and how many are kept: of users, and of those who have not logged in.
const SERIES: [(&str, usize); KINDS] = [("audit", 20), ("strangers", 3)];
/// Longer paths are cut.
const MOST_PATH: usize = 300;

/// The log.
pub(crate) struct AuditLog {
    folder: PathBuf,
    files: Mutex<[Option<File>; SERIES.len()]>,
}

impl AuditLog {
    /// That of a workbench's own folder.
    pub fn open(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            files: Mutex::default(),
        }
    }

    fn path(&self, (name, _): (&str, usize)) -> PathBuf {
        self.folder.join(format!("{name}.jsonl"))
    }

    /// Appends an entry; it is on its way to the disk when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, mut entry: AuditEntry, is_stranger: bool) -> io::Result<()> {
        let of = usize::from(is_stranger);
        if let Some((cut, _)) = entry.path.char_indices().nth(MOST_PATH) {
            entry.path.truncate(cut);
            entry.path.push('…');
        }
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, series) = (&mut files[of], SERIES[of]);
        let is_full = |file: &File| file.metadata().is_ok_and(|known| known.len() >= MOST_BYTES);
        if file.as_ref().is_some_and(is_full) {
            *file = None;
            self.turn_over(series)?;
        }
        if file.is_none() {
            let mut options = OpenOptions::new();
            let opened = options
                .append(true)
                .create(true)
                .mode(0o600)
                .open(self.path(series));
            *file = Some(opened?);
        }
        file.as_mut().map_or(Ok(()), |file| file.write_all(&line))
    }

    fn turn_over(&self, series: (&str, usize)) -> io::Result<()> {
        let (name, most) = series;
        let closed = |stamp: u64| self.folder.join(format!("{name}-{stamp}.jsonl"));
        let mut stamp = now_s();
        // Another was closed in this second, or the clock was set back: none takes the place of another.
        while closed(stamp).exists() {
            stamp += 1;
        }
        std::fs::rename(self.path(series), closed(stamp))?;
        let mut old = old_files(&self.folder, name);
        while old.len() >= most {
            std::fs::remove_file(old.remove(0))?;
        }
        Ok(())
    }

    /// So many entries of all, the newest first, before a place or from the end; with the place of the next page,
    /// if there is one.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn page(
        &self,
        before: Option<&AuditPlace>,
        limit: usize,
    ) -> io::Result<(Vec<AuditEntry>, Option<AuditPlace>)> {
        // None is closed while they are opened.
        let writing = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files: [Vec<File>; SERIES.len()] = Default::default();
        for (files, series) in files.iter_mut().zip(SERIES) {
            let old = old_files(&self.folder, series.0);
            for path in std::iter::once(self.path(series)).chain(old.into_iter().rev()) {
                match File::open(path) {
                    Ok(file) => files.push(file),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        drop(writing);
        pages::page(files, before, limit)
    }
}

/// The files that were closed, the oldest first.
fn old_files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let before = format!("{name}-");
    let is_old = |name: &str| name.starts_with(&before) && name.ends_with(".jsonl");
    let mut old: Vec<PathBuf> = entries
        .filter(|entry| is_old(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    old.sort();
    old
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn entry(path: &str) -> AuditEntry {
        AuditEntry {
            at: "2026-11-27T00:00:00Z".to_owned(),
            user: Some("li".to_owned()),
            token: None,
            from: "192.0.2.1".to_owned(),
            method: "POST".to_owned(),
            path: path.to_owned(),
            status: 201,
            what: Some("line\nbreak".to_owned()),
        }
    }

    #[test]
    fn pages_are_the_newest_first_and_lines_stay_lines() {
        let dir = tempfile::tempdir().unwrap();
        let log = AuditLog::open(dir.path());
        assert_eq!(log.page(None, 10).unwrap(), (Vec::new(), None));
        for number in 0..5 {
            log.add(entry(&format!("/{number}")), false).unwrap();
        }
        let (first, place) = log.page(None, 2).unwrap();
        assert_eq!(
            (first[0].path.as_str(), first[1].path.as_str()),
            ("/4", "/3")
        );
        log.add(entry("/new"), false).unwrap();
        let (second, place) = log.page(place.as_ref(), 2).unwrap();
        assert_eq!((second[0].path.as_str(), place.is_some()), ("/2", true));
        log.add(entry(&"長".repeat(1_000)), false).unwrap();
        assert!(log.page(None, 1).unwrap().0[0].path.chars().count() <= MOST_PATH + 1);
    }

    #[test]
    fn who_has_not_logged_in_washes_out_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let log = AuditLog::open(dir.path());
        log.add(entry("/users/li"), false).unwrap();
        let stranger = AuditEntry {
            user: None,
            what: Some("x".repeat(8 << 20)),
            ..entry("/session")
        };
        for _ in 0..12 {
            log.add(stranger.clone(), true).unwrap();
        }
        let kept = std::fs::read_dir(dir.path()).unwrap().count();
        assert!(kept <= 1 + SERIES[1].1, "{kept}");
        let (entries, next) = log.page(None, 500).unwrap();
        assert!(entries.iter().any(|entry| entry.path == "/users/li"));
        assert!(entries.iter().any(|entry| entry.path == "/session") && next.is_none());
    }
}
