//! Finding runs: which there are, and which one is meant.

use std::path::{Path, PathBuf};

use crate::schema::DATABASE;
use crate::time::stamp;
use crate::{StoreError, StoreErrorKind};

/// Where runs lie unless told otherwise, below the current directory.
pub const DEFAULT_ROOT: &str = "plimsoll-runs";

/// Candidates that an error names at most.
const MAX_CANDIDATES: usize = 8;

/// A run that lies below a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEntry {
    /// The directory's name.
    pub name: String,
    /// The directory.
    pub dir: PathBuf,
}

impl RunEntry {
    /// Whether it began before that moment; names begin with the time of the start.
    #[must_use]
    pub fn began_before(&self, unix_ns: u64) -> bool {
        self.name.as_str() < stamp(unix_ns).as_str()
    }
}

/// All runs directly below `root`, oldest first. A root that does not exist holds none.
///
/// # Errors
/// If the directory cannot be read.
pub fn list(root: &Path) -> Result<Vec<RunEntry>, StoreError> {
    let entries = match std::fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io(root, error)),
    };
    let mut runs = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| StoreError::io(root, e))?;
        let dir = entry.path();
        if is_run(&dir) {
            let name = entry.file_name().to_string_lossy().into_owned();
            runs.push(RunEntry { name, dir });
        }
    }
    // Names begin with the time of the start, to the millisecond.
    runs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(runs)
}

fn is_run(dir: &Path) -> bool {
    dir.join(DATABASE).is_file()
}

/// The directory of the run that `spec` means: `last`, `last~N` (the N-th before it), a
/// directory, or the beginning of a name that only one run below `root` has.
///
/// # Errors
/// If no run or several are meant; the error lists candidates.
pub fn resolve(root: &Path, spec: &str) -> Result<PathBuf, StoreError> {
    if let Some(back) = steps_back(spec) {
        let runs = list(root)?;
        if runs.is_empty() {
            return Err(StoreError::new(root, StoreErrorKind::NoRuns));
        }
        let at = runs.len().checked_sub(1).and_then(|i| i.checked_sub(back));
        return match at {
            Some(at) => Ok(runs[at].dir.clone()),
            None => Err(not_found(root, spec, &runs)),
        };
    }
    let path = Path::new(spec);
    if is_run(path) {
        return Ok(path.to_owned());
    }
    let runs = list(root)?;
    let matches: Vec<&RunEntry> = match spec {
        "" => Vec::new(),
        _ => runs.iter().filter(|r| r.name.starts_with(spec)).collect(),
    };
    match matches.as_slice() {
        [] if path.is_dir() => Err(StoreError::new(path, StoreErrorKind::NotARun)),
        [] if runs.is_empty() => Err(StoreError::new(root, StoreErrorKind::NoRuns)),
        [] => Err(not_found(root, spec, &runs)),
        [one] => Ok(one.dir.clone()),
        several => match several.iter().find(|run| run.name == spec) {
            Some(exact) => Ok(exact.dir.clone()),
            None => Err(StoreError::new(
                root,
                StoreErrorKind::AmbiguousRun {
                    spec: spec.to_owned(),
                    candidates: newest(several.iter().copied()),
                },
            )),
        },
    }
}

/// N of `last~N`, 0 for `last`; `None` if it is something else.
fn steps_back(spec: &str) -> Option<usize> {
    match spec.strip_prefix("last")? {
        "" => Some(0),
        rest => rest.strip_prefix('~')?.parse().ok(),
    }
}

fn not_found(root: &Path, spec: &str, runs: &[RunEntry]) -> StoreError {
    let kind = StoreErrorKind::RunNotFound {
        spec: spec.to_owned(),
        candidates: newest(runs.iter()),
    };
    StoreError::new(root, kind)
}

fn newest<'a>(runs: impl DoubleEndedIterator<Item = &'a RunEntry>) -> Vec<String> {
    let mut names: Vec<String> = runs
        .rev()
        .take(MAX_CANDIDATES + 1)
        .map(|run| run.name.clone())
        .collect();
    if names.len() > MAX_CANDIDATES {
        names[MAX_CANDIDATES] = "…".to_owned();
    }
    names
}

/// The name of a run's directory: UTC time of the start to the millisecond, and its
/// name made fit for a file name.
pub(crate) fn directory_name(started_at_unix_ns: u64, name: &str) -> String {
    let slug = slug(name);
    let stamp = stamp(started_at_unix_ns);
    match slug.is_empty() {
        true => stamp,
        false => format!("{stamp}-{slug}"),
    }
}

/// Letters and digits of any script in lower case, everything else one `-`; 40 characters.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if slug.chars().count() == 40 {
            break;
        }
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn root_with(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::create_dir(root.path().join(name)).unwrap();
            std::fs::write(root.path().join(name).join(DATABASE), b"").unwrap();
        }
        root
    }

    fn found(root: &Path, spec: &str) -> String {
        let dir = resolve(root, spec).unwrap();
        dir.file_name().unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn names_are_times_and_slugs() {
        let name = directory_name(1_772_593_445_678_000_000, " Login & Order/下单 v2! ");
        assert_eq!(name, "20260304-030405-678-login-order-下单-v2");
        assert_eq!(
            directory_name(951_782_400_000_000_000, "../.."),
            "20000229-000000-000"
        );
        assert_eq!(slug(&"x".repeat(100)).len(), 40);
    }

    #[test]
    fn last_and_prefixes_are_found() {
        let root = root_with(&["20260101-a", "20260101-b", "20260102-a", "20260102-ab"]);
        std::fs::create_dir(root.path().join("notes")).unwrap();
        assert_eq!(list(root.path()).unwrap().len(), 4);
        assert_eq!(found(root.path(), "last"), "20260102-ab");
        assert_eq!(found(root.path(), "last~3"), "20260101-a");
        assert_eq!(found(root.path(), "20260101-b"), "20260101-b");
        assert_eq!(
            found(root.path(), "20260102-a"),
            "20260102-a",
            "exact before prefix"
        );
        let direct = root.path().join("20260101-a");
        assert_eq!(
            resolve(Path::new("/nowhere"), direct.to_str().unwrap()).unwrap(),
            direct
        );
    }

    #[test]
    fn errors_list_candidates() {
        let root = root_with(&["20260101-a", "20260101-b"]);
        let kind = |spec: &str| resolve(root.path(), spec).unwrap_err().kind;
        let both = vec!["20260101-b".to_owned(), "20260101-a".to_owned()];
        assert_eq!(
            kind("2026"),
            StoreErrorKind::AmbiguousRun {
                spec: "2026".into(),
                candidates: both.clone()
            }
        );
        assert_eq!(
            kind("last~2"),
            StoreErrorKind::RunNotFound {
                spec: "last~2".into(),
                candidates: both.clone()
            }
        );
        assert_eq!(
            kind("last~x"),
            StoreErrorKind::RunNotFound {
                spec: "last~x".into(),
                candidates: both
            }
        );
        assert!(matches!(kind(""), StoreErrorKind::RunNotFound { .. }));
        let text = resolve(root.path(), "2026").unwrap_err().to_string();
        assert!(text.contains("20260101-b, 20260101-a"), "{text}");
        let empty = tempfile::tempdir().unwrap();
        let error = resolve(empty.path(), "last").unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::NoRuns);
        let error = resolve(root.path(), empty.path().to_str().unwrap()).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::NotARun);
    }
}
