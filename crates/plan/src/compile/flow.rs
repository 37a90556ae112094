//! Steps → operations with jumps.

use std::collections::HashMap;

use plimsoll_text::Message;

use super::code::{CodeMark, Resets, ScenarioCode};
use super::compiler::Compiler;
use crate::model::{
    Block, Condition, Items, OnError, Scenario, Scope, Script, SharedBy, Span, Step, StepKind,
    Text, Variable,
};
use crate::program::{self as prog, Op, Register, SharedId, Template};
use plimsoll_stats::LabelKind;

/// What the operations being written stand in; jumps out of it must undo it.
pub(super) enum FlowFrame {
    Loop {
        again: CodeMark,
        exit: CodeMark,
        resets: Resets,
    },
    Runtime {
        since: Register,
        seconds: Template,
        exit: CodeMark,
        resets: Resets,
    },
    Transaction {
        as_parent: bool,
    },
    /// Steps under a condition of JMeter's, whose controllers begin anew when it does not hold.
    If(Resets),
    /// Steps that look at this register when they are come to next; it is set to the value when the flow
    /// leaves them before their end, as JMeter's controllers then begin anew.
    Left {
        register: Register,
        value: u64,
    },
    Lock(SharedId),
    /// JMeter's: which lock it is says the register.
    NamedLock(Register),
    /// A branch that counts as passed only when something was sampled in it; the register
    /// says whether.
    MayBeEmpty {
        sampled: Register,
    },
    /// A branch beside others that the user is in as well: no jump leads out of it.
    Branch {
        end: CodeMark,
    },
    /// A branch that is left after each request and gone on with later.
    ByRequest {
        at: Register,
        exit: CodeMark,
    },
}

/// A scenario while it is compiled.
pub(super) struct ScenarioFlow<'c, 'p> {
    pub compiler: &'c mut Compiler<'p>,
    pub code: ScenarioCode,
    pub scopes: Vec<&'p Scope>,
    pub frames: Vec<FlowFrame>,
    /// For each transaction around us that is itself the sample: how many scopes it is in,
    /// its own included.
    pub parents: Vec<usize>,
    /// The block that is entered next tells when its controllers end.
    pub tells_of_children: bool,
    /// Where For Each loops begin that were not come to yet, and what looks at it anew, by
    /// their items.
    pub(super) starts: HashMap<*const Items, (Template, Op)>,
    /// The scenario's error rule.
    pub on_error: OnError,
    /// Registers set back at the start of each iteration.
    pub at_iteration_start: Vec<Register>,
    pub(super) resets: Resets,
    pub(super) end: CodeMark,
}

/// The operations of a scenario.
pub(super) fn scenario<'p>(compiler: &mut Compiler<'p>, scenario: &'p Scenario) -> ScenarioCode {
    let plan = compiler.plan;
    let mut code = ScenarioCode::default();
    let resets = code.resets();
    let end = code.mark();
    let mut flow = ScenarioFlow {
        compiler,
        code,
        scopes: Vec::new(),
        frames: Vec::new(),
        parents: Vec::new(),
        tells_of_children: false,
        starts: HashMap::new(),
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

impl<'p> ScenarioFlow<'_, 'p> {
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
                self.transaction(label, *include_pauses, *as_parent, body);
            }
            StepKind::If {
                condition,
                then,
                otherwise,
            } => self.if_(condition, then, otherwise),
            StepKind::While { .. }
            | StepKind::Repeat { .. }
            | StepKind::ForEach { .. }
            | StepKind::Runtime { .. } => self.loop_step(&step.kind, at),
            StepKind::OnceOnly(body) => {
                let done = self.place_register();
                self.once(body, done);
            }
            StepKind::FirstPass(body) => self.first_pass(body),
            StepKind::FirstTimes { .. } | StepKind::Percent { .. } => self.counted_step(step),
            StepKind::Choose { by, branches } => self.choose(step, by, branches),
            StepKind::RandomOrder(block) => self.random_order(block, at),
            StepKind::Parallel { most, body } => self.parallel(*most, body),
            StepKind::Critical { lock, body } => self.critical(lock, body),
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

    /// A step whose block is run in some of its passes only.
    fn counted_step(&mut self, step: &'p Step) {
        match &step.kind {
            StepKind::FirstTimes {
                times,
                shared_by,
                body,
            } => {
                let times = self.whole_number(times);
                self.counted(step, *shared_by, body, |passes, shared, to| {
                    Op::FirstTimes {
                        times,
                        passes,
                        shared,
                        to,
                    }
                });
            }
            StepKind::Percent {
                percent,
                shared_by,
                body,
            } => {
                let percent = self.percentage(percent);
                self.counted(step, *shared_by, body, |passes, shared, to| Op::Percent {
                    percent,
                    passes,
                    shared,
                    to,
                });
            }
            _ => {}
        }
    }

    /// A block that counts its passes, a user's own or those of many, and is not always run.
    fn counted(
        &mut self,
        step: &'p Step,
        shared_by: SharedBy,
        body: &'p Block,
        head: impl FnOnce(Register, Option<SharedId>, prog::Pc) -> Op,
    ) {
        let shared = self.compiler.passes(step, shared_by);
        let passes = self.code.register();
        self.guarded(body, |to| head(passes, shared, to));
    }

    /// Steps under a lock. The names of JMeter's locks may hold variables, which are evaluated
    /// where the steps are entered; who has a lock may take it again, and an empty name is none.
    fn critical(&mut self, lock: &'p Text, body: &'p Block) {
        if self.compiler.lenient() {
            let name = self.compiler.template(lock);
            if name.as_text() == Some("") {
                return self.block(body);
            }
            let held = self.code.register();
            self.code.op(Op::LockNamed { name, held });
            self.within(FlowFrame::NamedLock(held), body);
            self.code.op(Op::UnlockNamed(held));
            return;
        }
        let name = self.compiler.fixed(lock, "critical").unwrap_or_default();
        let lock = self.compiler.lock(&name);
        self.code.op(Op::Lock(lock));
        self.within(FlowFrame::Lock(lock), body);
        self.code.op(Op::Unlock(lock));
    }

    fn transaction(
        &mut self,
        label: &'p Text,
        include_pauses: bool,
        as_parent: bool,
        body: &'p Block,
    ) {
        let kind = match as_parent {
            true => self.compiler.request_kind(),
            false => LabelKind::Transaction,
        };
        let label = self.compiler.label_of(label, kind);
        let package = self.transaction_package(&body.scope);
        self.code.op(Op::TransactionStart {
            label,
            include_pauses,
            as_parent,
            package,
        });
        if as_parent {
            self.compiler.parents += 1;
            self.parents.push(self.scopes.len() + 1);
        }
        self.tells_of_children = !as_parent && self.compiler.lenient();
        self.within(FlowFrame::Transaction { as_parent }, body);
        self.code.op(Op::TransactionEnd);
        if as_parent {
            self.compiler.parents -= 1;
            self.parents.pop();
            if !self.after_transaction_of_sampler(body) {
                self.act_on_transaction();
            }
        }
    }

    /// A block within a frame.
    pub(super) fn within(&mut self, frame: FlowFrame, body: &'p Block) {
        self.frames.push(frame);
        self.block(body);
        self.frames.pop();
    }

    /// A block that is run while the register is 0, and sets it; JMeter's is run again when the flow has
    /// left it before its end.
    pub(super) fn once(&mut self, body: &'p Block, done: Register) {
        let exit = self.code.mark();
        self.code.op(Op::OnceOnly { done, to: exit.0 });
        let frame = FlowFrame::Left {
            register: done,
            value: 0,
        };
        self.within(frame, body);
        self.code.place(exit);
    }

    /// A block that an operation may jump over.
    pub(super) fn guarded(&mut self, body: &'p Block, head: impl FnOnce(prog::Pc) -> Op) {
        let exit = self.code.mark();
        self.code.op(head(exit.0));
        self.block(body);
        self.code.place(exit);
    }

    pub(super) fn set(&mut self, variable: &'p Variable) {
        let value = self.compiler.template(&variable.value);
        let slot = self.compiler.slot_to_set(&variable.name);
        self.compiler.mark_secret(slot, variable);
        self.code.op(Op::Set {
            variable: slot,
            value,
        });
    }

    pub(super) fn script(&mut self, script: &'p Script) {
        let script = self.compiler.script(&script.source, false, script.at);
        self.code.op(Op::Script(script));
    }

    pub(super) fn index(&mut self, index: Option<&'p String>) -> Option<prog::Slot> {
        index.map(|name| self.compiler.slot_to_set(name))
    }

    /// A text that must be a whole number, when that can be told.
    pub(super) fn whole_number(&mut self, text: &'p Text) -> Template {
        let template = self.compiler.template(text);
        if let Some(known) = template.as_text()
            && self.compiler.known.is_some()
            && known.trim().parse::<u64>().is_err()
        {
            let message = Message::new("compile-not-a-count").with("text", known);
            self.compiler.mistake(text.at, message);
        }
        template
    }

    pub(super) fn percentage(&mut self, text: &'p Text) -> Template {
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

    pub(super) fn condition(&mut self, condition: &'p Condition) -> prog::Condition {
        match condition {
            Condition::Script(script) => {
                prog::Condition::Script(self.compiler.script(&script.source, true, script.at))
            }
            Condition::IsTrue(text) => prog::Condition::IsTrue(self.compiler.template(text)),
            Condition::IsFalse(text) => prog::Condition::IsFalse(self.compiler.template(text)),
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
