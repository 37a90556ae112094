//! The load of a run is changed while it goes on; what arrived the server says.

#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plimsoll_load::schedule::Course;
use plimsoll_run::{
    ChangeError, LoadChange, LoadSettings, NewLoad, PlanSource, RunHandle, RunNews, RunRequest,
    TimedChange,
};
use plimsoll_stats::Verdict;

/// Responds to everything and counts.
struct Server {
    url: String,
    requests: Arc<AtomicU64>,
    /// Connections on which requests came since this was emptied.
    at_work: Arc<Mutex<HashSet<u64>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            url: format!("http://{}/", listener.local_addr().unwrap()),
            requests: Arc::default(),
            at_work: Arc::default(),
        };
        let (requests, at_work) = (Arc::clone(&server.requests), Arc::clone(&server.at_work));
        std::thread::spawn(move || {
            for (number, stream) in (0..).zip(listener.incoming()) {
                let (requests, at_work) = (Arc::clone(&requests), Arc::clone(&at_work));
                std::thread::spawn(move || respond(&stream.unwrap(), number, &requests, &at_work));
            }
        });
        server
    }

    fn count(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    /// How many users send requests in the time to come.
    fn users(&self) -> usize {
        self.at_work.lock().unwrap().clear();
        std::thread::sleep(Duration::from_millis(500));
        self.at_work.lock().unwrap().len()
    }
}

fn respond(stream: &TcpStream, number: u64, requests: &AtomicU64, at_work: &Mutex<HashSet<u64>>) {
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
        requests.fetch_add(1, Ordering::SeqCst);
        at_work.lock().unwrap().insert(number);
        let mut writer = stream;
        if writer
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            .is_err()
        {
            return;
        }
    }
}

/// A run of a plan with this load, in a folder of its own.
fn request(server: &Server, load: &str, folder: &tempfile::TempDir) -> RunRequest {
    let plan = folder.path().join("plan.yaml");
    let text = format!("target: {}\n{load}\nsteps:\n  - get: /\n", server.url);
    std::fs::write(&plan, text).unwrap();
    let source = PlanSource::new(plan.to_str().unwrap());
    let load = LoadSettings {
        room_users: 8,
        ..LoadSettings::default()
    };
    RunRequest::new(source, load, folder.path().join("runs"))
        .map_err(|rejected| rejected.in_words(plimsoll_text::Lang::En))
        .unwrap()
}

/// Waits until the load has begun and gone on for a while.
fn second(run: &RunHandle, wanted: u64) {
    for news in run.subscribe().unwrap() {
        if matches!(&news, RunNews::Interval(interval) if interval.to_s >= wanted) {
            return;
        }
    }
    panic!("the run ended before second {wanted}");
}

fn to(to: NewLoad) -> LoadChange {
    LoadChange { scenario: None, to }
}

/// The arrivals that the load has with these changes.
fn planned(request: &RunRequest, changes: &[TimedChange]) -> u64 {
    let scenario = &request.ready.plan.scenarios[0];
    let mut course = Course::new(&scenario.load, scenario.end_after);
    for timed in changes {
        course.change(timed.at_ns, timed.change.to, "").unwrap();
    }
    course.arrivals(0).count() as u64
}

#[test]
fn arrivals_follow_the_changes_of_a_rate() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let asked = || {
        request(
            &server,
            "rate: 40/s\nduration: 4s\nmax-in-flight: 4000",
            &folder,
        )
    };
    let of = asked();
    let run = of.begin().unwrap();
    second(&run, 1);
    let more = run.change(&to(NewLoad::rate_times(5.0).unwrap())).unwrap();
    second(&run, 3);
    let longer = run.extend(Duration::from_secs(2)).unwrap();
    let less = run.change(&to(NewLoad::rate_times(0.1).unwrap())).unwrap();
    assert!(more.at_ns < longer.at_ns && longer.at_ns <= less.at_ns);
    assert_eq!(
        run.change(&to(NewLoad::Users(3))),
        Err(ChangeError::OtherModel("main".to_owned()))
    );
    let made = run.join().unwrap();

    let planned = planned(&asked(), &[more, longer, less]);
    assert!(planned > 200, "{planned}");
    assert_eq!(server.count(), planned, "each arrival once");
    assert_eq!(made.summary.total.samples, planned);
    assert_eq!(made.summary.total.dropped_iterations, 0);
    assert!(
        (made.summary.duration_s - 6.0).abs() < 1e-6,
        "two seconds longer"
    );
    let changes = &made.summary.load_changes;
    let figures: Vec<_> = changes
        .iter()
        .map(|it| (it.rate_times, it.longer_s))
        .collect();
    assert_eq!(
        figures,
        [(Some(5.0), None), (None, Some(2.0)), (Some(0.1), None)]
    );

    let meta = made.run.meta();
    assert_eq!(&meta.load_changes, changes);
    let loads = meta.load_profile.as_ref().unwrap().stretches.iter();
    assert_eq!(loads.map(|part| part.to_s).fold(0.0, f64::max), 6.0);
    let events = made.run.events().unwrap();
    let told = events.iter().filter(|event| event.kind == "load-changed");
    assert_eq!(told.count(), 3);
    assert_eq!(made.run.rebuild_summary().unwrap().load_changes, *changes);
}

#[test]
fn users_come_and_go_as_they_are_asked_for() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let load = "users: 2\nduration: 60s\nthink: 20ms";
    let run = request(&server, load, &folder).begin().unwrap();
    second(&run, 1);
    assert_eq!(server.users(), 2);
    for users in [7, 1, 0, 4] {
        let timed = run.change(&to(NewLoad::Users(users))).unwrap();
        // The seconds that are complete tell that it holds.
        second(&run, timed.at_ns / 1_000_000_000 + 2);
        assert_eq!(server.users(), users as usize);
    }
    run.stop();
    let made = run.join().unwrap();
    assert_eq!(made.summary.verdict, Verdict::Interrupted);
    assert_eq!(made.summary.total.samples, server.count());
    assert_eq!(made.summary.total.errors, 0);
    let users: Vec<_> = made
        .summary
        .load_changes
        .iter()
        .map(|it| it.users)
        .collect();
    assert_eq!(users, [Some(7), Some(1), Some(0), Some(4)]);
}

#[test]
fn news_begin_with_the_beginning_and_end_with_the_end() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let run = request(&server, "users: 1\nduration: 3s\nthink: 20ms", &folder)
        .begin()
        .unwrap();
    second(&run, 1);
    let late = run.subscribe().unwrap();
    run.change(&to(NewLoad::Users(2))).unwrap();
    let news: Vec<RunNews> = late.collect();
    let made = run.join().unwrap();
    let RunNews::Begun(begun) = &news[0] else {
        panic!("{news:?}")
    };
    assert_eq!(begun.run, made.summary.run);
    let Some(RunNews::Ended(end)) = news.last() else {
        panic!("{news:?}")
    };
    assert_eq!(
        (end.verdict, end.samples),
        (made.summary.verdict, made.summary.total.samples)
    );
    let seconds: Vec<u64> = news
        .iter()
        .filter_map(|news| match news {
            RunNews::Interval(interval) => Some(interval.to_s - interval.from_s),
            _ => None,
        })
        .collect();
    assert!(seconds.len() >= 2, "{news:?}");
    let changed = |news: &RunNews| matches!(news, RunNews::Event(event) if event.message.id == "event-load-changed");
    assert_eq!(news.iter().filter(|news| changed(news)).count(), 1);
}

#[test]
fn a_run_is_cut_off_and_tells_what_cannot_be_changed() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let run = request(&server, "users: 1\niterations: 1000000", &folder)
        .begin()
        .unwrap();
    second(&run, 1);
    assert_eq!(
        run.extend(Duration::from_secs(1)),
        Err(ChangeError::NotByTime("main".to_owned()))
    );
    let unknown = LoadChange {
        scenario: Some("other".to_owned()),
        to: NewLoad::Users(1),
    };
    assert_eq!(
        run.change(&unknown),
        Err(ChangeError::NoScenario("other".to_owned()))
    );
    run.cut_off();
    let made = run.join().unwrap();
    assert_eq!(made.summary.verdict, Verdict::Interrupted);
    assert!(made.summary.load_changes.is_empty());
}

#[test]
fn what_cannot_be_made_says_so_at_its_end() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let mut request = request(&server, "users: 1\nduration: 1s", &folder);
    request.load.outputs = vec!["nowhere=x".to_owned()];
    let ready = plimsoll_run::ready::load(&request.source, &request.load);
    request.ready = Arc::new(ready.ok().unwrap());
    let run = request.begin().unwrap();
    assert_eq!(
        run.change(&to(NewLoad::Users(1))),
        Err(ChangeError::NotBegun)
    );
    assert_eq!(run.join().err().unwrap().id, "output-unknown");
}
