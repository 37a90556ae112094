//! Steps → operations with jumps.

use plimsoll_text::Message;

use super::code::{Code, Mark, Resets};
use super::{Compiler, scope};
use crate::model::{
    Action, Block, Branch, Choice, Condition, Foreign, Items, OnError, Processor, Sampler,
    SamplerKind, Scenario, Scope, ScopePause, Script, SharedBy, Span, Step, StepKind, Text,
    Variable,
};
use crate::program::{self as prog, ChooseBy, Op, PauseTemplate, Register, SharedId, Template};
use plimsoll_stats::LabelKind;

/// What the operations being written stand in; jumps out of it must undo it.
pub(super) enum Frame {
    Loop {
        again: Mark,
        exit: Mark,
        resets: Resets,
    },
    Runtime {
        since: Register,
        seconds: Template,
        exit: Mark,
        resets: Resets,
    },
    Transaction,
    Lock(SharedId),
    /// A branch that is left after each request and gone on with later.
    ByRequest {
        at: Register,
        exit: Mark,
    },
}

/// A scenario while it is compiled.
pub(super) struct Flow<'c, 'p> {
    pub compiler: &'c mut Compiler<'p>,
    pub code: Code,
    pub scopes: Vec<&'p Scope>,
    pub frames: Vec<Frame>,
    /// The scenario's error rule.
    pub on_error: OnError,
    /// Registers set back at the start of each iteration.
    pub at_iteration_start: Vec<Register>,
    resets: Resets,
    end: Mark,
}

/// The operations of a scenario.
pub(super) fn scenario<'p>(compiler: &mut Compiler<'p>, scenario: &'p Scenario) -> Code {
    let plan = compiler.plan;
    let mut code = Code::default();
    let resets = code.resets();
    let end = code.mark();
    let mut flow = Flow {
        compiler,
        code,
        scopes: Vec::new(),
        frames: Vec::new(),
        on_error: scenario.on_error,
        at_iteration_start: Vec::new(),
        resets,
        end,
    };
    let shadowed = flow.enter(&plan.scope);
    flow.scopes.push(&plan.scope);
    flow.block(&scenario.body);
    flow.leave(shadowed);
    for register in std::mem::take(&mut flow.at_iteration_start) {
        flow.code.reset_at(flow.resets, register);
    }
    let end = flow.end;
    flow.code.place(end);
    flow.code.op(Op::End);
    flow.code
}

impl<'p> Flow<'_, 'p> {
    pub(super) fn step(&mut self, step: &'p Step) {
        if !step.enabled {
            return;
        }
        let at = step.at;
        match &step.kind {
            StepKind::Http(request) => self.http(request),
            StepKind::Block(block) => self.block(block),
            StepKind::Transaction {
                label,
                include_pauses,
                as_parent,
                body,
            } => {
                let label = self.compiler.label_of(label, LabelKind::Transaction);
                let (include_pauses, as_parent) = (*include_pauses, *as_parent);
                self.code.op(Op::TransactionStart {
                    label,
                    include_pauses,
                    as_parent,
                });
                self.within(Frame::Transaction, body);
                self.code.op(Op::TransactionEnd);
            }
            StepKind::If {
                condition,
                then,
                otherwise,
            } => self.if_(condition, then, otherwise),
            StepKind::While {
                condition,
                limit,
                index,
                body,
            } => {
                self.while_(condition, *limit, index.as_ref(), body, at);
            }
            StepKind::Repeat { times, index, body } => {
                self.repeat(times.as_ref(), index.as_ref(), body, at);
            }
            StepKind::ForEach {
                items,
                variable,
                index,
                body,
            } => {
                self.for_each(items, variable, index.as_ref(), body);
            }
            StepKind::OnceOnly(body) => {
                let done = self.code.register();
                self.guarded(body, |to| Op::OnceOnly { done, to });
            }
            StepKind::FirstPass(body) => self.first_pass(body),
            StepKind::FirstTimes {
                times,
                shared_by,
                body,
            } => {
                let times = self.whole_number(times);
                let shared = self.compiler.passes(step, *shared_by);
                let passes = self.code.register();
                self.guarded(body, |to| Op::FirstTimes {
                    times,
                    passes,
                    shared,
                    to,
                });
            }
            StepKind::Percent {
                percent,
                shared_by,
                body,
            } => {
                let percent = self.percentage(percent);
                let shared = self.compiler.passes(step, *shared_by);
                let passes = self.code.register();
                self.guarded(body, |to| Op::Percent {
                    percent,
                    passes,
                    shared,
                    to,
                });
            }
            StepKind::Runtime { seconds, body } => self.runtime(seconds, body, at),
            StepKind::Choose { by, branches } => self.choose(step, by, branches),
            StepKind::RandomOrder(block) => self.random_order(block, at),
            StepKind::Critical { lock, body } => {
                let name = self.compiler.fixed(lock, "critical");
                let lock = self.compiler.lock(&name.unwrap_or_default());
                self.code.op(Op::Lock(lock));
                self.within(Frame::Lock(lock), body);
                self.code.op(Op::Unlock(lock));
            }
            StepKind::Think(pause) => {
                let pause = self.compiler.pause(pause);
                self.code.op(Op::Think(pause));
            }
            StepKind::Rendezvous(meeting) => {
                let meeting = self.compiler.rendezvous(meeting);
                self.code.op(Op::Rendezvous(meeting));
            }
            StepKind::Set(variables) => variables.iter().for_each(|v| self.set(v)),
            StepKind::Script(script) => self.script(script),
            StepKind::Action(action) => self.act(*action),
            StepKind::Sample(sampler) => self.sampler(sampler),
        }
    }

    /// A block within a frame.
    fn within(&mut self, frame: Frame, body: &'p Block) {
        self.frames.push(frame);
        self.block(body);
        self.frames.pop();
    }

    /// A block that an operation may jump over.
    fn guarded(&mut self, body: &'p Block, head: impl FnOnce(prog::Pc) -> Op) {
        let exit = self.code.mark();
        self.code.op(head(exit.0));
        self.block(body);
        self.code.place(exit);
    }

    fn set(&mut self, variable: &'p Variable) {
        let value = self.compiler.template(&variable.value);
        let slot = self.compiler.slot_to_set(&variable.name);
        self.compiler.mark_secret(slot, variable);
        self.code.op(Op::Set {
            variable: slot,
            value,
        });
    }

    fn script(&mut self, script: &'p Script) {
        let script = self.compiler.script(&script.source, false, script.at);
        self.code.op(Op::Script(script));
    }

    fn index(&mut self, index: Option<&'p String>) -> Option<prog::Slot> {
        index.map(|name| self.compiler.slot_to_set(name))
    }

    fn if_(&mut self, condition: &'p Condition, then: &'p Block, otherwise: &'p Block) {
        let condition = self.condition(condition);
        let (or_else, end) = (self.code.mark(), self.code.mark());
        self.code.op(Op::JumpUnless {
            condition,
            to: or_else.0,
        });
        self.block(then);
        let has_else = !otherwise.steps.is_empty();
        if has_else {
            self.code.jump(end);
        }
        self.code.place(or_else);
        if has_else {
            self.block(otherwise);
        }
        self.code.place(end);
    }

    /// A loop: registers are set back, `head` may leave it, the body is passed again.
    fn looped(&mut self, body: &'p Block, head: impl FnOnce(&mut Self, Register, Mark)) {
        let passes = self.code.register();
        let resets = self.code.resets();
        self.code.reset_at(resets, passes);
        let again = self.code.here();
        let exit = self.code.mark();
        head(self, passes, exit);
        self.within(
            Frame::Loop {
                again,
                exit,
                resets,
            },
            body,
        );
        self.code.jump(again);
        self.code.place(exit);
    }

    fn while_(
        &mut self,
        condition: &'p Condition,
        limit: Option<u64>,
        index: Option<&'p String>,
        body: &'p Block,
        at: Span,
    ) {
        if limit.is_none() {
            self.check_it_waits(body, at);
        }
        self.looped(body, |flow, passes, exit| {
            if limit.is_some() || index.is_some() {
                let times = limit.map(|limit| Template::text(limit.to_string()));
                let index = flow.index(index);
                flow.code.op(Op::Repeat {
                    passes,
                    times,
                    index,
                    exit: exit.0,
                });
            }
            let condition = flow.condition(condition);
            flow.code.op(Op::JumpUnless {
                condition,
                to: exit.0,
            });
        });
    }

    fn repeat(
        &mut self,
        times: Option<&'p Text>,
        index: Option<&'p String>,
        body: &'p Block,
        at: Span,
    ) {
        if times.is_none() {
            self.check_it_waits(body, at);
        }
        self.looped(body, |flow, passes, exit| {
            let times = times.map(|times| flow.whole_number(times));
            let index = flow.index(index);
            flow.code.op(Op::Repeat {
                passes,
                times,
                index,
                exit: exit.0,
            });
        });
    }

    fn for_each(
        &mut self,
        items: &'p Items,
        variable: &'p str,
        index: Option<&'p String>,
        body: &'p Block,
    ) {
        let items = match items {
            Items::List(texts) => prog::Items::List(
                texts
                    .iter()
                    .map(|text| self.compiler.template(text))
                    .collect(),
            ),
            Items::Matches {
                prefix,
                separator,
                after,
                until,
            } => {
                let separator = if *separator { "_" } else { "" };
                let prefix = format!("{prefix}{separator}");
                prog::Items::Matches {
                    prefix,
                    after: *after,
                    until: *until,
                }
            }
            Items::Json(text) => prog::Items::Json(self.compiler.template(text)),
        };
        let variable = self.compiler.slot_to_set(variable);
        self.looped(body, |flow, passes, exit| {
            let index = flow.index(index);
            flow.code.op(Op::ForEach {
                passes,
                items,
                variable,
                index,
                exit: exit.0,
            });
        });
    }

    /// Steps in the first pass of the innermost loop.
    fn first_pass(&mut self, body: &'p Block) {
        let done = self.code.register();
        let of_loop = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Loop { resets, .. } | Frame::Runtime { resets, .. } => Some(*resets),
            _ => None,
        });
        if let Some(resets) = of_loop {
            self.code.reset_at(resets, done);
        }
        self.guarded(body, |to| Op::OnceOnly { done, to });
    }

    fn runtime(&mut self, seconds: &'p Text, body: &'p Block, at: Span) {
        self.check_it_waits(body, at);
        let seconds = self.compiler.template(seconds);
        let since = self.code.register();
        let resets = self.code.resets();
        self.code.reset_at(resets, since);
        let again = self.code.here();
        let exit = self.code.mark();
        self.code.op(Op::Runtime {
            since,
            seconds: seconds.clone(),
            exit: exit.0,
        });
        self.within(
            Frame::Runtime {
                since,
                seconds,
                exit,
                resets,
            },
            body,
        );
        self.code.jump(again);
        self.code.place(exit);
    }

    /// A loop without end must not spin: something in it has to take time.
    fn check_it_waits(&mut self, body: &Block, at: Span) {
        if !waits(body) {
            let remedy = Message::new("compile-spins.remedy");
            self.compiler
                .error_with(at, Message::new("compile-spins"), remedy);
        }
    }

    fn choose(&mut self, step: &'p Step, by: &'p Choice, branches: &'p [Branch]) {
        if branches.iter().all(|branch| branch.weight == 0) && !matches!(by, Choice::Switch(_)) {
            self.compiler
                .error(step.at, Message::new("compile-no-weight"));
            return;
        }
        let exit = self.code.mark();
        let by_request = matches!(by, Choice::InTurnByRequest { .. } | Choice::RandomByRequest);
        let again = by_request.then(|| self.another_turn(branches.len(), exit));
        let by = match by {
            Choice::Random | Choice::RandomByRequest => ChooseBy::Random,
            Choice::MixOfUsers => ChooseBy::MixOfUsers,
            Choice::MixOfIterations => match self.compiler.passes(step, SharedBy::All) {
                Some(passes) => ChooseBy::MixOfIterations(passes),
                None => ChooseBy::Random,
            },
            Choice::InTurn { shared_by } | Choice::InTurnByRequest { shared_by } => {
                let shared = self.compiler.passes(step, *shared_by);
                ChooseBy::InTurn {
                    passes: self.code.register(),
                    shared,
                }
            }
            Choice::Switch(text) => ChooseBy::Switch(self.compiler.template(text)),
        };
        let marks: Vec<Mark> = branches.iter().map(|_| self.code.mark()).collect();
        let places = branches.iter().zip(&marks).map(|(branch, mark)| {
            let value = branch
                .value
                .as_ref()
                .map(|text| self.compiler.template(text));
            (branch.weight, value, mark.0)
        });
        let places = places.collect();
        self.code.op(Op::Choose {
            by,
            branches: places,
            exit: exit.0,
        });
        for (branch, mark) in branches.iter().zip(marks) {
            self.code.place(mark);
            match again {
                Some(again) if !is_one_sampler(&branch.body) => {
                    self.by_request(&branch.body, again, exit);
                }
                _ => {
                    self.block(&branch.body);
                    self.code.jump(exit);
                }
            }
        }
        self.code.place(exit);
    }

    /// The head of a choice whose branches may turn out to have nothing left: then the next
    /// is tried, each once at most.
    fn another_turn(&mut self, branches: usize, exit: Mark) -> Mark {
        let tries = self.code.register();
        self.code.op(Op::SetRegister(tries, 0));
        let again = self.code.here();
        let times = Some(Template::text((branches + 1).to_string()));
        self.code.op(Op::Repeat {
            passes: tries,
            times,
            index: None,
            exit: exit.0,
        });
        again
    }

    /// A branch that is left after each of its requests.
    fn by_request(&mut self, body: &'p Block, again: Mark, exit: Mark) {
        let at = self.code.register();
        self.code.op(Op::Resume { at });
        self.within(Frame::ByRequest { at, exit }, body);
        self.code.op(Op::SetRegister(at, 0));
        self.code.jump(again);
    }

    fn random_order(&mut self, block: &'p Block, at: Span) {
        let steps: Vec<&Step> = block.steps.iter().filter(|step| step.enabled).collect();
        if steps.len() > 64 {
            self.compiler.error(
                at,
                Message::new("compile-random-order").with("count", steps.len()),
            );
            return;
        }
        let shadowed = self.enter(&block.scope);
        self.scopes.push(&block.scope);
        let done = self.code.register();
        self.code.op(Op::SetRegister(done, 0));
        let head = self.code.here();
        let exit = self.code.mark();
        let marks: Vec<Mark> = steps.iter().map(|_| self.code.mark()).collect();
        let branches = marks.iter().map(|mark| mark.0).collect();
        self.code.op(Op::RandomOrder {
            done,
            branches,
            exit: exit.0,
        });
        for (step, mark) in steps.into_iter().zip(marks) {
            self.code.place(mark);
            self.step(step);
            self.code.jump(head);
        }
        self.code.place(exit);
        self.scopes.pop();
        self.leave(shadowed);
    }

    /// What undoes the frames from `from` inwards, the innermost first.
    fn undo(&self, from: usize) -> Vec<Op> {
        let undone = self.frames[from..]
            .iter()
            .rev()
            .filter_map(|frame| match frame {
                Frame::Transaction => Some(Op::TransactionEnd),
                Frame::Lock(lock) => Some(Op::Unlock(*lock)),
                Frame::ByRequest { at, .. } => Some(Op::SetRegister(*at, 0)),
                Frame::Loop { .. } | Frame::Runtime { .. } => None,
            });
        undone.collect()
    }

    /// A change of flow. The iterations of the scenario are the outermost loop.
    pub(super) fn act(&mut self, action: Action) {
        let innermost =
            self.frames
                .iter()
                .enumerate()
                .rev()
                .find_map(|(depth, frame)| match frame {
                    Frame::Loop { again, exit, .. } => Some((depth, *again, *exit)),
                    _ => None,
                });
        let (from, last) = match (action, innermost) {
            (Action::Continue, Some((depth, again, _))) => (depth, Op::Jump(again.0)),
            (Action::Break, Some((depth, _, exit))) => (depth, Op::Jump(exit.0)),
            (Action::Continue, None) | (Action::NextIteration, _) => (0, Op::Jump(self.end.0)),
            (Action::Break, None) => (0, Op::Action(Action::StopUser)),
            (Action::StopRunNow, _) => (self.frames.len(), Op::Action(action)),
            (Action::StopUser | Action::StopScenario | Action::StopRun, _) => {
                (0, Op::Action(action))
            }
        };
        for op in self.undo(from) {
            self.code.op(op);
        }
        self.code.op(last);
    }

    /// Before a sampler: times that are over end their blocks.
    pub(super) fn check_runtimes(&mut self) {
        for depth in 0..self.frames.len() {
            let Frame::Runtime {
                since,
                seconds,
                exit,
                ..
            } = &self.frames[depth]
            else {
                continue;
            };
            let (since, seconds, exit) = (*since, seconds.clone(), *exit);
            let mut undo = self.undo(depth);
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
        let frames = self.frames.iter().rev();
        let mut turns = frames.filter_map(|frame| match frame {
            Frame::ByRequest { at, exit } => Some((*at, *exit)),
            _ => None,
        });
        let Some((at, mut inner_exit)) = turns.next() else {
            return;
        };
        let outer: Vec<(Register, Mark)> = turns.collect();
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
            let succeeded = self.code.mark();
            let condition = prog::Condition::Not(Box::new(ok));
            self.code.op(Op::JumpUnless {
                condition,
                to: succeeded.0,
            });
            self.act(action);
            self.code.place(succeeded);
        }
    }

    pub(super) fn processors_before(&mut self, before: &[&'p Processor]) {
        for processor in before {
            match processor {
                Processor::Script(script) => self.script(script),
                Processor::Set(variable) => self.set(variable),
                Processor::Foreign(element) => self.foreign(element),
                Processor::Extract(extract) => {
                    self.compiler
                        .error(extract.at, Message::new("compile-extract-before"));
                }
                Processor::OnError(_) => {
                    let message = Message::new("compile-on-error-before");
                    self.compiler.error(Span::default(), message);
                }
            }
        }
    }

    pub(super) fn pauses(&mut self, pauses: &[&'p ScopePause]) {
        for pause in pauses {
            match pause {
                ScopePause::Think(pause) => {
                    let pause = self.compiler.pause(pause);
                    self.code.op(Op::Think(pause));
                }
                ScopePause::Rendezvous(meeting) => {
                    let meeting = self.compiler.rendezvous(meeting);
                    self.code.op(Op::Rendezvous(meeting));
                }
                ScopePause::Throughput {
                    per_minute,
                    shared_by,
                } => {
                    let per_minute = self.compiler.template(per_minute);
                    let shared = self.compiler.throughput(*pause, *shared_by);
                    let code = &mut self.code;
                    let last = self.compiler.shared.register(*pause, || code.register());
                    self.code.op(Op::PaceThroughput {
                        per_minute,
                        shared,
                        last,
                    });
                }
                ScopePause::Foreign(element) => self.foreign(element),
            }
        }
    }

    pub(super) fn foreign(&mut self, element: &'p Foreign) {
        let message = Message::new("compile-foreign").with("class", element.class.as_str());
        self.compiler.error(element.at, message);
    }

    fn sampler(&mut self, sampler: &'p Sampler) {
        let holds = scope::resolve(&self.scopes, None);
        match &sampler.kind {
            SamplerKind::Flow { pause_ms, action } => {
                self.check_runtimes();
                self.processors_before(&holds.before);
                self.processors_before(&sampler.before.iter().collect::<Vec<_>>());
                self.pauses(&holds.pauses);
                if let Some(text) = pause_ms {
                    let template_ms = Some(self.compiler.template(text));
                    let time = crate::model::PauseTime::Fixed(std::time::Duration::ZERO);
                    self.code.op(Op::Think(PauseTemplate { time, template_ms }));
                }
                if let Some(action) = action {
                    self.act(*action);
                }
            }
            SamplerKind::Foreign(element) => self.foreign(element),
            SamplerKind::Script(script) => {
                self.compiler
                    .error(script.at, Message::new("compile-script-sampler"));
            }
        }
    }

    /// A text that must be a whole number, when that can be told.
    fn whole_number(&mut self, text: &'p Text) -> Template {
        let template = self.compiler.template(text);
        if let Some(known) = template.as_text()
            && self.compiler.known.is_some()
            && known.trim().parse::<u64>().is_err()
        {
            let message = Message::new("compile-not-a-count").with("text", known);
            let remedy = Message::new("compile-not-a-count.remedy");
            self.compiler.error_with(text.at, message, remedy);
        }
        template
    }

    fn percentage(&mut self, text: &'p Text) -> Template {
        let template = self.compiler.template(text);
        if let Some(known) = template.as_text()
            && self.compiler.known.is_some()
            && !known
                .trim()
                .parse::<f64>()
                .is_ok_and(|p| (0.0..=100.0).contains(&p))
        {
            let message = Message::new("compile-not-a-percentage").with("text", known);
            self.compiler.error(text.at, message);
        }
        template
    }

    fn condition(&mut self, condition: &'p Condition) -> prog::Condition {
        match condition {
            Condition::Script(script) => {
                prog::Condition::Script(self.compiler.script(&script.source, true, script.at))
            }
            Condition::IsTrue(text) => prog::Condition::IsTrue(self.compiler.template(text)),
            Condition::Compare { left, op, right } => {
                let (left, op) = (self.compiler.template(left), *op);
                let right = self.compiler.template_for(op, right);
                prog::Condition::Compare { left, op, right }
            }
            Condition::Defined(name) => {
                prog::Condition::Defined(self.compiler.slot_to_get(name, Span::default()))
            }
            Condition::LastOk => prog::Condition::LastOk,
            Condition::Not(inner) => prog::Condition::Not(Box::new(self.condition(inner))),
        }
    }
}

/// Whether a block is one sampler, so that a turn of it is the whole of it.
fn is_one_sampler(block: &Block) -> bool {
    let mut enabled = block.steps.iter().filter(|step| step.enabled);
    let first = enabled.next();
    let is_sampler = matches!(
        first.map(|s| &s.kind),
        Some(StepKind::Http(_) | StepKind::Sample(_))
    );
    is_sampler && enabled.next().is_none()
}

/// Whether something in a block takes time or ends the loop around it.
fn waits(block: &Block) -> bool {
    let mut enabled = block.steps.iter().filter(|step| step.enabled);
    enabled.any(|step| match &step.kind {
        StepKind::Http(_)
        | StepKind::Sample(_)
        | StepKind::Think(_)
        | StepKind::Rendezvous(_)
        | StepKind::Action(_) => true,
        StepKind::Block(body)
        | StepKind::Transaction { body, .. }
        | StepKind::While { body, .. }
        | StepKind::Repeat { body, .. }
        | StepKind::ForEach { body, .. }
        | StepKind::OnceOnly(body)
        | StepKind::FirstPass(body)
        | StepKind::FirstTimes { body, .. }
        | StepKind::Percent { body, .. }
        | StepKind::Runtime { body, .. }
        | StepKind::RandomOrder(body)
        | StepKind::Critical { body, .. } => waits(body),
        StepKind::If {
            then, otherwise, ..
        } => waits(then) || waits(otherwise),
        StepKind::Choose { branches, .. } => branches.iter().any(|branch| waits(&branch.body)),
        StepKind::Set(_) | StepKind::Script(_) => false,
    })
}
