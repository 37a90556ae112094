//! Whether what a study keeps is its user's own. What a journal says is done with the rights of whoever opens it: files are
//! written, processes ended, commands of a study run.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Bits of a mode by which the group, or all, may write.
const OTHERS_WRITE: u32 = 0o022;

/// Whether nobody else may write to a file or folder, and it is no link. What is not there yet will be our own.
///
/// # Errors
/// If the system does not say.
pub fn is_trusted(path: &Path) -> io::Result<bool> {
    let meta = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        meta => meta?,
    };
    let is_own = meta.uid() == rustix::process::geteuid().as_raw();
    Ok(is_own && meta.mode() & OTHERS_WRITE == 0 && !meta.is_symlink())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use crate::target::journal::{Journal, journal_failed, state_folder};

    #[test]
    fn what_others_may_write_is_not_trusted() {
        let runs = tempfile::tempdir().unwrap();
        let folder = state_folder(runs.path(), "study");
        drop(Journal::open(&folder).unwrap());
        let path = folder.join("journal.jsonl");
        let above = folder.parent().unwrap().to_owned();
        for path in [&path, &folder, &above] {
            let was = std::fs::metadata(path).unwrap().permissions();
            let by_others = std::fs::Permissions::from_mode(was.mode() | 0o020);
            std::fs::set_permissions(path, by_others).unwrap();
            let refused = Journal::open(&folder).err().unwrap();
            assert_eq!(journal_failed(&folder, refused).id, "tune-journal-not-ours");
            std::fs::set_permissions(path, was).unwrap();
            drop(Journal::open(&folder).unwrap());
        }
        // Nor where a link leads.
        let elsewhere = runs.path().join("elsewhere");
        for path in [&path, &folder, &above] {
            std::fs::rename(path, &elsewhere).unwrap();
            symlink(&elsewhere, path).unwrap();
            let refused = Journal::open(&folder).err().unwrap();
            assert_eq!(journal_failed(&folder, refused).id, "tune-journal-not-ours");
            std::fs::remove_file(path).unwrap();
            std::fs::rename(&elsewhere, path).unwrap();
        }
    }
}
