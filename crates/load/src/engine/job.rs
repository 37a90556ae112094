//! What a load thread is told to do.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};

use plimsoll_access::Access;
use plimsoll_plan::model::CookieMode;
use plimsoll_plan::program::{Op, Program, ScenarioProgram};
use plimsoll_plan::share::Share;
use plimsoll_stats::LabelId;

use super::control::Stopper;
use super::extension::ExtensionRun;
use super::hosts::Hosts;
use super::labels::Labels;
use super::prepared::PreparedProgram;
use super::ready::Ready;
use super::steer::{self, Steer};
use crate::clock::{Clock, Nanos};
use crate::driver::Driver;
use crate::lease::Lease;
use crate::schedule::{Course, TimedChange};
use crate::shared::Shared;
use crate::trace::Tracer;
use crate::user::ScenarioShare;

/// A scenario as all threads see it.
#[derive(Clone)]
pub(super) struct ScenarioRun {
    pub index: u32,
    /// The part of its users and arrivals that is ours.
    pub share: Share,
    /// The most users there can be, over all shares.
    pub all_users: u64,
    /// Its limit of users in flight is that of the share.
    pub program: Arc<ScenarioProgram>,
    pub first_label: LabelId,
    pub start_ns: Nanos,
    /// The share joins it then, if later than its start.
    pub from_ns: Nanos,
    /// The first second that its samples are counted in.
    pub first_second: u64,
    /// Its load over time, by the plan.
    pub course: Course,
    /// No new work from then on by the plan; requests in flight are cut off after the grace.
    pub end_ns: Nanos,
    pub grace_ns: Nanos,
    /// Ends the scenario alone.
    pub stopper: Stopper,
    /// Iterations of all users together.
    pub budget: Option<Arc<AtomicU64>>,
    /// Arrivals being worked on.
    pub in_flight: Arc<AtomicU32>,
    /// It was told that arrivals do not start.
    pub told_dropped: Arc<AtomicBool>,
    /// Users that begin with the scenario were counted before any thread began: an
    /// extension sees all of them from the first sample on.
    pub counted_ahead: bool,
}

impl ScenarioRun {
    /// The most users of the share that there can be.
    pub fn most_users(&self) -> u64 {
        self.share.of(self.all_users)
    }

    /// When no new work begins, with what the load was changed to.
    pub fn changed_end_ns(&self, changes: &[TimedChange]) -> Nanos {
        let mut course = self.course.clone();
        for change in changes {
            // Who asked for it was told if it could not be.
            let _ = steer::apply(&mut course, &self.program.name, self.start_ns, change);
        }
        self.start_ns.saturating_add(course.end_ns())
    }

    /// The share of a scenario as the users of this thread see it.
    pub fn own_share(&self, program: &Program) -> Rc<ScenarioShare> {
        let clears = |op: &Op| match op {
            Op::Request(id) | Op::Exchange(id) => {
                let request = program.requests.get(id.0 as usize);
                request.is_some_and(|request| request.cookies == CookieMode::ClearEachIteration)
            }
            _ => false,
        };
        Rc::new(ScenarioShare {
            index: self.index,
            most_users: u32::try_from(self.all_users).unwrap_or(u32::MAX),
            group_number: group_number(program, self.index),
            program: Rc::new((*self.program).clone()),
            users: Cell::new(0),
            end_ns: Rc::new(Cell::new(self.end_ns)),
            cut_ns: Cell::new(self.end_ns.saturating_add(self.grace_ns)),
            budget: self.budget.clone(),
            clears_cookies: self.program.ops.iter().any(clears),
            stopper: self.stopper.clone(),
        })
    }
}

/// Where the values of a setup user go.
pub(super) type Values = Arc<Mutex<Option<Vec<Option<String>>>>>;

/// What a load thread is to do.
pub(super) struct Job {
    pub program: Arc<Program>,
    pub prepared: Arc<PreparedProgram>,
    pub ready: Arc<Ready>,
    pub labels: Arc<Labels>,
    pub shared: Arc<dyn Shared>,
    pub extension: Option<Arc<dyn ExtensionRun>>,
    pub access: Access,
    pub hosts: Arc<Hosts>,
    pub initial: Arc<[Option<String>]>,
    pub scenarios: Vec<ScenarioRun>,
    pub thread: usize,
    pub threads: usize,
    pub driver: Driver,
    pub clock: Clock,
    pub seed: u64,
    pub stopper: Stopper,
    pub steer: Steer,
    pub log_samples: bool,
    pub tracer: Option<Tracer>,
    pub timed_every: u32,
    pub pin_to: Option<usize>,
    pub values: Option<Values>,
    /// Until when work may start.
    pub lease: Lease,
    /// Arrivals later than this are not made up for.
    pub skip_late_ns: Option<Nanos>,
    /// The load is joined then; 0: from its beginning.
    pub from_ns: Nanos,
}

/// The number of a scenario among those of its wave, from 1; those that were left out count.
fn group_number(program: &Program, index: u32) -> u32 {
    let waves = [&program.setup, &program.scenarios, &program.teardown];
    let mut left = index;
    for wave in waves {
        let scenarios = u32::try_from(wave.len()).unwrap_or(u32::MAX);
        if left < scenarios {
            return left + 1 + wave[left as usize].left_out_before;
        }
        left -= scenarios;
    }
    left + 1
}
