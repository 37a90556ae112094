//! Captures asked for while a run goes on: a file in the run's folder, which the run looks for
//! once a second, takes away and serves. Its response is an event of the run with the same token.
//!
//! Who may write into the folder may ask, and nobody else: a request of another user (root
//! excepted) is not served.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_watch::capture::known_kind;

/// The file that asks.
const NAME: &str = "capture.request";
/// A request is far shorter.
const LONGEST: u64 = 256;
/// Stands for all kinds.
const ALL: &str = "all";

/// What somebody asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct CaptureRequest {
    /// By which the one who asked knows the response.
    pub token: String,
    /// Only captures of this kind.
    pub kind: Option<&'static str>,
}

/// Takes the request away that lies in a run's folder; none if none does, or it is not one that
/// may be served.
pub fn take(dir: &Path) -> Option<CaptureRequest> {
    let path = dir.join(NAME);
    let before = path.symlink_metadata().ok()?;
    let owner = dir.metadata().ok()?.uid();
    let text = may_ask(&before, owner).then(|| read(&path, owner));
    // Whatever it was, it is not looked at again.
    let _ = std::fs::remove_file(&path);
    parse(&text?.ok()?)
}

/// A plain file of the run's owner, or of root.
fn may_ask(file: &Metadata, owner: u32) -> bool {
    file.is_file() && file.len() <= LONGEST && [owner, 0].contains(&file.uid())
}

fn read(path: &Path, owner: u32) -> io::Result<String> {
    let file = File::open(path)?;
    // It may have been exchanged since.
    if !may_ask(&file.metadata()?, owner) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// `TOKEN KIND`.
fn parse(text: &str) -> Option<CaptureRequest> {
    let (token, kind) = text.trim_end().split_once(' ')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let kind = match kind {
        ALL => None,
        kind => Some(known_kind(kind)?),
    };
    token.chars().all(fits).then(|| CaptureRequest {
        token: token.to_owned(),
        kind,
    })
}

/// A request that was put into a run's folder.
#[derive(Debug)]
pub struct PlacedRequest {
    path: PathBuf,
    /// The response's.
    pub token: String,
}

/// Puts a request into a run's folder.
///
/// # Errors
/// The folder may not be written; [`io::ErrorKind::AlreadyExists`]: another request lies there.
pub fn ask(dir: &Path, kind: Option<&'static str>) -> io::Result<PlacedRequest> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let token = format!(
        "{}-{}",
        std::process::id(),
        now.unwrap_or_default().as_nanos()
    );
    let path = dir.join(NAME);
    // It is there whole or not at all.
    let draft = dir.join(format!("{NAME}.{token}"));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)?;
    let written = writeln!(file, "{token} {}", kind.unwrap_or(ALL));
    let placed = written.and_then(|()| std::fs::hard_link(&draft, &path));
    std::fs::remove_file(&draft)?;
    placed.map(|()| PlacedRequest { path, token })
}

impl PlacedRequest {
    /// Whether the run has not taken it yet.
    pub fn is_waiting(&self) -> bool {
        let text = std::fs::read_to_string(&self.path);
        text.is_ok_and(|text| text.starts_with(&self.token))
    }

    /// Takes it back.
    pub fn withdraw(&self) {
        if self.is_waiting() {
            // The run may have taken it just now.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_once() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(take(dir.path()), None);
        let asked = ask(dir.path(), Some("sockets")).unwrap();
        assert!(asked.is_waiting());
        let second = ask(dir.path(), None).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::AlreadyExists);
        let request = CaptureRequest {
            token: asked.token.clone(),
            kind: Some("sockets"),
        };
        assert_eq!(take(dir.path()), Some(request));
        assert!(!asked.is_waiting());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let asked = ask(dir.path(), None).unwrap();
        asked.withdraw();
        assert_eq!(take(dir.path()), None);
    }

    #[test]
    fn what_makes_no_sense_is_taken_away_and_not_served() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        let long = format!("1 all{}", " ".repeat(300));
        for text in ["", "1", "1 heap_dump", "a/b all", "1 all x", &long] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(take(dir.path()), None, "{text}");
            assert!(!path.exists(), "{text}");
        }
        let elsewhere = dir.path().join("elsewhere");
        std::fs::write(&elsewhere, "1 all").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert_eq!(take(dir.path()), None);
        assert!(elsewhere.exists() && path.symlink_metadata().is_err());
    }

    #[test]
    fn another_users_request_is_not_served() {
        let dir = tempfile::tempdir().unwrap();
        let owned = |path: &Path, uid| std::os::unix::fs::chown(path, Some(uid), None);
        std::fs::write(dir.path().join(NAME), "1 all").unwrap();
        // Only root can play two users.
        if owned(&dir.path().join(NAME), 65_534).is_ok() {
            assert_eq!(take(dir.path()), None);
            owned(dir.path(), 65_534).unwrap();
            std::fs::write(dir.path().join(NAME), "1 all").unwrap();
            assert!(take(dir.path()).is_some(), "root may ask");
        }
    }
}
