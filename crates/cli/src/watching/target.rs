//! The watcher of one run: started before the load, heard each second, ended with it.

use plimsoll_load::engine::Second;
use plimsoll_stats::moments::{KneeDetector, LoadSecond, SteadySeconds, WorstSecond};
use plimsoll_stats::{LabelInfo, LabelKind};
use plimsoll_store::{CaptureRecord, RunWriter, StoreError};
use plimsoll_text::{Lang, Message, render};
use plimsoll_watch::watcher::WallClock;
use plimsoll_watch::{
    Asked, Captured, Moment, NoteKind, Opened, Seen, Spec, Watcher, WatcherOptions,
};

use super::requests::{self, Request};
use super::specs::not_opened;

/// What a run hears of its target.
pub struct Target {
    watcher: Watcher,
    knee: KneeDetector,
    worst: WorstSecond,
    steady: SteadySeconds,
    zero_unix_ns: u64,
    ended: bool,
    asked: Option<Pending>,
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
        let watcher = Watcher::start(move || open(&specs), WatcherOptions::default())?;
        Ok(Some(Self {
            watcher,
            knee: KneeDetector::default(),
            worst: WorstSecond::default(),
            steady,
            zero_unix_ns: 0,
            ended: false,
            asked: None,
        }))
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
    /// seen. Gives the events to keep.
    ///
    /// # Errors
    /// If the disk failed; see [`RunWriter`].
    pub fn second(
        &mut self,
        writer: &mut RunWriter,
        second: &Second<'_>,
        labels: &[LabelInfo],
    ) -> Result<Vec<Heard>, StoreError> {
        if second.after_load {
            self.end();
        } else {
            let load = load_second(second, labels);
            if self.knee.second(load) {
                self.watcher.capture(Moment::Knee);
            }
            if self.worst.second(load) {
                self.watcher.capture(Moment::Worst);
            }
            if self.steady.second(second.second) {
                self.watcher.capture(Moment::Steady);
            }
            self.look_for_request(writer);
        }
        let seen = self.watcher.drain();
        store(seen, &mut self.asked, self.zero_unix_ns, writer)
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
    pub fn finish(mut self, writer: &mut RunWriter) -> Result<Vec<Heard>, StoreError> {
        self.end();
        let seen = self.watcher.finish();
        if !writer.is_in_memory() {
            // What is asked for now comes too late.
            requests::take(writer.dir());
        }
        store(seen, &mut self.asked, self.zero_unix_ns, writer)
    }
}

/// What somebody asked for and is not taken yet.
#[derive(Debug)]
struct Pending {
    request: Request,
    /// Captures that were taken for it.
    taken: usize,
}

/// Stores what was seen; gives the events among it, with the answer to who asked for something.
fn store(
    all: Vec<Seen>,
    asked: &mut Option<Pending>,
    zero_unix_ns: u64,
    writer: &mut RunWriter,
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
            Seen::Fact(at, fact) => result = result.and(writer.write_fact(at, &fact)),
            Seen::Note(at, note) => {
                let message = Message::new("event-watch-note")
                    .with("entity", note.entity.to_string())
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
                result = result.and(capture(writer, captured));
            }
            Seen::Taken(taken) => {
                if let Some(asked) = asked.take_if(|_| taken.moment == Moment::Request) {
                    hear(WallClock::start().unix_ns(), true, answer(asked));
                }
            }
        }
    }
    result.and(writer.write_target(points)).map(|()| heard)
}

/// The event by which the one who asked knows that all is stored.
fn answer(asked: Pending) -> Message {
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

/// A second in the detectors' terms: requests only, without transactions and parts.
#[expect(clippy::cast_precision_loss, reason = "counts of one second")]
fn load_second(second: &Second<'_>, labels: &[LabelInfo]) -> LoadSecond {
    let (mut samples, mut sum_ns) = (0, 0.0);
    for (id, interval) in second.labels.iter() {
        let label = labels.get(id.index());
        if label.is_some_and(|label| label.kind == LabelKind::Request) {
            let times = interval.all_response();
            samples += times.count();
            sum_ns += times.mean_ns() * times.count() as f64;
        }
    }
    let generator = second.generator;
    LoadSecond {
        concurrency: generator.users_active.max(generator.in_flight) as f64,
        throughput: samples as f64,
        mean_response_ms: if samples == 0 {
            0.0
        } else {
            sum_ns / samples as f64 / 1e6
        },
    }
}

/// Opens what can be opened; what cannot is said by a source that fails.
pub fn open(specs: &[Spec]) -> Opened {
    let mut all = Opened::default();
    for spec in specs {
        match spec.open() {
            Ok(opened) => all.add(opened, spec.level),
            Err(error) => {
                // Checked before the run began; only a change since then leads here.
                crate::say::err(&render(Lang::En, &not_opened(spec, error.0)));
            }
        }
    }
    all
}
