//! The operations of an iteration.

use std::rc::Rc;

use plimsoll_plan::model::{Action, PauseTime};
use plimsoll_plan::program::{ChooseBy, Items, Label, Op, PauseTemplate, Pc, SharedId, Template};
use plimsoll_stats::LabelKind;

use super::User;
use super::request::Cut;
use crate::clock::nanos;
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
enum Step {
    To(Pc),
    Over(Flow),
}

impl User {
    /// Runs the operations of one iteration.
    pub(super) async fn run_ops(&mut self) -> Flow {
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

    fn flow_failed(&mut self, error: &EvalError) -> Step {
        self.thread
            .report_flow_error(&self.scenario.program.name, error);
        Step::Over(Flow::Next)
    }

    /// Operations that may wait.
    async fn wait_op(&mut self, op: &Op, pc: Pc) -> Step {
        let begin = self.thread.clock.now_ns();
        match op {
            Op::Think(pause) => {
                let pause_ns = match self.pause_ns(pause) {
                    Ok(pause_ns) => pause_ns,
                    Err(error) => return self.flow_failed(&error),
                };
                let from = self.intended_ns.unwrap_or(self.previous_end_ns);
                // Think time follows the end of what came before, also when noticing it or
                // working on the answer took a while.
                let until = from.max(self.previous_end_ns).saturating_add(pause_ns);
                self.wait_until(until).await;
                self.intended_ns = Some(until);
            }
            Op::Rendezvous(id) => {
                self.wait_shared(*id).await;
                self.after_wait();
            }
            Op::Lock(id) => {
                if self.wait_shared(*id).await {
                    self.locks.push(*id);
                }
                self.after_wait();
            }
            Op::PaceThroughput {
                per_minute,
                shared,
                last,
            } => {
                if let Err(error) = self.pace(per_minute, *shared, last.0).await {
                    return self.flow_failed(&error);
                }
            }
            _ => {}
        }
        let waited = self.thread.clock.now_ns().saturating_sub(begin);
        self.add_pause(waited);
        if self.stopping() {
            return Step::Over(Flow::Next);
        }
        Step::To(pc + 1)
    }

    /// What follows a wait for others is meant to start when the wait ended.
    fn after_wait(&mut self) {
        let now = self.thread.clock.now_ns();
        self.previous_end_ns = now;
        self.intended_ns = None;
    }

    /// Waits at a shared thing; `false` when the run ended first.
    async fn wait_shared(&mut self, id: SharedId) -> bool {
        if self.stopping() {
            return false;
        }
        let thread = Rc::clone(&self.thread);
        let mut wait = thread.shared.wait(id, self.scenario.index);
        self.watch.set(self.stop_ns);
        let done = loop {
            tokio::select! {
                biased;
                _ = &mut wait => break true,
                // It may be for the users of another scenario.
                () = thread.stopping.notified() => if self.stopping() { break false },
                () = self.watch.expired() => break false,
            }
        };
        self.watch.clear();
        done
    }

    async fn pace(
        &mut self,
        per_minute: &Template,
        shared: Option<SharedId>,
        last: u16,
    ) -> Result<(), EvalError> {
        let per_minute = self.number(per_minute)?;
        if per_minute <= 0.0 {
            return Ok(());
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let gap_ns = (60e9 / per_minute) as u64;
        let now = self.thread.clock.now_ns();
        let turn_ns = match shared {
            Some(id) => self.thread.shared.turn(id, now, gap_ns),
            None => {
                let register = &mut self.registers[usize::from(last)];
                *register = if *register == 0 {
                    now
                } else {
                    (*register + gap_ns).max(now)
                };
                *register
            }
        };
        self.wait_until(turn_ns).await;
        self.intended_ns = Some(turn_ns.max(self.previous_end_ns));
        Ok(())
    }

    /// The length of a pause, ns.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    pub(super) fn pause_ns(&mut self, pause: &PauseTemplate) -> Result<u64, EvalError> {
        if let Some(template) = &pause.template_ms {
            return Ok((self.number(template)? * 1e6).max(0.0) as u64);
        }
        let random = &mut self.random;
        Ok(match pause.time {
            PauseTime::Fixed(time) => nanos(time),
            PauseTime::Uniform(low, high) => {
                let (low, high) = (nanos(low) as f64, nanos(high) as f64);
                (low + (high - low) * random.unit()).max(0.0) as u64
            }
            PauseTime::Normal(mean, deviation) => {
                (nanos(mean) as f64 + nanos(deviation) as f64 * random.normal()).max(0.0) as u64
            }
            PauseTime::Exponential(mean) => (nanos(mean) as f64 * random.exponential()) as u64,
            PauseTime::Poisson { lambda, offset } => {
                nanos(offset) + random.poisson(lambda.as_secs_f64() * 1e3) * 1_000_000
            }
        })
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

    /// Loops and choices.
    fn loop_op(&mut self, op: &Op, next: Pc) -> Result<Pc, EvalError> {
        Ok(match op {
            Op::Repeat {
                passes,
                times,
                index,
                exit,
            } => {
                let pass = self.registers[usize::from(passes.0)];
                let over = match times {
                    #[expect(clippy::cast_precision_loss)]
                    Some(times) => pass as f64 >= self.number(times)?,
                    None => false,
                };
                self.enter_pass(
                    passes.0,
                    pass,
                    *index,
                    if over { Err(*exit) } else { Ok(next) },
                )
            }
            Op::ForEach {
                passes,
                items,
                variable,
                index,
                exit,
            } => {
                let pass = self.registers[usize::from(passes.0)];
                let item = self.item(items, pass)?;
                let to = match item {
                    Some(item) => {
                        self.vars.set(*variable, item);
                        Ok(next)
                    }
                    None => Err(*exit),
                };
                self.enter_pass(passes.0, pass, *index, to)
            }
            Op::Runtime {
                since,
                seconds,
                exit,
            } => {
                let limit = self.number(seconds)?;
                let now = self.thread.clock.now_ns();
                let since = &mut self.registers[usize::from(since.0)];
                if *since == 0 {
                    *since = now.max(1);
                }
                #[expect(clippy::cast_precision_loss)]
                let gone = (now - *since) as f64 / 1e9;
                if gone < limit { next } else { *exit }
            }
            Op::Percent {
                percent,
                passes,
                shared,
                to,
            } => {
                let percent = self.number(percent)?;
                let pass = self.pass(passes.0, *shared);
                if in_share(pass, percent) { next } else { *to }
            }
            Op::FirstTimes {
                times,
                passes,
                shared,
                to,
            } => {
                let times = self.number(times)?;
                #[expect(clippy::cast_precision_loss)]
                let within = (self.pass(passes.0, *shared) as f64) < times;
                if within { next } else { *to }
            }
            Op::Resume { at } => match self.registers[usize::from(at.0)] {
                0 => next,
                #[expect(clippy::cast_possible_truncation)]
                to => (to - 1) as Pc,
            },
            Op::Yield { at, to } => {
                self.registers[usize::from(at.0)] = u64::from(next) + 1;
                *to
            }
            Op::Choose { by, branches, exit } => self.choose(by, branches)?.unwrap_or(*exit),
            Op::RandomOrder {
                done,
                branches,
                exit,
            } => self.random_branch(done.0, branches, *exit),
            _ => next,
        })
    }

    /// Enters a pass of a loop, or leaves it and forgets the count.
    fn enter_pass(
        &mut self,
        passes: u16,
        pass: u64,
        index: Option<plimsoll_plan::program::Slot>,
        to: Result<Pc, Pc>,
    ) -> Pc {
        match to {
            Ok(next) => {
                self.registers[usize::from(passes)] = pass + 1;
                if let Some(index) = index {
                    self.vars.set(index, pass.to_string());
                }
                next
            }
            Err(exit) => {
                self.registers[usize::from(passes)] = 0;
                exit
            }
        }
    }

    /// The number of this pass, from 0, of this user or of all who share.
    fn pass(&mut self, own: u16, shared: Option<SharedId>) -> u64 {
        match shared {
            Some(id) => self.thread.shared.next(id).max(0).cast_unsigned(),
            None => {
                let passes = &mut self.registers[usize::from(own)];
                *passes += 1;
                *passes - 1
            }
        }
    }

    fn choose(
        &mut self,
        by: &ChooseBy,
        branches: &[(u32, Option<Template>, Pc)],
    ) -> Result<Option<Pc>, EvalError> {
        let weights = || branches.iter().map(|(weight, ..)| u64::from(*weight));
        let at = match by {
            ChooseBy::Random => {
                let total: u64 = weights().sum();
                #[expect(clippy::cast_possible_truncation)]
                let pick = self.random.below(total as usize) as u64;
                by_weight(weights(), pick)
            }
            ChooseBy::MixOfUsers => {
                smooth_turn(&weights().collect::<Vec<_>>(), u64::from(self.number))
            }
            ChooseBy::MixOfIterations(id) => {
                let pass = self.thread.shared.next(*id).max(0).cast_unsigned();
                smooth_turn(&weights().collect::<Vec<_>>(), pass)
            }
            ChooseBy::InTurn { passes, shared } => {
                let pass = self.pass(passes.0, *shared);
                usize::try_from(pass % (branches.len().max(1) as u64)).ok()
            }
            ChooseBy::Switch(value) => return self.switch(value, branches),
        };
        Ok(at.and_then(|at| branches.get(at)).map(|(.., pc)| *pc))
    }

    fn switch(
        &mut self,
        value: &Template,
        branches: &[(u32, Option<Template>, Pc)],
    ) -> Result<Option<Pc>, EvalError> {
        let value = self.text(value)?;
        let mut default = None;
        for (_, name, pc) in branches {
            let Some(name) = name else { continue };
            let name = self.text(name)?;
            if name == value {
                return Ok(Some(*pc));
            }
            if name.eq_ignore_ascii_case("default") {
                default = Some(*pc);
            }
        }
        let by_position = value
            .trim()
            .parse()
            .ok()
            .and_then(|at: usize| branches.get(at));
        Ok(by_position.map(|(.., pc)| *pc).or(default))
    }

    fn random_branch(&mut self, done: u16, branches: &[Pc], exit: Pc) -> Pc {
        let done = &mut self.registers[usize::from(done)];
        let left: Vec<usize> = (0..branches.len().min(64))
            .filter(|at| *done & (1 << at) == 0)
            .collect();
        if left.is_empty() {
            *done = 0;
            return exit;
        }
        let at = left[self.random.below(left.len())];
        *done |= 1 << at;
        branches[at]
    }

    fn item(&mut self, items: &Items, pass: u64) -> Result<Option<Rc<str>>, EvalError> {
        Ok(match items {
            Items::List(list) => match usize::try_from(pass).ok().and_then(|at| list.get(at)) {
                Some(template) => Some(self.evaluate(|ctx| eval_value(template, ctx))?),
                None => None,
            },
            Items::Matches {
                prefix,
                after,
                until,
            } => {
                let number = after + pass + 1;
                if until.is_some_and(|until| number > until) {
                    return Ok(None);
                }
                self.vars.get_by_name(&format!("{prefix}{number}")).cloned()
            }
            Items::Json(template) => {
                let text = self.text(template)?;
                let array: Result<Vec<serde_json::Value>, _> = serde_json::from_str(&text);
                let at = usize::try_from(pass).unwrap_or(usize::MAX);
                array
                    .ok()
                    .and_then(|mut array| (at < array.len()).then(|| array.swap_remove(at)))
                    .map(|value| match value {
                        serde_json::Value::String(text) => Rc::from(text),
                        other => Rc::from(other.to_string()),
                    })
            }
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

/// Whether pass `pass` (from 0) belongs to a share of `percent`, by the rule of
/// [`Op::Percent`]: of the first n passes, `percent` of n rounded to the nearest whole number
/// (halves down) do.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn in_share(pass: u64, percent: f64) -> bool {
    // Millionths of a percent, so that the sums are whole numbers.
    let share = u128::from((percent.clamp(0.0, 100.0) * 1e6).round() as u64);
    let of_first = |passes: u128| (2 * passes * share + 99_999_999) / 200_000_000;
    of_first(u128::from(pass)) != of_first(u128::from(pass) + 1)
}

/// The branch that holds `pick` when weights are laid end to end.
fn by_weight(weights: impl Iterator<Item = u64>, pick: u64) -> Option<usize> {
    let mut end = 0;
    weights.enumerate().find_map(|(at, weight)| {
        end += weight;
        (pick < end).then_some(at)
    })
}

/// Whose turn number `turn` is, when each comes as often as its weight says and as evenly
/// spread as can be (smooth weighted round-robin; the sequence repeats after their sum).
fn smooth_turn(weights: &[u64], turn: u64) -> Option<usize> {
    let total: u64 = weights.iter().sum();
    if total == 0 {
        return None;
    }
    let total_signed = i128::from(total);
    let mut credit = vec![0_i128; weights.len()];
    let mut chosen = 0;
    for _ in 0..=(turn % total) {
        for (credit, weight) in credit.iter_mut().zip(weights) {
            *credit += i128::from(*weight);
        }
        chosen = (0..credit.len())
            .rev()
            .max_by_key(|at| credit[*at])
            .unwrap_or(0);
        credit[chosen] -= total_signed;
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_and_even() {
        for percent in [0.0, 12.5, 33.0, 50.0, 99.9, 100.0] {
            let taken = (0..1000).filter(|pass| in_share(*pass, percent)).count();
            let wanted = percent * 10.0;
            #[expect(clippy::cast_precision_loss)]
            let off = (taken as f64 - wanted).abs();
            assert!(off <= 0.5, "{percent}: {taken}");
        }
        let pattern = |percent| {
            (0..4)
                .map(|pass| in_share(pass, percent))
                .collect::<Vec<_>>()
        };
        assert_eq!(pattern(50.0), [false, true, false, true]);
        assert_eq!(pattern(25.0), [false, false, true, false]);
        assert_eq!(pattern(75.0), [true, false, true, true]);
    }

    /// The counting that JMeter's Throughput Controller does.
    #[test]
    fn shares_are_those_of_jmeters_counting() {
        for percent in 0..=100_u32 {
            let mut executions = 0_u32;
            for pass in 0..500_u32 {
                let runs = 100 * executions + 50 < percent * (pass + 1);
                assert_eq!(
                    in_share(u64::from(pass), f64::from(percent)),
                    runs,
                    "{percent} {pass}"
                );
                executions += u32::from(runs);
            }
        }
    }

    #[test]
    fn turns_follow_weights_exactly() {
        let turns: Vec<usize> = (0..7)
            .filter_map(|turn| smooth_turn(&[5, 1, 1], turn))
            .collect();
        assert_eq!(turns, [0, 0, 1, 0, 2, 0, 0]);
        assert_eq!(smooth_turn(&[0, 0], 3), None);
        assert_eq!(by_weight([1, 0, 3].into_iter(), 1), Some(2));
    }
}
