//! One run from its first second to its judgement: the engine's observer that stores it, tells of it,
//! judges it and ends it.

mod diagnosis;
mod early_end;
mod fleet;
mod jtl;
mod parts;
mod reach;
mod result;
mod secrets;

use std::sync::Arc;

use plimsoll_load::clock::Clock;
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::{Event, Observer, Second};
use plimsoll_outputs::{Part, RunBegin};
use plimsoll_plan::program::Program;
use plimsoll_stats::aggregate::Aggregate;
use plimsoll_stats::{GeneratorSecond, Histogram, LabelInfo, Window};
use plimsoll_store::{RunMeta, RunWriter, StoreError};
use plimsoll_text::{Arg, Message};

use crate::control::RunControl;
use crate::outputs::Outputs;
use crate::watching::{Heard, Target};
use crate::{Listener, changes};

use diagnosis::LiveDiagnosis;
use early_end::EarlyEnd;
pub use early_end::GiveUp;
pub use jtl::SampleLog;
pub use parts::{Made, SessionParts};
pub use reach::no_connection;
pub use secrets::secrets_of;

/// Observes one run.
pub struct Session {
    program: Arc<Program>,
    meta: RunMeta,
    writer: RunWriter,
    sum: Aggregate,
    labels: Vec<LabelInfo>,
    seconds: Vec<GeneratorSecond>,
    lateness: Histogram,
    receive_lag: Histogram,
    listener: Box<dyn Listener>,
    outputs: Outputs,
    log: Option<SampleLog>,
    early_end: EarlyEnd,
    give_up: Option<GiveUp>,
    no_request: Message,
    /// There were samples, though none in the result.
    seen_in_warm_up: bool,
    stopper: Stopper,
    control: RunControl,
    /// So many changes of the load were told.
    changes: usize,
    aborted: bool,
    unreachable: bool,
    /// The run goes on although nothing can be reached, as JMeter's do.
    goes_on: bool,
    lost_threads: u32,
    target: Option<Target>,
    diagnosis: Option<LiveDiagnosis>,
    /// The load hosts, when there are several.
    fleet: Option<plimsoll_stats::FleetSummary>,
    /// Nothing more is told of a disk that fails: it was told, or others tell.
    quiet_store: bool,
    /// All is stored where it should be.
    is_kept: bool,
}

impl Session {
    /// Begins a session. A folder that cannot be written is told of, and the run is then
    /// kept in memory.
    ///
    /// # Errors
    /// When not even that works.
    pub fn new(mut parts: SessionParts) -> Result<Self, StoreError> {
        let error = match RunWriter::create(&parts.root, &parts.meta) {
            Ok(writer) => return Ok(Self::with_writer(parts, writer)),
            Err(error) => error,
        };
        let message = Message::new("run-not-stored").with("reason", error.message());
        parts.listener.event(&message);
        crate::runs::not_stored(&parts.root, parts.meta.started_at_unix_ns);
        let writer = RunWriter::in_memory(&parts.meta)?;
        Ok(Self {
            is_kept: false,
            ..Self::with_writer(parts, writer)
        })
    }

    fn with_writer(parts: SessionParts, writer: RunWriter) -> Self {
        let warm_up_s = f64::from(parts.meta.warm_up_s);
        // Without a target there is nothing to diagnose, and without anybody to tell no need.
        let diagnosed = parts.target.is_some() && parts.listener.wants_diagnosis();
        let diagnosis = diagnosed
            .then(|| LiveDiagnosis::new(writer.dir(), u64::from(parts.meta.warm_up_s)))
            .flatten();
        Self {
            sum: Aggregate::with_tail(Window::new(warm_up_s, f64::INFINITY)),
            early_end: EarlyEnd::new(&parts.program),
            program: parts.program,
            meta: parts.meta,
            writer,
            labels: Vec::new(),
            seconds: Vec::new(),
            lateness: Histogram::new(),
            receive_lag: Histogram::new(),
            listener: parts.listener,
            outputs: parts.outputs,
            log: parts.log,
            stopper: parts.stopper,
            control: parts.control,
            changes: 0,
            aborted: false,
            unreachable: false,
            goes_on: parts.goes_on,
            lost_threads: 0,
            target: parts.target,
            give_up: parts.give_up,
            no_request: parts.no_request,
            seen_in_warm_up: false,
            diagnosis,
            fleet: None,
            quiet_store: false,
            is_kept: true,
        }
    }

    fn tell(&mut self, at_ns: u64, message: &Message) {
        self.listener.event(message);
        self.outputs.take_in(self.control.take_fresh());
        self.outputs.event(at_ns, message);
        self.keep(at_ns, message);
    }

    /// Keeps an event without telling of it.
    fn keep(&mut self, at_ns: u64, message: &Message) {
        let kind = message.id.strip_prefix("event-").unwrap_or(&message.id);
        let stored = self.writer.event(at_ns, kind, &args_json(message));
        self.check_store(stored);
    }

    /// Has the target's watcher do something; tells and keeps what it heard.
    fn with_target(
        &mut self,
        work: impl FnOnce(&mut Target, (&mut RunWriter, &Outputs)) -> Result<Vec<Heard>, StoreError>,
    ) {
        if let Some(mut target) = self.target.take() {
            let heard = work(&mut target, (&mut self.writer, &self.outputs));
            self.target = Some(target);
            self.hear(heard);
        }
    }

    fn hear(&mut self, heard: Result<Vec<Heard>, StoreError>) {
        match heard {
            Ok(all) => {
                for heard in all {
                    if heard.aloud {
                        self.tell(heard.at_ns, &heard.message);
                    } else {
                        self.keep(heard.at_ns, &heard.message);
                    }
                }
            }
            Err(error) => self.check_store(Err(error)),
        }
    }

    /// Tells of a disk that failed, once; the writer has gone over to memory, or tries again.
    fn check_store(&mut self, result: Result<(), StoreError>) {
        if let Err(error) = result
            && !std::mem::replace(&mut self.quiet_store, true)
        {
            self.is_kept = false;
            let message = Message::new("event-store-failed").with("reason", error.message());
            self.listener.event(&message);
        }
    }

    fn diagnose_second(&mut self, second: &Second<'_>) {
        let diagnosis = self.diagnosis.as_mut().filter(|_| !second.after_load);
        if let Some(message) = diagnosis.and_then(|diagnosis| diagnosis.second(second.second)) {
            self.tell((second.second + 1) * 1_000_000_000, &message);
        }
    }

    fn judge_second(&mut self, second: &Second<'_>) {
        let at_ns = (second.second + 1) * 1_000_000_000;
        if !self.unreachable && !self.goes_on && self.cannot_connect(second) {
            self.unreachable = true;
            self.tell(at_ns, &Message::new("event-unreachable"));
            self.stopper.stop();
        }
        let given_up = self
            .give_up
            .as_mut()
            .and_then(|give_up| give_up.look(second, &self.labels));
        if let Some(message) = self.early_end.look(second, &self.labels).or(given_up)
            && !self.aborted
        {
            self.aborted = true;
            self.tell(at_ns, &message);
            self.stopper.stop();
        }
    }

    /// Tells and keeps what the load was changed to since this was called last.
    fn hear_changes(&mut self) {
        let steer = &self.control.steer;
        let fresh = steer.changes_from(self.changes);
        if fresh.is_empty() {
            return;
        }
        self.changes += fresh.len();
        let all = steer.changes_from(0);
        let all: Vec<_> = all.iter().map(changes::summary_of).collect();
        let stored = self.writer.load_changed(&all, steer.profile());
        self.check_store(stored);
        self.meta.load_changes = all;
        for timed in &fresh {
            self.tell(timed.at_ns, &changes::event_of(timed));
        }
    }

    /// Tells and keeps something.
    pub fn say(&mut self, at_ns: u64, message: &Message) {
        self.tell(at_ns, message);
    }

    /// The part of the run that a second belongs to.
    fn part_of(&self, second: &Second<'_>) -> Part {
        match (second.after_load, self.sum.window().contains(second.second)) {
            (true, _) => Part::Tail,
            (false, true) => Part::Measured,
            (false, false) => Part::WarmUp,
        }
    }

    /// Counts a second in the sums.
    fn add_up(&mut self, second: &Second<'_>) {
        for (id, interval) in second.labels.iter() {
            let Some(info) = self.labels.get(id.index()) else {
                continue;
            };
            if second.after_load {
                self.sum.add_tail(info, interval);
            } else {
                self.sum.add(second.second, info, interval);
            }
        }
    }

    /// Takes a second in, once it is stored: sums, live line, target, judgement.
    fn take(&mut self, second: &Second<'_>) {
        self.add_up(second);
        let warms_up = !self.sum.window().contains(second.second);
        self.seen_in_warm_up |= warms_up && second.labels.iter().any(|(_, it)| it.samples() > 0);
        if self.sum.window().contains(second.second) && !second.after_load {
            self.seconds.push(second.generator.clone());
            self.lateness.merge(second.lateness);
            self.receive_lag.merge(second.receive_lag);
        } else if let Some(last) = self.seconds.last_mut() {
            // The tail of the load is in the result too.
            last.own.merge(&second.generator.own);
        }
        self.listener.second(second, &self.labels);
        self.outputs.take_in(self.control.take_fresh());
        self.outputs
            .second(second, &self.labels, self.part_of(second));
        if let Some(log) = &mut self.log
            && let Err(message) = log.write(second.samples, &self.labels)
        {
            self.is_kept = false;
            self.tell(second.second * 1_000_000_000, &message);
        }
        self.hear_changes();
        let labels = std::mem::take(&mut self.labels);
        self.with_target(|target, kept| target.second(kept, second, &labels));
        self.labels = labels;
        self.diagnose_second(second);
        self.judge_second(second);
    }
}

impl Observer for Session {
    fn started(&mut self, clock: Clock) {
        let zero_unix_ns = clock.unix_ns(0);
        self.with_target(|target, (writer, _)| {
            target.began(writer, zero_unix_ns).map(|()| Vec::new())
        });
        self.outputs.begin(&RunBegin {
            run: self.run_name(),
            plan: self.meta.plan_name.clone(),
            target: self.meta.target.clone(),
            zero_unix_ns,
        });
    }

    fn labels(&mut self, labels: &[LabelInfo]) {
        for label in labels {
            let stored = self.writer.add_label(label);
            self.check_store(stored);
            self.sum.add_label(label);
        }
        self.labels.extend_from_slice(labels);
    }

    fn second(&mut self, second: &Second<'_>) {
        let number = u32::try_from(second.second).unwrap_or(u32::MAX);
        let labels: Vec<_> = second.labels.iter().collect();
        let stored = if second.after_load {
            self.writer.write_tail(number, &labels, second.generator)
        } else {
            self.writer.write_second(number, &labels, second.generator)
        };
        self.check_store(stored);
        self.take(second);
    }

    fn event(&mut self, event: &Event) {
        self.tell(event.at_ns, &event.message);
    }
}

/// A message's arguments as an event keeps them; a message inside keeps its id, so that
/// reports say it in their own language.
fn args_json(message: &Message) -> serde_json::Value {
    let args = message.args.iter().map(|(name, value)| {
        let value = match value {
            Arg::Text(text) => text.clone().into(),
            Arg::Number(number) => (*number).into(),
            Arg::Message(inner) => serde_json::json!({"id": inner.id, "args": args_json(inner)}),
        };
        (name.clone().into_owned(), value)
    });
    serde_json::Value::Object(args.collect())
}
