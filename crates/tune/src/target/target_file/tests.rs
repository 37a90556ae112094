#![allow(clippy::unwrap_used)]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

const ORIGINAL_BYTES: &[u8] = b"first\r\n\0\xff";

/// A folder with a file, and the folder of a study's journal.
struct Target {
    dir: TempDir,
    file: PathBuf,
    state: PathBuf,
}

impl Target {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("app");
        fs::create_dir(&folder).unwrap();
        let file = folder.join("应用 a.conf");
        fs::write(&file, ORIGINAL_BYTES).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let state = dir.path().join("state");
        Self { dir, file, state }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn beside(&self, end: &str) -> PathBuf {
        self.path("app").join(format!("应用 a.conf{end}"))
    }

    fn looked(&self) -> Result<TargetFile, Message> {
        let folder = TargetFolder::of(&self.file).unwrap().identity().unwrap();
        TargetFile::look(&self.file, Some(&folder))
    }

    fn kept(&self) -> TargetFile {
        let file = self.looked().unwrap();
        file.keep(&self.state).unwrap();
        file
    }

    /// The file of a study that has written something else into it.
    fn changed(&self) -> TargetFile {
        let mut file = self.kept();
        write(&mut file, b"second").unwrap();
        file
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("app")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|it| it.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// It is as it was, and nothing but these lies beside it.
    #[track_caller]
    fn assert_back(&self, before: &fs::Metadata, beside: &[&str]) {
        assert_eq!(fs::read(&self.file).unwrap(), ORIGINAL_BYTES);
        let now = fs::metadata(&self.file).unwrap();
        let of = |meta: &fs::Metadata| (meta.mode(), meta.uid(), meta.mtime(), meta.mtime_nsec());
        assert_eq!(of(&now), of(before));
        let mut wanted: Vec<String> = beside
            .iter()
            .map(|end| format!("应用 a.conf{end}"))
            .collect();
        wanted.insert(0, "应用 a.conf".to_owned());
        assert_eq!(self.names(), wanted);
        assert!(!self.looked().unwrap().copy_in(&self.state).exists());
    }
}

fn write(file: &mut TargetFile, content: &[u8]) -> Result<(), Message> {
    let now = file.check()?;
    file.about_to_write(content);
    file.write(&now, content)
}

/// The same file, as one knows it who has but the journal.
fn of_journal(file: &TargetFile) -> TargetFile {
    let line = serde_json::to_string(&file.entry()).unwrap();
    let kept = serde_json::from_str(&line).unwrap();
    let wrote = file.written.iter().map(|sha256| Entry::Wrote {
        path: file.path.clone(),
        sha256: sha256.clone(),
    });
    let entries: Vec<Entry> = [kept].into_iter().chain(wrote).collect();
    TargetFile::all_of(&entries).remove(0)
}

/// Brings a file back and has that known, as its study does.
fn back(file: &TargetFile, target: &Target) -> Result<FileBack, Message> {
    let brought = file.bring_back(&target.state)?;
    file.forget(&target.state);
    Ok(brought)
}

fn ids(brought: &FileBack) -> Vec<&str> {
    brought.notes.iter().map(|it| it.id.as_str()).collect()
}

#[test]
fn a_file_comes_back_as_it_was_from_every_state() {
    let target = Target::new();
    let before = fs::metadata(&target.file).unwrap();
    let half = target.path("app/.应用 a.conf.plimsoll-77-0");
    let states: [&dyn Fn() -> TargetFile; 4] = [
        &|| target.looked().unwrap(),
        &|| target.kept(),
        &|| {
            fs::write(&half, "half").unwrap();
            target.kept()
        },
        &|| target.changed(),
    ];
    for state in states {
        let file = of_journal(&state());
        assert_eq!(
            crate::target::originals::read(&target.file).unwrap(),
            ORIGINAL_BYTES
        );
        assert_eq!(ids(&back(&file, &target).unwrap()), [""; 0]);
        // A second time does no harm.
        let again = back(&file, &target).unwrap();
        assert_eq!(again, FileBack::default());
        target.assert_back(&before, &[]);
    }
}

#[test]
fn a_folder_that_is_gone_needs_nothing_and_is_told() {
    let target = Target::new();
    let file = target.kept();
    fs::remove_dir_all(target.path("app")).unwrap();
    let brought = back(&file, &target).unwrap();
    assert_eq!(ids(&brought), ["tune-file-folder-gone"]);
}

#[test]
fn a_file_of_another_study_is_not_taken() {
    let target = Target::new();
    target.kept();
    assert_eq!(target.looked().unwrap_err().id, "tune-not-restored");
}

#[test]
fn a_copy_does_where_second_names_do_not() {
    let target = Target::new();
    let before = fs::metadata(&target.file).unwrap();
    let file = target.looked().unwrap();
    let was = file.was.clone().unwrap();
    write_anew(
        &kept_as(&target.file),
        ORIGINAL_BYTES,
        &was.file,
        &plimsoll_knobs::FileAttributes::default(),
    )
    .unwrap();
    fs::write(&target.file, "second").unwrap();
    let mut file = of_journal(&file);
    file.about_to_write(b"second");
    let brought = back(&file, &target).unwrap();
    assert!(brought.changed && brought.notes.is_empty(), "{brought:?}");
    target.assert_back(&before, &[]);
}

#[test]
fn a_link_in_the_place_of_the_file_is_neither_written_nor_brought_back() {
    for is_changed in [false, true] {
        let target = Target::new();
        let before = fs::metadata(&target.file).unwrap();
        let mut file = match is_changed {
            true => target.changed(),
            false => target.kept(),
        };
        let victim = target.path("victim");
        fs::write(&victim, "of somebody else").unwrap();
        fs::remove_file(&target.file).unwrap();
        symlink(&victim, &target.file).unwrap();
        let refused = write(&mut file, b"third").unwrap_err();
        assert_eq!(refused.id, "tune-file-not-as-left");
        for file in [&file, &of_journal(&file)] {
            let refused = back(file, &target).unwrap_err();
            assert_eq!(refused.id, "tune-file-not-back");
        }
        assert_eq!(fs::read(&victim).unwrap(), b"of somebody else");
        assert!(fs::symlink_metadata(&target.file).unwrap().is_symlink());
        // With the link out of the way all is brought back.
        fs::remove_file(&target.file).unwrap();
        back(&of_journal(&file), &target).unwrap();
        target.assert_back(&before, &[]);
    }
}

#[test]
fn a_folder_that_became_another_one_is_not_written_to() {
    type Swap = fn(&Target);
    let swaps: [Swap; 2] = [
        |target| symlink("prot", target.path("app")).unwrap(),
        |target| fs::rename(target.path("prot"), target.path("app")).unwrap(),
    ];
    for swap in swaps {
        let target = Target::new();
        let before = fs::metadata(&target.file).unwrap();
        let mut file = target.changed();
        fs::create_dir(target.path("prot")).unwrap();
        // Even with the same bytes: it is another file.
        fs::write(target.path("prot/应用 a.conf"), ORIGINAL_BYTES).unwrap();
        fs::rename(target.path("app"), target.path("app.real")).unwrap();
        swap(&target);
        let refused = write(&mut file, b"third").unwrap_err();
        assert_eq!(refused.id, "tune-file-another-folder");
        for file in [&file, &of_journal(&file)] {
            let refused = back(file, &target).unwrap_err();
            assert_eq!(refused.id, "tune-file-another-folder");
        }
        assert_eq!(fs::read(&target.file).unwrap(), ORIGINAL_BYTES);
        assert_eq!(target.names(), ["应用 a.conf"]);
        // With the folder back in its place all is brought back.
        fs::rename(target.path("app"), target.path("app.other")).unwrap();
        fs::rename(target.path("app.real"), target.path("app")).unwrap();
        back(&of_journal(&file), &target).unwrap();
        target.assert_back(&before, &[]);
    }
}

#[test]
fn an_original_that_is_lost_is_mended_by_the_copy() {
    type Loss = fn(&Path, &Path);
    let losses: [(Loss, &[&str]); 3] = [
        (|kept, _| fs::remove_file(kept).unwrap(), &[]),
        (
            |kept, elsewhere| {
                fs::remove_file(kept).unwrap();
                symlink(elsewhere, kept).unwrap();
            },
            &[".plimsoll-other"],
        ),
        (
            |kept, _| fs::write(kept, "edited").unwrap(),
            &[".plimsoll-other"],
        ),
    ];
    for (lose, beside) in losses {
        for in_memory in [true, false] {
            let target = Target::new();
            let before = fs::metadata(&target.file).unwrap();
            let mut file = target.changed();
            lose(&kept_as(&target.file), &target.path("victim"));
            let refused = write(&mut file, b"third").unwrap_err();
            assert_eq!(refused.id, "tune-original-changed");
            // Each of both does alone.
            let file = match in_memory {
                true => {
                    fs::remove_dir_all(&target.state).unwrap();
                    file
                }
                false => of_journal(&file),
            };
            let brought = back(&file, &target).unwrap();
            assert_eq!(ids(&brought).last(), Some(&"tune-original-mended"));
            target.assert_back(&before, beside);
        }
    }
}

#[test]
fn an_original_of_which_nothing_is_left_is_told() {
    let target = Target::new();
    let file = of_journal(&target.changed());
    fs::remove_file(kept_as(&target.file)).unwrap();
    fs::remove_dir_all(&target.state).unwrap();
    for _ in 0..2 {
        let refused = back(&file, &target).unwrap_err();
        assert_eq!(refused.id, "tune-original-lost");
        assert_eq!(fs::read(&target.file).unwrap(), b"second");
    }
    // Once somebody has put it right there is nothing more to do.
    fs::write(&target.file, ORIGINAL_BYTES).unwrap();
    assert_eq!(ids(&back(&file, &target).unwrap()), [""; 0]);
}

#[test]
fn what_others_make_of_a_file_is_kept_beside_it() {
    // One that was written to in place, while it has both names or not, and one in its place.
    for (is_changed, in_place) in [(true, true), (true, false), (false, true), (false, false)] {
        let target = Target::new();
        let before = fs::metadata(&target.file).unwrap();
        fs::write(target.beside(".plimsoll-other"), "older").unwrap();
        let mut file = match is_changed {
            true => target.changed(),
            false => target.kept(),
        };
        if !in_place {
            fs::remove_file(&target.file).unwrap();
        }
        fs::write(&target.file, "of somebody else").unwrap();
        let refused = write(&mut file, b"third").unwrap_err();
        assert_eq!(refused.id, "tune-file-not-as-left");
        let brought = back(&of_journal(&file), &target).unwrap();
        assert!(ids(&brought).contains(&"tune-others-kept"), "{brought:?}");
        target.assert_back(&before, &[".plimsoll-other", ".plimsoll-other.1"]);
        let kept = |end: &str| fs::read(target.beside(end)).unwrap();
        assert_eq!(kept(".plimsoll-other"), b"older");
        assert_eq!(kept(".plimsoll-other.1"), b"of somebody else");
    }
}

#[test]
fn what_is_edited_before_anybody_knows_that_it_is_back_is_kept_beside_it() {
    let target = Target::new();
    let before = fs::metadata(&target.file).unwrap();
    let file = of_journal(&target.changed());
    file.bring_back(&target.state).unwrap();
    // It was killed before it could say so.
    fs::write(target.beside(".new"), "of somebody else").unwrap();
    fs::rename(target.beside(".new"), &target.file).unwrap();
    let brought = back(&file, &target).unwrap();
    assert_eq!(ids(&brought), ["tune-others-kept", "tune-original-mended"]);
    target.assert_back(&before, &[".plimsoll-other"]);
    let other = fs::read(target.beside(".plimsoll-other")).unwrap();
    assert_eq!(other, b"of somebody else");
}

#[test]
fn what_an_older_version_has_kept_is_brought_back() {
    let target = Target::new();
    let before = fs::metadata(&target.file).unwrap();
    target.changed();
    let line = serde_json::json!({ "what": "kept", "path": target.file });
    let entry: Entry = serde_json::from_value(line).unwrap();
    let file = TargetFile::all_of(&[entry]).remove(0);
    assert!(back(&file, &target).unwrap().changed);
    target.assert_back(&before, &[]);
}
