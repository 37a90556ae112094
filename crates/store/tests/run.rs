//! Runs are written, read back, survive a kill and a failing disk.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Random, generator, interval, label, meta};
use plimsoll_stats::failures::groups;
use plimsoll_stats::{Aggregate, LabelId, LabelInterval, Verdict, Window};
use plimsoll_store::{Run, RunState, RunWriter, StoreErrorKind, list, resolve};

/// Writes `seconds` seconds of `labels` labels and returns what a direct sum gives.
fn write(writer: &mut RunWriter, labels: u32, seconds: u32, window: Window) -> Aggregate {
    let mut random = Random(42);
    let mut sum = Aggregate::new(window);
    let labels: Vec<_> = (0..labels)
        .map(|i| label(i, &format!("GET /{i}")))
        .collect();
    for label in &labels {
        writer.add_label(label).unwrap();
        sum.add_label(label);
    }
    for second in 0..seconds {
        let rows: Vec<(LabelId, LabelInterval)> = labels
            .iter()
            .map(|label| (label.id, interval(&mut random, label.id, 20, second > 1)))
            .collect();
        for (label, (_, interval)) in labels.iter().zip(&rows) {
            sum.add(u64::from(second), label, interval);
        }
        let rows: Vec<_> = rows.iter().map(|(id, interval)| (*id, interval)).collect();
        writer
            .write_second(second, &rows, &generator(second))
            .unwrap();
    }
    sum
}

#[test]
fn a_run_comes_back_exactly() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(root.path(), &meta("Shop / order")).unwrap();
    let direct = write(&mut writer, 3, 5, Window::new(1.0, 5.0));
    writer
        .event(1_500_000_000, "step", &serde_json::json!({"users": 50}))
        .unwrap();
    let reading = Run::open(writer.dir()).unwrap();
    assert_eq!(reading.state().unwrap(), RunState::Running);
    assert_eq!(
        reading.span_s().unwrap(),
        (0, 5),
        "read while it is written"
    );
    let summary = reading.rebuild_summary().unwrap();
    drop(reading);
    writer.finish(&summary).unwrap();
    let dir = writer.dir().to_owned();
    drop(writer);

    let run = Run::open(&dir).unwrap();
    assert_eq!(run.meta(), &meta("Shop / order"));
    assert_eq!(run.state().unwrap(), RunState::Finished);
    assert_eq!(run.summary().unwrap().unwrap(), summary);
    let sum = run.aggregate(1.0, 5.0).unwrap();
    assert_eq!(sum.label_summaries(), direct.label_summaries());
    assert_eq!(sum.total(), direct.total());
    assert_eq!(sum.total_summary().samples, 3 * 20 * 4);
    let mut seen = Vec::new();
    run.for_each_second(2, 4, |part| {
        seen.push((
            part.second,
            part.label.name.clone(),
            part.interval.samples(),
        ));
    })
    .unwrap();
    assert_eq!(seen.len(), 6);
    assert_eq!(seen[5], (3, "GET /2".to_owned(), 20));
    assert_eq!(run.generator().unwrap()[4], generator(4));
    let events = run.events().unwrap();
    assert_eq!(
        (events[0].at_ns, events[0].kind.as_str()),
        (1_500_000_000, "step")
    );
    assert_eq!(events[0].args["users"], 50);
    let names: Vec<_> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(
        names.len(),
        3,
        "only run.sqlite, plan and summary.json stay: {names:?}"
    );
    let json = std::fs::read_to_string(dir.join("summary.json")).unwrap();
    assert_eq!(
        serde_json::from_str::<plimsoll_stats::Summary>(&json).unwrap(),
        summary
    );
    assert_eq!(
        std::fs::read_to_string(dir.join("plan")).unwrap(),
        run.meta().plan_source
    );
}

#[test]
fn late_parts_of_a_second_add_up() {
    let mut writer = RunWriter::in_memory(&meta("late")).unwrap();
    writer.add_label(&label(0, "a")).unwrap();
    let mut random = Random(1);
    let part = interval(&mut random, LabelId(0), 10, false);
    for _ in 0..2 {
        writer
            .write_second(3, &[(LabelId(0), &part)], &generator(3))
            .unwrap();
    }
    let unknown = [(LabelId(9), &part)];
    writer.write_second(4, &unknown, &generator(4)).unwrap();
    let run = writer.into_run().unwrap();
    assert_eq!(run.aggregate(3.0, 4.0).unwrap().total().samples(), 20);
    let sum = run.aggregate(0.0, 9.0).unwrap();
    assert_eq!(
        sum.by_name("#9").unwrap().samples(),
        10,
        "nothing is lost for want of a name"
    );
}

#[test]
fn runs_of_the_same_millisecond_do_not_share_a_directory() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let root = root.to_owned();
            std::thread::spawn(move || {
                let mut writer = RunWriter::create(&root, &meta("twin")).unwrap();
                write(&mut writer, 2, 3, Window::new(0.0, 3.0));
                let summary = Run::open(writer.dir()).unwrap().rebuild_summary().unwrap();
                writer.finish(&summary).unwrap();
                writer.dir().to_owned()
            })
        })
        .collect();
    let mut dirs: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    dirs.sort();
    dirs.dedup();
    assert_eq!(dirs.len(), 4);
    assert_eq!(list(root).unwrap().len(), 4);
    assert!(resolve(root, "last").is_ok());
    for dir in dirs {
        assert_eq!(
            Run::open(&dir)
                .unwrap()
                .aggregate(0.0, 3.0)
                .unwrap()
                .total()
                .samples(),
            120
        );
    }
}

/// Not a test: the process that `a_killed_run_loses_at_most_a_second` kills.
#[test]
#[ignore = "runs as the child of another test"]
fn child_that_is_killed() {
    let Ok(root) = std::env::var("PLIMSOLL_TEST_ROOT") else {
        return;
    };
    let mut writer = RunWriter::create(Path::new(&root), &meta("killed")).unwrap();
    write(&mut writer, 2, 4, Window::new(0.0, 4.0));
    println!("written {}", writer.dir().display());
    std::io::stdout().flush().unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn a_killed_run_loses_at_most_a_second() {
    let root = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "child_that_is_killed",
            "--ignored",
            "--nocapture",
        ])
        .env("PLIMSOLL_TEST_ROOT", root.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let written = lines
        .map(Result::unwrap)
        .find(|line| line.contains("written "));
    let dir = resolve(root.path(), "last").unwrap();
    assert!(written.unwrap().ends_with(dir.to_str().unwrap()));
    let running = Run::open(&dir).unwrap();
    assert_eq!(running.state().unwrap(), RunState::Running);
    drop(running);
    child.kill().unwrap();
    child.wait().unwrap();

    let run = Run::open(&dir).unwrap();
    assert_eq!(run.state().unwrap(), RunState::CutShort);
    assert_eq!(run.summary().unwrap(), None);
    let summary = run.rebuild_summary().unwrap();
    assert_eq!(summary.verdict, Verdict::Interrupted);
    assert_eq!(
        summary.total.samples,
        2 * 20 * 3,
        "all four seconds but the warm-up"
    );
    assert_eq!((summary.duration_s, summary.warm_up_s), (3.0, 1.0));
    assert_eq!(summary.started_at, "2026-03-04T03:04:05.678Z");
    assert_eq!(summary.goals.len(), 1);
    assert!(summary.generator.peak_cpu_share > 0.0);
}

#[test]
fn a_failing_disk_is_said_once_and_the_run_goes_on_in_memory() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(root.path(), &meta("full")).unwrap();
    let mut direct = write(&mut writer, 2, 3, Window::new(0.0, 9.0));
    writer.limit_pages_for_test(12);
    let (mut random, mut failures) = (Random(5), Vec::new());
    for second in 3..9 {
        let interval = interval(&mut random, LabelId(0), 5_000, true);
        direct.add(u64::from(second), &label(0, "GET /0"), &interval);
        let rows = [(LabelId(0), &interval)];
        failures.extend(writer.write_second(second, &rows, &generator(second)).err());
    }
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].kind, StoreErrorKind::DiskFull);
    let text = failures[0].to_string();
    assert!(
        text.contains("run.sqlite") && text.contains("--out"),
        "{text}"
    );
    assert!(writer.is_in_memory());
    let run = writer.into_run().unwrap();
    let sum = run.aggregate(0.0, 9.0).unwrap();
    assert_eq!(sum.total(), direct.total());
    assert_eq!(sum.label_summaries(), direct.label_summaries());
    assert!(!groups(&direct).is_empty());
    assert_eq!(groups(&sum), groups(&direct));
    assert_eq!(run.state().unwrap(), RunState::CutShort);
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, b"x").unwrap();
    let error = RunWriter::create(&file.join("runs"), &meta("x")).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
    let error = RunWriter::create(Path::new("/proc/plimsoll-runs"), &meta("x")).unwrap_err();
    assert!(error.to_string().contains("/proc/plimsoll-runs"), "{error}");
}

#[test]
fn files_that_are_no_runs_or_newer_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path();
    let kind = || Run::open(dir).unwrap_err().kind;
    assert_eq!(kind(), StoreErrorKind::NotARun);
    std::fs::write(
        dir.join("run.sqlite"),
        b"not a database at all, only text of some length",
    )
    .unwrap();
    assert_eq!(kind(), StoreErrorKind::NotARun);
    std::fs::write(dir.join("run.sqlite"), b"").unwrap();
    assert_eq!(kind(), StoreErrorKind::NotARun);
    let writer = RunWriter::create(dir, &meta("newer")).unwrap();
    let newer = writer.dir().to_owned();
    drop(writer);
    let db = rusqlite::Connection::open(newer.join("run.sqlite")).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    let error = Run::open(&newer).unwrap_err();
    assert_eq!(
        error.kind,
        StoreErrorKind::NewerVersion {
            found: 99,
            known: plimsoll_store::SCHEMA_VERSION
        }
    );
    assert!(error.to_string().contains("Update plimsoll"), "{error}");
}

#[test]
fn damaged_runs_are_errors() {
    let root = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(root.path(), &meta("damaged")).unwrap();
    write(&mut writer, 2, 2, Window::new(0.0, 2.0));
    let dir = writer.dir().to_owned();
    drop(writer);
    let db = rusqlite::Connection::open(dir.join("run.sqlite")).unwrap();
    db.execute(
        "UPDATE seconds SET intervals = x'0001ff02' WHERE second = 1",
        [],
    )
    .unwrap();
    drop(db);
    let run = Run::open(&dir).unwrap();
    assert_eq!(run.aggregate(0.0, 1.0).unwrap().total().samples(), 40);
    let error = run.aggregate(0.0, 2.0).unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Damaged);
}

#[test]
fn what_ends_after_the_load_counts_in_all_but_the_throughput() {
    let mut writer = RunWriter::in_memory(&meta("tail")).unwrap();
    writer.add_label(&label(0, "a")).unwrap();
    let part = interval(&mut Random(1), LabelId(0), 10, false);
    let rows = [(LabelId(0), &part)];
    for second in 0..3 {
        writer
            .write_second(second, &rows, &generator(second))
            .unwrap();
    }
    writer.write_tail(2, &rows, &generator(2)).unwrap();
    writer.write_tail(3, &rows, &generator(3)).unwrap();
    let run = writer.into_run().unwrap();
    let sum = run.aggregate_with_tail(1.0, 2.5).unwrap().total_summary();
    assert_eq!(sum.samples, 40, "warm-up out, tail in");
    assert_eq!(sum.throughput_per_s, 20.0 / 1.5);
    let sum = run.aggregate(1.0, 2.5).unwrap().total_summary();
    assert_eq!(sum.samples, 20, "without the tail");
    let mut tail = 0;
    run.for_each_second(0, 9, |part| tail += u32::from(part.after_load))
        .unwrap();
    assert_eq!(tail, 2);
    let rebuilt = run.rebuild_summary().unwrap();
    assert_eq!((rebuilt.total.samples, rebuilt.duration_s), (40, 2.0));
}

/// Under the usual umask too, nobody else reads what a run is kept in.
#[cfg(unix)]
#[test]
fn a_run_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let runs = root.path().join("made/runs");
    let mut writer = RunWriter::create(&runs, &meta("shop")).unwrap();
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let check = |dir: &std::path::Path| {
        assert_eq!(mode(dir), 0o700);
        let mut files = 0;
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
            files += 1;
        }
        assert!(files >= 2);
    };
    assert_eq!(mode(&runs), 0o700);
    check(writer.dir());
    writer
        .event(
            1,
            "failed",
            &serde_json::json!({"reason": "http://u:hunter2@h/?token=hunter3"}),
        )
        .unwrap();
    let dir = writer.dir().to_owned();
    let summary = Run::open(&dir).unwrap().rebuild_summary().unwrap();
    writer.finish(&summary).unwrap();
    check(&dir);
    let told = Run::open(&dir).unwrap().events().unwrap()[0]
        .args
        .to_string();
    assert!(!told.contains("hunter"), "{told}");
}
