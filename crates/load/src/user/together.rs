//! A user that does several things at once: a branch for each, joined at the end.
//!
//! A branch is a user of its own to whatever runs it: connections, waits and randomness are its own. What
//! belongs to the one user they are, variables and registers, lies between them on a [`BranchBoard`], which a
//! branch meets before each operation and around each wait: what it set goes there, what others set comes
//! from there, the last writer wins. Cookies are one jar. Branches never run side by side, since a load
//! thread runs one task at a time, so that nothing changes but at these moments.

use std::cell::RefCell;
use std::rc::Rc;

use plimsoll_plan::model::Action;
use plimsoll_plan::program::Pc;
use tokio::task::JoinSet;

use super::User;
use super::board::{BranchBoard, BranchOf};
use super::step::Flow;
use crate::clock::Nanos;
use crate::condition::LastSample;
use crate::extension::Waiting;
use crate::random::Random;

/// A branch that has ended, with its place and what follows it.
type EndedBranch = (Pc, User, Flow);

/// What the branches that have ended mean to their user.
struct JoinedBranches {
    flow: Flow,
    last: LastSample,
    end_ns: Nanos,
    intended_ns: Option<Nanos>,
    /// For each transaction around them, what the branch waited that waited longest.
    pauses_ns: Vec<u64>,
}

impl User {
    /// Goes through all branches, at most so many at a time, and waits for the last; gives the change
    /// of flow that one asked for, or that the run's end cut it off.
    pub(super) fn together<'u>(
        &'u mut self,
        branches: &'u [Pc],
        most: Option<u64>,
    ) -> Waiting<'u, Flow> {
        Box::pin(async move {
            let most = most.map_or(usize::MAX, |most| {
                usize::try_from(most).unwrap_or(usize::MAX)
            });
            let board = Rc::new(RefCell::new(BranchBoard {
                vars: self.vars.clone(),
                registers: self.registers.clone(),
            }));
            let mut joined = JoinedBranches {
                flow: Flow::BranchDone,
                last: LastSample::default(),
                end_ns: self.previous_end_ns,
                intended_ns: None,
                pauses_ns: vec![0; self.transactions.len()],
            };
            let mut waiting = (0..).zip(branches);
            let mut running: JoinSet<EndedBranch> = JoinSet::new();
            loop {
                while running.len() < most.max(1)
                    && joined.flow == Flow::BranchDone
                    && let Some((number, at)) = waiting.next()
                {
                    let mut branch = self.branch(number, *at, &board);
                    let at = *at;
                    running.spawn_local(async move {
                        let flow = branch.run_ops_from(at).await;
                        branch.meet();
                        (at, branch, flow)
                    });
                }
                match running.join_next().await {
                    None => break,
                    Some(Ok(ended)) => self.join_branch(ended, &mut joined),
                    // What is lost is the whole user.
                    Some(Err(error)) => match error.try_into_panic() {
                        Ok(panic) => std::panic::resume_unwind(panic),
                        Err(_) => joined.flow = Flow::CutOff,
                    },
                }
            }
            self.after_branches(&board, joined)
        })
    }

    /// A branch that begins: that of the last pass again, with what it keeps.
    fn branch(&mut self, number: usize, at: Pc, board: &Rc<RefCell<BranchBoard>>) -> Self {
        let kept = self.branches.iter().position(|(place, _)| *place == at);
        let mut branch = match kept {
            Some(kept) => self.branches.swap_remove(kept).1,
            None => self.new_branch(at),
        };
        let seen = board.borrow().clone();
        branch.iteration = self.iteration;
        branch.vars = seen.vars.clone();
        branch.registers.clone_from(&seen.registers);
        branch.cookies = self.cookies.shared();
        branch.previous_end_ns = self.previous_end_ns;
        branch.intended_ns = self.intended_ns;
        branch.last = self.last;
        branch.last.asked = None;
        branch.ended_by = None;
        branch.transactions = self.transactions.iter().map(super::Open::shadow).collect();
        branch.branch_of = Some(Box::new(BranchOf {
            board: Rc::clone(board),
            seen,
            outer: self.transactions.len(),
        }));
        if let Some(extension) = self.extension.clone() {
            extension.begin_branch(self, &mut branch, number);
        }
        branch
    }

    fn new_branch(&self, at: Pc) -> Self {
        let stream = (u64::from(self.scenario.index) << 32) | u64::from(self.number);
        // Of the user's and of the place alone, so that the same seed draws the same.
        let stream = stream ^ (u64::from(at) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let stop_ns = Rc::clone(&self.stop_ns);
        let extension = self.extension.as_ref();
        let mut branch = Self::blank(
            &self.thread,
            &self.scenario,
            self.number,
            stop_ns,
            extension,
        );
        branch.random = Random::new(self.thread.user_seed, stream);
        branch
    }

    /// Gives others what this branch has set since it last did, and takes what they have set. For a user
    /// that is no branch it is nothing.
    pub fn meet(&mut self) {
        let Some(of) = &mut self.branch_of else {
            return;
        };
        of.meet(&mut self.vars, &mut self.registers);
    }

    fn join_branch(&mut self, (at, mut branch, flow): EndedBranch, joined: &mut JoinedBranches) {
        let outer = branch.branch_of.take().map_or(0, |of| of.outer);
        if let Some(extension) = self.extension.clone() {
            extension.end_branch(self, &mut branch);
        }
        branch.transactions.truncate(outer);
        let own = self.transactions.iter_mut().zip(&mut joined.pauses_ns);
        for ((own, waited_ns), shadow) in own.zip(branch.transactions.drain(..)) {
            *waited_ns = (*waited_ns).max(shadow.pauses_ns);
            own.absorb(&shadow);
        }
        joined.last.ok &= branch.last.ok;
        joined.last.ok_before_checks &= branch.last.ok_before_checks;
        joined.end_ns = joined.end_ns.max(branch.previous_end_ns);
        joined.intended_ns = joined.intended_ns.max(branch.intended_ns);
        if rank(flow) > rank(joined.flow) {
            joined.flow = flow;
            self.ended_by = branch.ended_by.take();
        }
        for lock in std::mem::take(&mut branch.locks) {
            self.thread.shared.release(lock);
        }
        self.branches.push((at, branch));
    }

    fn after_branches(&mut self, board: &Rc<RefCell<BranchBoard>>, joined: JoinedBranches) -> Flow {
        {
            let mut board = board.borrow_mut();
            std::mem::swap(&mut self.vars, &mut board.vars);
            std::mem::swap(&mut self.registers, &mut board.registers);
        }
        for (open, waited_ns) in self.transactions.iter_mut().zip(&joined.pauses_ns) {
            open.pauses_ns += waited_ns;
        }
        self.previous_end_ns = joined.end_ns;
        self.intended_ns = joined.intended_ns.filter(|at_ns| *at_ns > joined.end_ns);
        self.last = joined.last;
        self.last.asked = match joined.flow {
            Flow::BranchDone | Flow::CutOff => None,
            Flow::Next => Some(Action::NextIteration),
            Flow::StopUser => Some(Action::StopUser),
            Flow::StopScenario => Some(Action::StopScenario),
            Flow::StopRun => Some(Action::StopRun),
            Flow::StopRunNow => Some(Action::StopRunNow),
        };
        joined.flow
    }
}

/// Which of several changes of flow goes farther.
fn rank(flow: Flow) -> u8 {
    match flow {
        Flow::BranchDone => 0,
        Flow::Next => 1,
        Flow::StopUser => 2,
        Flow::StopScenario => 3,
        Flow::StopRun => 4,
        Flow::StopRunNow => 5,
        Flow::CutOff => 6,
    }
}
