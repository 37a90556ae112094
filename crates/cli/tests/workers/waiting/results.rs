//! What a run over workers leaves behind: what it saw of the target, also when it was taken up
//! again, and the samples one by one.

use std::path::{Path, PathBuf};

use plimsoll_stats::series::fold::{Grid, fold};
use plimsoll_stats::series::{Column, SeriesId, SeriesKind};
use plimsoll_store::Run;

use crate::common::jmeter_plan;
use crate::fleet::Fleet;
use crate::support::{Bench, Process, Told, eventually, runs_in};

/// Two workers that write samples.
fn two() -> Fleet {
    let mut fleet = Fleet::start(&[]);
    for name in ["w1", "w2"] {
        fleet.worker(name, &["--jtl-dir", "samples"]);
    }
    fleet.wait_for(2);
    fleet
}

/// Calls the binary where NATS is known.
fn call(fleet: &Fleet, args: &[&str]) -> Process {
    fleet.bench.start(fleet.command(args))
}

/// Begins a run of so many arrivals a second for so long.
fn run(fleet: &Fleet, rate: u32, seconds: u32, more: &[&str]) -> Process {
    let plan = fleet.plan(&format!("rate: {rate}/s\nduration: {seconds}s"));
    fleet.begin(&plan, &[&["--workers", "2", "--lang=en"], more].concat())
}

fn resume(fleet: &Fleet, more: &[&str]) -> Told {
    fleet.resume(&[&["--lang=en"], more].concat())
}

/// Kills a run's controller when the run has been told some seconds, and waits while the workers
/// go on.
fn kill_controller(fleet: &Fleet, run: Process) {
    let told = || stored(fleet).is_some_and(|run| run.span_s().unwrap().1 >= 3);
    eventually("three seconds are told", told);
    run.signal("KILL");
    run.end();
    let before = fleet.target.seen().len();
    let goes_on = || fleet.target.seen().len() > before + 120;
    eventually("the workers go on", goes_on);
}

/// The run on disk, once there is one.
fn stored(fleet: &Fleet) -> Option<Run> {
    let dirs = runs_in(fleet.bench.dir.path());
    Run::open(dirs.first()?).ok()
}

/// The series that was looked at most often: its kind and points.
fn often_seen(run: &Run) -> (SeriesKind, Column) {
    let series = run.series().unwrap();
    let ids: Vec<SeriesId> = series.iter().map(|(id, _)| *id).collect();
    let columns = run.target(&ids).unwrap();
    let kinds = series.iter().map(|(_, key)| key.kind);
    let all = kinds.zip(columns);
    all.max_by_key(|(_, column)| column.len()).unwrap()
}

#[test]
fn a_run_that_is_taken_up_again_is_watched_again() {
    let fleet = two();
    let going = run(&fleet, 40, 20, &["--watch", "host"]);
    kill_controller(&fleet, going);
    let told = resume(&fleet, &[]);
    let reached = fleet.target.seen().len() as u64;
    assert_eq!(told.total("samples"), reached, "{told:?}");
    assert!(
        told.err.contains("The target was not watched from"),
        "{told:?}"
    );

    let run = stored(&fleet).unwrap();
    let series = run.series().unwrap();
    let mut keys: Vec<_> = series.iter().map(|(_, key)| key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), series.len(), "each series once");
    let (kind, seen) = often_seen(&run);
    assert!(seen.at_ms.is_sorted(), "{seen:?}");
    let [place] = seen.breaks[..] else {
        panic!("one gap: {seen:?}");
    };
    let (last_ms, next_ms) = (seen.at_ms[place - 1], seen.at_ms[place]);
    assert!(
        place > 1 && place + 1 < seen.len(),
        "seen before and after: {seen:?}"
    );
    // Nothing is drawn from one side of it to the other.
    let side = |from_ms: i64, to_ms: i64| fold(&seen, kind, Grid::window(from_ms, to_ms))[0];
    assert!(side(0, last_ms).is_some(), "{seen:?}");
    assert_eq!(side(last_ms, next_ms), None, "{seen:?}");
    assert!(side(next_ms, next_ms + 10_000).is_some(), "{seen:?}");

    let events = run.events().unwrap();
    let gaps: Vec<_> = events.iter().filter(|of| of.kind == "watch-gap").collect();
    assert_eq!(gaps.len(), 1, "{events:?}");
    let report = call(&fleet, &["report", "last", "--format", "html", "-o", "-"]);
    let report = report.end();
    assert!(
        report.out.contains("The target was not watched from"),
        "{report:?}"
    );
    fleet.end();
}

#[test]
fn a_run_may_be_watched_from_when_it_is_taken_up_again() {
    let fleet = two();
    let going = run(&fleet, 40, 20, &[]);
    kill_controller(&fleet, going);
    let refused = resume(&fleet, &["--watch", "nothing"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let told = resume(&fleet, &["--watch", "host"]);
    assert!(!told.err.contains("was not watched"), "{told:?}");
    let run = stored(&fleet).unwrap();
    let (_, seen) = often_seen(&run);
    assert!(seen.breaks.is_empty() && seen.len() > 1, "{seen:?}");
    let (_, end_s) = run.span_s().unwrap();
    // On the run's own clock: after what was told before it was taken up, and not after its end.
    assert!(seen.at_ms[0] > 3_000, "{seen:?}");
    assert!(seen.at_ms[0] < i64::from(end_s) * 1_000, "{seen:?}");
    fleet.end();
}

/// The lines of a file with samples, without the head.
fn samples(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let (head, rest) = text.split_once('\n').unwrap();
    assert!(head.starts_with("timeStamp,elapsed,label"), "{head}");
    rest.lines().map(str::to_owned).collect()
}

/// The samples of both workers, in files that the run names.
fn samples_of_both(fleet: &Fleet, told: &Told) -> Vec<String> {
    let files = std::fs::read_dir(fleet.bench.path("samples")).unwrap();
    let files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let mut lines = Vec::new();
    for file in &files {
        assert!(told.err.contains(file.to_str().unwrap()), "{told:?}");
        let own = samples(file);
        assert!(!own.is_empty(), "{file:?}");
        lines.extend(own);
    }
    lines
}

#[test]
fn each_worker_writes_its_own_samples() {
    let fleet = two();
    let told = run(&fleet, 31, 3, &[]).end();
    // On a busy machine a worker may pause, and then makes nothing up.
    let withheld = told.summary()["fleet"]["withheld"].as_u64().unwrap();
    assert!(withheld < 93, "{told:?}");
    told.assert_code(0).assert_all_ok(93 - withheld);
    let lines = samples_of_both(&fleet, &told);
    let wanted = usize::try_from(93 - withheld).unwrap();
    assert_eq!(lines.len(), wanted, "each sample once: {lines:?}");
    let said = stored(&fleet).unwrap().events().unwrap();
    let said = said.iter().filter(|event| event.kind == "fleet-jtl");
    assert_eq!(said.count(), 2);
    fleet.end();
}

#[test]
fn each_worker_writes_the_samples_of_a_jmeter_plan_too() {
    let fleet = two();
    let plan = jmeter_plan(&fleet.target.url());
    let run = fleet.begin_file("plan.jmx", &plan, &["--workers", "2", "--lang=en"]);
    let told = run.end();
    told.assert_code(0).assert_all_ok(3);
    let lines = samples_of_both(&fleet, &told);
    assert_eq!(lines.len(), 3, "each sample once: {lines:?}");
    fleet.end();
}

#[test]
fn one_sample_log_over_workers_is_refused_with_what_to_do_instead() {
    let bench = Bench::new();
    let base = ["run", "http://127.0.0.1:1/", "--nats", "nats://127.0.0.1:1"];
    for lang in ["en", "zh"] {
        let more = ["--workers", "2", "--jtl", "all.jtl", "--lang", lang];
        let told = bench.call(&[&base[..], &more].concat());
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains("--jtl-dir"), "{told:?}");
        assert!(!bench.path("all.jtl").exists(), "{told:?}");
    }
}

#[test]
fn a_plan_whose_shares_cannot_move_says_so_before_it_begins() {
    let fleet = two();
    let url = fleet.target.url();
    let plan = format!("target: {url}\nusers: 4\niterations: 3\nsteps:\n  - get: /hello\n");
    fleet.bench.write("plan.yaml", plan);
    let args = ["run", "plan.yaml", "--workers", "2", "--lang", "en"];
    let told = call(
        &fleet,
        &[&args[..], &["--summary-json", "summary.json"]].concat(),
    );
    let told = told.end();
    told.assert_code(0).assert_all_ok(12);
    assert!(told.err.contains("its share will not move"), "{told:?}");
    assert!(told.err.contains("number of iterations"), "{told:?}");
    fleet.end();
}
