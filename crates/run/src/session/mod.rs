//! One run from its first second to its judgement: the engine's observer that stores it, tells of it,
//! judges it and ends it.

mod diagnosis;
mod early_end;
mod fleet;
mod jtl;
mod secrets;

use std::path::Path;
use std::sync::Arc;

use plimsoll_load::clock::Clock;
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::{Ended, Event, Observer, Second};
use plimsoll_outputs::{Part, RunBegin};
use plimsoll_plan::program::Program;
use plimsoll_stats::aggregate::Aggregate;
use plimsoll_stats::{
    ErrorKind, GeneratorSecond, GeneratorSummary, Histogram, LabelInfo, LabelInterval, Outcome,
    ScenarioSummary, Summary, Times, Window, goal, judge_generator,
};
use plimsoll_store::{Run, RunMeta, RunWriter, StoreError, rfc3339};
use plimsoll_text::{Arg, Message};

use crate::outputs::Outputs;
use crate::watching::{Heard, Target};
use crate::{Interrupt, Listener};

use diagnosis::LiveDiagnosis;
use early_end::EarlyEnd;
pub use early_end::GiveUp;
pub use jtl::SampleLog;
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
    interrupt: Interrupt,
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

/// What a session is made of.
pub struct SessionParts {
    /// The program.
    pub program: Arc<Program>,
    /// What is known of the run.
    pub meta: RunMeta,
    /// Folder of the runs.
    pub root: std::path::PathBuf,
    /// Hears of it.
    pub listener: Box<dyn Listener>,
    /// Who else hears of it, on threads of their own.
    pub outputs: Outputs,
    /// Takes every sample.
    pub log: Option<SampleLog>,
    /// Ends the run.
    pub stopper: Stopper,
    /// Whether somebody ended it.
    pub interrupt: Interrupt,
    /// It goes on although nothing can be reached.
    pub goes_on: bool,
    /// Watches the target.
    pub target: Option<Target>,
    /// Ends the run once its goals are out of reach.
    pub give_up: Option<GiveUp>,
    /// Why no request was made, if none is.
    pub no_request: Message,
}

/// A run that was made.
pub struct Made {
    /// What came out of it.
    pub summary: Summary,
    /// The run.
    pub run: Run,
    /// All of it is stored where it should be, the sample log too. What is not was told by events.
    pub is_kept: bool,
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
            interrupt: parts.interrupt,
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

    /// Whether nothing but failures to connect was seen in this first second of samples.
    fn cannot_connect(&self, second: &Second<'_>) -> bool {
        let mut samples = 0;
        for (_, interval) in second.labels.iter() {
            samples += interval.samples();
            if !only_failed_to_connect(interval) {
                return false;
            }
        }
        samples > 0 && self.sum.total().samples() == samples
    }

    /// Whether nothing but failures to connect was seen in the whole run.
    fn never_connected(&self) -> bool {
        let total = self.sum.total();
        total.samples() > 0 && only_failed_to_connect(&total)
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

    /// Ends the session: the run's summary is made and kept.
    ///
    /// # Errors
    /// When the run cannot be read back.
    pub fn finish(mut self, ended: Option<&Ended>) -> Result<Made, StoreError> {
        self.listener.end();
        if let Some(ended) = ended {
            #[expect(clippy::cast_precision_loss)]
            self.sum.set_end(ended.load_end_ns as f64 / 1e9);
            self.lost_threads = ended.lost_threads;
            if ended.discarded > 0 {
                let message = Message::new("event-discarded").with("count", ended.discarded);
                self.tell(ended.end_ns, &message);
            }
        }
        if let Some(target) = self.target.take() {
            let heard = target.finish((&mut self.writer, &self.outputs));
            self.hear(heard);
        }
        if let Some(log) = &mut self.log
            && let Err(message) = log.finish()
        {
            self.is_kept = false;
            self.tell(0, &message);
        }
        if self.interrupt.is_hit() {
            let at_ns = ended.map_or(0, |ended| ended.load_end_ns);
            let args = serde_json::json!({});
            let stored = self.writer.event(at_ns, "interrupted", &args);
            self.check_store(stored);
        }
        let failed = ended.is_none_or(|ended| ended.setup_failed);
        if !failed && self.made_no_request() {
            self.tell_of_no_request(ended.map_or(0, |ended| ended.load_end_ns));
        }
        let summary = self.summary(failed);
        for message in std::mem::take(&mut self.outputs).finish(&summary) {
            self.tell(ended.map_or(0, |ended| ended.end_ns), &message);
        }
        let stored = self.writer.finish(&summary);
        self.check_store(stored);
        Ok(Made {
            summary,
            is_kept: self.is_kept,
            run: self.writer.into_run()?,
        })
    }

    /// Whether no request was made, and nobody broke the run off before one could be.
    fn made_no_request(&self) -> bool {
        let total = self.sum.total();
        let begun = total.samples() + total.cut_off + total.dropped_iterations;
        begun == 0 && !self.interrupt.is_hit() && !self.unreachable
    }

    /// A run without a request says why.
    fn tell_of_no_request(&mut self, load_end_ns: u64) {
        let message = match self.seen_in_warm_up {
            true => crate::no_request::in_warm_up(f64::from(self.meta.warm_up_s)),
            false => self.no_request.clone(),
        };
        self.tell(load_end_ns, &message);
    }

    fn summary(&self, failed: bool) -> Summary {
        let total = self.sum.total_summary();
        let mut judged = judge_generator(&self.seconds, &self.result());
        judged.limited |= self.lost_threads > 0;
        let goals: Vec<_> = self
            .program
            .goals
            .iter()
            .map(|spec| goal::evaluate(&spec.goal, &self.sum))
            .collect();
        let outcome = Outcome {
            bad_plan: false,
            unreachable: self.unreachable || failed || self.never_connected(),
            interrupted: self.interrupt.is_hit(),
            aborted: self.aborted,
            limited: judged.limited,
            ..Outcome::default()
        };
        let (verdict, exit_code) = outcome.with_results(&total, &goals).verdict();
        Summary {
            schema_version: plimsoll_stats::summary::SCHEMA_VERSION,
            run: run_name(self.writer.dir(), &self.meta),
            plan: self.meta.plan_name.clone(),
            started_at: rfc3339(self.meta.started_at_unix_ns),
            duration_s: self.sum.window().seconds(),
            warm_up_s: f64::from(self.meta.warm_up_s),
            verdict,
            exit_code,
            generator: GeneratorSummary {
                send_lateness_ms: Times::from(&self.lateness),
                receive_lag_ms: (!self.receive_lag.is_empty())
                    .then(|| Times::from(&self.receive_lag)),
                ..GeneratorSummary::new(judged, &self.seconds)
            },
            labels: self.sum.label_summaries(),
            errors_by_kind: total.errors_by_kind.clone(),
            status_codes: total.status_codes.clone(),
            total,
            errors: plimsoll_stats::failures::groups(&self.sum),
            goals,
            scenarios: self
                .meta
                .scenarios
                .iter()
                .map(|s| ScenarioSummary {
                    name: s.name.clone(),
                    load: s.load.clone(),
                })
                .collect(),
            fleet: self.fleet.clone(),
        }
    }

    /// What all requests did so far.
    pub fn result(&self) -> LabelInterval {
        self.sum.total()
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
        self.outputs
            .second(second, &self.labels, self.part_of(second));
        if let Some(log) = &mut self.log
            && let Err(message) = log.write(second.samples, &self.labels)
        {
            self.is_kept = false;
            self.tell(second.second * 1_000_000_000, &message);
        }
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
            run: run_name(self.writer.dir(), &self.meta),
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

/// Whether nothing else happened than failures to connect. Whoever sent a byte was reached.
fn only_failed_to_connect(interval: &LabelInterval) -> bool {
    let kinds = interval.errors_by_kind.iter();
    let connecting = kinds.filter(|(kind, _)| no_connection(*kind));
    interval.received_bytes == 0
        && connecting.map(|(_, count)| count).sum::<u64>() == interval.samples()
}

/// Kinds of failures before any connection was there.
#[must_use]
pub fn no_connection(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectTimeout
            | ErrorKind::UnknownHost
            | ErrorKind::Network
            | ErrorKind::TlsHandshake
            | ErrorKind::TlsCertificate
            | ErrorKind::Proxy
    )
}

fn run_name(dir: &Path, meta: &RunMeta) -> String {
    dir.file_name().map_or_else(
        || meta.name.clone(),
        |name| name.to_string_lossy().into_owned(),
    )
}
