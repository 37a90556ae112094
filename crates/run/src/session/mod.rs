//! One run from its first second to its judgement: the engine's observer that stores it, tells of it,
//! judges it and ends it.

mod diagnosis;
mod early_end;
mod fleet;
mod jtl;
mod parts;
mod probe;
mod probed;
mod reach;
mod result;
mod secrets;

use std::sync::Arc;

use plimsoll_load::clock::Clock;
use plimsoll_load::engine::control::Stopper;
use plimsoll_load::engine::{Event, Observer, Second};
use plimsoll_outputs::{RunBegin, RunPart};
use plimsoll_plan::program::Program;
use plimsoll_stats::LabelInfo;
use plimsoll_stats::summary::ProbeSummary;
use plimsoll_store::{RunMeta, RunWriter, StoreError};
use plimsoll_text::Message;

use crate::changes;
use crate::control::RunControl;
use crate::hearers::{HeardSecond, Hearer as _, Hearers, Lost};
use crate::watching::{Heard, Target};

use diagnosis::LiveDiagnosis;
use early_end::EarlyEnd;
pub use early_end::GiveUp;
pub use jtl::SampleLog;
pub use parts::{Made, SessionParts};
pub use probe::LoadProbe;
use probe::Probe;
pub use reach::no_connection;
pub use secrets::secrets_of;

/// Observes one run.
pub struct Session {
    program: Arc<Program>,
    meta: RunMeta,
    hearers: Hearers,
    labels: Vec<LabelInfo>,
    early_end: EarlyEnd,
    give_up: Option<GiveUp>,
    /// Raises the load at its end.
    probe: Option<Probe>,
    /// What came of that.
    probed: Option<ProbeSummary>,
    no_request: Message,
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
        let (listener, outputs) = (parts.listener, parts.outputs);
        // A run has one session.
        let _ = parts.control.folder.set(writer.dir().to_owned());
        Self {
            hearers: Hearers::new(
                writer,
                warm_up_s,
                listener,
                outputs,
                parts.log,
                parts.readings,
            ),
            early_end: EarlyEnd::new(&parts.program),
            program: parts.program,
            meta: parts.meta,
            labels: Vec::new(),
            stopper: parts.stopper,
            control: parts.control,
            changes: 0,
            aborted: false,
            unreachable: false,
            goes_on: parts.goes_on,
            lost_threads: 0,
            target: parts.target,
            give_up: parts.give_up,
            probe: parts.probe.map(Probe::new),
            probed: None,
            no_request: parts.no_request,
            diagnosis,
            fleet: None,
            is_kept: true,
        }
    }

    fn tell(&mut self, at_ns: u64, message: &Message) {
        self.hearers.take_in(self.control.take_fresh());
        let lost = self.hearers.event(at_ns, message);
        self.lost(at_ns, lost);
    }

    /// What somebody could not take is told; what is the run's own makes it incomplete.
    fn lost(&mut self, at_ns: u64, lost: impl IntoIterator<Item = Lost>) {
        for lost in lost {
            match lost {
                Lost::OfStore(message) => {
                    self.is_kept = false;
                    self.hearers.aside(&message);
                }
                Lost::OfRun(message) => {
                    self.is_kept = false;
                    self.tell(at_ns, &message);
                }
                Lost::Elsewhere(message) => self.tell(at_ns, &message),
            }
        }
    }

    /// Keeps an event without telling of it.
    fn keep(&mut self, at_ns: u64, message: &Message) {
        let lost = self.hearers.store.event(at_ns, message);
        self.lost(at_ns, lost.err());
    }

    /// Has the target's watcher do something; tells and keeps what it heard.
    fn with_target(
        &mut self,
        work: impl FnOnce(&mut Target, &mut Hearers) -> Result<Vec<Heard>, StoreError>,
    ) {
        if let Some(mut target) = self.target.take() {
            let heard = work(&mut target, &mut self.hearers);
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

    /// Tells of a disk that failed.
    fn check_store(&mut self, result: Result<(), StoreError>) {
        let lost = self.hearers.store.check(result);
        self.lost(0, lost.err());
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
        let known = self.changes;
        self.changes = steer.count();
        if self.changes == known {
            return;
        }
        let all: Vec<_> = self.told_changes();
        let all: Vec<_> = all.iter().map(changes::summary_of).collect();
        let stored = self
            .hearers
            .store
            .writer
            .load_changed(&all, steer.profile());
        self.check_store(stored);
        self.meta.load_changes = all;
        for (at_ns, message) in self.changes_to_tell(known) {
            self.tell(at_ns, &message);
        }
    }

    /// Tells and keeps something.
    pub fn say(&mut self, at_ns: u64, message: &Message) {
        self.tell(at_ns, message);
    }

    /// The part of the run that a second belongs to.
    fn part_of(&self, second: &Second<'_>) -> RunPart {
        let is_probed = self.hearers.sums.is_over(second.second);
        match (
            second.after_load,
            self.hearers.sums.sum.window().contains(second.second),
        ) {
            _ if is_probed => RunPart::Probe,
            (true, _) => RunPart::Tail,
            (false, true) => RunPart::Measured,
            (false, false) => RunPart::WarmUp,
        }
    }

    /// Tells all of a second; `is_stored`: the store has it.
    fn hear_second(&mut self, second: &Second<'_>, is_late: bool, is_stored: bool) {
        self.hearers.take_in(self.control.take_fresh());
        let part = self.part_of(second);
        let lost = self.hearers.second(&HeardSecond {
            second,
            labels: &self.labels,
            part,
            is_late,
            is_stored,
        });
        self.lost(second.second * 1_000_000_000, lost);
    }

    /// Takes a second in: all hear it, then it is looked at.
    fn take(&mut self, second: &Second<'_>, is_stored: bool) {
        self.hear_second(second, false, is_stored);
        let labels = std::mem::take(&mut self.labels);
        let is_probed = self.probe_second(second, &labels);
        self.hear_changes();
        self.with_target(|target, hearers| target.second(hearers, second, &labels, is_probed));
        self.labels = labels;
        if !is_probed {
            self.diagnose_second(second);
            self.judge_second(second);
        }
    }
}

impl Observer for Session {
    fn started(&mut self, clock: Clock) {
        let zero_unix_ns = clock.unix_ns(0);
        self.with_target(|target, hearers| {
            let writer = &mut hearers.store.writer;
            target.began(writer, zero_unix_ns).map(|()| Vec::new())
        });
        let begun = RunBegin {
            run: self.run_name(),
            plan: self.meta.plan_name.clone(),
            target: self.meta.target.clone(),
            zero_unix_ns,
        };
        self.hearers.begin(begun);
    }

    fn labels(&mut self, labels: &[LabelInfo]) {
        let lost = self.hearers.labels(labels);
        self.lost(0, lost);
        self.labels.extend_from_slice(labels);
    }

    fn second(&mut self, second: &Second<'_>) {
        self.take(second, false);
    }

    fn event(&mut self, event: &Event) {
        self.tell(event.at_ns, &event.message);
    }
}
