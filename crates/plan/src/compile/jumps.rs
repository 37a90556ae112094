//! Changes of flow: where they go, and what is undone on the way.

use super::code::CodeMark;
use super::flow::{FlowFrame, ScenarioFlow};
use super::scope;
use crate::model::{Action, OnError};
use crate::program::{self as prog, Op, Register};

impl ScenarioFlow<'_, '_> {
    /// What undoes the frames from `from` inwards, the innermost first. JMeter's transactions are left all at
    /// once, since those beside their samples are told of before the others.
    pub(super) fn undo(&self, from: usize) -> Vec<Op> {
        let mut left = Vec::new();
        if self.compiler.lenient() {
            let is_transaction =
                |frame: &&FlowFrame| matches!(frame, FlowFrame::Transaction { .. });
            let number = self.frames[from..].iter().filter(is_transaction).count();
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            left.extend((number > 0).then_some(Op::TransactionsLeft(number)));
        }
        let undone = self.frames[from..]
            .iter()
            .rev()
            .filter_map(|frame| match frame {
                FlowFrame::Transaction { .. } if !left.is_empty() => None,
                FlowFrame::Transaction { .. } => Some(Op::TransactionsLeft(1)),
                FlowFrame::Lock(lock) => Some(Op::Unlock(*lock)),
                FlowFrame::NamedLock(held) => Some(Op::UnlockNamed(*held)),
                FlowFrame::ByRequest { at, .. } => Some(Op::SetRegister(*at, 0)),
                FlowFrame::Loop { .. }
                | FlowFrame::Branch { .. }
                | FlowFrame::If(_)
                | FlowFrame::Left { .. }
                | FlowFrame::Runtime { .. }
                | FlowFrame::MayBeEmpty { .. } => None,
            });
        let undone: Vec<Op> = undone.collect();
        left.extend(undone);
        left
    }

    /// A change of flow that a sample or a flow action brings about: with JMeter, the last
    /// sample counts as a success after it.
    pub(super) fn act_after_sample(&mut self, action: Action) {
        self.change_flow(action, self.compiler.lenient());
    }

    /// A change of flow. The iterations of the scenario are the outermost loop.
    pub(super) fn act(&mut self, action: Action) {
        self.change_flow(action, false);
    }

    fn change_flow(&mut self, action: Action, set_last_ok: bool) {
        let (base, branch_end) = self.innermost_branch();
        let inner = self.frames.iter().enumerate().skip(base).rev();
        let mut loops = inner.filter_map(|(depth, frame)| match frame {
            FlowFrame::Loop { again, exit, .. } => Some((depth, *again, *exit)),
            _ => None,
        });
        let (from, last) = match (action, loops.next(), branch_end) {
            (Action::Continue, Some((depth, again, _)), _) => (depth, Op::Jump(again.0)),
            (Action::Break, Some((depth, _, exit)), _) => (depth, Op::Jump(exit.0)),
            // A branch is a loop of one pass.
            (Action::Continue | Action::Break, None, Some(end)) => (base, Op::Jump(end.0)),
            (Action::NextIteration, _, Some(_)) => (base, Op::Action(action)),
            (Action::Continue, None, None) | (Action::NextIteration, _, None) => {
                (0, Op::Jump(self.end.0))
            }
            (Action::Break, None, None) => (0, Op::Action(Action::StopUser)),
            (Action::StopRunNow, ..) => (self.frames.len(), Op::Action(action)),
            (Action::StopUser | Action::StopScenario | Action::StopRun, ..) => {
                (base, Op::Action(action))
            }
        };
        let lenient = self.compiler.lenient();
        let stops = matches!(
            action,
            Action::StopUser | Action::StopScenario | Action::StopRun
        );
        // JMeter's user looks on for its next sampler, and leaves nothing.
        if !(lenient && stops) {
            for op in self.undo(from) {
                self.code.op(op);
            }
        }
        if lenient && matches!(last, Op::Jump(_) | Op::Action(Action::NextIteration)) {
            self.leave_as_jmeter(from);
        }
        if set_last_ok && matches!(last, Op::Jump(_)) {
            self.code.op(Op::SetLastOk);
        }
        self.code.op(last);
    }

    /// What JMeter does beside when the flow leaves the frames from `from` inwards: controllers begin
    /// anew, conditions set theirs back, and a transaction that is not left but is a sample itself is
    /// told of as far as it came (5.6.3, `triggerLoopLogicalActionOnParentControllers`).
    fn leave_as_jmeter(&mut self, from: usize) {
        let (base, _) = self.innermost_branch();
        for frame in &self.frames[from..] {
            match frame {
                FlowFrame::If(resets) => self.code.reset(*resets),
                FlowFrame::Left { register, value } => {
                    self.code.op(Op::SetRegister(*register, *value));
                }
                _ => {}
            }
        }
        let is_parent =
            |frame: &FlowFrame| matches!(frame, FlowFrame::Transaction { as_parent: true });
        if self.frames[base..from.max(base)].iter().any(is_parent) {
            self.code.op(Op::TransactionSoFar);
        }
    }

    /// A register that says where its controller is: conditions around it set it back.
    pub(super) fn place_register(&mut self) -> Register {
        let register = self.code.register();
        for frame in &self.frames {
            if let FlowFrame::If(resets) = frame {
                self.code.reset_at(*resets, register);
            }
        }
        register
    }

    /// Before a sampler: times that are over end their blocks, and choices learn that there is
    /// something to sample.
    pub(super) fn before_sampler(&mut self) {
        self.check_runtimes();
        for frame in &self.frames {
            if let FlowFrame::MayBeEmpty { sampled } = frame {
                self.code.op(Op::SetRegister(*sampled, 1));
            }
        }
    }

    fn check_runtimes(&mut self) {
        let (base, branch_end) = self.innermost_branch();
        for depth in 0..self.frames.len() {
            let FlowFrame::Runtime {
                since,
                seconds,
                exit,
                ..
            } = &self.frames[depth]
            else {
                continue;
            };
            let (since, seconds, mut exit) = (*since, seconds.clone(), *exit);
            if let Some(end) = branch_end.filter(|_| depth < base) {
                // The user whose branch it is leaves the block.
                exit = end;
            }
            let mut undo = self.undo(depth.max(base));
            let to = if undo.is_empty() {
                exit
            } else {
                self.code.mark()
            };
            self.code.op(Op::Runtime {
                since,
                seconds,
                exit: to.0,
            });
            if !undo.is_empty() {
                undo.push(Op::Jump(exit.0));
                self.code.aside(to, undo);
            }
        }
    }

    /// After a sampler: branches that yield do.
    pub(super) fn yield_turn(&mut self) {
        let (base, _) = self.innermost_branch();
        let frames = self.frames[base..].iter().rev();
        let mut turns = frames.filter_map(|frame| match frame {
            FlowFrame::ByRequest { at, exit } => Some((*at, *exit)),
            _ => None,
        });
        let Some((at, mut inner_exit)) = turns.next() else {
            return;
        };
        let outer: Vec<(Register, CodeMark)> = turns.collect();
        let mut to = if outer.is_empty() {
            inner_exit
        } else {
            self.code.mark()
        };
        self.code.op(Op::Yield { at, to: to.0 });
        for (index, (at, exit)) in outer.iter().enumerate() {
            let next = if index + 1 == outer.len() {
                *exit
            } else {
                self.code.mark()
            };
            let ops = vec![
                Op::Yield {
                    at: *at,
                    to: next.0,
                },
                Op::Jump(inner_exit.0),
            ];
            self.code.aside(to, ops);
            (to, inner_exit) = (next, *exit);
        }
    }

    /// After a sampler: what its failure does.
    pub(super) fn act_on_error(&mut self, before_checks: Option<Action>) {
        use prog::Condition::{LastOk, LastOkBeforeChecks};
        let of_all = match scope::on_error(&self.scopes, self.on_error) {
            OnError::Act(action) => Some(action),
            OnError::GoOn => None,
        };
        for (action, ok) in [(before_checks, LastOkBeforeChecks), (of_all, LastOk)] {
            let Some(action) = action else { continue };
            self.act_if(prog::Condition::Not(Box::new(ok)), action);
        }
    }

    /// After a transaction that is itself the sample: JMeter's rule "start next thread loop"
    /// looks at it as at any sample, its other rules do not.
    pub(super) fn act_on_transaction(&mut self) {
        let next = Action::NextIteration;
        if self.compiler.lenient() && self.on_error == OnError::Act(next) {
            let failed = prog::Condition::Not(Box::new(prog::Condition::LastOk));
            self.act_if(failed, next);
        }
    }
}
