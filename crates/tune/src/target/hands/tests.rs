#![allow(clippy::unwrap_used)]

use std::path::Path;

use super::*;
use crate::target::prepare;

fn prepared(folder: &Path, components: &str, knobs: &str) -> Prepared {
    let study = format!(
        "plan: http://127.0.0.1:1/\nusers: 2\nobjective: maximise throughput\ncomponents:\n{components}\
         knobs:\n{knobs}"
    );
    let (study, _) = plimsoll_plan::parse_study(&study, "study.yaml").unwrap();
    prepare(study, &folder.join("study.yaml"), None).unwrap()
}

/// Does something with hands for the one component; what stands in the journal then.
fn with_hands(prepared: &Prepared, folder: &Path, work: impl FnOnce(Hands<'_>)) -> Vec<Entry> {
    let mut journal = Journal::open(&folder.join("state")).unwrap();
    let mark = format!("{:016x}", fastrand::u64(..));
    work(Hands::new(
        prepared,
        vec![0],
        &mut journal,
        &mark,
        Interrupt::default(),
    ));
    journal.entries().to_vec()
}

const RUNNING: &str = "  app:\n    running: true\n    ready: 'true'\n    reload: ";

#[test]
fn after_a_reload_it_is_waited_for_what_was_asked_for() {
    // The new value holds a little after the reload, or never.
    for (then, arrives) in [("cp app.conf shown", true), ("true", false)] {
        let folder = tempfile::tempdir().unwrap();
        for name in ["app.conf", "shown"] {
            std::fs::write(folder.path().join(name), "workers=1\n").unwrap();
        }
        let components = format!("{RUNNING}sh -c '(sleep 0.3; {then}) &'\n");
        let knobs = "  workers:\n    file: app.conf\n    format: properties\n    key: workers\n    range: 1..8\n    \
                     by-reload: true\n    read-back: { command: sed s/workers=// shown }\n";
        let prepared = prepared(folder.path(), &components, knobs);
        let of = Configuration(vec![Some("8".to_owned())]);
        with_hands(&prepared, folder.path(), |mut hands| {
            hands.apply(&of).unwrap();
            let read = hands.read_back(&of);
            assert_eq!(read.is_ok(), arrives, "{read:?}");
            hands.finish(None).unwrap();
        });
    }
}

#[test]
fn what_was_found_is_waited_for_when_it_comes_back() {
    // The value comes back a little after the reload, never, or is nothing that the target showed before.
    for (then, shown, arrives) in [
        ("sleep 0.3; cp app.conf shown", "workers=1\n", true),
        (
            "grep -q workers=1 app.conf || cp app.conf shown",
            "workers=1\n",
            false,
        ),
        ("true", "workers=5\n", true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("app.conf"), "workers=1\n").unwrap();
        std::fs::write(folder.path().join("shown"), shown).unwrap();
        let components = format!("{RUNNING}sh -c '({then}) &'\n");
        let knobs = "  workers:\n    file: app.conf\n    format: properties\n    key: workers\n    range: 1..8\n    \
                     by-reload: true\n    read-back: { command: sed s/workers=// shown }\n";
        let prepared = prepared(folder.path(), &components, knobs);
        let (found, changed) = (
            Configuration::unchanged(1),
            Configuration(vec![Some("8".to_owned())]),
        );
        with_hands(&prepared, folder.path(), |mut hands| {
            hands.apply(&found).unwrap();
            let (seen, unseen) = hands.read_back(&found).unwrap();
            assert_eq!(seen.len(), usize::from(shown == "workers=1\n"));
            assert!(unseen.is_empty());
            hands.apply(&changed).unwrap();
            let _ = hands.read_back(&changed);
            hands.apply(&found).unwrap();
            let read = hands.read_back(&found);
            assert_eq!(read.is_ok(), arrives, "{then}: {read:?}");
            hands.finish(None).unwrap();
        });
    }
}

#[test]
fn what_the_kernel_has_is_asked_for_when_it_is_about_to_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = "/proc/sys/net/core/somaxconn";
    let knobs =
        format!("  kernel.somaxconn: {{ file: {path}, format: value, range: 128..65000 }}\n");
    let components = format!("{RUNNING}'true'\n");
    let mut prepared = prepared(folder.path(), &components, &knobs);
    // It was changed since; here it is another file, which nobody may set so.
    let now = folder.path().join("somaxconn");
    std::fs::write(&now, "4096\n").unwrap();
    prepared.space.knobs[0].found = Some("128".to_owned());
    prepared.knobs[0].place = Place::Value(now.clone());
    let of = Configuration(vec![Some("1024".to_owned())]);
    let entries = with_hands(&prepared, folder.path(), |mut hands| {
        assert!(hands.apply(&of).is_err());
    });
    let kernel = KernelText {
        path: now,
        text: "4096".to_owned(),
    };
    let set = Entry::Set {
        knob: "kernel.somaxconn".to_owned(),
        was: "4096".to_owned(),
        kernel: Some(kernel),
    };
    assert_eq!(entries, [set]);
}

#[test]
fn what_is_kept_stays_only_once_all_originals_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a.conf", "b.conf", "c.conf"];
    let mut knobs = String::new();
    for name in names {
        std::fs::write(folder.path().join(name), "x=1\n").unwrap();
        let knob = name.replace('.', "-");
        knobs.push_str(&format!(
            "  {knob}: {{ file: {name}, format: properties, key: x, range: 1..8 }}\n"
        ));
    }
    let prepared = prepared(folder.path(), &format!("{RUNNING}'true'\n"), &knobs);
    let of = Configuration(vec![Some("8".to_owned()); names.len()]);
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    // A copy that cannot be made: nothing of the configuration counts as left.
    let copies = folder.path().join("state/originals");
    std::fs::create_dir_all(copies.join("1-b.conf")).unwrap();
    let entries = with_hands(&prepared, folder.path(), |mut hands| {
        hands.apply(&of).unwrap();
        assert!(hands.finish(Some(&of)).is_err());
    });
    assert!(!entries.contains(&Entry::Left));
    let mut journal = Journal::open(&folder.path().join("state")).unwrap();
    let restored = crate::target::restore_with(&mut journal, &|_, _| Ok(prepared.clone()));
    assert_eq!(restored.unwrap().files.len(), names.len());
    assert!(names.iter().all(|name| text(name) == "x=1\n"));
    drop(journal);
    std::fs::remove_dir(copies.join("1-b.conf")).unwrap();
    let entries = with_hands(&prepared, folder.path(), |mut hands| {
        hands.apply(&of).unwrap();
        hands.finish(Some(&of)).unwrap();
    });
    assert!(
        entries.ends_with(&[Entry::Left, Entry::Restored]),
        "{entries:?}"
    );
    for (number, name) in names.iter().enumerate() {
        assert_eq!(text(name), "x=8\n");
        let copy = copies.join(format!("{number}-{name}"));
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "x=1\n");
    }
}

#[test]
fn what_is_never_touched_is_looked_at_before_each_write() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("app.conf");
    std::fs::write(&file, "x=1\n").unwrap();
    let knobs = "  x: { file: app.conf, format: properties, key: x, range: 1..8 }\nnever: [prot]\n";
    let prepared = prepared(folder.path(), &format!("{RUNNING}'true'\n"), knobs);
    let of = |value: &str| Configuration(vec![Some(value.to_owned())]);
    with_hands(&prepared, folder.path(), |mut hands| {
        hands.apply(&of("2")).unwrap();
        std::os::unix::fs::symlink("app.conf", folder.path().join("prot")).unwrap();
        let refused = hands.write_files(&of("3")).unwrap_err();
        assert_eq!(refused.id, "tune-file-never");
        assert_eq!(std::fs::read(&file).unwrap(), b"x=2\n");
        hands.finish(None).unwrap();
    });
    assert_eq!(std::fs::read(&file).unwrap(), b"x=1\n");
}

#[test]
fn a_folder_that_is_another_one_before_the_first_write_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["app", "prot"] {
        std::fs::create_dir(path(name)).unwrap();
        std::fs::write(path(name).join("a.conf"), "x=1\n").unwrap();
    }
    let knobs = "  x: { file: app/a.conf, format: properties, key: x, range: 1..8 }\n";
    let prepared = prepared(folder.path(), &format!("{RUNNING}'true'\n"), knobs);
    with_hands(&prepared, folder.path(), |mut hands| {
        std::fs::rename(path("app"), path("app.real")).unwrap();
        std::fs::rename(path("prot"), path("app")).unwrap();
        let of = Configuration(vec![Some("8".to_owned())]);
        let refused = hands.write_files(&of).unwrap_err();
        assert_eq!(refused.id, "tune-file-another-folder");
        hands.finish(None).unwrap();
    });
    for name in ["app", "app.real"] {
        assert_eq!(std::fs::read(path(name).join("a.conf")).unwrap(), b"x=1\n");
    }
}

#[test]
fn one_of_several_files_that_is_not_brought_back_is_named_and_the_others_are_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let names = ["a.conf", "b.conf", "c.conf"];
    let mut knobs = String::new();
    for name in names {
        std::fs::write(path(name), "x=1\n").unwrap();
        let knob = name.replace('.', "-");
        knobs.push_str(&format!(
            "  {knob}: {{ file: {name}, format: properties, key: x, range: 1..8 }}\n"
        ));
    }
    let prepared = prepared(folder.path(), &format!("{RUNNING}'true'\n"), &knobs);
    let entries = with_hands(&prepared, folder.path(), |mut hands| {
        hands
            .apply(&Configuration(vec![Some("8".to_owned()); names.len()]))
            .unwrap();
        for name in &names[..2] {
            std::fs::remove_file(path(name)).unwrap();
            std::os::unix::fs::symlink("/nowhere", path(name)).unwrap();
        }
        let told = plimsoll_text::render(plimsoll_text::Lang::En, &hands.finish(None).unwrap_err());
        let is_named = |name: &&str| told.contains(&path(name).display().to_string());
        assert!(names[..2].iter().all(is_named), "{told}");
    });
    assert!(!entries.contains(&Entry::Restored));
    assert_eq!(std::fs::read(path("c.conf")).unwrap(), b"x=1\n");
}
