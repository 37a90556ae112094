//! Branches that a user goes through at once.

use super::code::CodeMark;
use super::flow::{FlowFrame, ScenarioFlow};
use crate::model::{Action, Block, Step};
use crate::program::{Condition, Op};

/// What a branch may ask for that goes beyond it, the farthest first.
const BEYOND: [Action; 5] = [
    Action::StopRunNow,
    Action::StopRun,
    Action::StopScenario,
    Action::StopUser,
    Action::NextIteration,
];

impl<'p> ScenarioFlow<'_, 'p> {
    /// Each step of the block is a branch; a block or transaction makes several steps one.
    pub(super) fn parallel(&mut self, most: Option<u64>, body: &'p Block) {
        let steps: Vec<&Step> = body.steps.iter().filter(|step| step.enabled).collect();
        self.before_sampler();
        let shadowed = self.enter(&body.scope);
        self.scopes.push(&body.scope);
        let exit = self.code.mark();
        let marks: Vec<CodeMark> = steps.iter().map(|_| self.code.mark()).collect();
        self.code.op(Op::Together {
            branches: marks.iter().map(|mark| mark.0).collect(),
            most,
            exit: exit.0,
        });
        for (step, mark) in steps.into_iter().zip(marks) {
            self.code.place(mark);
            let end = self.code.mark();
            self.frames.push(FlowFrame::Branch { end });
            self.step(step);
            self.frames.pop();
            self.code.place(end);
            self.code.op(Op::BranchEnd);
        }
        self.code.place(exit);
        self.scopes.pop();
        self.leave(shadowed);
        for action in BEYOND {
            self.act_if(Condition::Asked(action), action);
        }
        self.yield_turn();
    }

    /// The first frame of the innermost branch, and where that branch ends: what is done within it
    /// leaves the frames around it to the user whose branch it is.
    pub(super) fn innermost_branch(&self) -> (usize, Option<CodeMark>) {
        let mut frames = self.frames.iter().enumerate().rev();
        let found = frames.find_map(|(depth, frame)| match frame {
            FlowFrame::Branch { end } => Some((depth + 1, Some(*end))),
            _ => None,
        });
        found.unwrap_or((0, None))
    }
}
