//! Whether files of a study can be written at all, as far as that is known before anything is done.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use plimsoll_plan::Problem;
use plimsoll_plan::model::Span;
use plimsoll_text::Message;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::file_messages::{several_names, unwritten};
use super::originals::kept_as;
use super::place::Place;
use super::prepared::Prepared;

/// Knobs in files that cannot be written: one of each file.
#[must_use]
pub fn unwritable(prepared: &Prepared) -> Vec<Problem> {
    let (mut problems, mut looked_at) = (Vec::new(), BTreeSet::new());
    for knob in &prepared.knobs {
        let Place::File { path, .. } = &knob.place else {
            continue;
        };
        if !looked_at.insert(path) {
            continue;
        }
        let wrong = several(path).or_else(|| Some(unwritten(path, &why_not(path)?)));
        if let Some(message) = wrong {
            let mut written = prepared.study.knobs.iter();
            let at = written.find(|it| it.name == knob.name);
            let at = at.map_or_else(Span::default, |it| it.at);
            problems.push(Problem::mistake(at, message));
        }
    }
    problems
}

/// A file that has other names. One is ours where an original was not brought back yet.
fn several(path: &Path) -> Option<Message> {
    let meta = fs::symlink_metadata(path).ok()?;
    let kept = fs::symlink_metadata(kept_as(path)).ok();
    let is_ours = kept.is_some_and(|kept| (kept.dev(), kept.ino()) == (meta.dev(), meta.ino()));
    let others = meta.nlink() - u64::from(is_ours && meta.nlink() > 0);
    (meta.is_file() && others > 1).then(|| several_names(path, others))
}

/// Why a file cannot be written; what nobody can know now is told when it is written.
fn why_not(path: &Path) -> Option<String> {
    // The superuser could, but somebody said no.
    if fs::metadata(path).ok()?.permissions().readonly() {
        return Some("the file is read-only".to_owned());
    }
    // Another user's file is replaced where the folder lets that be; one that is mounted read-only or that may not be
    // changed is not.
    if let Err(error @ (Errno::ROFS | Errno::PERM)) = access(path, Access::WRITE_OK) {
        return Some(std::io::Error::from(error).to_string());
    }
    let folder = path.parent()?;
    let may_not = access(folder, Access::WRITE_OK | Access::EXEC_OK).err()?;
    let reason = std::io::Error::from(may_not);
    Some(format!("{}: {reason}", folder.display()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_with_another_name_is_refused_but_not_for_an_original_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.conf");
        fs::write(&file, "a=1\n").unwrap();
        assert_eq!(several(&file), None);
        fs::hard_link(&file, kept_as(&file)).unwrap();
        assert_eq!(several(&file), None);
        fs::hard_link(&file, folder.path().join("b.conf")).unwrap();
        assert_eq!(several(&file), Some(several_names(&file, 2)));
    }

    #[test]
    fn a_file_without_a_right_to_write_or_in_such_a_folder_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.conf");
        fs::write(&file, "a=1\n").unwrap();
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        assert_eq!(why_not(&file), None);
        mode(&file, 0o400);
        assert!(why_not(&file).is_some_and(|reason| reason.contains("read-only")));
        mode(&file, 0o600);
        mode(folder.path(), 0o500);
        // The superuser may.
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(why_not(&file).is_none(), is_root);
        mode(folder.path(), 0o700);
        // What is the kernel's is read-only for everybody, in a folder that nobody may write.
        assert!(why_not(Path::new("/proc/self/limits")).is_some());
    }
}
