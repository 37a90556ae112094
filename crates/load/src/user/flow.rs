//! The operations of an iteration.

use std::rc::Rc;

use plimsoll_plan::model::Action;
use plimsoll_plan::program::{Label, Op, Pc};
use plimsoll_stats::LabelKind;

use super::User;
use super::request::Cut;
use crate::condition::holds;
use crate::functions::{EvalError, eval_value};

/// Operations after which a user lets others run, also when it waited for nothing.
const STEPS_WITHOUT_YIELD: u32 = 1024;

/// What follows an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The next iteration.
    Next,
    /// The user ends.
    StopUser,
    /// The user's scenario ends.
    StopScenario,
    /// The run ends.
    StopRun,
    /// The run ends at once.
    StopRunNow,
    /// The run's end cut the user off.
    CutOff,
}

/// What follows an operation.
pub(crate) enum Step {
    To(Pc),
    Over(Flow),
}

impl User {
    /// Runs the operations of one iteration.
    pub(crate) async fn run_ops(&mut self) -> Flow {
        let program = Rc::clone(&self.scenario.program);
        let mut pc: Pc = 0;
        let mut steps: u32 = 0;
        while let Some(op) = program.ops.get(pc as usize) {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS_WITHOUT_YIELD) {
                // A loop without requests must not keep the thread from all others.
                tokio::task::yield_now().await;
                if self.stopping() {
                    return Flow::Next;
                }
            }
            let step = match op {
                Op::Request(id) => {
                    let now = self.thread.clock.now_ns();
                    if self.is_over(now) && self.intended_ns.is_none_or(|at| at >= self.stop_ns) {
                        return Flow::Next;
                    }
                    if let Err(Cut) = self.request(*id, now).await {
                        return Flow::CutOff;
                    }
                    if !self.last.ok {
                        // One that failed at once never waited; others must run.
                        tokio::task::yield_now().await;
                    }
                    Step::To(pc + 1)
                }
                Op::End => return Flow::Next,
                Op::Action(action) => act(*action),
                Op::Think(_) | Op::Lock(_) | Op::Rendezvous(_) | Op::PaceThroughput { .. } => {
                    Box::pin(self.wait_op(op, pc)).await
                }
                Op::NextRow { .. } | Op::Count { .. } => match self.data_op(op, pc + 1) {
                    Ok(Some(next)) => Step::To(next),
                    Ok(None) => Step::Over(Flow::StopUser),
                    Err(error) => self.flow_failed(&error),
                },
                other => match self.flow_op(other, pc) {
                    Ok(next) => Step::To(next),
                    Err(error) => self.flow_failed(&error),
                },
            };
            match step {
                Step::To(next) => pc = next,
                Step::Over(flow) => return flow,
            }
        }
        Flow::Next
    }

    pub(crate) fn flow_failed(&mut self, error: &EvalError) -> Step {
        self.thread
            .report_flow_error(&self.scenario.program.name, error);
        Step::Over(Flow::Next)
    }

    fn label_of(
        &mut self,
        label: &Label,
        kind: LabelKind,
    ) -> Result<plimsoll_stats::LabelId, EvalError> {
        Ok(match label {
            Label::Fixed(id) => *id,
            Label::Made(template) => {
                let name = self.text(template)?;
                self.thread.labels.made(&name, kind)
            }
        })
    }

    /// Operations that do not wait; gives the next one.
    fn flow_op(&mut self, op: &Op, pc: Pc) -> Result<Pc, EvalError> {
        let next = pc + 1;
        Ok(match op {
            Op::Jump(to) => *to,
            Op::JumpUnless { condition, to } => {
                let last = self.last;
                if self.evaluate(|ctx| holds(condition, ctx, last))? {
                    next
                } else {
                    *to
                }
            }
            Op::SetRegister(register, value) => {
                self.registers[usize::from(register.0)] = *value;
                next
            }
            Op::OnceOnly { done, to } => {
                let done = &mut self.registers[usize::from(done.0)];
                if std::mem::replace(done, 1) == 0 {
                    next
                } else {
                    *to
                }
            }
            Op::TransactionStart {
                label,
                include_pauses,
                as_parent,
                package: _,
            } => {
                let kind = self.transaction_kind(*as_parent);
                let label = self.label_of(label, kind)?;
                self.begin_transaction(label, *include_pauses, *as_parent);
                next
            }
            Op::TransactionEnd => {
                self.end_transaction();
                next
            }
            Op::SetLastOk => {
                (self.last.ok, self.last.ok_before_checks) = (true, true);
                next
            }
            Op::Unlock(id) => {
                self.locks.retain(|held| held != id);
                self.thread.shared.release(*id);
                next
            }
            Op::Set { variable, value } => {
                let value = self.evaluate(|ctx| eval_value(value, ctx))?;
                self.vars.set(*variable, value);
                next
            }
            Op::Script(id) => {
                self.evaluate(|ctx| {
                    let scripts = ctx.scripts;
                    scripts.run(*id, ctx)
                })?;
                next
            }
            Op::NextRow { .. } | Op::Count { .. } => self.data_op(op, next)?.unwrap_or(next),
            _ => return self.loop_op(op, next),
        })
    }
}

fn act(action: Action) -> Step {
    match action {
        // Loops inside an iteration are jumps; what is left is the scenario's own loop.
        Action::Continue | Action::NextIteration => Step::Over(Flow::Next),
        Action::Break | Action::StopUser => Step::Over(Flow::StopUser),
        Action::StopScenario => Step::Over(Flow::StopScenario),
        Action::StopRun => Step::Over(Flow::StopRun),
        Action::StopRunNow => Step::Over(Flow::StopRunNow),
    }
}
