//! A feed neither loses nor waits, whatever its output does.

#![allow(clippy::unwrap_used)]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plimsoll_outputs::{
    Feed, LabelPart, LoadInterval, Output, OutputError, Pace, RunBegin, RunEnd, RunEvent, RunPart,
    TargetMoment,
};
use plimsoll_stats::series::{Entity, EntityKind, SeriesKey, SeriesKind};
use plimsoll_stats::{Code, LabelId, LabelInfo, LabelInterval, LabelKind, Sample, Verdict};
use plimsoll_text::Message;
use proptest::prelude::*;

const QUICK: Pace = Pace {
    first: Duration::from_micros(10),
    most: Duration::from_micros(100),
    grace: Duration::from_secs(60),
};

const END: RunEnd = RunEnd {
    end_s: 1.0,
    verdict: Verdict::Passed,
    exit_code: 0,
    samples: 0,
    errors: 0,
};

/// What an output heard, in order.
#[derive(Debug, Clone, Default)]
struct Heard {
    intervals: Vec<LoadInterval>,
    moments: Vec<TargetMoment>,
    events: usize,
    begun: usize,
    ended: usize,
}

/// Responds as it is told to, and remembers what it took.
struct Scripted {
    responses: Box<dyn FnMut() -> Result<(), OutputError> + Send>,
    heard: Arc<Mutex<Heard>>,
}

impl Scripted {
    fn take(&mut self, take: impl FnOnce(&mut Heard)) -> Result<(), OutputError> {
        (self.responses)()?;
        take(&mut self.heard.lock().unwrap());
        Ok(())
    }
}

impl Output for Scripted {
    fn begin(&mut self, _: &RunBegin) -> Result<(), OutputError> {
        self.take(|heard| heard.begun += 1)
    }

    fn interval(&mut self, interval: &LoadInterval) -> Result<(), OutputError> {
        self.take(|heard| heard.intervals.push(interval.clone()))
    }

    fn event(&mut self, _: &RunEvent) -> Result<(), OutputError> {
        self.take(|heard| heard.events += 1)
    }

    fn target(&mut self, moment: &TargetMoment) -> Result<(), OutputError> {
        self.take(|heard| heard.moments.push(moment.clone()))
    }

    fn end(&mut self, _: &RunEnd) -> Result<(), OutputError> {
        self.take(|heard| heard.ended += 1)
    }
}

fn feed(
    pace: Pace,
    responses: impl FnMut() -> Result<(), OutputError> + Send + 'static,
) -> (Feed, Arc<Mutex<Heard>>) {
    let heard = Arc::<Mutex<Heard>>::default();
    let output = Scripted {
        responses: Box::new(responses),
        heard: Arc::clone(&heard),
    };
    let feed = Feed::start("scripted".to_owned(), Box::new(output), pace).unwrap();
    (feed, heard)
}

/// A second in which some labels made some requests each.
fn second(at: u64, part: RunPart, counts: &[(u32, u64)]) -> LoadInterval {
    let label = |&(id, count): &(u32, u64)| {
        let mut did = LabelInterval::default();
        for number in 0..count {
            did.record(&Sample {
                label: LabelId(id),
                kind: LabelKind::Request,
                parent: None,
                user: 0,
                iteration: 0,
                code: Code::Http(200),
                message: "",
                error: None,
                sent_bytes: 0,
                received_bytes: 0,
                intended_ns: 0,
                ready_ns: 0,
                start_ns: 0,
                dns_ns: 0,
                connect_ns: 0,
                tls_ns: 0,
                first_byte_ns: 0,
                end_ns: 1_000_000 * (number + 1),
                lag_ns: 0,
            });
        }
        LabelPart {
            label: LabelInfo {
                id: LabelId(id),
                name: format!("label {id}"),
                kind: LabelKind::Request,
                parent: None,
            },
            did,
        }
    };
    LoadInterval {
        from_s: at,
        to_s: at + 1,
        part,
        labels: counts.iter().map(label).collect(),
        ..LoadInterval::default()
    }
}

/// All samples of a label in intervals.
fn samples<'i>(intervals: impl IntoIterator<Item = &'i LoadInterval>, id: u32) -> u64 {
    let labels = intervals.into_iter().flat_map(|interval| &interval.labels);
    let of_label = labels.filter(|part| part.label.id == LabelId(id));
    of_label.map(|part| part.did.samples()).sum()
}

/// Blocks in its first call until it is let go.
fn blocked() -> (impl FnMut() -> Result<(), OutputError> + Send, Sender<()>) {
    let (go, wait): (Sender<()>, Receiver<()>) = channel();
    let response = move || {
        // From then on the sender is gone, and nothing waits.
        let _ = wait.recv();
        Ok(())
    };
    (response, go)
}

#[test]
fn what_waits_too_long_is_merged_and_not_dropped() {
    let (response, go) = blocked();
    let (feed, heard) = feed(QUICK, response);
    feed.begin(RunBegin::default());
    for at in 0..1000 {
        let part = if at < 100 {
            RunPart::WarmUp
        } else {
            RunPart::Measured
        };
        feed.interval(second(
            at,
            part,
            &[(0, 2), (1 + u32::try_from(at % 3).unwrap(), 1)],
        ));
    }
    drop(go);
    feed.end(END);
    let delivery = feed.finish();
    let heard = heard.lock().unwrap();
    assert!(delivery.is_whole() && delivery.merged > 800, "{delivery:?}");
    assert!(heard.intervals.len() < 200, "{}", heard.intervals.len());
    for (part, seconds) in [(RunPart::WarmUp, 100), (RunPart::Measured, 900)] {
        let of_part = || heard.intervals.iter().filter(|it| it.part == part);
        let all: u64 = (0..4).map(|id| samples(of_part(), id)).sum();
        assert_eq!(all, 3 * seconds, "{part:?}");
        let told: u64 = of_part().map(|it| it.to_s - it.from_s).sum();
        assert_eq!(told, seconds, "{part:?}");
    }
    assert_eq!((heard.begun, heard.ended), (1, 1));
}

#[test]
fn a_receiver_that_never_comes_is_counted_and_told() {
    let grace = Duration::from_millis(20);
    let (feed, heard) = feed(Pace { grace, ..QUICK }, || {
        Err(OutputError::Later("away".to_owned()))
    });
    feed.begin(RunBegin::default());
    (0..300).for_each(|at| feed.interval(second(at, RunPart::Measured, &[(0, 1)])));
    feed.end(END);
    let delivery = feed.finish();
    assert_eq!((delivery.lost_seconds, delivery.lost_events), (300, 2));
    assert_eq!(delivery.reason.as_deref(), Some("away"));
    assert!(heard.lock().unwrap().intervals.is_empty());
}

#[test]
fn what_is_refused_is_not_tried_again() {
    let (feed, heard) = feed(QUICK, || Err(OutputError::Refused("400".to_owned())));
    (0..10).for_each(|at| feed.interval(second(at, RunPart::Measured, &[(0, 1)])));
    let delivery = feed.finish();
    assert_eq!(delivery.lost_seconds, 10);
    assert!(heard.lock().unwrap().intervals.is_empty());
}

#[test]
fn events_have_a_bound() {
    let (response, go) = blocked();
    let (feed, heard) = feed(QUICK, response);
    for at_ns in 0..1000 {
        let message = Message::new("event-unreachable");
        feed.event(RunEvent { at_ns, message });
    }
    drop(go);
    let delivery = feed.finish();
    let took = heard.lock().unwrap().events as u64;
    assert_eq!(took + delivery.lost_events, 1000);
    assert!(took >= 256, "{took}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A receiver that is away now and then gets everything once and in order.
    #[test]
    fn nothing_is_lost_or_told_twice(
        away in prop::collection::vec(any::<bool>(), 0..200),
        counts in prop::collection::vec(0_u64..5, 1..150),
    ) {
        let mut away = away.into_iter();
        let (feed, heard) = feed(QUICK, move || match away.next() {
            Some(true) => Err(OutputError::Later("away".to_owned())),
            _ => Ok(()),
        });
        feed.begin(RunBegin::default());
        for (at, count) in (0..).zip(&counts) {
            feed.interval(second(at, RunPart::Measured, &[(7, *count)]));
        }
        feed.end(END);
        let delivery = feed.finish();
        prop_assert!(delivery.is_whole(), "{:?}", delivery);
        let heard = heard.lock().unwrap().clone();
        prop_assert_eq!(samples(&heard.intervals, 7), counts.iter().sum::<u64>());
        let mut next = 0;
        for interval in &heard.intervals {
            prop_assert_eq!(interval.from_s, next);
            next = interval.to_s;
        }
        prop_assert_eq!(next, counts.len() as u64);
        prop_assert_eq!((heard.begun, heard.ended), (1, 1));
    }
}

#[test]
fn of_moments_that_wait_too_long_the_latest_value_of_each_series_is_kept() {
    let (responses, unblock) = blocked();
    let (feed, heard) = feed(QUICK, responses);
    let key = |name: String| SeriesKey {
        entity: Entity::new(EntityKind::Host, "h", "h"),
        name: name.into(),
        attributes: Vec::new(),
        unit: "1".into(),
        kind: SeriesKind::Gauge,
    };
    feed.begin(RunBegin::default());
    for at in 0..500 {
        feed.target(TargetMoment {
            at_unix_ns: at,
            // One series at each moment, and one of seven.
            points: vec![
                (key("a".to_owned()), at as f64),
                (key(format!("b{}", at % 7)), at as f64),
            ],
        });
    }
    drop(unblock);
    let delivery = feed.finish();
    assert!(delivery.is_whole() && delivery.merged > 400, "{delivery:?}");
    let heard = heard.lock().unwrap();
    let last = heard.moments.last().unwrap();
    assert_eq!(last.at_unix_ns, 499);
    let mut values: Vec<f64> = last.points.iter().map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    assert_eq!(
        values,
        [493.0, 494.0, 495.0, 496.0, 497.0, 498.0, 499.0, 499.0]
    );
}
