#![allow(clippy::unwrap_used)]

use std::path::Path;

use super::*;
use crate::target::journal::KernelText;
use crate::target::{prepare, restore_with};
use crate::trial::SeenValue;

pub(super) fn prepared(folder: &Path, components: &str, knobs: &str) -> Prepared {
    let study = format!(
        "plan: http://127.0.0.1:1/\nusers: 2\nobjective: maximise throughput\ncomponents:\n{components}\
         knobs:\n{knobs}"
    );
    let (study, _) = plimsoll_plan::parse_study(&study, "study.yaml").unwrap();
    prepare(study, &folder.join("study.yaml"), None).unwrap()
}

/// Does something with hands for the one component; what stands in the journal then.
pub(super) fn with_hands(
    prepared: &Prepared,
    folder: &Path,
    work: impl FnOnce(Hands<'_>),
) -> Vec<Entry> {
    with_hands_until(&Interrupt::default(), prepared, folder, work)
}

fn with_hands_until(
    interrupt: &Interrupt,
    prepared: &Prepared,
    folder: &Path,
    work: impl FnOnce(Hands<'_>),
) -> Vec<Entry> {
    let mut journal = Journal::open(&folder.join("state")).unwrap();
    let mark = format!("{:016x}", fastrand::u64(..));
    let interrupt = interrupt.clone();
    work(Hands::new(
        prepared,
        vec![0],
        &mut journal,
        &mark,
        interrupt,
    ));
    journal.entries().to_vec()
}

/// All knobs have a value.
pub(super) fn all_of(prepared: &Prepared, value: &str) -> Configuration {
    Configuration(vec![Some(value.to_owned()); prepared.knobs.len()])
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
    // A copy that cannot be made: nothing of the configuration is left.
    let copies = folder.path().join("state/originals");
    std::fs::create_dir_all(copies.join("1-b.conf")).unwrap();
    let entries = with_hands(&prepared, folder.path(), |mut hands| {
        hands.apply(&of).unwrap();
        let not = hands.finish(Some(&of)).unwrap_err();
        assert!(not.is_back && !not.is_left, "{not:?}");
        assert_eq!(not.message.id, "tune-nothing-stays");
    });
    assert!(!entries.contains(&Entry::Left));
    assert_eq!(entries.last(), Some(&Entry::Restored));
    assert!(names.iter().all(|name| text(name) == "x=1\n"));
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
        let not = hands.finish(None).unwrap_err();
        assert!(!not.is_back && !not.is_left, "{not:?}");
        let told = plimsoll_text::render(plimsoll_text::Lang::En, &not.message);
        let is_named = |name: &&str| told.contains(&path(name).display().to_string());
        assert!(names[..2].iter().all(is_named), "{told}");
    });
    assert!(!entries.contains(&Entry::Restored));
    assert_eq!(std::fs::read(path("c.conf")).unwrap(), b"x=1\n");
    // What is back is nobody's but its owner's.
    std::fs::write(path("c.conf"), "x=5\n").unwrap();
    let mut journal = Journal::open(&path("state")).unwrap();
    let restored = restore_with(&mut journal, &|_, _| Ok(prepared.clone())).unwrap();
    let of_files = restored.failed.iter();
    let of_files = of_files.filter(|it| it.id == "tune-file-not-back");
    assert_eq!(of_files.count(), 2, "{restored:?}");
    assert_eq!(std::fs::read(path("c.conf")).unwrap(), b"x=5\n");
}

/// A knob in a file, and two that commands set; the second takes no 8.
const BY_FILE_AND_COMMANDS: &str = "  x: { file: a.conf, format: properties, key: x, range: 1..9 }
  size:
    command: sh -c 'sleep 0.2; echo {} > size'
    default: '1'
    values: [4, 8]
  width:
    command: sh -c 'test {} != 8 && echo {} > width'
    default: '1'
    values: [4, 8]
";

#[test]
fn what_cannot_all_be_left_is_all_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.conf"), "x=1\n").unwrap();
    let components = format!("{RUNNING}'true'\n");
    let prepared = prepared(folder.path(), &components, BY_FILE_AND_COMMANDS);
    let text = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    let all = || ["a.conf", "size", "width"].map(text);
    let entries = with_hands(&prepared, folder.path(), |mut hands| {
        hands.apply(&all_of(&prepared, "4")).unwrap();
        assert_eq!(all(), ["x=4\n", "4\n", "4\n"]);
        let not = hands.finish(Some(&all_of(&prepared, "8"))).unwrap_err();
        assert!(not.is_back && !not.is_left, "{not:?}");
    });
    assert_eq!(all(), ["x=1\n", "1\n", "1\n"]);
    assert!(!entries.contains(&Entry::Left));
    assert_eq!(entries.last(), Some(&Entry::Restored));
}

#[test]
fn an_interrupt_at_the_end_leaves_nothing_half_done() {
    for keep in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.conf"), "x=1\n").unwrap();
        let components = format!("{RUNNING}'true'\n");
        let knobs = BY_FILE_AND_COMMANDS.replace("!= 8", "!= 9");
        let prepared = prepared(folder.path(), &components, &knobs);
        let interrupt = Interrupt::default();
        with_hands_until(&interrupt, &prepared, folder.path(), |mut hands| {
            hands.apply(&all_of(&prepared, "4")).unwrap();
            interrupt.stop();
            let of = all_of(&prepared, "8");
            hands.finish(keep.then_some(&of)).unwrap();
        });
        let text = |name: &str| std::fs::read_to_string(path(name)).unwrap();
        let wanted = match keep {
            true => ["x=8\n", "8\n", "8\n"],
            false => ["x=1\n", "1\n", "1\n"],
        };
        assert_eq!(["a.conf", "size", "width"].map(text), wanted);
    }
}

#[test]
fn what_failed_is_started_anew_though_a_reload_were_enough() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, text) in [
        ("app.conf", "x=1\n"),
        (
            "run.sh",
            "echo x >> starts; echo ok > ready; exec sleep 600\n",
        ),
        (
            "reload.sh",
            "grep -q x=8 app.conf && echo it hangs > ready; true\n",
        ),
    ] {
        std::fs::write(path(name), text).unwrap();
    }
    let components = "  app:\n    start: sh run.sh\n    ready: grep -q ok ready\n    ready-within: 5s\n    \
                      stop-within: 500ms\n    reload: sh reload.sh\n";
    let knobs =
        "  x: { file: app.conf, format: properties, key: x, range: 1..8, by-reload: true }\n";
    let prepared = prepared(folder.path(), components, knobs);
    let starts = || std::fs::read_to_string(path("starts")).unwrap().len() / 2;
    let found = Configuration::unchanged(1);
    with_hands(&prepared, folder.path(), |mut hands| {
        hands.apply(&found).unwrap();
        assert_eq!(starts(), 1);
        let hangs = hands.apply(&all_of(&prepared, "8")).unwrap_err();
        let what = FailedTrial::HangsInStart;
        assert!(
            matches!(&hangs, Stopped::End(TrialEnd::Failed { what: of, .. }) if *of == what),
            "{hangs:?}"
        );
        // Once, and then a reload is enough again.
        for _ in 0..2 {
            hands.apply(&found).unwrap();
            assert_eq!(starts(), 2);
        }
        // The run itself may show it, and somebody's no shows nothing.
        let failed = |what| TrialEnd::Failed {
            what,
            detail: String::new(),
        };
        for (what, wanted) in [(FailedTrial::NotApproved, 2), (FailedTrial::NoSuccess, 3)] {
            hands.heard(&failed(what));
            hands.apply(&found).unwrap();
            // What the start before wrote says "ready" before this one has counted itself.
            let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
            while starts() < wanted && std::time::Instant::now() < until {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            assert_eq!(starts(), wanted);
        }
        hands.finish(None).unwrap();
    });
}

#[test]
fn what_a_target_says_of_its_secrets_reaches_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let text = "x=1\npassword=hunter2hunter2\n";
    std::fs::write(folder.path().join("a.conf"), text).unwrap();
    let says = "sh -c 'echo no one logs in with hunter2hunter2; exit";
    let components = format!("{RUNNING}{says} 3'\n");
    let knobs = format!(
        "  x:\n    file: a.conf\n    format: properties\n    key: x\n    range: 1..8\n    read-back:\n      \
         command: {says} 0'\n"
    );
    let prepared = prepared(folder.path(), &components, &knobs);
    let of = all_of(&prepared, "8");
    with_hands(&prepared, folder.path(), |mut hands| {
        let failed = hands.apply(&of).unwrap_err();
        let void = hands.read_back(&of).unwrap_err();
        let not = hands.finish(None).unwrap_err();
        for told in [
            format!("{failed:?}"),
            format!("{void:?}"),
            format!("{not:?}"),
        ] {
            assert!(told.contains("no one logs in"), "{told}");
            assert!(!told.contains("hunter2"), "{told}");
        }
    });
}

/// A knob that a command sets, as what the study says it has, and shows what stands in a file.
const BY_COMMAND: &str = "  size:
    command: sh -c 'echo {} > shown'
    default: '200'
    range: 100..800
    read-back: { command: cat shown }
";

#[test]
fn a_default_that_is_clearly_not_what_the_target_shows_ends_the_study() {
    for (shown, is_refused) in [
        (Some("200\n"), false),
        (Some("400\n"), true),
        (Some("nobody knows\n"), false),
        (Some(""), false),
        (None, false),
    ] {
        // Where the target is measured as it was found, and where a study goes on without that.
        for value in [None, Some("300".to_owned())] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("shown");
            if let Some(shown) = shown {
                std::fs::write(&file, shown).unwrap();
            }
            let components = format!("{RUNNING}'true'\n");
            let prepared = prepared(folder.path(), &components, BY_COMMAND);
            let of = Configuration(vec![value.clone()]);
            let entries = with_hands(&prepared, folder.path(), |mut hands| {
                let read = hands.apply(&of).and_then(|()| hands.read_back(&of));
                assert_eq!(read.is_err(), is_refused, "{shown:?} {value:?}: {read:?}");
                if let Err(Stopped::Broken(message)) = &read {
                    assert_eq!(message.id, "tune-another-default");
                    let told = message.texts();
                    assert!(told.contains(&"200") && told.contains(&"400"), "{told:?}");
                }
                hands.finish(None).unwrap();
            });
            let is_set = |entry: &Entry| matches!(entry, Entry::Set { .. });
            let is_changed = value.is_some() && !is_refused;
            assert_eq!(entries.iter().any(is_set), is_changed);
            let now = std::fs::read_to_string(&file).ok();
            let wanted = if is_changed { Some("200\n") } else { shown };
            assert_eq!(now.as_deref(), wanted);
        }
    }
}

#[test]
fn what_the_target_has_shown_is_looked_for_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shown");
    std::fs::write(&file, "200\n").unwrap();
    let components = format!("{RUNNING}'true'\n");
    let prepared = prepared(folder.path(), &components, BY_COMMAND);
    let of = all_of(&prepared, "300");
    with_hands(&prepared, folder.path(), |mut hands| {
        hands.apply(&of).unwrap();
        // Nothing was seen yet.
        std::fs::write(&file, "100\n").unwrap();
        hands.still_has().unwrap();
        std::fs::write(&file, "300\n").unwrap();
        let (seen, _) = hands.read_back(&of).unwrap();
        let has = |it: &SeenValue| it.has.clone();
        assert_eq!(seen.iter().map(has).collect::<Vec<_>>(), ["300"]);
        hands.still_has().unwrap();
        std::fs::write(&file, "100\n").unwrap();
        let lost = hands.still_has().unwrap_err();
        let Stopped::End(TrialEnd::Void { instead }) = lost else {
            panic!("{lost:?}");
        };
        assert_eq!(instead[0].has, "100");
        hands.finish(None).unwrap();
    });
}
