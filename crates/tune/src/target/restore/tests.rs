#![allow(clippy::unwrap_used)]

use super::*;
use crate::target::component::StartWith;
use crate::target::journal::JOURNAL_VERSION;
use crate::target::target_folder::TargetFolder;
use proptest::prelude::*;

const MARK: &str = "0123456789abcdef";

/// A folder with a study, and its journal, in which it has begun.
fn begun(folder: &Path, study: &str) -> Journal {
    let file = folder.join("study.yaml");
    let head = "plan: http://127.0.0.1:1/\nusers: 2\nobjective: maximise throughput\n";
    std::fs::write(&file, format!("{head}{study}")).unwrap();
    let mut journal = Journal::open(&folder.join("state")).unwrap();
    let begun = Entry::Begun {
        version: JOURNAL_VERSION,
        mark: format!("{MARK}{:08x}", fastrand::u32(..)),
        study: file,
        folder: None,
        fingerprint: String::new(),
        seed: 0,
        resumed: false,
        asked_by: None,
    };
    journal.write(begun).unwrap();
    journal
}

fn set(knob: &str, was: &str) -> Entry {
    Entry::Set {
        knob: knob.to_owned(),
        was: was.to_owned(),
        kernel: None,
    }
}

fn texts(restored: &Restored) -> String {
    let all = restored.failed.iter();
    let all = all.map(|it| plimsoll_text::render(plimsoll_text::Lang::En, it));
    all.collect::<Vec<_>>().join("\n")
}

const BY_COMMAND: &str = "components:\n  app:\n    running: true\n    ready: 'true'\n    reload: touch reloaded\n\
                          knobs:\n  size:\n    command: sh -c 'echo {} > size'\n    default: '1'\n    values: [1, 8]\n";

#[test]
fn what_the_study_no_longer_names_is_told_and_stays_to_be_done() {
    let touched = Entry::Touched {
        component: "app".to_owned(),
    };
    for (part, other, entry, missing) in [
        ("  size:", "  width:", set("size", "7"), ["size", "7"]),
        ("  app:", "  web:", touched, ["app", "app"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = begun(folder.path(), &BY_COMMAND.replace(part, other));
        journal.write(entry).unwrap();
        let restored = restore(&mut journal).unwrap();
        let told = texts(&restored);
        assert!(missing.iter().all(|word| told.contains(word)), "{told}");
        assert!(!journal.open_entries().is_empty());
        // With its name back it is done.
        let file = folder.path().join("study.yaml");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace(other, part)).unwrap();
        let restored = restore(&mut journal).unwrap();
        assert_eq!(restored.failed, [], "{}", texts(&restored));
        assert!(journal.open_entries().is_empty());
    }
}

#[test]
fn a_study_that_cannot_be_read_says_why_and_what_is_left() {
    for (study, why) in [
        (BY_COMMAND.replace("running", "runing"), "runing"),
        (
            format!(
                "{BY_COMMAND}  a: {{ file: gone.conf, format: ini, key: a, values: [1, 2] }}\n"
            ),
            "gone.conf",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = begun(folder.path(), &study);
        journal.write(set("size", "7")).unwrap();
        let told = texts(&restore(&mut journal).unwrap());
        let all = [why, "size", "7"];
        assert!(all.iter().all(|word| told.contains(word)), "{told}");
        assert!(!journal.open_entries().is_empty());
    }
}

#[test]
fn processes_end_as_the_study_says_in_the_reverse_order() {
    let folder = tempfile::tempdir().unwrap();
    let component = |name: &str| {
        format!(
            "  {name}:\n    start: sleep 600\n    ready: 'true'\n    stop: sh -c 'echo {name} >> stopped'\n    \
             stop-within: 100ms\n"
        )
    };
    let names = ["base", "app", "web"];
    let components: String = names.iter().map(|name| component(name)).collect();
    let study =
        format!("components:\n{components}knobs:\n  a: {{ of: app, env: A, values: [1, 2] }}\n");
    let mut journal = begun(folder.path(), &study);
    let Some(Entry::Begun { mark, study, .. }) = journal.open_entries().first().cloned() else {
        panic!("it has begun");
    };
    let prepared = read(&study, None).unwrap();
    let state = journal.folder().to_owned();
    // What has started them is gone: they are not its children any more.
    for spec in &prepared.study.components {
        let mut component = Component::new(spec, folder.path(), &mark, &state);
        let started = component.start(&StartWith::default(), &Interrupt::default());
        started.unwrap();
    }
    let restored = restore(&mut journal).unwrap();
    assert!(
        restored.processes && restored.failed.is_empty(),
        "{}",
        texts(&restored)
    );
    let stopped = std::fs::read_to_string(folder.path().join("stopped")).unwrap();
    assert_eq!(stopped, "web\napp\nbase\n");
    assert!(marks::marked(&format!("{mark}/")).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Of several files all are as they were, or all are as they are left, wherever it was killed.
    #[test]
    fn a_kill_while_leaving_leaves_all_or_nothing(count in 1_usize..5, done in 0_usize..12) {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = begun(folder.path(), BY_COMMAND);
        let paths: Vec<PathBuf> = (0..count).map(|at| folder.path().join(format!("{at}.conf"))).collect();
        let mut files = Vec::new();
        for path in &paths {
            std::fs::write(path, "before").unwrap();
            let folder = TargetFolder::of(path).unwrap().identity().unwrap();
            let mut file = TargetFile::look(path, Some(&folder)).unwrap();
            journal.write(file.entry()).unwrap();
            file.keep(journal.folder()).unwrap();
            journal.write(file.about_to_write(b"after").unwrap()).unwrap();
            files.push(file);
            plimsoll_knobs::write::replace(path, b"after").unwrap();
        }
        journal.write(set("size", "7")).unwrap();
        // As far as the kill: the line, then one original after the other.
        if done > 0 {
            journal.write(Entry::Left).unwrap();
        }
        for file in files.iter().take(done.saturating_sub(1)) {
            file.leave(journal.folder()).unwrap();
        }
        let restored = restore(&mut journal).unwrap();
        prop_assert_eq!((&restored.failed, &restored.notes), (&vec![], &vec![]));
        let expected = if done > 0 { "after" } else { "before" };
        for path in &paths {
            prop_assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
            prop_assert!(!kept_as(path).exists());
        }
        // A knob that a command has set is left, too, or gets what it was.
        prop_assert_eq!(folder.path().join("size").exists(), done == 0);
        prop_assert!(journal.open_entries().is_empty());
    }
}

/// Has a study make a file and change it.
fn changed(file: &Path, journal: &mut Journal) {
    std::fs::write(file, "first").unwrap();
    let identity = TargetFolder::of(file).unwrap().identity().unwrap();
    let mut held = TargetFile::look(file, Some(&identity)).unwrap();
    journal.write(held.entry()).unwrap();
    held.keep(journal.folder()).unwrap();
    let wrote = held.about_to_write(b"second").unwrap();
    journal.write(wrote).unwrap();
    held.write(&held.check().unwrap(), b"second").unwrap();
}

/// A file that a killed study has changed, and the journal that says so.
fn killed(folder: &Path) -> (PathBuf, Journal) {
    let file = std::fs::canonicalize(folder).unwrap().join("a.conf");
    let mut journal = begun(folder, BY_COMMAND);
    changed(&file, &mut journal);
    (file, journal)
}

fn ids(of: &[Message]) -> Vec<String> {
    of.iter().map(|it| it.id.to_string()).collect()
}

#[test]
fn a_damaged_line_is_named_and_what_the_others_say_is_brought_back() {
    // Of the lines begun, kept, wrote: all but the file's own leave enough.
    for line in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let (file, journal) = killed(folder.path());
        let (state, path) = (
            journal.folder().to_owned(),
            journal.folder().join("journal.jsonl"),
        );
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines[line] = "{\"what\":\0";
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let mut journal = Journal::open(&state).unwrap();
        let restored = restore(&mut journal).unwrap();
        assert_eq!(restored.notes[0].id, "tune-journal-damaged");
        let is_of_file = line == 1;
        assert_eq!(restored.is_journal_lost, is_of_file, "{line}");
        assert_eq!(journal.open_entries().is_empty(), !is_of_file, "{line}");
        let wanted = if is_of_file { "second" } else { "first" };
        assert_eq!(std::fs::read_to_string(&file).unwrap(), wanted, "{line}");
    }
}

#[test]
fn a_folder_with_copies_and_no_journal_is_not_clean() {
    for is_missing in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (_, journal) = killed(folder.path());
        let (state, path) = (
            journal.folder().to_owned(),
            journal.folder().join("journal.jsonl"),
        );
        drop(journal);
        match is_missing {
            true => std::fs::remove_file(&path).unwrap(),
            false => std::fs::write(&path, "").unwrap(),
        }
        let mut journal = Journal::open(&state).unwrap();
        let restored = restore(&mut journal).unwrap();
        assert_eq!(ids(&restored.failed), ["tune-journal-lost"]);
        std::fs::remove_dir_all(state.join("kept")).unwrap();
        assert_eq!(restore(&mut journal).unwrap(), Restored::default());
    }
}

#[test]
fn what_is_back_is_left_alone_while_something_else_is_not_back() {
    let folder = tempfile::tempdir().unwrap();
    let (file, mut journal) = killed(folder.path());
    let (stuck, size) = (file.with_file_name("b.conf"), file.with_file_name("size"));
    changed(&stuck, &mut journal);
    journal.write(set("size", "7")).unwrap();
    std::fs::remove_file(&stuck).unwrap();
    std::os::unix::fs::symlink("/nowhere", &stuck).unwrap();
    let restored = restore(&mut journal).unwrap();
    assert_eq!(ids(&restored.failed), ["tune-file-not-back"]);
    assert_eq!(restored.files, std::slice::from_ref(&file));
    assert_eq!(std::fs::read(&size).unwrap(), b"7\n");
    // From now on both are somebody else's, for whoever tries it again, too.
    for path in [&file, &size] {
        std::fs::write(path, "of somebody else").unwrap();
    }
    let state = journal.folder().to_owned();
    drop(journal);
    let mut journal = Journal::open(&state).unwrap();
    for _ in 0..2 {
        let restored = restore(&mut journal).unwrap();
        assert_eq!(ids(&restored.failed), ["tune-file-not-back"]);
        assert!(restored.files.is_empty() && restored.notes.is_empty());
    }
    std::fs::remove_file(&stuck).unwrap();
    let restored = restore(&mut journal).unwrap();
    assert_eq!(restored.failed, [], "{}", texts(&restored));
    assert_eq!(restored.files, std::slice::from_ref(&stuck));
    assert!(journal.open_entries().is_empty() && !has_copies(&state));
    for path in [&file, &size] {
        assert_eq!(std::fs::read(path).unwrap(), b"of somebody else");
    }
    assert_eq!(std::fs::read(&stuck).unwrap(), b"first");
}

#[test]
fn a_kill_between_a_file_that_is_back_and_its_line_is_harmless() {
    for (is_written, is_edited) in [(false, false), (false, true), (true, false), (true, true)] {
        let folder = tempfile::tempdir().unwrap();
        let (file, mut journal) = killed(folder.path());
        let state = journal.folder().to_owned();
        let held = TargetFile::all_of(journal.open_entries()).remove(0);
        held.bring_back(&state).unwrap();
        if is_written {
            let path = file.clone();
            journal.write(Entry::FileIsBack { path }).unwrap();
        }
        if is_edited {
            std::fs::write(&file, "of somebody else").unwrap();
        }
        let restored = restore(&mut journal).unwrap();
        assert_eq!(restored.failed, [], "{}", texts(&restored));
        assert!(journal.open_entries().is_empty() && !has_copies(&state));
        let now = std::fs::read_to_string(&file).unwrap();
        match (is_written, is_edited) {
            // Nobody knew that it was somebody else's: their version is kept.
            (false, true) => {
                assert_eq!(now, "first");
                let other = file.with_file_name("a.conf.plimsoll-other");
                assert_eq!(std::fs::read(other).unwrap(), b"of somebody else");
            }
            (true, true) => assert_eq!(now, "of somebody else"),
            (_, false) => assert_eq!(now, "first"),
        }
    }
}
