//! The watcher with collectors of the test's own: rhythm, failures, captures, the end.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::{Entity, EntityKind, SeriesKind};
use plimsoll_text::Message;
use plimsoll_watch::names::SeriesName;
use plimsoll_watch::{
    Artifact, Asked, Capture, Collector, Level, Look, Moment, Nearness, Opened, Pending, Seen,
    Spec, Trouble, Watcher, WatcherOptions,
};

const RESPONSES: SeriesName = SeriesName {
    name: "test.answers",
    unit: "1",
    kind: SeriesKind::Counter,
};

fn entity() -> Arc<Entity> {
    Entity::new(EntityKind::Host, "", "here")
}

/// Responds, fails, hangs and responds again.
struct Moody(u32);

impl Collector for Moody {
    fn about(&self) -> String {
        "moody".to_owned()
    }

    fn period(&self) -> Duration {
        Duration::from_millis(5)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        self.0 += 1;
        Box::pin(async move {
            look.fact(&entity(), "version", "1");
            look.missing(&entity(), Message::new("watch-too-slow").with("seconds", 1));
            match self.0 {
                3 | 4 => Err(Trouble::new(
                    Message::new("watch-too-slow").with("seconds", 2),
                )),
                6 => std::future::pending().await,
                n => {
                    look.value(&entity(), &RESPONSES, &[], f64::from(n));
                    look.value(&entity(), &RESPONSES, &[("kind", "nan")], f64::NAN);
                    Ok(())
                }
            }
        })
    }
}

/// Finds the moody one at its second look.
struct Finder(u32);

impl Collector for Finder {
    fn about(&self) -> String {
        "finder".to_owned()
    }

    fn period(&self) -> Duration {
        Duration::from_millis(5)
    }

    fn collect<'a>(&'a mut self, _: &'a mut Look) -> Pending<'a, ()> {
        self.0 += 1;
        Box::pin(async { Ok(()) })
    }

    fn found(&mut self) -> Opened {
        match self.0 {
            2 => Opened {
                collectors: vec![Box::new(Moody(6))],
                captures: vec![Box::new(Dump)],
            },
            _ => Opened::default(),
        }
    }
}

/// Counts its looks from somewhere on, near or far.
struct Counting(Nearness, f64);

impl Collector for Counting {
    fn about(&self) -> String {
        format!("counting {:?}", self.0)
    }

    fn nearness(&self) -> Nearness {
        self.0
    }

    fn period(&self) -> Duration {
        Duration::from_millis(5)
    }

    fn collect<'a>(&'a mut self, look: &'a mut Look) -> Pending<'a, ()> {
        self.1 += 1.0;
        look.value(&entity(), &RESPONSES, &[], self.1);
        Box::pin(async { Ok(()) })
    }
}

struct Dump;

impl Capture for Dump {
    fn kind(&self) -> &'static str {
        "dump"
    }

    fn entity(&self) -> Arc<Entity> {
        entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(moment, Moment::Start | Moment::End)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async {
            tokio::task::yield_now().await;
            Ok(vec![Artifact {
                entity: entity(),
                kind: "dump".to_owned(),
                at_unix_ns: 1,
                media_type: "text/plain".to_owned(),
                bytes: b"whole".to_vec(),
            }])
        })
    }
}

fn responses(seen: &[Seen]) -> Vec<f64> {
    let parts = seen.iter().filter_map(|seen| match seen {
        Seen::Points(parts) => Some(parts),
        _ => None,
    });
    let points = parts.flatten().flat_map(|part| &part.points);
    points
        .filter(|(key, _)| key.name == RESPONSES.name)
        .map(|(_, value)| *value)
        .collect()
}

#[test]
fn a_source_that_fails_is_told_of_once_and_looked_at_again() {
    let options = WatcherOptions {
        look_limit: Duration::from_millis(50),
        ..WatcherOptions::default()
    };
    let open = || Opened {
        collectors: vec![Box::new(Moody(0))],
        captures: vec![Box::new(Dump)],
    };
    let mut watcher = Watcher::start(open, options).unwrap();
    watcher.capture(Moment::Start);
    let mut seen = Vec::new();
    let began = Instant::now();
    while !responses(&seen).contains(&7.0) {
        assert!(began.elapsed() < Duration::from_secs(30), "{seen:?}");
        seen.extend(watcher.drain());
        std::thread::sleep(Duration::from_millis(2));
    }
    watcher.capture(Moment::End);
    seen.extend(watcher.finish());
    let count = |wanted: fn(&Seen) -> bool| seen.iter().filter(|seen| wanted(seen)).count();
    assert_eq!(responses(&seen)[..4], [1.0, 2.0, 5.0, 7.0]);
    assert_eq!(
        count(|s| matches!(
            s,
            Seen::Source {
                trouble: Some(_),
                ..
            }
        )),
        2
    );
    assert_eq!(
        count(|s| matches!(s, Seen::Source { trouble: None, .. })),
        2
    );
    assert_eq!(count(|s| matches!(s, Seen::Fact(..))), 1);
    assert_eq!(count(|s| matches!(s, Seen::Note(..))), 1);
    assert_eq!(count(|s| matches!(s, Seen::Captured(_))), 2);
}

#[test]
fn what_is_found_is_watched_and_captured_too() {
    let open = || Opened {
        collectors: vec![Box::new(Finder(0))],
        captures: Vec::new(),
    };
    let mut watcher = Watcher::start(open, WatcherOptions::default()).unwrap();
    watcher.capture(Moment::Start);
    let mut seen = Vec::new();
    let began = Instant::now();
    while !responses(&seen).contains(&9.0) {
        assert!(began.elapsed() < Duration::from_secs(30), "{seen:?}");
        seen.extend(watcher.drain());
        std::thread::sleep(Duration::from_millis(2));
    }
    watcher.capture(Moment::End);
    seen.extend(watcher.finish());
    assert_eq!(responses(&seen)[..3], [7.0, 8.0, 9.0]);
    let moments = seen.iter().filter_map(|seen| match seen {
        Seen::Captured(captured) => Some(captured.moment),
        _ => None,
    });
    let moments: Vec<_> = moments.collect();
    assert_eq!(
        moments,
        [Moment::Start, Moment::End],
        "those of the start are made up for"
    );
}

#[test]
fn every_capture_is_of_a_kind_that_can_be_asked_for() {
    let sources = [
        "host",
        "jvm=pid:1",
        "actuator=http://127.0.0.1:1/actuator",
        "mysql=127.0.0.1:1",
        "redis=127.0.0.1:1",
        "process=pid:1",
        "node-inspector=http://127.0.0.1:1",
        "pprof=http://127.0.0.1:1",
    ];
    let mut kinds = Vec::new();
    for source in sources {
        let mut spec = Spec::parse(source).unwrap();
        spec.level = Level::Capture;
        if source.starts_with("jvm") {
            let library = "/usr/lib/libasyncProfiler.so".to_owned();
            spec.options.insert("profiler".to_owned(), library);
        }
        let opened = spec.open().unwrap();
        kinds.extend(opened.captures.iter().map(|capture| capture.kind()));
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, plimsoll_watch::capture::KINDS);
}

/// Is taken under load, and slowly: each ends when the test says so.
struct Slow(std::sync::mpsc::Sender<Moment>, Arc<tokio::sync::Semaphore>);

impl Capture for Slow {
    fn kind(&self) -> &'static str {
        "slow"
    }

    fn entity(&self) -> Arc<Entity> {
        entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, _: Moment) -> bool {
        true
    }

    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async move {
            self.0.send(asked.moment).unwrap();
            self.1.acquire().await.unwrap().forget();
            Ok(Vec::new())
        })
    }
}

#[test]
fn what_was_to_be_seen_under_load_is_not_taken_after_it() {
    let (begun, moments) = std::sync::mpsc::channel();
    let may_end = Arc::new(tokio::sync::Semaphore::new(0));
    let slow = Slow(begun, Arc::clone(&may_end));
    let open = move || Opened {
        collectors: Vec::new(),
        captures: vec![Box::new(slow)],
    };
    let watcher = Watcher::start(open, WatcherOptions::default()).unwrap();
    watcher.capture(Moment::Start);
    assert_eq!(moments.recv().unwrap(), Moment::Start);
    for moment in [
        Moment::Steady,
        Moment::Worst,
        Moment::Request,
        Moment::Knee,
        Moment::End,
    ] {
        watcher.capture(moment);
    }
    may_end.add_permits(9);
    watcher.finish();
    let after: Vec<Moment> = moments.iter().collect();
    assert_eq!(after, [Moment::Request, Moment::End]);
}

/// A service that is out of descriptors sends no response: it must not hold the run's end as often
/// as there are captures.
#[test]
fn what_does_not_respond_holds_the_end_no_longer_than_one_capture() {
    let (begun, moments) = std::sync::mpsc::channel();
    let never = Arc::new(tokio::sync::Semaphore::new(0));
    let open = move || Opened {
        collectors: Vec::new(),
        captures: (0..20)
            .map(|_| Box::new(Slow(begun.clone(), Arc::clone(&never))) as Box<dyn Capture>)
            .collect(),
    };
    let options = WatcherOptions {
        capture_limit: Duration::from_millis(300),
        ..WatcherOptions::default()
    };
    let watcher = Watcher::start(open, options).unwrap();
    watcher.capture(Moment::Worst);
    assert_eq!(moments.recv().unwrap(), Moment::Worst);
    watcher.capture(Moment::End);
    watcher.finish();
    let more = moments.iter().count();
    assert!(more < 10, "{more} of 39 were tried");
}

/// Ends when another of the same thing is being taken too.
struct Meets {
    aside: bool,
    both: Arc<tokio::sync::Barrier>,
}

impl Capture for Meets {
    fn kind(&self) -> &'static str {
        if self.aside { "aside" } else { "dump" }
    }

    fn entity(&self) -> Arc<Entity> {
        entity()
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, _: Moment) -> bool {
        true
    }

    fn is_aside(&self) -> bool {
        self.aside
    }

    fn take(&mut self, asked: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(async move {
            self.both.wait().await;
            Dump.take(asked).await
        })
    }
}

#[test]
fn what_only_looks_from_outside_is_taken_beside_the_others() {
    let both = Arc::new(tokio::sync::Barrier::new(2));
    let meets = [false, true].map(|aside| Meets {
        aside,
        both: Arc::clone(&both),
    });
    let open = move || Opened {
        collectors: Vec::new(),
        captures: meets
            .into_iter()
            .map(|meets| Box::new(meets) as _)
            .collect(),
    };
    let watcher = Watcher::start(open, WatcherOptions::default()).unwrap();
    watcher.capture(Moment::Steady);
    let seen = watcher.finish();
    let taken = seen.iter().filter(|seen| matches!(seen, Seen::Captured(_)));
    assert_eq!(taken.count(), 2, "{seen:?}");
}

#[test]
fn two_that_count_the_same_from_other_beginnings_do_not_alternate() {
    let open = || Opened {
        collectors: vec![
            Box::new(Counting(Nearness::Exporter, 1e12)),
            Box::new(Counting(Nearness::Itself, 0.0)),
        ],
        captures: Vec::new(),
    };
    let mut watcher = Watcher::start(open, WatcherOptions::default()).unwrap();
    let began = Instant::now();
    let mut seen = Vec::new();
    while responses(&seen).len() < 20 {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
        seen.extend(watcher.drain());
    }
    // Whoever came first: it never grows by more than one look.
    let steps = responses(&seen);
    let steady = |pair: &[f64]| (0.0..=1.0).contains(&(pair[1] - pair[0]));
    assert!(steps.windows(2).all(steady), "{steps:?}");
}
