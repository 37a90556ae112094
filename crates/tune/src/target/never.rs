//! Files that a study never touches, by where they are now.

use std::path::Path;

use plimsoll_plan::model::Text;
use plimsoll_plan::study::Study;

/// What a study never touches that has a file, whose path has no links. Paths of the study start from a folder.
#[must_use]
pub fn never_of_file<'s>(study: &'s Study, folder: &Path, file: &Path) -> Option<&'s Text> {
    study.never.iter().find(|never| {
        let real = std::fs::canonicalize(folder.join(&never.raw));
        real.is_ok_and(|real| file.starts_with(real))
    })
}
