//! Files that a study never touches, by where they are now.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use plimsoll_plan::model::Text;
use plimsoll_plan::study::Study;

/// What a study never touches that has a file, whose path has no links. Paths of the study start from a folder.
#[must_use]
pub fn never_of_file<'s>(study: &'s Study, folder: &Path, file: &Path) -> Option<&'s Text> {
    study
        .never
        .iter()
        .find(|never| has(&folder.join(&never.raw), file))
}

/// Whether a file lies at or below a path, or is the same one by another name.
fn has(never: &Path, file: &Path) -> bool {
    let real = fs::canonicalize(never);
    if real.is_ok_and(|real| file.starts_with(real)) {
        return true;
    }
    let known = |path: &Path| {
        let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((meta.dev(), meta.ino()))
    };
    known(never).is_some_and(|never| known(file) == Some(never))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_it_is_under_each_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap();
        let [never, other, apart] = ["never", "other", "apart"].map(|name| real.join(name));
        fs::write(&never, "a").unwrap();
        fs::write(&apart, "a").unwrap();
        fs::hard_link(&never, &other).unwrap();
        assert!(has(&never, &other) && has(&real, &other));
        assert!(!has(&never, &apart) && !has(&real.join("missing"), &other));
    }
}
