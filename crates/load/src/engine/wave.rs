//! Scenarios that run at one time: the load itself, or a wave of it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use plimsoll_plan::model::{Load, Order};
use plimsoll_plan::program::{Program, ScenarioProgram};
use plimsoll_stats::LabelId;

use super::collect::{PendingSeconds, SecondsCollector};
use super::control::{Stop, Stopper};
use super::job::{Job, ScenarioRun};
use super::runner::Runner;
use super::share_lease::LeaseTeller;
use super::{Ended, Observer, RunError};
use crate::clock::{Clock, Nanos, nanos};
use crate::schedule::{self, Course};
use crate::shared::Shared;
use plimsoll_plan::share::Share;

/// What lies at least between the setup and the load of JMeter's plans: what setup has begun (a
/// server, by a script) may need it. JMeter 5.6.3 collects garbage there, which takes its time.
const REST_NS: Nanos = 100_000_000;
/// What the threads of a group need to start.
const START_NS: Nanos = 2_000_000;

/// When a wave begins after the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// With the next second.
    NextSecond,
    /// With the next second, and not before the rest is over.
    Rested,
    /// At once; what it does until the next second is counted with that.
    AtOnce,
}

/// When a group begins, and from when on its samples are counted; before, they count with that second.
#[derive(Clone, Copy)]
pub(super) struct GroupBegin {
    ns: Nanos,
    counts_from_ns: Nanos,
}

impl GroupBegin {
    /// With whole seconds.
    pub fn at(ns: Nanos) -> Self {
        Self {
            ns,
            counts_from_ns: next_second(ns),
        }
    }
}

/// Scenarios that run together, or in their order.
pub(super) struct Wave<'w> {
    pub scenarios: &'w [ScenarioProgram],
    /// Number of the first among setup, scenarios and teardown.
    pub base: usize,
    pub stopper: &'w Stopper,
    pub begins: Begins,
}

impl Wave<'_> {
    /// When it begins after what ended before.
    fn begin(&self, ended: Option<Ended>, only_one: bool) -> GroupBegin {
        GroupBegin::at(match (ended, self.begins) {
            (None, _) => 0,
            (Some(ended), Begins::AtOnce) if only_one => ended.end_ns,
            (Some(ended), Begins::Rested) => next_second(ended.end_ns + REST_NS),
            (Some(ended), _) => next_second(ended.end_ns),
        })
    }
}

impl Runner<'_> {
    /// The scenarios of a wave, together or one after the other, after what `ended` before.
    pub(super) fn load(
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
        let mut left = PendingSeconds::default();
        for (at, group) in groups.iter().enumerate() {
            if wave.stopper.state() != Stop::Running {
                break;
            }
            // JMeter's groups follow each other at once, also within a second.
            let follows = |at: usize| at > 0 && at < groups.len() && self.extension.is_some();
            let begin = match ended {
                Some(ended) if follows(at) => {
                    let ns = ended.end_ns.max(clock.now_ns() + START_NS);
                    let counts_from_ns = ns;
                    GroupBegin { ns, counts_from_ns }
                }
                ended => wave.begin(ended, only_one),
            };
            let between = (&mut left, follows(at + 1));
            let this = self.group(
                group,
                begin,
                clock,
                wave.stopper,
                (initial, between),
                observer,
            )?;
            let discarded = ended.map_or(0, |ended| ended.discarded);
            let lost = ended.map_or(0, |ended| ended.lost_threads);
            ended = Some(Ended {
                discarded: discarded + this.discarded,
                lost_threads: lost + this.lost_threads,
                ..this
            });
        }
        let mut rest = SecondsCollector::new(&self.labels, &self.allowance, 0, 0);
        rest = rest.between(left, false);
        rest.tell_rest(observer);
        Ok(ended)
    }

    fn group(
        &self,
        group: &[(usize, &ScenarioProgram)],
        begin: GroupBegin,
        clock: Clock,
        stopper: &Stopper,
        (initial, (left, leaves_last)): (&Arc<[Option<String>]>, (&mut PendingSeconds, bool)),
        observer: &mut dyn Observer,
    ) -> Result<Ended, RunError> {
        let begin_ns = begin.ns;
        let scenarios = self.scenario_runs(group, begin);
        let threads = self.threads_for(&scenarios);
        let steer = &self.options.steer;
        let planned_end_ns = || {
            let changes = steer.changes_from(0);
            let ends = scenarios.iter().map(|run| run.changed_end_ns(&changes));
            ends.max().unwrap_or(Nanos::MAX)
        };
        let jobs = (0..threads)
            .map(|at| Job {
                stopper: stopper.clone(),
                ..self.job(scenarios.clone(), threads, at, clock, initial, None)
            })
            .collect();
        let first_second = begin.counts_from_ns.max(self.joined_ns()) / 1_000_000_000;
        let lease = &self.options.lease;
        let from_ns = begin_ns.max(self.joined_ns());
        let lease = LeaseTeller::new(lease, clock, from_ns, &planned_end_ns);
        let collector = SecondsCollector::new(&self.labels, &self.allowance, threads, first_second);
        let collector = collector.with_lease(lease);
        let collector = collector.between(std::mem::take(left), leaves_last);
        let mut collector = self.phase(jobs, collector, stopper, observer)?;
        *left = collector.left();
        let stopped_ns = collector.stopped_ns();
        let ended_ns = collector.last_end_ns().max(begin_ns);
        let (discarded, lost_threads) = (collector.discarded(), collector.lost());
        let planned_end_ns = planned_end_ns();
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
            discarded,
            threads,
            setup_failed: false,
            lost_threads,
        })
    }

    /// What this share of the load has of the scenarios of a group; whoever waits for others is
    /// told how many come.
    fn scenario_runs(
        &self,
        group: &[(usize, &ScenarioProgram)],
        begin: GroupBegin,
    ) -> Vec<ScenarioRun> {
        let (share, from_ns) = (self.options.share, self.joined_ns());
        let mut scenarios: Vec<ScenarioRun> = group
            .iter()
            .map(|(index, scenario)| self.scenario_run(scenario, *index, begin, share, from_ns))
            .collect();
        if self.extension.is_some() {
            scenarios.iter_mut().for_each(|run| self.count_ahead(run));
        }
        for run in &scenarios {
            let users = i64::try_from(run.most_users()).unwrap_or(i64::MAX);
            self.shared.users(run.index, users);
            if let Some(extension) = &self.extension {
                extension.expect_users(run.index, users);
            }
        }
        scenarios
    }

    /// How many load threads there are: no more than users, or than there is to be room for.
    fn threads_for(&self, scenarios: &[ScenarioRun]) -> usize {
        let most_users = scenarios.iter().map(ScenarioRun::most_users).sum::<u64>();
        let most_users = most_users.max(u64::from(self.options.room_users));
        let most = usize::try_from(most_users.max(1)).unwrap_or(usize::MAX);
        let wanted = self.options.threads;
        let wanted = wanted.unwrap_or_else(|| self.allowance.threads());
        let most = most.min(1024).min(self.options.driver.most_threads());
        wanted.clamp(1, most)
    }

    /// Counts the users that begin with a scenario, as if all its threads began at once.
    fn count_ahead(&self, run: &mut ScenarioRun) {
        let Load::Users(load) = &run.program.load else {
            return;
        };
        if run.program.start_delay.is_zero() && run.from_ns <= run.start_ns {
            let own = |number: &u32| run.share.has(u64::from(*number));
            let users = (0..schedule::peak(&load.stages)).filter(own);
            let at_once = |number: &u32| schedule::begins_at_once(&load.stages, *number);
            let users = i32::try_from(users.filter(at_once).count()).unwrap_or(i32::MAX);
            if let Some(extension) = &self.extension {
                extension.count_users(run.index, users);
            }
            run.counted_ahead = true;
        }
    }

    /// What a share of the load has of a scenario. Of a total, each share that has users has
    /// its part.
    pub(super) fn scenario_run(
        &self,
        scenario: &ScenarioProgram,
        index: usize,
        begin: GroupBegin,
        share: Share,
        from_ns: Nanos,
    ) -> ScenarioRun {
        let mut program = scenario.clone();
        if self.options.once {
            program.load = once_load();
            program.start_delay = Duration::ZERO;
        }
        let start_ns = begin.ns + nanos(program.start_delay);
        let all_users = program.load.most_users();
        let budget = match &mut program.load {
            Load::Users(load) => {
                let at_work = share.among(all_users);
                let part = |total| at_work.map_or(0, |share| share.of(total));
                load.iterations_total.map(part)
            }
            Load::Arrivals(load) => {
                load.ready_users = load.ready_users.min(load.max_in_flight);
                let own = share.of(u64::from(load.max_in_flight));
                load.max_in_flight = u32::try_from(own).unwrap_or(u32::MAX);
                None
            }
        };
        let grace_ns = nanos(program.grace);
        let course = Course::new(&program.load, program.end_after);
        let end_ns = start_ns.saturating_add(course.end_ns());
        ScenarioRun {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            share,
            all_users,
            first_label: first_label(self.program, &program),
            start_ns,
            from_ns,
            first_second: begin.counts_from_ns.max(start_ns).max(from_ns) / 1_000_000_000,
            course,
            end_ns,
            grace_ns,
            budget: budget.map(|part| Arc::new(AtomicU64::new(part))),
            in_flight: Arc::default(),
            told_dropped: Arc::default(),
            counted_ahead: false,
            stopper: Stopper::default(),
            program: Arc::new(program),
        }
    }
}

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
        new_users: false,
    })
}

/// When no new work begins by the plan; `Nanos::MAX`: only iterations end it.
pub(super) fn planned_end(program: &ScenarioProgram, start_ns: Nanos) -> Nanos {
    let course = Course::new(&program.load, program.end_after);
    start_ns.saturating_add(course.end_ns())
}

/// How long the load lasts by the plan; none: something else than time ends it.
#[must_use]
pub fn planned_length(program: &Program) -> Option<Duration> {
    if program.order != Order::Together {
        return None;
    }
    let ends = program.scenarios.iter();
    let ends = ends.map(|scenario| planned_end(scenario, nanos(scenario.start_delay)));
    let end_ns = ends.max().filter(|end_ns| *end_ns < Nanos::MAX)?;
    Some(Duration::from_nanos(end_ns))
}

/// The label that arrivals which do not start are counted under: that of the first request.
fn first_label(program: &Program, scenario: &ScenarioProgram) -> LabelId {
    use plimsoll_plan::program::{Label, Op};
    let first = scenario.ops.iter().find_map(|op| match op {
        Op::Request(id) | Op::Exchange(id) => match program.requests[id.0 as usize].label {
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
