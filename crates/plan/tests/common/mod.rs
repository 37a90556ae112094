//! The data files of the tests.

use std::path::{Path, PathBuf};

/// The plans of a folder, from this crate's folder.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Every plan that must be read: those of the tests and the examples.
#[allow(dead_code)] // Not every test that has this module asks for them.
pub fn good_plans() -> Vec<PathBuf> {
    let mut good = files("tests/plans/good");
    good.extend(files("../../examples"));
    good
}
