//! The phases of a run: setup, the load, teardown; each is a set of load threads.

use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plimsoll_plan::model::{Load, Order};
use plimsoll_plan::program::{Program, ScenarioProgram};
use plimsoll_stats::LabelId;
use plimsoll_text::Message;

use super::collect::Collector;
use super::control::{Stop, Stopper};
use super::hosts::Hosts;
use super::labels::Labels;
use super::launch::begins_at_once;
use super::prepared::Prepared;
use super::ready::Ready;
use super::worker::{Gate, Job, Share, Values};
use crate::clock::{Clock, Nanos, nanos};
use crate::jmeter::JMeterRun;
use crate::monitor::Allowance;
use crate::schedule;
use crate::shared::{LocalShared, Shared};
use crate::trace::{Traced, Tracer};

use super::{Ended, Event, Observer, Options, RunError, collect, worker};

/// What lies at least between the setup and the load of JMeter's plans: what setup has begun (a
/// server, by a script) may need it. JMeter 5.6.3 collects garbage there, which takes its time.
const REST_NS: Nanos = 100_000_000;

/// When a wave begins after the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// With the next second.
    NextSecond,
    /// With the next second, and not before the rest is over.
    Rested,
    /// At once; what it does until the next second is counted with that.
    AtOnce,
}

/// Scenarios that run together, or in their order.
struct Wave<'w> {
    scenarios: &'w [ScenarioProgram],
    /// Number of the first among setup, scenarios and teardown.
    base: usize,
    stopper: &'w Stopper,
    begins: Begins,
}

/// Runs one program.
pub(super) struct Runner<'a> {
    pub ready: Arc<Ready>,
    pub program: &'a Arc<Program>,
    pub options: &'a Options,
    pub prepared: Arc<Prepared>,
    pub labels: Arc<Labels>,
    pub shared: Arc<LocalShared>,
    pub jmeter: Arc<JMeterRun>,
    pub hosts: Arc<Hosts>,
    pub allowance: Allowance,
}

/// Values and failures of the users of setup.
#[derive(Default)]
pub(crate) struct Outcome {
    values: Vec<Option<String>>,
    failed: bool,
}

impl Runner<'_> {
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Ended, RunError> {
        let none: Arc<[Option<String>]> = Arc::from(Vec::new());
        let program = self.program;
        if program.recorded_setup {
            return self.waves(&none, observer);
        }
        let mut initial = none;
        let mut base = 0;
        if !program.setup.is_empty() {
            let stopper = &self.options.stopper;
            let outcome = self.serial(&program.setup, 0, &initial, stopper, observer)?;
            if outcome.failed {
                let clock = Clock::start();
                observer.started(clock);
                let message = Message::new("event-setup-failed");
                observer.event(&Event {
                    at_ns: 0,
                    message,
                    is_error: true,
                });
                return Ok(Ended::not_begun(true));
            }
            initial = outcome.values.into();
        }
        base += program.setup.len();
        // Threads need a moment to start; the load begins for all of them at once.
        let clock = Clock::start_in(Duration::from_millis(2));
        observer.started(clock);
        let wave = Wave {
            scenarios: &program.scenarios,
            base,
            stopper: &self.options.stopper,
            begins: Begins::NextSecond,
        };
        let ended = self.load(&wave, clock, None, &initial, observer)?;
        let ended = ended.unwrap_or(Ended::not_begun(false));
        base += program.scenarios.len();
        if !program.teardown.is_empty() && self.options.stopper.state() != Stop::CutOff {
            // What ends the load early does not leave it uncleared: only a cut-off does.
            let stopper = Stopper::default();
            self.serial(&program.teardown, base, &initial, &stopper, observer)?;
        }
        Ok(ended)
    }

    /// Setup or teardown: one user runs each once, one after the other, unrecorded.
    fn serial(
        &self,
        scenarios: &[ScenarioProgram],
        base: usize,
        initial: &Arc<[Option<String>]>,
        stopper: &Stopper,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, RunError> {
        let mut outcome = Outcome {
            values: initial.to_vec(),
            failed: false,
        };
        for (at, scenario) in scenarios.iter().enumerate() {
            let shared: Arc<[Option<String>]> = outcome.values.clone().into();
            let share = self.share(scenario, base + at, 0);
            let mut quiet = collect::Quiet {
                observer: &mut *observer,
                failed: false,
            };
            let values = Arc::new(Mutex::new(None));
            let mut job = self.job(vec![share], 1, 0, Clock::start(), &shared, Some(&values));
            job.stopper = stopper.clone();
            let collector = Collector::new(&self.labels, &self.allowance, 1, 0);
            self.phase(vec![job], collector, stopper, &mut quiet)?;
            outcome.failed |= quiet.failed;
            if let Some(found) = values.lock().unwrap_or_else(PoisonError::into_inner).take() {
                let known = std::mem::take(&mut outcome.values).into_iter();
                let known = known.chain(std::iter::repeat(None));
                outcome.values = found
                    .into_iter()
                    .zip(known)
                    .map(|(new, old)| new.or(old))
                    .collect();
            }
            if outcome.failed {
                break;
            }
        }
        Ok(outcome)
    }

    /// Setup, load and teardown as JMeter has them: three loads, one after the other, all
    /// recorded (5.6.3, `StandardJMeterEngine`).
    fn waves(
        &self,
        initial: &Arc<[Option<String>]>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, RunError> {
        let program = self.program;
        let stopper = &self.options.stopper;
        let clock = Clock::start_in(Duration::from_millis(2));
        observer.started(clock);
        for message in self.jmeter.warnings() {
            observer.event(&Event {
                at_ns: 0,
                message: message.clone(),
                is_error: false,
            });
        }
        let mut ended = None;
        let mut base = 0;
        for scenarios in [&program.setup, &program.scenarios] {
            let wave = Wave {
                scenarios,
                base,
                stopper,
                begins: Begins::Rested,
            };
            ended = self.load(&wave, clock, ended, initial, observer)?;
            base += scenarios.len();
        }
        let stopped = stopper.state() != Stop::Running;
        let left_out = stopped && program.skip_teardown_when_stopped
            || stopper.state() == Stop::CutOff && !self.jmeter.was_cut_by_plan();
        if !program.teardown.is_empty() && !left_out {
            let wave = Wave {
                scenarios: &program.teardown,
                base,
                stopper: if stopped {
                    &Stopper::default()
                } else {
                    stopper
                },
                begins: Begins::AtOnce,
            };
            let load = ended;
            ended = self.load(&wave, clock, ended, initial, observer)?;
            if let (Some(ended), Some(load)) = (&mut ended, load) {
                ended.stopped |= load.stopped;
            }
        }
        Ok(ended.unwrap_or(Ended::not_begun(false)))
    }

    /// The scenarios of a wave, together or one after the other, after what `ended` before.
    fn load(
        &self,
        wave: &Wave<'_>,
        clock: Clock,
        mut ended: Option<Ended>,
        initial: &Arc<[Option<String>]>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Ended>, RunError> {
        let scenarios: Vec<(usize, &ScenarioProgram)> = wave
            .scenarios
            .iter()
            .enumerate()
            .map(|(at, s)| (wave.base + at, s))
            .collect();
        if scenarios.is_empty() {
            return Ok(ended);
        }
        let groups: Vec<&[(usize, &ScenarioProgram)]> = match self.program.order {
            Order::Together => vec![&scenarios],
            Order::InOrder => scenarios.chunks(1).collect(),
        };
        let only_one = groups.len() == 1;
        for group in groups {
            if wave.stopper.state() != Stop::Running {
                break;
            }
            let begin_ns = match (ended, wave.begins) {
                (None, _) => 0,
                (Some(ended), Begins::AtOnce) if only_one => ended.end_ns,
                (Some(ended), Begins::Rested) => next_second(ended.end_ns + REST_NS),
                (Some(ended), _) => next_second(ended.end_ns),
            };
            let this = self.group(group, begin_ns, clock, wave.stopper, initial, observer)?;
            let discarded = ended.map_or(0, |ended| ended.discarded);
            let lost = ended.map_or(0, |ended| ended.lost_threads);
            ended = Some(Ended {
                discarded: discarded + this.discarded,
                lost_threads: lost + this.lost_threads,
                ..this
            });
        }
        Ok(ended)
    }

    fn group(
        &self,
        group: &[(usize, &ScenarioProgram)],
        begin_ns: Nanos,
        clock: Clock,
        stopper: &Stopper,
        initial: &Arc<[Option<String>]>,
        observer: &mut dyn Observer,
    ) -> Result<Ended, RunError> {
        let mut shares: Vec<Share> = group
            .iter()
            .map(|(index, scenario)| self.share(scenario, *index, begin_ns))
            .collect();
        if self.jmeter.bound.active {
            shares.iter_mut().for_each(|share| self.count_ahead(share));
        }
        let most_users = shares.iter().map(Share::most_users).sum::<u64>().max(1);
        let wanted = self
            .options
            .threads
            .unwrap_or_else(|| self.allowance.threads());
        let threads = wanted.clamp(
            1,
            usize::try_from(most_users).unwrap_or(usize::MAX).min(1024),
        );
        for share in &shares {
            let users = i64::try_from(share.most_users()).unwrap_or(i64::MAX);
            self.shared.users(share.index, users);
            self.jmeter.expect_users(share.index, users);
        }
        let planned_end_ns = shares.iter().map(|s| s.end_ns).max().unwrap_or(Nanos::MAX);
        let jobs = (0..threads)
            .map(|at| Job {
                stopper: stopper.clone(),
                ..self.job(shares.clone(), threads, at, clock, initial, None)
            })
            .collect();
        let first_second = next_second(begin_ns) / 1_000_000_000;
        let collector = Collector::new(&self.labels, &self.allowance, threads, first_second);
        let collector = self.phase(jobs, collector, stopper, observer)?;
        let stopped_ns = collector.stopped_ns();
        let ended_ns = collector.last_end_ns().max(begin_ns);
        let load_end_ns = if stopped_ns < planned_end_ns {
            stopped_ns
        } else if clock.now_ns() < planned_end_ns {
            // Iterations ended it before its time.
            ended_ns
        } else {
            planned_end_ns
        };
        Ok(Ended {
            load_end_ns,
            end_ns: ended_ns.max(load_end_ns),
            stopped: stopped_ns < planned_end_ns,
            discarded: collector.discarded(),
            threads,
            setup_failed: false,
            lost_threads: collector.lost(),
        })
    }

    /// Counts the users that begin with a scenario, as if all its threads began at once.
    fn count_ahead(&self, share: &mut Share) {
        let Load::Users(load) = &share.program.load else {
            return;
        };
        if share.program.start_delay.is_zero() {
            let users = 0..schedule::peak(&load.stages);
            let at_once = |number: &u32| begins_at_once(&load.stages, *number);
            let users = i32::try_from(users.filter(at_once).count()).unwrap_or(i32::MAX);
            self.jmeter.count_users(share.index, users);
            share.counted_ahead = true;
        }
    }

    fn share(&self, scenario: &ScenarioProgram, index: usize, begin_ns: Nanos) -> Share {
        let mut program = scenario.clone();
        if self.options.once {
            program.load = once_load();
            program.start_delay = Duration::ZERO;
        }
        let start_ns = begin_ns + nanos(program.start_delay);
        let end_ns = planned_end(&program, start_ns);
        let total = match &program.load {
            Load::Users(load) => load.iterations_total,
            Load::Arrivals(load) => load.arrivals_total,
        };
        let grace_ns = nanos(program.grace);
        Share {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            first_label: first_label(self.program, &program),
            start_ns,
            first_second: next_second(begin_ns).max(start_ns) / 1_000_000_000,
            end_ns,
            cut_ns: end_ns.saturating_add(grace_ns),
            grace_ns,
            budget: total.map(|total| Arc::new(AtomicU64::new(total))),
            in_flight: Arc::default(),
            told_not_started: Arc::default(),
            counted_ahead: false,
            stopper: Stopper::default(),
            program: Arc::new(program),
        }
    }

    fn job(
        &self,
        shares: Vec<Share>,
        threads: usize,
        thread: usize,
        clock: Clock,
        initial: &Arc<[Option<String>]>,
        values: Option<&Values>,
    ) -> Job {
        let cpus = &self.allowance.cpus;
        Job {
            program: Arc::clone(self.program),
            prepared: Arc::clone(&self.prepared),
            ready: Arc::clone(&self.ready),
            labels: Arc::clone(&self.labels),
            shared: Arc::clone(&self.shared) as Arc<dyn Shared>,
            jmeter: Arc::clone(&self.jmeter),
            hosts: Arc::clone(&self.hosts),
            initial: Arc::clone(initial),
            shares,
            thread,
            threads,
            clock,
            seed: self.options.seed,
            stopper: self.options.stopper.clone(),
            log_samples: self.options.log_samples,
            tracer: None,
            timed_every: self.options.timed_every,
            pin_to: self.options.pin.then(|| cpus[thread % cpus.len()]),
            values: values.cloned(),
        }
    }

    /// Runs the jobs on threads and collects their reports until all have ended.
    fn phase<'c>(
        &self,
        jobs: Vec<Job>,
        mut collector: Collector<'c>,
        stopper: &Stopper,
        observer: &mut dyn Observer,
    ) -> Result<Collector<'c>, RunError> {
        let (reports, incoming) = channel();
        let (events, happened) = channel();
        let (traces, traced) = channel();
        let (ready, all_ready) = channel();
        let gate = Gate {
            ready,
            closed: Arc::default(),
        };
        let closed = Arc::clone(&gate.closed);
        let until_ready = closed.lock().unwrap_or_else(PoisonError::into_inner);
        let handles: Result<Vec<_>, _> = jobs
            .into_iter()
            .map(|job| {
                self.spawn(
                    job,
                    gate.clone(),
                    reports.clone(),
                    events.clone(),
                    traces.clone(),
                )
            })
            .collect();
        self.jmeter.log_to(Some(events.clone()));
        drop((gate, reports, events, traces));
        let handles = handles.inspect_err(|_| stopper.cut_off())?;
        // Nothing is ever sent: it ends when the last thread is ready or gone.
        let _ = all_ready.recv();
        drop(until_ready);
        let mut sources = collect::Sources {
            reports: incoming,
            events: happened,
            traced,
            jmeter: Arc::clone(&self.jmeter),
        };
        // A plan that cut itself off has its teardown all the same.
        let run = if self.jmeter.was_cut_by_plan() {
            stopper
        } else {
            &self.options.stopper
        };
        collector.collect(&mut sources, run, stopper, observer);
        self.jmeter.log_to(None);
        for handle in handles {
            // The thread itself tells of what befell it.
            collector.add_lost(u32::from(!handle.join().unwrap_or(false)));
        }
        Ok(collector)
    }

    fn spawn(
        &self,
        mut job: Job,
        gate: Gate,
        reports: Sender<crate::recorder::ThreadReport>,
        events: Sender<Event>,
        traces: Sender<Traced>,
    ) -> std::io::Result<std::thread::JoinHandle<bool>> {
        job.tracer = self.options.trace.then_some(Tracer(traces));
        let name = format!("load-{}", job.thread);
        std::thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || worker::run(job, gate, reports, &events))
    }
}

/// Stack of a load thread: scripts and expressions of plans may be nested as deep as their
/// own limits allow. Pages that are not touched cost nothing.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// One user, once.
fn once_load() -> Load {
    use plimsoll_plan::model::{UserLoad, UserStage};
    let stage = UserStage {
        users: 1,
        ramp: Duration::ZERO,
        hold: Duration::ZERO,
    };
    Load::Users(UserLoad {
        stages: vec![stage],
        iterations_per_user: Some(1),
        iterations_total: None,
        ends_with_stages: false,
    })
}

/// When no new work begins by the plan; `Nanos::MAX`: only iterations end it.
fn planned_end(program: &ScenarioProgram, start_ns: Nanos) -> Nanos {
    let by_load = match &program.load {
        Load::Users(load) if load.ends_with_stages => {
            start_ns.saturating_add(schedule::users_end_ns(&load.stages))
        }
        Load::Users(_) => Nanos::MAX,
        Load::Arrivals(load) => start_ns.saturating_add(schedule::arrivals_end_ns(&load.stages)),
    };
    let by_limit = program
        .end_after
        .map_or(Nanos::MAX, |end| start_ns.saturating_add(nanos(end)));
    by_load.min(by_limit)
}

/// The label that arrivals which do not start are counted under: that of the first request.
fn first_label(program: &Program, scenario: &ScenarioProgram) -> LabelId {
    use plimsoll_plan::program::{Label, Op};
    let first = scenario.ops.iter().find_map(|op| match op {
        Op::Request(id) => match program.requests[id.0 as usize].label {
            Label::Fixed(id) => Some(id),
            Label::Made(_) => None,
        },
        _ => None,
    });
    first.unwrap_or_default()
}

/// The start of the second after this moment.
fn next_second(at_ns: Nanos) -> Nanos {
    at_ns.div_ceil(1_000_000_000) * 1_000_000_000
}
