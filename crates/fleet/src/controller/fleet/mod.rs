//! Who is alive, who works on what, what moves and what is missing: decided on the
//! controller's clock, without input or output.

mod action;
mod gone;
mod missing;

use std::collections::BTreeMap;

use crate::lease::GivenLease;
use crate::lost::Pulse;
use crate::share::{Assignment, ShareRoom, taker};
use crate::wire::Life;

use self::missing::MissingSoFar;

pub use self::action::FleetAction;
pub use self::missing::UnmadeLoad;

/// Without a sign of life for this long a worker is silent. Two a second come, so this notices
/// within 3 s.
pub const SILENT_NS: u64 = 2_500_000_000;

/// A controller that did not look for this long was itself held up, and knows nothing of the
/// workers' silence.
const HELD_UP_NS: u64 = 1_000_000_000;

/// A silent worker is awaited for so long at the end of a run: it may come back with what it kept.
pub const LOST_NS: u64 = 30_000_000_000;

/// The same after the load's end, or of one whose connection was closed: an end is an end.
const LOST_AT_END_NS: u64 = 5_000_000_000;

/// A run that is cut off waits for its workers' last words for this long.
const CUT_OFF_NS: u64 = 5_000_000_000;

/// A share that moves begins so much later than it was given: the order needs its time.
const JOIN_LEAD_NS: u64 = 1_000_000_000;

/// What is known of a worker.
#[derive(Debug, Clone)]
struct KnownWorker {
    given: GivenLease,
    heard_ns: u64,
    silent: bool,
    cpu_share: f64,
    lateness_ns: u64,
    /// It gives its shares back and takes no more.
    leaving: bool,
    /// Its connection was closed soon after it was heard last.
    closed: bool,
}

/// What is known of an assignment.
#[derive(Debug, Clone)]
struct HeldAssignment {
    assignment: Assignment,
    /// It was given back, or its lease ran out, and another has its share now or nobody.
    over: bool,
    /// It came to the end of its work.
    ended: bool,
    released: bool,
    told_unserved: bool,
    pulse: Pulse,
}

/// The run's workers and what they work on.
#[derive(Debug)]
pub struct Fleet {
    zero_ns: u64,
    length_ns: u64,
    workers: Vec<KnownWorker>,
    held: BTreeMap<u32, HeldAssignment>,
    missing: MissingSoFar,
    looked_ns: u64,
    /// When the controller's own connection was last found to be another one.
    doubted_ns: u64,
    /// Shares may move to workers that join late.
    may_move: bool,
    /// When the load is over by the plan, on the controller's clock; `u64::MAX`: not by time.
    load_end_ns: u64,
    /// Since when nothing new is begun.
    stopping: bool,
    /// When what is in flight was cut off.
    cut_off_ns: Option<u64>,
}

impl Fleet {
    /// A fleet whose run's clock has its zero at `zero_ns` of the controller's; leases last
    /// `length_ns`.
    #[must_use]
    pub fn new(workers: usize, zero_ns: u64, now_ns: u64, length_ns: u64, may_move: bool) -> Self {
        let worker = KnownWorker {
            given: GivenLease::at(now_ns, length_ns),
            heard_ns: now_ns,
            silent: false,
            cpu_share: 0.0,
            lateness_ns: 0,
            leaving: false,
            closed: false,
        };
        Self {
            zero_ns,
            length_ns,
            workers: vec![worker; workers],
            held: BTreeMap::new(),
            missing: MissingSoFar::default(),
            looked_ns: now_ns,
            // What a controller before this one heard is not known.
            doubted_ns: now_ns,
            may_move,
            load_end_ns: u64::MAX,
            stopping: false,
            cut_off_ns: None,
        }
    }

    /// The load is over at this moment of the run's clock, by the plan.
    #[must_use]
    pub fn with_end(mut self, load_end_ns: Option<u64>) -> Self {
        self.set_end(load_end_ns);
        self
    }

    /// The load is over at another moment now.
    pub fn set_end(&mut self, load_end_ns: Option<u64>) {
        if let Some(end_ns) = load_end_ns {
            self.load_end_ns = self.zero_ns.saturating_add(end_ns);
        }
    }

    /// An assignment was given: from now on its share is that of nobody else.
    pub fn assign(&mut self, assignment: Assignment) {
        let same = |held: &&mut HeldAssignment| held.assignment.share == assignment.share;
        self.held
            .values_mut()
            .filter(same)
            .for_each(|held| held.over = true);
        let pulse = Pulse::begun(self.zero_ns + assignment.from_ns, assignment.from_ns);
        let held = HeldAssignment {
            assignment,
            over: false,
            ended: false,
            released: false,
            told_unserved: false,
            pulse,
        };
        self.held.insert(assignment.number, held);
    }

    /// All assignments so far.
    pub fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        self.held.values().map(|held| &held.assignment)
    }

    /// The numbers of assignments that a worker still has.
    #[must_use]
    pub fn of(&self, worker: usize) -> Vec<u32> {
        let own = self
            .held
            .values()
            .filter(|held| held.assignment.worker == worker && !held.over);
        own.map(|held| held.assignment.number).collect()
    }

    /// The numbers of all assignments that a worker ever had.
    #[must_use]
    pub fn all_of(&self, worker: usize) -> Vec<u32> {
        let own = self.assignments().filter(|of| of.worker == worker);
        own.map(|of| of.number).collect()
    }

    /// What was missing before this controller took the run up.
    pub fn restore_missing(&mut self, missing: &[UnmadeLoad]) {
        self.missing = MissingSoFar::of(missing);
    }

    /// Whether another assignment had the share of this one at that moment of the run's clock.
    #[must_use]
    pub fn is_replaced(&self, assignment: u32, at_ns: u64) -> bool {
        let Some(old) = self.held.get(&assignment).map(|held| held.assignment) else {
            return false;
        };
        self.assignments()
            .any(|of| of.share == old.share && of.number > old.number && of.from_ns <= at_ns)
    }

    /// Whether a worker is silent.
    #[must_use]
    pub fn is_silent(&self, worker: usize) -> bool {
        self.workers.get(worker).is_none_or(|worker| worker.silent)
    }

    /// The run is being stopped: nothing moves any more.
    pub fn stopping(&mut self) {
        self.stopping = true;
    }

    /// What is in flight is cut off.
    pub fn cut_off(&mut self, now_ns: u64) {
        self.stopping = true;
        self.cut_off_ns.get_or_insert(now_ns);
    }

    /// Whether a share that moved now would still have something to do.
    fn is_worth_moving(&self, now_ns: u64) -> bool {
        !self.stopping && now_ns.saturating_add(JOIN_LEAD_NS) < self.load_end_ns
    }

    /// Whether a worker is not awaited any more.
    fn is_given_up(&self, worker: &KnownWorker, now_ns: u64) -> bool {
        let patience_ns = match () {
            // Who ends a run does not want to wait for those that are silent.
            () if self.stopping => 0,
            () if worker.closed => LOST_AT_END_NS,
            () => LOST_NS,
        };
        let until_ns = worker.heard_ns.saturating_add(patience_ns);
        let at_end_ns = self.load_end_ns.saturating_add(LOST_AT_END_NS);
        worker.silent && now_ns >= until_ns.min(at_end_ns)
    }

    /// A renewal was sent at this moment.
    pub fn renewed(&mut self, worker: usize, sent_ns: u64) {
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.given.renewed(sent_ns);
        }
    }

    /// A second of an assignment was reported, with so many requests in it.
    pub fn reported(&mut self, assignment: u32, second: u64, requests: u64) {
        let Some(held) = self.held.get_mut(&assignment) else {
            return;
        };
        held.pulse.reported(second, requests);
        if requests == 0 {
            return;
        }
        // A worker that was not heard may have gone on while it had its lease.
        let (of, end_ns) = (held.assignment, (second + 1) * 1_000_000_000);
        self.missing.made(&of, end_ns);
    }

    /// An assignment's end was reported; `released`: its share is not done.
    pub fn ended(&mut self, assignment: u32, at_ns: u64, released: bool) {
        let Some(held) = self.held.get_mut(&assignment) else {
            return;
        };
        held.pulse.complete = true;
        if released && !held.over {
            held.released = true;
            let of = held.assignment;
            // Who gave one back, or did not take it, is asked for no more.
            if let Some(worker) = self.workers.get_mut(of.worker) {
                worker.leaving = true;
            }
            self.missing.begin(&of, at_ns.max(of.from_ns));
        }
        if let Some(held) = self.held.get_mut(&assignment)
            && !released
        {
            held.ended = true;
        }
    }

    /// An assignment had no lease for a while, as its worker tells; what is known of that time
    /// already is not told twice.
    pub fn without_lease(&mut self, assignment: u32, from_ns: u64, to_ns: u64) {
        let held = self.held.get(&assignment);
        let Some((of, is_over)) = held.map(|held| (held.assignment, held.over)) else {
            return;
        };
        self.missing.without_lease(&of, is_over, from_ns, to_ns);
    }

    /// A sign of life came in.
    pub fn life(&mut self, at: usize, now_ns: u64, life: &Life) -> Option<FleetAction> {
        let zero_ns = self.zero_ns;
        let worker = self.workers.get_mut(at)?;
        worker.heard_ns = now_ns;
        worker.closed = false;
        worker.cpu_share = life.cpu_share;
        worker.lateness_ns = life.lateness_ns;
        worker.leaving |= life.leaving;
        for part in &life.assignments {
            if let Some(held) = self.held.get_mut(&part.number) {
                held.pulse.heard(now_ns, life.at_ns, part.started);
            }
        }
        if !worker.silent {
            return None;
        }
        worker.silent = false;
        let at_ns = now_ns.saturating_sub(zero_ns);
        let kept = self.of(at);
        let kept: Vec<u32> = kept
            .iter()
            .filter_map(|number| self.held.get(number))
            .map(|held| held.assignment.share)
            .collect();
        self.missing.back(at, &kept, at_ns);
        Some(FleetAction::Back { worker: at, at_ns })
    }

    /// Time passes: who is silent, and which shares move.
    pub fn tick(&mut self, now_ns: u64) -> Vec<FleetAction> {
        let mut actions = Vec::new();
        if now_ns.saturating_sub(self.looked_ns) > HELD_UP_NS {
            for worker in self.workers.iter_mut().filter(|worker| !worker.silent) {
                worker.heard_ns = now_ns;
            }
        }
        self.looked_ns = now_ns;
        self.notice(now_ns, &mut actions);
        if self.is_worth_moving(now_ns) {
            self.move_shares(now_ns, &mut actions);
        }
        actions
    }

    fn notice(&mut self, now_ns: u64, actions: &mut Vec<FleetAction>) {
        let mut silent = Vec::new();
        for (at, worker) in self.workers.iter_mut().enumerate() {
            if !worker.silent && now_ns.saturating_sub(worker.heard_ns) >= SILENT_NS {
                worker.silent = true;
                silent.push((at, worker.heard_ns.saturating_sub(self.zero_ns)));
            }
        }
        for (worker, since_ns) in silent {
            let at_work: Vec<Assignment> = self
                .held
                .values()
                .filter(|held| held.assignment.worker == worker && !held.over && !held.ended)
                .map(|held| held.assignment)
                .collect();
            if at_work.is_empty() {
                continue;
            }
            actions.push(FleetAction::Silent { worker, since_ns });
            for of in at_work {
                // What was reported was made.
                let reported_ns = self.held.get(&of.number).map(|held| held.pulse.reported_ns);
                self.missing
                    .begin(&of, since_ns.max(reported_ns.unwrap_or(0)));
            }
        }
    }

    /// Moves shares whose worker has given them back, or is silent and has no lease any more.
    fn move_shares(&mut self, now_ns: u64, actions: &mut Vec<FleetAction>) {
        let free: Vec<u32> = self
            .held
            .values()
            .filter(|held| !held.over && !held.ended && self.is_free(held, now_ns))
            .map(|held| held.assignment.number)
            .collect();
        for number in free {
            let to = taker(&self.rooms()).filter(|_| self.may_move);
            let next = self.held.keys().next_back().map_or(0, |last| last + 1);
            let Some(held) = self.held.get_mut(&number) else {
                continue;
            };
            let old = held.assignment;
            let Some(worker) = to else {
                if !held.told_unserved {
                    held.told_unserved = true;
                    let since_ns = self.missing.since(&old);
                    actions.push(FleetAction::Unserved {
                        share: old.share,
                        since_ns,
                    });
                }
                continue;
            };
            held.over = true;
            let from_ns = (now_ns + JOIN_LEAD_NS).saturating_sub(self.zero_ns);
            let given = Assignment {
                number: next,
                share: old.share,
                worker,
                from_ns,
            };
            self.assign(given);
            self.missing.end(old.share, from_ns);
            actions.push(FleetAction::Give {
                to: given,
                from: old.worker,
            });
        }
    }

    fn is_free(&self, held: &HeldAssignment, now_ns: u64) -> bool {
        let worker = self.workers.get(held.assignment.worker);
        let lost = worker.is_some_and(|worker| worker.silent && now_ns >= worker.given.over_ns());
        held.released || lost
    }

    fn rooms(&self) -> Vec<ShareRoom> {
        let rooms = self.workers.iter().enumerate().map(|(at, worker)| {
            let at_work = |held: &&HeldAssignment| {
                held.assignment.worker == at && !held.over && !held.ended && !held.released
            };
            ShareRoom {
                alive: !worker.silent && !worker.leaving,
                cpu_share: worker.cpu_share,
                lateness_ns: worker.lateness_ns,
                shares: self.held.values().filter(at_work).count(),
            }
        });
        rooms.collect()
    }

    /// Whether nothing more is awaited: each assignment's end was reported, or its worker has been
    /// silent for too long.
    #[must_use]
    pub fn is_over(&self, now_ns: u64) -> bool {
        let is_cut_off = |at_ns: u64| now_ns >= at_ns.saturating_add(CUT_OFF_NS);
        if self.cut_off_ns.is_some_and(is_cut_off) {
            return true;
        }
        let awaited = |held: &HeldAssignment| {
            let worker = self.workers.get(held.assignment.worker);
            let gone = worker.is_none_or(|worker| self.is_given_up(worker, now_ns));
            !held.pulse.complete && !gone
        };
        let is_worth_moving = self.may_move && self.is_worth_moving(now_ns);
        let unmoved = |held: &HeldAssignment| {
            is_worth_moving && !held.over && !held.ended && self.has_taker()
        };
        !self
            .held
            .values()
            .any(|held| awaited(held) || unmoved(held) && self.is_free(held, now_ns))
    }

    fn has_taker(&self) -> bool {
        taker(&self.rooms()).is_some()
    }

    /// Load that was missing so far.
    #[must_use]
    pub fn missing(&self) -> &[UnmadeLoad] {
        self.missing.all()
    }

    /// How long a lease lasts.
    #[must_use]
    pub fn lease_ns(&self) -> u64 {
        self.length_ns
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
