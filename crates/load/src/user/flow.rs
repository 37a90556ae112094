//! The operations of an iteration.

use std::rc::Rc;

use plimsoll_plan::model::Action;
use plimsoll_plan::program::{Label, Op, PackageId, Pc, RequestId, SharedId};
use plimsoll_stats::LabelKind;
use plimsoll_text::Message;

use super::User;
use super::step::{Cut, Flow, NextStep};
use crate::clock::Nanos;
use crate::condition::holds;
use crate::extension::{NewTransaction, Ran, TransactionEnding};
use crate::functions::{EvalError, eval_value};

/// Operations after which a user lets others run, also when it waited for nothing.
const STEPS_WITHOUT_YIELD: u32 = 1024;

impl User {
    /// Runs the operations of one iteration.
    pub(crate) async fn run_ops(&mut self) -> Flow {
        self.run_ops_from(0).await
    }

    /// Runs operations from a place on, to the end of the iteration or of a branch.
    pub(super) async fn run_ops_from(&mut self, at: Pc) -> Flow {
        let program = Rc::clone(&self.scenario.program);
        let mut pc = at;
        let mut steps: u32 = 0;
        while let Some(op) = program.ops.get(pc as usize) {
            steps = steps.wrapping_add(1);
            self.meet();
            if steps.is_multiple_of(STEPS_WITHOUT_YIELD) {
                // A loop without requests must not keep the thread from all others.
                tokio::task::yield_now().await;
                if self.stopping() {
                    return Flow::Next;
                }
            }
            let done = match op {
                Op::Request(id) | Op::Exchange(id) => {
                    if let Some(flow) = self.request_op(op, *id).await {
                        return flow;
                    }
                    Ok(NextStep::To(pc + 1))
                }
                Op::Sample(id) => match self.package_op(*id).await {
                    Ok(None) => Ok(NextStep::To(pc + 1)),
                    Ok(Some(flow)) => Ok(NextStep::Over(flow)),
                    Err(Cut) => return Flow::CutOff,
                },
                Op::End => return Flow::Next,
                Op::BranchEnd => return Flow::BranchDone,
                Op::Together {
                    branches,
                    most,
                    exit,
                } => {
                    if let Some(flow) = self.together_op(branches, *most).await {
                        return flow;
                    }
                    Ok(NextStep::To(*exit))
                }
                other => self.other_op(other, &program.ops, pc).await,
            };
            let step = match done {
                Ok(step) => step,
                Err(error) if error.waits() => {
                    Box::pin(self.ask_and_retry()).await;
                    continue;
                }
                Err(error) => self.flow_failed(&error),
            };
            self.end_try();
            match step {
                NextStep::To(next) => pc = next,
                NextStep::Over(flow) => {
                    self.is_over_by(op, flow, &program.ops, pc).await;
                    return flow;
                }
            }
        }
        Flow::Next
    }

    /// An operation has ended the iteration.
    async fn is_over_by(&mut self, op: &Op, flow: Flow, ops: &[Op], pc: Pc) {
        if matches!(op, Op::Action(_)) {
            self.ended_by = Some(self.step_before(ops, pc));
            if flow != Flow::Next && self.stops_as_jmeter() {
                Box::pin(self.stop_in_transactions(ops, pc + 1)).await;
            }
        }
    }

    /// Makes a request or an exchange; gives the flow when the iteration is over.
    #[inline]
    async fn request_op(&mut self, op: &Op, id: RequestId) -> Option<Flow> {
        let Some(now) = self.begin_request().await else {
            return Some(Flow::Next);
        };
        self.thread.starts.count();
        let ended = match op {
            Op::Exchange(_) => Box::pin(self.exchange(id, now)).await,
            _ => self.request(id, now).await,
        };
        if let Err(Cut) = ended {
            return Some(Flow::CutOff);
        }
        self.let_others_run().await;
        None
    }

    /// Goes through branches at once; gives the flow when the iteration is over.
    async fn together_op(&mut self, branches: &[Pc], most: Option<u64>) -> Option<Flow> {
        if self.begin_request().await.is_none() {
            return Some(Flow::Next);
        }
        let flow = self.together(branches, most).await;
        (flow == Flow::CutOff).then_some(flow)
    }

    /// Operations that make no sample.
    pub(super) async fn other_op(
        &mut self,
        op: &Op,
        ops: &[Op],
        pc: Pc,
    ) -> Result<NextStep, EvalError> {
        match op {
            Op::Element(_) | Op::TransactionSoFar => self.foreign_op(op).await,
            Op::TransactionEnd | Op::TransactionsLeft(_) if self.has_foreign_transaction() => {
                self.foreign_op(op).await;
            }
            Op::TransactionStart { .. } if self.is_empty_again(ops, pc) => {
                return Ok(NextStep::To(pc + 2));
            }
            Op::Action(action) => return Ok(act(*action)),
            Op::Think(_)
            | Op::Lock(_)
            | Op::LockNamed { .. }
            | Op::Rendezvous(_)
            | Op::PaceThroughput { .. } => return Box::pin(self.wait_op(op, pc)).await,
            Op::NextRow { .. } | Op::Count { .. } => {
                let next = self.data_op(op, pc + 1)?;
                return Ok(next.map_or(NextStep::Over(Flow::StopUser), NextStep::To));
            }
            other => return self.flow_op(other, pc + 1).map(NextStep::To),
        }
        Ok(NextStep::To(pc + 1))
    }

    /// Operations that the engine does not know.
    async fn foreign_op(&mut self, op: &Op) {
        let Some(extension) = self.extension.clone() else {
            return;
        };
        match op {
            Op::Element(id) => extension.pass(self, *id).await,
            Op::TransactionSoFar => extension.transaction_so_far(self).await,
            _ => {
                let ending = match op {
                    Op::TransactionsLeft(number) => {
                        TransactionEnding::Left(usize::try_from(*number).unwrap_or(usize::MAX))
                    }
                    _ => TransactionEnding::Done,
                };
                extension.end_transactions(self, ending).await;
            }
        }
    }

    /// When a request begins; none: the iteration is over.
    #[inline]
    async fn begin_request(&mut self) -> Option<Nanos> {
        let now = self.thread.clock.now_ns();
        if self.is_over(now) && self.intended_ns.is_none_or(|at| at >= self.stop_ns()) {
            return None;
        }
        self.may_begin(now).await
    }

    /// A sample that failed at once never waited; others must run.
    #[inline]
    async fn let_others_run(&self) {
        if !self.last.ok {
            tokio::task::yield_now().await;
        }
    }

    /// The step that an action belongs to, or that it follows.
    fn step_before(&mut self, ops: &[Op], pc: Pc) -> Message {
        let before = ops.iter().take(pc as usize).rev();
        let mut requests = before.filter_map(|op| match op {
            Op::Request(id) | Op::Exchange(id) => Some(*id),
            _ => None,
        });
        let thread = Rc::clone(&self.thread);
        let kept = self.kept.as_ref();
        let known = kept.and_then(|kept| kept.step_name().map(str::to_owned));
        let step = known.or_else(|| {
            let request = &thread.program.requests[requests.next()?.0 as usize];
            let label = self.label(request);
            Some(thread.labels.name(label))
        });
        match step {
            None => Message::new("event-step-unnamed"),
            // Whoever goes on after a success was told to by a step of its own.
            Some(step) if self.extension.is_none() && self.last.ok => {
                Message::new("event-step-after").with("step", self.vars.redact(&step))
            }
            Some(step) => Message::new("event-step-named").with("step", self.vars.redact(&step)),
        }
    }

    /// Runs a package; gives the flow when the iteration is over.
    async fn package_op(&mut self, id: PackageId) -> Result<Option<Flow>, Cut> {
        if self.begin_request().await.is_none() {
            return Ok(Some(Flow::Next));
        }
        let Some(extension) = self.extension.clone() else {
            return Ok(None);
        };
        if extension.package(self, id).await? == Ran::Over {
            return Ok(Some(Flow::StopUser));
        }
        self.let_others_run().await;
        Ok(None)
    }

    /// Whether a transaction without steps was there before, and is left out.
    fn is_empty_again(&mut self, ops: &[Op], pc: Pc) -> bool {
        let empty = matches!(ops.get(pc as usize + 1), Some(Op::TransactionEnd));
        empty
            && self
                .kept
                .as_mut()
                .is_some_and(|kept| kept.is_empty_again(pc))
    }

    /// Gets what an operation waits for; it is then tried again.
    async fn ask_and_retry(&mut self) {
        if self.retries
            && let Some(extension) = self.extension.clone()
        {
            extension.ask(self).await;
        }
        // The first try kept no values: another one does.
        self.retries = true;
        if let Some(kept) = &mut self.kept {
            kept.begin_try();
        }
    }

    /// An operation is done: what it tried is forgotten.
    #[inline]
    fn end_try(&mut self) {
        if self.retries {
            self.retries = false;
            if let Some(kept) = &mut self.kept {
                kept.end_try();
            }
        }
    }

    pub(super) fn has_foreign_transaction(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.in_transaction())
    }

    pub(crate) fn flow_failed(&mut self, error: &EvalError) -> NextStep {
        self.thread
            .report_flow_error(&self.scenario.program.name, error);
        NextStep::Over(Flow::Next)
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
    fn flow_op(&mut self, op: &Op, next: Pc) -> Result<Pc, EvalError> {
        match op {
            Op::Jump(to) => return Ok(*to),
            Op::JumpUnless { condition, to } => {
                let last = self.last;
                if !self.evaluate(|ctx| holds(condition, ctx, last))? {
                    return Ok(*to);
                }
            }
            Op::SetRegister(register, value) => self.registers[usize::from(register.0)] = *value,
            Op::OnceOnly { done, to } => {
                let done = &mut self.registers[usize::from(done.0)];
                if std::mem::replace(done, 1) != 0 {
                    return Ok(*to);
                }
            }
            Op::SetLastOk => (self.last.ok, self.last.ok_before_checks) = (true, true),
            Op::Unlock(id) => self.unlock(*id),
            Op::UnlockNamed(held) => {
                let held = std::mem::take(&mut self.registers[usize::from(held.0)]);
                let id = held.checked_sub(1).and_then(|id| u32::try_from(id).ok());
                if let Some(id) = id {
                    self.unlock(SharedId(id));
                }
            }
            Op::Set { variable, value } => {
                let value = self.evaluate(|ctx| eval_value(value, ctx))?;
                self.vars.set(*variable, value);
            }
            Op::Script(id) => self.evaluate(|ctx| {
                let scripts = ctx.scripts;
                scripts.run(*id, ctx)
            })?,
            Op::TransactionStart { .. }
            | Op::TransactionEnd
            | Op::TransactionsLeft(_)
            | Op::ChildEnds => self.transaction_op(op)?,
            _ => return self.loop_op(op, next),
        }
        Ok(next)
    }

    /// Transactions begin and end.
    fn transaction_op(&mut self, op: &Op) -> Result<(), EvalError> {
        match op {
            Op::TransactionStart {
                label,
                include_pauses,
                as_parent,
                package,
            } => {
                let kind = self.transaction_kind(*as_parent);
                let label = self.label_of(label, kind)?;
                let foreign = package.is_some() || self.thread.names.keeps_literal();
                match self.extension.clone().filter(|_| foreign) {
                    Some(extension) => {
                        let new = NewTransaction {
                            name: self.thread.labels.name(label),
                            label,
                            include_pauses: *include_pauses,
                            as_parent: *as_parent,
                            package: *package,
                        };
                        extension.begin_transaction(self, new);
                    }
                    None => self.begin_transaction(label, *include_pauses, *as_parent),
                }
            }
            Op::ChildEnds => {
                if let Some(kept) = &mut self.kept {
                    kept.child_ends();
                }
            }
            Op::TransactionsLeft(number) => (0..*number).for_each(|_| self.end_transaction()),
            _ => self.end_transaction(),
        }
        Ok(())
    }

    fn unlock(&mut self, id: SharedId) {
        self.locks.retain(|held| *held != id);
        self.thread.shared.release(id);
    }
}

fn act(action: Action) -> NextStep {
    match action {
        // Loops inside an iteration are jumps; what is left is the scenario's own loop.
        Action::Continue | Action::NextIteration => NextStep::Over(Flow::Next),
        Action::Break | Action::StopUser => NextStep::Over(Flow::StopUser),
        Action::StopScenario => NextStep::Over(Flow::StopScenario),
        Action::StopRun => NextStep::Over(Flow::StopRun),
        Action::StopRunNow => NextStep::Over(Flow::StopRunNow),
    }
}
