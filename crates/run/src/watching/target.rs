//! The watcher of one run: started before the load, or with a run that is taken up again; heard each
//! second, ended with it.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, channel};

use plimsoll_load::engine::Second;
use plimsoll_stats::moments::{KneeDetector, LoadSecond, SteadySeconds, WorstSecond};
use plimsoll_stats::{GeneratorSecond, LabelInfo, LabelInterval, LabelKind};
use plimsoll_store::{CaptureRecord, RunWriter, StoreError};
use plimsoll_text::Message;
use plimsoll_watch::watcher::WallClock;
use plimsoll_watch::{
    Asked, Captured, Moment, NoteKind, Opened, Seen, Spec, Watcher, WatcherOptions,
};

use super::requests::{self, CaptureRequest};
use super::specs::not_opened;
use crate::hearers::Hearers;

/// A second that is told so much after its end belongs to the past: what a capture would show now is
/// not what it was like then. Workers that are silent hold a second up for less.
const PAST_NS: u64 = 5_000_000_000;

/// What a run hears of its target.
pub struct Target {
    watcher: Watcher,
    /// The watcher's own.
    clock: WallClock,
    knee: KneeDetector,
    worst: WorstSecond,
    steady: SteadySeconds,
    zero_unix_ns: u64,
    ended: bool,
    asked: Option<Pending>,
    /// What the watcher's thread could not open.
    not_opened: Receiver<Message>,
}

/// Something that a session must keep as an event.
#[derive(Debug)]
pub struct Heard {
    /// When, in ns since the run's start.
    pub at_ns: u64,
    /// What.
    pub message: Message,
    /// It is told at once, not only kept.
    pub aloud: bool,
}

impl Target {
    /// Begins to watch; nothing if there is nothing to watch.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(specs: Vec<Spec>, steady: SteadySeconds) -> std::io::Result<Option<Self>> {
        if specs.is_empty() {
            return Ok(None);
        }
        Self::with(specs, steady, WatcherOptions::default(), 0)
    }

    /// Begins to watch for a run that is taken up again; nothing if there is nothing to watch.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn again(
        specs: Vec<Spec>,
        steady: SteadySeconds,
        of: &Again,
    ) -> std::io::Result<Option<Self>> {
        if specs.is_empty() {
            return Ok(None);
        }
        let fresh = WatcherOptions::default();
        let now_unix_ns = of.zero_unix_ns.saturating_add(of.at_ns);
        let behind_ns = i128::from(now_unix_ns) - i128::from(fresh.clock.unix_ns());
        let options = WatcherOptions {
            clock: fresh
                .clock
                .shifted(i64::try_from(behind_ns).unwrap_or_default()),
            max_capture_bytes: fresh.max_capture_bytes.saturating_sub(of.captured_bytes),
            ..fresh
        };
        Self::with(specs, steady, options, of.zero_unix_ns)
    }

    fn with(
        specs: Vec<Spec>,
        steady: SteadySeconds,
        options: WatcherOptions,
        zero_unix_ns: u64,
    ) -> std::io::Result<Option<Self>> {
        let (tell, not_opened) = channel();
        let open = move || {
            open(&specs, |message| {
                // Nobody hears it once the run has ended.
                let _ = tell.send(message);
            })
        };
        let watcher = Watcher::start(open, options)?;
        Ok(Some(Self {
            watcher,
            clock: options.clock,
            knee: KneeDetector::default(),
            worst: WorstSecond::default(),
            steady,
            zero_unix_ns,
            ended: false,
            asked: None,
            not_opened,
        }))
    }

    /// Takes in what the load did before the run was taken up again: moments that were then have
    /// been noticed.
    pub fn knew(&mut self, seconds: &BTreeMap<u64, LoadSecond>) {
        for (second, load) in seconds {
            // What they say is long over.
            let _ = self.notice(*second, *load);
        }
    }

    /// What a second of the load is a reason to look at.
    fn notice(&mut self, second: u64, load: LoadSecond) -> Vec<Moment> {
        let moments = [
            (self.knee.second(load), Moment::Knee),
            (self.worst.second(load), Moment::Worst),
            (self.steady.second(second), Moment::Steady),
        ];
        let noticed = moments.into_iter().filter(|(noticed, _)| *noticed);
        noticed.map(|(_, moment)| moment).collect()
    }

    fn is_past(&self, second: u64) -> bool {
        let end_ns = (second + 1).saturating_mul(1_000_000_000);
        let until_ns = self.zero_unix_ns.saturating_add(end_ns);
        self.clock.unix_ns() > until_ns.saturating_add(PAST_NS)
    }

    /// The load's clock begins.
    ///
    /// # Errors
    /// If the disk failed; see [`RunWriter`].
    pub fn began(&mut self, writer: &mut RunWriter, zero_unix_ns: u64) -> Result<(), StoreError> {
        // Setup groups begin a clock of their own first; the load's comes last.
        self.zero_unix_ns = zero_unix_ns;
        self.watcher.capture(Moment::Start);
        writer.set_zero(zero_unix_ns)
    }

    /// A second of the load is over: looks for moments worth a capture, and stores what was
    /// seen. Gives the events to keep. `is_probed`: the load that is judged has ended.
    ///
    /// # Errors
    /// If the disk failed; see [`RunWriter`].
    pub(crate) fn second(
        &mut self,
        hearers: &mut Hearers,
        second: &Second<'_>,
        labels: &[LabelInfo],
        is_probed: bool,
    ) -> Result<Vec<Heard>, StoreError> {
        if second.after_load || is_probed {
            self.end();
        } else {
            let moments = self.notice(second.second, load_second(second, labels));
            if !self.is_past(second.second) {
                let watcher = &self.watcher;
                moments
                    .into_iter()
                    .for_each(|moment| watcher.capture(moment));
            }
            self.look_for_request(&hearers.store.writer);
        }
        let seen = self.watcher.drain();
        let told = self.not_opened.try_iter();
        let at_ns = (second.second + 1) * 1_000_000_000;
        let mut heard: Vec<Heard> = told.map(not_opened_at(at_ns)).collect();
        let zero_unix_ns = self.zero_unix_ns;
        heard.extend(store(seen, &mut self.asked, zero_unix_ns, hearers)?);
        Ok(heard)
    }

    /// Has taken what somebody asks for, one request after the other.
    fn look_for_request(&mut self, writer: &RunWriter) {
        if self.asked.is_some() || writer.is_in_memory() {
            return;
        }
        if let Some(request) = requests::take(writer.dir()) {
            self.watcher.capture(Asked {
                moment: Moment::Request,
                kind: request.kind,
            });
            self.asked = Some(Pending { request, taken: 0 });
        }
    }

    fn end(&mut self) {
        if !self.ended {
            self.ended = true;
            self.watcher.capture(Moment::End);
        }
    }

    /// The load is over: the last captures are taken, and all is stored.
    ///
    /// # Errors
    /// If the disk failed; see [`RunWriter`].
    pub(crate) fn finish(mut self, hearers: &mut Hearers) -> Result<Vec<Heard>, StoreError> {
        self.end();
        let seen = self.watcher.finish();
        let told = self.not_opened.try_iter();
        let mut heard: Vec<Heard> = told.map(not_opened_at(0)).collect();
        let writer = &hearers.store.writer;
        if !writer.is_in_memory() {
            // What is asked for now comes too late.
            requests::take(writer.dir());
        }
        let zero_unix_ns = self.zero_unix_ns;
        heard.extend(store(seen, &mut self.asked, zero_unix_ns, hearers)?);
        Ok(heard)
    }
}

/// Tells aloud of what could not be opened.
fn not_opened_at(at_ns: u64) -> impl Fn(Message) -> Heard {
    move |message| Heard {
        at_ns,
        message,
        aloud: true,
    }
}

/// A run that is taken up again, as its watcher has to know it.
#[derive(Debug, Clone, Copy)]
pub struct Again {
    /// When its clock read 0, Unix nanoseconds by the clock that its target's times are on.
    pub zero_unix_ns: u64,
    /// What its clock reads now, ns.
    pub at_ns: u64,
    /// Bytes of captures that it holds.
    pub captured_bytes: usize,
}

/// What somebody asked for and is not taken yet.
#[derive(Debug)]
struct Pending {
    request: CaptureRequest,
    /// Captures that were taken for it.
    taken: usize,
}

/// Stores what was seen; gives the events among it, with the response to who asked for something.
fn store(
    all: Vec<Seen>,
    asked: &mut Option<Pending>,
    zero_unix_ns: u64,
    hearers: &mut Hearers,
) -> Result<Vec<Heard>, StoreError> {
    let mut heard = Vec::new();
    let mut points = Vec::new();
    let mut result = Ok(());
    let mut hear = |at: u64, aloud, message| {
        heard.push(Heard {
            at_ns: at.saturating_sub(zero_unix_ns),
            message,
            aloud,
        });
    };
    for seen in all {
        match seen {
            Seen::Points(parts) => {
                points.extend(parts.into_iter().map(|part| (part.at_unix_ns, part.points)));
            }
            Seen::Fact(at, fact) => {
                result = result.and(hearers.store.writer.write_fact(at, &fact));
            }
            Seen::Note(at, note) => {
                let message = Message::new("event-watch-note")
                    .with("entity", plimsoll_report::entity(&note.entity))
                    .with("text", note.message);
                hear(at, note.kind == NoteKind::Missing, message);
            }
            Seen::Source {
                at_unix_ns,
                about,
                trouble,
            } => hear(at_unix_ns, true, source_message(about, trouble)),
            Seen::Captured(captured) => {
                let requested = |_: &&mut Pending| captured.moment == Moment::Request;
                if let Some(asked) = asked.as_mut().filter(requested) {
                    asked.taken += 1;
                }
                result = result.and(capture(&mut hearers.store.writer, captured));
            }
            Seen::Taken(taken) => {
                if let Some(asked) = asked.take_if(|_| taken.moment == Moment::Request) {
                    hear(WallClock::start().unix_ns(), true, response(asked));
                }
            }
        }
    }
    hearers.target(&points);
    let writer = &mut hearers.store.writer;
    let written = result.and(writer.write_target(points));
    heard.extend(gap(zero_unix_ns, writer));
    written.map(|()| heard)
}

/// What is to be told of a time in which nobody looked.
fn gap(zero_unix_ns: u64, writer: &mut RunWriter) -> Option<Heard> {
    let (from_ns, to_ns) = writer.take_gap()?;
    let on_run = |unix_ns: u64| unix_ns.saturating_sub(zero_unix_ns);
    #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
    let seconds = |unix_ns: u64| format!("{:.1}", on_run(unix_ns) as f64 / 1e9);
    Some(Heard {
        at_ns: on_run(from_ns),
        message: Message::new("event-watch-gap")
            .with("from", seconds(from_ns))
            .with("to", seconds(to_ns)),
        aloud: true,
    })
}

/// The event by which the one who asked knows that all is stored.
fn response(asked: Pending) -> Message {
    Message::new("event-captures-asked")
        .with("kind", asked.request.kind.unwrap_or("all"))
        .with("count", asked.taken)
        .with("token", asked.request.token)
}

fn source_message(about: String, trouble: Option<Message>) -> Message {
    match trouble {
        Some(reason) => Message::new("event-watch-source-fails")
            .with("source", about)
            .with("reason", reason),
        None => Message::new("event-watch-source-back").with("source", about),
    }
}

fn capture(writer: &mut RunWriter, captured: Captured) -> Result<(), StoreError> {
    let artifact = captured.artifact;
    let record = CaptureRecord {
        entity: (*artifact.entity).clone(),
        kind: artifact.kind,
        moment: captured.moment.name().to_owned(),
        media_type: artifact.media_type,
        took_ns: u64::try_from(captured.took.as_nanos()).unwrap_or(u64::MAX),
    };
    writer.write_capture(artifact.at_unix_ns, &record, &artifact.bytes)
}

/// A second of the load, added up in the detectors' terms: requests only, without transactions and
/// parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadSum {
    samples: u64,
    sum_ns: f64,
    concurrency: u64,
}

#[expect(clippy::cast_precision_loss, reason = "counts of one second")]
impl LoadSum {
    /// Adds what a label did.
    pub fn add(&mut self, label: &LabelInfo, interval: &LabelInterval) {
        if label.kind == LabelKind::Request {
            let times = interval.all_response();
            self.samples += times.count();
            self.sum_ns += times.mean_ns() * times.count() as f64;
        }
    }

    /// Adds the users and requests at work that a generator saw, or one of several.
    pub fn at_work(&mut self, seen: &GeneratorSecond) {
        self.concurrency += seen.users_active.max(seen.in_flight);
    }

    /// The second.
    #[must_use]
    pub fn second(&self) -> LoadSecond {
        LoadSecond {
            concurrency: self.concurrency as f64,
            throughput: self.samples as f64,
            mean_response_ms: match self.samples {
                0 => 0.0,
                samples => self.sum_ns / samples as f64 / 1e6,
            },
        }
    }
}

/// What the load did in a second.
pub fn load_second(second: &Second<'_>, labels: &[LabelInfo]) -> LoadSecond {
    let mut sum = LoadSum::default();
    for (id, interval) in second.labels.iter() {
        if let Some(label) = labels.get(id.index()) {
            sum.add(label, interval);
        }
    }
    sum.at_work(second.generator);
    sum.second()
}

/// Opens what can be opened; what cannot is told: they are checked before a run begins, and only a
/// change since then leads there.
pub fn open(specs: &[Spec], tell: impl Fn(Message)) -> Opened {
    Spec::open_together(specs, |spec, error| tell(not_opened(spec, error.0)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ZERO_NS: u64 = 1_790_000_000_000_000_000;

    /// The target of a run of 100 s that is taken up again.
    fn again(at_s: u64) -> Target {
        let spec = Spec {
            source: "host".to_owned(),
            ..Spec::default()
        };
        let of = Again {
            zero_unix_ns: ZERO_NS,
            at_ns: at_s * 1_000_000_000,
            captured_bytes: 0,
        };
        let steady = SteadySeconds::new(0, Some(100));
        Target::again(vec![spec], steady, &of).unwrap().unwrap()
    }

    fn even() -> LoadSecond {
        LoadSecond {
            concurrency: 10.0,
            throughput: 100.0,
            mean_response_ms: 5.0,
        }
    }

    #[test]
    fn a_moment_that_was_noticed_is_not_noticed_again() {
        let mut fresh = again(31);
        assert_eq!(fresh.notice(31, even()), [Moment::Steady]);
        let mut knows = again(31);
        knows.knew(&(0..31).map(|second| (second, even())).collect());
        assert!(knows.notice(31, even()).is_empty());
        assert_eq!(knows.notice(45, even()), [Moment::Steady]);
        // What is far worse than it ever was, also before.
        let slow = LoadSecond {
            mean_response_ms: 50.0,
            ..even()
        };
        assert_eq!(knows.notice(46, slow), [Moment::Worst]);
        assert_eq!(
            fresh.notice(46, slow),
            [Moment::Steady],
            "it knows too little"
        );
    }

    #[test]
    fn seconds_that_are_made_up_for_are_past() {
        let target = again(60);
        assert!(target.is_past(20) && target.is_past(50));
        assert!(!target.is_past(59) && !target.is_past(200));
        let now_ns = target.clock.unix_ns() - ZERO_NS;
        assert!(
            now_ns >= 60_000_000_000,
            "it reads what the run's clock reads: {now_ns}"
        );
    }
}
