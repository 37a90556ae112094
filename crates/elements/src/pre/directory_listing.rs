//! `com.blazemeter.jmeter.DirectoryListingConfig` (jpgc-directory-listing 0.3): the next file of a folder in a variable,
//! each time the scope is entered.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use plimsoll_access::Access;
use plimsoll_plan::model::Action;
use plimsoll_plan::program::SiteId;

use crate::context::{Context, Fault, between};
use crate::fields::{Field, Fields};
use crate::functions::keep;
use crate::leaf::{Bound, PassListener};

/// Most files that are listed; a folder with more is a mistake.
const MOST_FILES: usize = 1_000_000;
/// Deepest folder that is looked into, links that lead back included.
const DEEPEST: usize = 64;

struct DirectoryListing {
    folder: Field,
    variable: Field,
    full_path: bool,
    random: bool,
    recursive: bool,
    rewinds: bool,
    own_list: bool,
    reads_again: bool,
    site: SiteId,
}

/// The files that are still to come.
#[derive(Default)]
struct FilesLeft {
    begun: bool,
    files: Vec<PathBuf>,
    next: usize,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let flag = |name: &str| fields.fixed_truth(name, false);
    Bound::Pass(Box::new(DirectoryListing {
        folder: fields.field("directory"),
        variable: fields.field("variableName"),
        full_path: flag("useFullPath"),
        random: flag("randomOrder"),
        recursive: flag("recursiveListing"),
        rewinds: flag("rewindOnTheEndOfList"),
        own_list: flag("independentListPerThread"),
        reads_again: flag("reReadDirectory"),
        site: fields.0.site,
    }))
}

impl PassListener for DirectoryListing {
    fn pass(&self, cx: &mut dyn Context) -> Result<(), Fault> {
        let folder = or(self.folder.text(cx)?.into_owned(), ".");
        let variable = or(self.variable.text(cx)?.into_owned(), "filename");
        let file = if self.own_list {
            let mut left = std::mem::take(keep::own(cx, self.site, FilesLeft::default));
            let file = self.next(&mut left, &folder, 0, cx);
            *keep::own(cx, self.site, FilesLeft::default) = left;
            file?
        } else {
            let shared = keep::shared(cx, self.site, || Mutex::new(FilesLeft::default()));
            let mut left = shared.lock().unwrap_or_else(PoisonError::into_inner);
            // Of a list for all each share of the load takes its own places.
            let skipped = cx.thread().share.skipped_before(u64::from(left.begun));
            self.next(&mut left, &folder, skipped, cx)?
        };
        let Some(file) = file else {
            cx.log("All files in the directory have been passed.");
            cx.ask(Action::StopUser);
            return Ok(());
        };
        let value = match self.full_path {
            true => absolute(&file).to_string_lossy().into_owned(),
            false => below(&file, Path::new(&folder)),
        };
        cx.set(&variable, &value);
        Ok(())
    }
}

impl DirectoryListing {
    /// The next file, after so many that are others'; none when all have been passed.
    fn next(
        &self,
        left: &mut FilesLeft,
        folder: &str,
        skipped: u32,
        cx: &mut dyn Context,
    ) -> Result<Option<PathBuf>, Fault> {
        let mut found = None;
        for _ in 0..=skipped {
            if !left.begun {
                self.fill(left, folder, true, cx)?;
            } else if left.next >= left.files.len() && self.rewinds {
                self.fill(left, folder, self.reads_again, cx)?;
            }
            found = left.files.get(left.next).cloned();
            left.next = left.next.saturating_add(1);
        }
        Ok(found)
    }

    fn fill(
        &self,
        left: &mut FilesLeft,
        folder: &str,
        reads: bool,
        cx: &mut dyn Context,
    ) -> Result<(), Fault> {
        if reads {
            left.files = listed(cx.access(), Path::new(folder), self.recursive)?;
        }
        if self.random {
            // Fisher and Yates, as Java's `Collections.shuffle`.
            for at in (1..left.files.len()).rev() {
                let last = i64::try_from(at).unwrap_or(i64::MAX);
                let other = between(cx.random_bits(), 0, last);
                left.files.swap(at, usize::try_from(other).unwrap_or(0));
            }
        }
        (left.begun, left.next) = (true, 0);
        Ok(())
    }
}

fn or(text: String, usual: &str) -> String {
    match text.is_empty() {
        true => usual.to_owned(),
        false => text,
    }
}

/// The files of a folder. Java lists them in no certain order; here it is that of their names.
fn listed(access: &Access, folder: &Path, recursive: bool) -> Result<Vec<PathBuf>, Fault> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = access.list(&folder).map_err(|error| {
            Fault::new(format!(
                "the directory {} cannot be listed: {error}",
                folder.display()
            ))
        })?;
        for (name, is_folder) in entries {
            let path = folder.join(name);
            if !is_folder {
                files.push(path);
            } else if recursive && depth < DEEPEST {
                folders.push((path, depth + 1));
            }
        }
        if files.len() > MOST_FILES {
            return Err(Fault::new(format!(
                "the directory holds more than {MOST_FILES} files"
            )));
        }
    }
    files.sort();
    Ok(files)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The path behind that of the folder, with its separator, as the plugin cuts it.
fn below(file: &Path, folder: &Path) -> String {
    let whole = absolute(file).to_string_lossy().into_owned();
    let start = match folder.is_absolute() {
        true => folder.to_string_lossy().into_owned(),
        false => absolute(folder).to_string_lossy().into_owned(),
    };
    match whole.strip_prefix(&start) {
        Some(rest) => rest.to_owned(),
        None => whole,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::context::testing::TestContext;
    use crate::registry;
    use crate::testing::element;

    /// What the variable holds in so many passes; none where the user was asked to stop.
    fn passes(folder: &Path, more: &[(&str, &str)], count: usize) -> Vec<Option<String>> {
        let folder = folder.to_str().unwrap();
        let mut properties = vec![("directory", folder), ("variableName", "f")];
        properties.extend_from_slice(more);
        let element = element("com.blazemeter.jmeter.DirectoryListingConfig", &properties);
        let Some(Bound::Pass(listing)) = registry::bind(&element) else {
            panic!("no leaf");
        };
        let mut cx = TestContext::with(&[]);
        let mut pass = || {
            cx.asked = None;
            listing.pass(&mut cx).unwrap();
            cx.asked.is_none().then(|| cx.vars["f"].to_string())
        };
        (0..count).map(|_| pass()).collect()
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        for name in ["b.txt", "a.txt", "deep/用户.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn files_come_in_order_and_then_the_user_ends() {
        let folder = folder();
        let some = |name: &str| Some(name.to_owned());
        let flat = passes(folder.path(), &[], 3);
        assert_eq!(flat, [some("/a.txt"), some("/b.txt"), None]);
        let deep = [
            ("recursiveListing", "true"),
            ("rewindOnTheEndOfList", "true"),
        ];
        let deep = passes(folder.path(), &deep, 4);
        assert_eq!(deep[2..], [some("/deep/用户.txt"), some("/a.txt")]);
        let full = passes(folder.path(), &[("useFullPath", "true")], 1);
        let path = folder.path().join("a.txt");
        assert_eq!(full, [some(path.to_str().unwrap())]);
    }

    #[test]
    fn a_shuffled_list_has_each_file_once() {
        let folder = folder();
        let more = [
            ("randomOrder", "true"),
            ("independentListPerThread", "true"),
            ("rewindOnTheEndOfList", "true"),
        ];
        let found = passes(folder.path(), &more, 4);
        for round in found.chunks(2) {
            assert_eq!(
                round.iter().flatten().collect::<BTreeSet<_>>().len(),
                2,
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_is_added_is_seen_where_the_folder_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(
            passes(folder.path(), &[("rewindOnTheEndOfList", "true")], 2),
            [None, None]
        );
        let gone = folder.path().join("gone");
        let element = element(
            "com.blazemeter.jmeter.DirectoryListingConfig",
            &[("directory", gone.to_str().unwrap())],
        );
        let Some(Bound::Pass(listing)) = registry::bind(&element) else {
            panic!("no leaf");
        };
        assert!(listing.pass(&mut TestContext::with(&[])).is_err());
    }
}
