//! What editors of plans are told.

use std::path::{Path, PathBuf};

use plimsoll_run::calibration::state_folder;

/// The line that a plan begins with, so that editors know its schema: a copy in the user's state
/// folder, which is found from any folder. None where that cannot be written.
pub fn schema_line() -> Option<String> {
    let path = state_folder().join("plan.schema.json");
    std::fs::create_dir_all(state_folder()).ok()?;
    std::fs::write(&path, plimsoll_plan::schema_text()).ok()?;
    Some(format!("{}\n", schema_reference(&path)))
}

/// The line that names a schema's file by its whole address.
pub fn schema_reference(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    let address = url::Url::from_file_path(&path);
    let address = address.map_or_else(|()| path.display().to_string(), String::from);
    format!("# yaml-language-server: $schema={address}")
}
