//! A plan that was sent, with the files it needs, where the run reads it.

use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plimsoll_access::Access;
use plimsoll_plan::limits::PLAN_BYTES;
use plimsoll_run::{PlanSource, UnpackedPlan};
use plimsoll_store::private;
use plimsoll_text::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::journal::{DeskJournal, HeldFolder};
use crate::problem::ApiError;
use crate::shared::RunBounds;

/// Files of a plan, and all of them together.
const MOST_FILES: usize = 500;
pub(crate) const MOST_FILE_BYTES: usize = 64 << 20;
/// Folders of a name at most.
const DEEPEST: usize = 10;

/// A file that a plan needs.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SentFile {
    /// Its name as the plan has it, below the plan's folder.
    pub name: String,
    /// What it holds, in base64.
    pub base64: String,
}

impl SentFile {
    fn write(&self, folder: &Path, left: &mut usize) -> Result<(), ApiError> {
        let path = Path::new(&self.name);
        let is_plain = path
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let depth = path.components().count();
        let is_name = !self.name.is_empty()
            && self.name.len() <= 1_000
            && !self.name.contains(['\0', '\\'])
            && is_plain
            && (1..=DEEPEST).contains(&depth);
        let bad = || {
            let message = Message::new("server-bad-file").with("name", self.name.as_str());
            ApiError::bad(message)
        };
        if !is_name {
            return Err(bad());
        }
        let bytes = STANDARD.decode(&self.base64).map_err(|_| bad())?;
        *left = left.checked_sub(bytes.len()).ok_or_else(|| {
            let message = Message::new("server-files-too-long");
            ApiError::bad(message.with("limit_mib", MOST_FILE_BYTES >> 20))
        })?;
        let to = folder.join(path);
        let written = to.parent().map_or(Ok(()), private::folders);
        let written = written.and_then(|()| {
            use std::io::Write as _;
            private::new_file(&to)?.write_all(&bytes)
        });
        match written {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(bad()),
            written => written.map_err(|error| ApiError::cannot_keep(&error)),
        }
    }
}

/// Writes what was sent into a folder of its own, under a name, with the files that came along. Gives its whole
/// path.
///
/// # Errors
/// A text or files that are too long, names that lead elsewhere, a disk that is full.
pub(super) fn write(
    text: &str,
    name: &str,
    files: Option<&[SentFile]>,
    folder: &Path,
) -> Result<PathBuf, ApiError> {
    if text.len() > PLAN_BYTES {
        let message = Message::new("plan-too-long").with("limit_mib", PLAN_BYTES >> 20);
        return Err(ApiError::bad(message));
    }
    let cannot = |error: std::io::Error| ApiError::cannot_keep(&error);
    // What may be opened is told by whole paths.
    let path = std::path::absolute(folder.join(name)).map_err(cannot)?;
    private::write(&path, text.as_bytes()).map_err(cannot)?;
    let sent = files.unwrap_or_default();
    if sent.len() > MOST_FILES {
        let message = Message::new("server-too-many").with("most", MOST_FILES);
        return Err(ApiError::bad(message));
    }
    let mut left = MOST_FILE_BYTES;
    for file in sent {
        file.write(folder, &mut left)?;
    }
    Ok(path)
}

/// Keeps a plan that was sent. One that came with its files, or of somebody who may not use this host as his
/// own, has its folder alone; any other starts from the folder that the server was started in.
///
/// # Errors
/// As [`write`].
pub(super) fn keep(
    text: &str,
    files: Option<&[SentFile]>,
    journal: &DeskJournal,
    bounds: &RunBounds,
) -> Result<(PlanSource, HeldFolder), ApiError> {
    let cannot = |error: std::io::Error| ApiError::cannot_keep(&error);
    let held = journal.plan_folder("plans").map_err(cannot)?;
    let name = match text.trim_start().starts_with('<') {
        true => "plan.jmx",
        false => "plan.yaml",
    };
    let path = write(text, name, files, held.path())?;
    let unpacked = match files.is_some() || bounds.is_bounded() {
        true => own_folder(held.path(), bounds).map_err(cannot)?,
        false => of_user(),
    };
    let source = PlanSource {
        unpacked: Some(unpacked),
        ..PlanSource::new(path.display().to_string())
    };
    Ok((source, held))
}

/// A URL: it has no files.
pub(super) fn url(
    url: &str,
    journal: &DeskJournal,
    bounds: &RunBounds,
) -> Result<(PlanSource, Option<HeldFolder>), ApiError> {
    let source = PlanSource::new(url);
    if !bounds.is_bounded() {
        return Ok((source, None));
    }
    let cannot = |error: std::io::Error| ApiError::cannot_keep(&error);
    let held = journal.plan_folder("plans").map_err(cannot)?;
    let unpacked = own_folder(held.path(), bounds).map_err(cannot)?;
    let source = PlanSource {
        unpacked: Some(unpacked),
        ..source
    };
    Ok((source, Some(held)))
}

/// What a plan that has its folder alone may do.
///
/// # Errors
/// A folder that cannot be opened.
pub(super) fn own_folder(folder: &Path, bounds: &RunBounds) -> std::io::Result<UnpackedPlan> {
    let folder = std::path::absolute(folder)?;
    let of_host = bounds.is_own_host && bounds.reach.is_none();
    Ok(UnpackedPlan {
        access: match of_host {
            true => Access::of_user(),
            false => bounds.access(&folder)?,
        },
        env: if of_host {
            own_environment()
        } else {
            Vec::new()
        },
        folder,
    })
}

/// As on the command line.
fn of_user() -> UnpackedPlan {
    UnpackedPlan {
        folder: std::env::current_dir().unwrap_or_else(|_| ".".into()),
        env: own_environment(),
        access: Access::of_user(),
    }
}

fn own_environment() -> Vec<(String, String)> {
    let own = std::env::vars_os();
    own.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
