//! What editors of plans are told.

use std::path::{Path, PathBuf};

use plimsoll_run::calibration::state_folder;
use plimsoll_text::{Lang, Message, render};

/// The line that a plan begins with, so that editors know its schema, and what others do with it: a
/// copy in the user's state folder, which is found from any folder. None where that is no user's own
/// folder or cannot be written.
pub fn schema_line(lang: Lang) -> Option<String> {
    let folder = state_folder();
    // A host's own folder is made by packages alone.
    let is_users = std::env::var_os("XDG_STATE_HOME").or_else(|| std::env::var_os("HOME"));
    if is_users.is_none_or(|folder| folder.is_empty()) && !folder.is_dir() {
        return None;
    }
    let path = folder.join("plan.schema.json");
    std::fs::create_dir_all(&folder).ok()?;
    let schema = plimsoll_plan::schema_text();
    let is_there = std::fs::read_to_string(&path).is_ok_and(|known| known == schema);
    if !is_there {
        std::fs::write(&path, schema).ok()?;
    }
    let elsewhere = render(lang, &Message::new("init-schema"));
    Some(format!("{}\n# {elsewhere}\n", schema_reference(&path)))
}

/// The line that names a schema's file by its whole address.
pub fn schema_reference(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    let address = url::Url::from_file_path(&path);
    let address = address.map_or_else(|()| path.display().to_string(), String::from);
    format!("# yaml-language-server: $schema={address}")
}
