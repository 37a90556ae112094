//! The load is raised at its end: of a server whose limit is known, and of one with room.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use plimsoll_diagnose::Evidence;
use plimsoll_run::{LoadProbe, LoadSettings, Made, PlanSource, RunRequest, RunSetting, ready};
use plimsoll_stats::summary::{ProbeLevel, ProbeSummary};

/// Each request takes that long, and so many are served at once.
const TAKES: Duration = Duration::from_millis(50);

/// A semaphore.
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Places {
    fn serve(&self) {
        let free = self.free.lock().unwrap();
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap();
        *free -= 1;
        drop(free);
        std::thread::sleep(TAKES);
        *self.free.lock().unwrap() += 1;
        self.freed.notify_one();
    }
}

/// A server that serves so many at once; its address.
fn server(places: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let places = Arc::new(Places {
        free: Mutex::new(places),
        freed: Condvar::new(),
    });
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let places = Arc::clone(&places);
            std::thread::spawn(move || respond(&stream.unwrap(), &places));
        }
    });
    url
}

fn respond(stream: &TcpStream, places: &Places) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        let mut any = false;
        while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 2) {
            line.clear();
            any = true;
        }
        if !any {
            return;
        }
        places.serve();
        let mut writer = stream;
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        if writer.write_all(response).is_err() {
            return;
        }
    }
}

fn run(url: &str, load: &str) -> Made {
    run_with(url, load, LoadProbe::Raised(Duration::from_secs(3)))
}

fn run_with(url: &str, load: &str, probe: LoadProbe) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.yaml");
    let text = format!("target: {url}\n{load}\nsteps:\n  - get: /\n");
    std::fs::write(&plan, text).unwrap();
    let source = PlanSource::new(plan.to_str().unwrap());
    let load = LoadSettings::default();
    let ready = ready::load(&source, &load).ok().unwrap();
    let setting = RunSetting {
        probe: Some(probe),
        ..RunSetting::new(folder.path().join("runs"))
    };
    let request = RunRequest::of(Arc::new(ready), source, load, setting);
    request.begin().unwrap().join().unwrap()
}

/// What came of it, with what must hold of any.
fn probed(made: &Made, seconds: f64) -> ProbeSummary {
    let summary = &made.summary;
    let probe = summary.probe.clone().unwrap();
    assert!((summary.duration_s - seconds).abs() < 1e-9, "{summary:?}");
    assert!((probe.from_s - seconds).abs() < 1e-9);
    let loads: Vec<f64> = probe.levels.iter().map(|level| level.load).collect();
    assert_eq!(loads, [1.0, 1.1, 1.5]);
    assert!(
        summary.load_changes.is_empty(),
        "that of the result was not"
    );
    // What is stored says the same of the result.
    let stored = made.run.aggregate_with_tail(0.0, seconds).unwrap();
    assert_eq!(stored.total().samples(), summary.total.samples);
    assert_eq!(made.run.rebuild_summary().unwrap().total, summary.total);
    let all = made.run.aggregate_with_tail(0.0, 1e9).unwrap();
    assert_eq!(all.total().samples(), summary.total.samples);
    // The seconds are there all the same, and marked.
    let (_, to_s) = made.run.span_s().unwrap();
    assert!(f64::from(to_s) >= seconds + 6.0, "{to_s}");
    let events = made.run.events().unwrap();
    let told = |kind: &str| events.iter().filter(|event| event.kind == kind).count();
    assert_eq!((told("probe-begins"), told("probe-changed")), (1, 2));
    let evidence = Evidence::of_run(&made.run).unwrap();
    assert_eq!(evidence.load.probe.as_ref(), Some(&probe));
    let last = evidence
        .load
        .seconds
        .iter()
        .map(|second| second.second)
        .max();
    assert!(f64::from(last.unwrap()) < seconds);
    probe
}

fn times(levels: &[ProbeLevel], of: impl Fn(&ProbeLevel) -> f64) -> f64 {
    of(&levels[2]) / of(&levels[0])
}

#[test]
fn a_server_at_its_limit_gives_no_more() {
    let made = run(&server(4), "users: 4\nduration: 5s");
    let levels = probed(&made, 5.0).levels;
    let more = times(&levels, |level| level.throughput_per_s);
    assert!(more < 1.2, "{levels:?}");
    // Six users of four places.
    let longer = times(&levels, |level| level.response_ms);
    assert!(longer > 1.25, "{levels:?}");
}

#[test]
fn a_server_with_room_gives_more() {
    let made = run(&server(1_000), "users: 10\nduration: 5s");
    let levels = probed(&made, 5.0).levels;
    let more = times(&levels, |level| level.throughput_per_s);
    assert!((1.3..1.7).contains(&more), "{levels:?}");
    let longer = times(&levels, |level| level.response_ms);
    assert!(longer < 1.3, "{levels:?}");
}

#[test]
fn an_open_load_arrives_more_often() {
    let made = run(&server(1_000), "rate: 40/s\nduration: 5s");
    let levels = probed(&made, 5.0).levels;
    for level in &levels {
        let due = 40.0 * level.load;
        assert!(
            (level.throughput_per_s - due).abs() < 0.1 * due,
            "{levels:?}"
        );
    }
}

#[test]
fn what_follows_a_held_load_comes_after_it() {
    let made = run(
        &server(1_000),
        "users: 10\nramp-up: 1s\nhold: 4s\nramp-down: 1s",
    );
    assert_eq!(probed(&made, 5.0).levels.len(), 3);
}

#[test]
fn a_load_that_time_does_not_end_is_not_raised() {
    let made = run(&server(1_000), "users: 2\niterations: 40");
    assert_eq!(made.summary.probe, None);
    assert_eq!(made.summary.total.samples, 80);
    let events = made.run.events().unwrap();
    assert!(events.iter().any(|event| event.kind == "probe-refused"));
}

#[test]
fn a_load_that_is_lowered_tells_who_waits_for_each_other() {
    let lowered = |places| {
        run_with(
            &server(places),
            "users: 8\nduration: 20s",
            LoadProbe::Lowered,
        )
    };
    let [queue, apart] = std::thread::scope(|scope| {
        [4, 1_000]
            .map(|places| scope.spawn(move || lowered(places)))
            .map(|made| made.join().unwrap())
    });
    for (made, halves_time) in [(&queue, true), (&apart, false)] {
        assert!((made.summary.duration_s - 20.0).abs() < 1e-9);
        let levels = made.summary.probe.clone().unwrap().levels;
        let loads: Vec<f64> = levels.iter().map(|level| level.load).collect();
        assert_eq!(loads, [1.0, 0.5]);
        let time = levels[1].response_ms / levels[0].response_ms;
        assert_eq!(time < 0.7, halves_time, "{levels:?}");
        assert_eq!(time > 0.8, !halves_time, "{levels:?}");
        let all = made.run.aggregate_with_tail(0.0, 1e9).unwrap();
        assert_eq!(all.total().samples(), made.summary.total.samples);
    }
}

#[test]
fn a_short_load_and_one_user_are_left_as_they_are() {
    for load in ["users: 8\nduration: 3s", "users: 1\nduration: 20s"] {
        let made = run_with(&server(4), load, LoadProbe::Lowered);
        assert_eq!(made.summary.probe, None);
        let events = made.run.events().unwrap();
        let told = events.iter().any(|event| event.kind.starts_with("probe"));
        assert!(!told, "{events:?}");
        let (_, to_s) = made.run.span_s().unwrap();
        assert!(f64::from(to_s) <= made.summary.duration_s + 1.5, "{to_s}");
    }
}
