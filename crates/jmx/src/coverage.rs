//! How much of many plans is supported: reads every `.jmx` below a folder.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use plimsoll_plan::Problem;

use crate::read::read;
use crate::support::{self, RunsIn, SupportKind};

/// One file.
#[derive(Debug)]
pub struct CoveredFile {
    /// Its path.
    pub path: PathBuf,
    /// What came of it.
    pub outcome: FileOutcome,
}

/// What came of a file.
#[derive(Debug)]
pub enum FileOutcome {
    /// It could not be opened.
    Unreadable(io::Error),
    /// It is no plan.
    NotParsed(Box<Problem>),
    /// It is one.
    Parsed {
        /// Elements in it, those that are off too.
        elements: usize,
        /// Where the most demanding of its enabled elements and functions runs.
        place: RunsIn,
        /// Enabled elements and functions that nothing runs, each once.
        missing: Vec<(SupportKind, String)>,
    },
}

/// All files below a folder.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The files, by path.
    pub files: Vec<CoveredFile>,
    /// Folders that could not be listed.
    pub skipped: Vec<PathBuf>,
}

/// Something of which there is more than one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingThing {
    /// Element or function.
    pub kind: SupportKind,
    /// Its class or name.
    pub class: String,
    /// In how many files it is missing.
    pub files: usize,
}

impl Coverage {
    /// Files that were read as plans.
    #[must_use]
    pub fn parsed(&self) -> usize {
        self.count(|_| true)
    }

    /// Plans whose most demanding part runs in this place.
    #[must_use]
    pub fn with(&self, place: RunsIn) -> usize {
        self.count(|found| found == place)
    }

    fn count(&self, fits: impl Fn(RunsIn) -> bool) -> usize {
        let fits = |file: &&CoveredFile| matches!(&file.outcome, FileOutcome::Parsed { place, .. } if fits(*place));
        self.files.iter().filter(fits).count()
    }

    /// What is missing in the most files first.
    #[must_use]
    pub fn missing(&self) -> Vec<MissingThing> {
        let mut counts: HashMap<&(SupportKind, String), usize> = HashMap::new();
        for file in &self.files {
            if let FileOutcome::Parsed { missing, .. } = &file.outcome {
                for what in missing {
                    *counts.entry(what).or_default() += 1;
                }
            }
        }
        let mut missing: Vec<MissingThing> = counts
            .into_iter()
            .map(|((kind, class), files)| MissingThing {
                kind: *kind,
                class: class.clone(),
                files,
            })
            .collect();
        missing.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.class.cmp(&b.class)));
        missing
    }
}

/// Reads every `.jmx` below a folder. Links to folders are not followed.
///
/// # Errors
/// When the folder itself cannot be listed.
pub fn coverage(folder: &Path) -> io::Result<Coverage> {
    let mut coverage = Coverage::default();
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        match list(&next, &mut folders, &mut paths) {
            Ok(()) => {}
            Err(error) if next == folder => return Err(error),
            Err(_) => coverage.skipped.push(next),
        }
    }
    paths.sort();
    coverage.files = paths
        .into_iter()
        .map(|path| CoveredFile {
            outcome: outcome(&path),
            path,
        })
        .collect();
    Ok(coverage)
}

fn list(folder: &Path, folders: &mut Vec<PathBuf>, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let path = entry.path();
        if kind.is_dir() {
            folders.push(path);
        } else if path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("jmx"))
            // A pipe or a device would be waited for.
            && std::fs::metadata(&path).is_ok_and(|found| found.is_file())
        {
            paths.push(path);
        }
    }
    Ok(())
}

fn outcome(path: &Path) -> FileOutcome {
    match plimsoll_plan::limits::read_file(std::fs::File::open(path), crate::xml::MAX_BYTES) {
        Err(error) => FileOutcome::Unreadable(error.into()),
        Ok(bytes) => outcome_of(&bytes),
    }
}

fn outcome_of(bytes: &[u8]) -> FileOutcome {
    let tree = match read(bytes) {
        Ok(tree) => tree,
        Err(problem) => return FileOutcome::NotParsed(problem),
    };
    let rows = support::table(&tree);
    let elements = rows
        .iter()
        .filter(|row| row.kind == SupportKind::Element)
        .count();
    let enabled = || rows.iter().filter(|row| row.enabled);
    let place = enabled()
        .map(|row| row.place)
        .max()
        .unwrap_or(RunsIn::Native);
    let mut missing: Vec<(SupportKind, String)> = enabled()
        .filter(|row| row.place == RunsIn::Unsupported)
        .map(|row| (row.kind, row.class.clone()))
        .collect();
    missing.sort();
    missing.dedup();
    FileOutcome::Parsed {
        elements,
        place,
        missing,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn plan(inner: &str) -> String {
        format!(
            "<jmeterTestPlan><hashTree><TestPlan testname='p'/><hashTree>{inner}</hashTree></hashTree></jmeterTestPlan>"
        )
    }

    #[test]
    fn files_are_counted_and_what_is_missing_is_ranked() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("a.jmx", &plan("<ThreadGroup testname='t'/>"));
        put("sub/b.JMX", &plan("<JSR223Sampler testname='s'/>"));
        put(
            "sub/c.jmx",
            &plan("<a.Foo/><a.Bar/><b.Off enabled='false'/>"),
        );
        put("d.jmx", &plan("<a.Bar/><a.Bar/>"));
        put("broken.jmx", "<jmeterTestPlan>");
        put("other.txt", "");
        let found = coverage(folder.path()).unwrap();
        assert_eq!(found.files.len(), 5);
        assert_eq!(found.parsed(), 4);
        assert_eq!(found.with(RunsIn::Native), 1);
        assert_eq!(found.with(RunsIn::Companion), 1);
        assert_eq!(found.with(RunsIn::Unsupported), 2);
        let missing: Vec<_> = found
            .missing()
            .into_iter()
            .map(|it| (it.class, it.files))
            .collect();
        assert_eq!(missing, [("a.Bar".to_owned(), 2), ("a.Foo".to_owned(), 1)]);
        assert!(coverage(&folder.path().join("nowhere")).is_err());
    }
}
