//! What somebody does to a target's files while a study goes on, or after it was killed: nothing of theirs is written to
//! or lost, and what cannot be brought back is named.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use crate::world::{FileState, Told, World, signal};

/// A study that goes on until something ends it, and the file as it was before.
struct Attacked {
    world: World,
    before: FileState,
}

impl Attacked {
    fn new(more: &str) -> Self {
        let world = World::new();
        let knobs = world.workers("range: 2..8");
        world.study(&format!(
            "knobs:\n{knobs}search: random\ntrials: 500\nseed: 1\n{more}"
        ));
        let before = world.state();
        Self { world, before }
    }

    /// Starts it and waits until it has changed the file.
    fn changed(&self) -> Child {
        let mut study = self.world.start(&["tune", "study.yaml", "--quiet"]);
        while self.world.state() == self.before {
            assert!(study.try_wait().unwrap().is_none(), "it ended");
            std::thread::sleep(Duration::from_millis(5));
        }
        study
    }

    fn killed(&self) {
        let mut study = self.changed();
        study.kill().unwrap();
        study.wait().unwrap();
    }

    fn original(&self) -> PathBuf {
        self.world
            .path("conf/.service.properties.plimsoll-original")
    }

    /// All is as it was, with what was in the way taken away.
    #[track_caller]
    fn assert_restored(&self) {
        self.world.call(&["tune", "--restore"]).assert_code(0);
        assert_eq!(self.world.state(), self.before);
        self.world.assert_clean("after all");
    }
}

fn ended(study: Child) -> Told {
    let told = Told::of(study.wait_with_output().unwrap());
    told.assert_code(2);
    told
}

#[track_caller]
fn assert_says(told: &Told, parts: &[&str]) {
    for part in parts {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
}

#[test]
fn a_link_that_takes_the_place_of_a_file_is_not_written_through() {
    let attacked = Attacked::new("");
    let (world, victim) = (&attacked.world, attacked.world.path("victim"));
    fs::write(&victim, "of somebody else").unwrap();
    let study = attacked.changed();
    fs::remove_file(world.settings()).unwrap();
    symlink(&victim, world.settings()).unwrap();
    let told = ended(study);
    assert_says(
        &told,
        &[
            "symbolic link",
            "conf/service.properties is not brought back",
        ],
    );
    let told = world.call(&["tune", "study.yaml", "--restore"]);
    told.assert_code(2);
    assert_says(&told, &["conf/service.properties is not brought back"]);
    assert_eq!(fs::read(&victim).unwrap(), b"of somebody else");
    assert!(fs::symlink_metadata(world.settings()).unwrap().is_symlink());
    fs::remove_file(world.settings()).unwrap();
    attacked.assert_restored();
}

#[test]
fn a_folder_that_becomes_another_one_ends_the_study() {
    let attacked = Attacked::new("never: [prot]\n");
    let world = &attacked.world;
    fs::create_dir(world.path("prot")).unwrap();
    let of_others = "workers = 1\n# of somebody else\n";
    fs::write(world.path("prot/service.properties"), of_others).unwrap();
    let study = attacked.changed();
    fs::rename(world.path("conf"), world.path("conf.real")).unwrap();
    symlink("prot", world.path("conf")).unwrap();
    assert_says(&ended(study), &["another one", "prot"]);
    let files: Vec<_> = fs::read_dir(world.path("prot")).unwrap().collect();
    assert_eq!(files.len(), 1);
    assert_eq!(
        fs::read_to_string(world.path("prot/service.properties")).unwrap(),
        of_others
    );
    fs::remove_file(world.path("conf")).unwrap();
    fs::rename(world.path("conf.real"), world.path("conf")).unwrap();
    attacked.assert_restored();
}

#[test]
fn an_original_that_is_lost_ends_the_study_and_is_mended() {
    let attacked = Attacked::new("");
    let world = &attacked.world;
    // While it goes on, and after it was killed.
    let study = attacked.changed();
    fs::remove_file(attacked.original()).unwrap();
    assert_says(
        &ended(study),
        &["removed, replaced or changed", "by the copy"],
    );
    assert_eq!(world.state(), attacked.before);
    world.assert_clean("after an original that was lost");
    attacked.killed();
    fs::write(attacked.original(), "edited").unwrap();
    let told = world.call(&["tune", "study.yaml", "--restore"]);
    told.assert_code(2);
    assert_says(&told, &["by the copy", "service.properties.plimsoll-other"]);
    assert_eq!(world.state(), attacked.before);
    let other = world.path("conf/service.properties.plimsoll-other");
    assert_eq!(fs::read(&other).unwrap(), b"edited");
    fs::remove_file(other).unwrap();
    attacked.assert_restored();
}

#[test]
fn what_others_change_is_kept_beside_the_original() {
    let attacked = Attacked::new("");
    let world = &attacked.world;
    let edit = |text: &str| fs::write(world.settings(), text).unwrap();
    let study = attacked.changed();
    edit("workers = 3\n# while it goes on\n");
    assert_says(&ended(study), &["somebody else", "plimsoll-other"]);
    assert_eq!(world.state(), attacked.before);
    attacked.killed();
    edit("workers = 3\n# after it was killed\n");
    let told = world.call(&["tune", "--restore"]);
    told.assert_code(2);
    assert_says(&told, &["Somebody else", "plimsoll-other.1"]);
    for (end, part) in [("", "while it goes on"), (".1", "after it was killed")] {
        let other = world.path(&format!("conf/service.properties.plimsoll-other{end}"));
        assert!(fs::read_to_string(&other).unwrap().contains(part));
        fs::remove_file(other).unwrap();
    }
    attacked.assert_restored();
}

#[test]
fn an_original_without_a_journal_is_named_with_the_command_that_puts_it_back() {
    let attacked = Attacked::new("");
    let world = &attacked.world;
    attacked.killed();
    fs::remove_dir_all(world.path("plimsoll-runs")).unwrap();
    let restored = world.call(&["tune", "study.yaml", "--restore"]);
    restored.assert_code(2);
    let next = world.call(&["tune", "study.yaml"]);
    next.assert_code(2);
    let command = format!(
        "mv -f -- {} {}",
        attacked.original().display(),
        world.settings().display()
    );
    for told in [restored, next] {
        assert_says(&told, &[&command]);
    }
    for pid in world.processes() {
        signal(u32::try_from(pid).unwrap(), "KILL");
    }
    world.shell(&command).assert_code(0);
    attacked.assert_restored();
}

#[test]
fn a_study_that_loses_its_journal_ends_and_brings_all_back() {
    let attacked = Attacked::new("");
    let study = attacked.changed();
    fs::remove_dir_all(attacked.world.path("plimsoll-runs")).unwrap();
    assert_says(&ended(study), &["plimsoll-runs"]);
    assert_eq!(attacked.world.state(), attacked.before);
    attacked.world.assert_clean("after a journal that was lost");
}

#[test]
fn a_file_that_nobody_may_write_is_told_before_anything_is_done() {
    let attacked = Attacked::new("");
    let path = attacked.world.settings();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    let told = attacked.world.call(&["tune", "study.yaml", "--dry-run"]);
    told.assert_code(2);
    assert_says(&told, &["service.properties", "read-only"]);
}

#[test]
fn ctrl_backslash_brings_all_back() {
    let attacked = Attacked::new("");
    let study = attacked.changed();
    signal(study.id(), "QUIT");
    Told::of(study.wait_with_output().unwrap()).assert_code(130);
    assert_eq!(attacked.world.state(), attacked.before);
    attacked.world.assert_clean("after Ctrl-\\");
}
