//! Loops and conditions.

use plimsoll_text::Message;

use super::code::CodeMark;
use super::flow::{FlowFrame, ScenarioFlow};
use crate::model::{Block, Condition, Items, Span, Step, StepKind, Text};
use crate::program::{self as prog, Op, Register, Template};

impl<'p> ScenarioFlow<'_, 'p> {
    pub(super) fn if_(&mut self, condition: &'p Condition, then: &'p Block, otherwise: &'p Block) {
        let condition = self.condition(condition);
        let (or_else, end) = (self.code.mark(), self.code.mark());
        self.code.op(Op::JumpUnless {
            condition,
            to: or_else.0,
        });
        let resets = self.code.resets_elsewhere();
        match self.compiler.lenient() {
            true => self.within(FlowFrame::If(resets), then),
            false => self.block(then),
        }
        let has_else = !otherwise.steps.is_empty();
        if has_else || self.code.has_resets(resets) {
            self.code.jump(end);
        }
        self.code.place(or_else);
        self.code.reset(resets);
        if has_else {
            self.block(otherwise);
        }
        self.code.place(end);
    }

    /// A loop: registers are set back, `head` may leave it, the body is passed again. `restart`
    /// is done where JMeter's For Each has ended and stands at its beginning again.
    /// A step that repeats its block.
    pub(super) fn loop_step(&mut self, kind: &'p StepKind, at: Span) {
        match kind {
            StepKind::While {
                condition,
                limit,
                index,
                body,
            } => self.while_(condition, *limit, index.as_ref(), body, at),
            StepKind::Repeat { times, index, body } => {
                self.repeat(times.as_ref(), index.as_ref(), body, at);
            }
            StepKind::ForEach {
                items,
                variable,
                index,
                body,
            } => self.for_each(items, variable, index.as_ref(), body),
            StepKind::Runtime { seconds, body } => self.runtime(seconds, body, at),
            _ => {}
        }
    }

    fn looped(
        &mut self,
        index: Option<&'p String>,
        body: &'p Block,
        restart: Option<Op>,
        head: impl Fn(Register, Option<prog::Slot>, CodeMark) -> Op,
    ) {
        let passes = self.code.register();
        let resets = self.code.resets();
        self.code.reset_at(resets, passes);
        let index = self.index(index);
        let (again, exit) = (self.code.here(), self.code.mark());
        let mut left = exit;
        let mut next = again;
        if self.compiler.lenient() {
            left = self.code.mark();
        }
        let op = head(passes, index, left);
        let counts = matches!(op, Op::Repeat { .. });
        self.code.op(op);
        let inside = self.code.here();
        if left != exit && counts && index.is_some() {
            next = self.code.mark();
            // JMeter: a next pass that was asked for and is none leaves the number as it is.
            let head = head(passes, index, exit);
            self.code.aside(next, vec![head, Op::Jump(inside.0)]);
        }
        let frame = FlowFrame::Loop {
            again: next,
            exit: left,
            resets,
        };
        self.within(frame, body);
        self.code.jump(again);
        if left != exit {
            self.code.place(left);
            match counts {
                true => self.set_back(index),
                false => {
                    // JMeter's For Each stands at its first item again.
                    self.code.op(Op::SetRegister(passes, 0));
                    restart.into_iter().for_each(|op| self.code.op(op));
                    let head = head(passes, index, exit);
                    self.code.op(head);
                }
            }
        }
        self.code.place(exit);
    }

    /// With JMeter, the number of the pass is 0 again when the loop has ended.
    fn set_back(&mut self, index: Option<prog::Slot>) {
        if let Some(variable) = index.filter(|_| self.compiler.lenient()) {
            let value = Template::text("0".to_owned());
            self.code.op(Op::Set { variable, value });
        }
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
        let (passes, resets) = (self.code.register(), self.code.resets());
        self.code.reset_at(resets, passes);
        let (again, exit) = (self.code.here(), self.code.mark());
        let index = self.index(index);
        if limit.is_some() || index.is_some() {
            let times = limit.map(|limit| Template::text(limit.to_string()));
            self.code.op(Op::Repeat {
                passes,
                times,
                index,
                exit: exit.0,
            });
        }
        let check = Op::JumpUnless {
            condition: self.condition(condition),
            to: exit.0,
        };
        self.code.op(check.clone());
        let frame = FlowFrame::Loop {
            again,
            exit,
            resets,
        };
        self.within(frame, body);
        if self.compiler.lenient() {
            // JMeter asks at the end of a pass and once more at the head of the next.
            self.code.op(check);
        }
        self.code.jump(again);
        self.code.place(exit);
        self.set_back(index);
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
        let times = times.map(|times| self.times_at_entry(times));
        self.looped(index, body, None, |passes, index, exit| Op::Repeat {
            passes,
            times: times.clone(),
            index,
            exit: exit.0,
        });
    }

    /// How often a loop is passed: evaluated once, where it begins.
    fn times_at_entry(&mut self, times: &'p Text) -> Template {
        let value = self.whole_number(times);
        if value.as_text().is_some() {
            return value;
        }
        self.kept(value, "times").0
    }

    /// A value as it is here, for later; and what sets it anew.
    fn kept(&mut self, value: Template, what: &str) -> (Template, Op) {
        let register = self.code.register();
        let variable = self
            .compiler
            .internal_slot(&format!("({what} {})", register.0));
        let set = Op::Set { variable, value };
        self.code.op(set.clone());
        let literal = Box::default();
        let slot = prog::Part::Slot {
            slot: variable,
            literal,
        };
        (Template { parts: vec![slot] }, set)
    }

    /// Where JMeter's For Each loops among these steps begin, if that holds variables: they are
    /// evaluated where the pass of the steps begins (5.6.3, `ForeachController.iterationStart`).
    pub(super) fn starts_of_loops(&mut self, steps: &'p [Step]) {
        for step in steps.iter().filter(|step| step.enabled) {
            let StepKind::ForEach { items, .. } = &step.kind else {
                continue;
            };
            let Items::Matches { after, .. } = items else {
                continue;
            };
            let start = self.bound(after.as_ref());
            if start.as_text().is_none() {
                let (start, set) = self.kept(start, "start");
                self.starts.insert(std::ptr::from_ref(items), (start, set));
            }
        }
    }

    /// A bound of a loop; none is 0.
    fn bound(&mut self, text: Option<&'p Text>) -> Template {
        match text {
            None => Template::text("0".to_owned()),
            Some(text) if self.compiler.lenient() => self.compiler.template(text),
            Some(text) => self.whole_number(text),
        }
    }

    fn for_each(
        &mut self,
        items: &'p Items,
        variable: &'p str,
        index: Option<&'p String>,
        body: &'p Block,
    ) {
        let start = self.starts.remove(&std::ptr::from_ref(items));
        let (start, restart) = start.unzip();
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
                let raw = format!("{}{separator}", prefix.raw);
                let prefix = match self.compiler.lenient() {
                    true => self.compiler.template(&Text { raw, at: prefix.at }),
                    false => Template::text(raw),
                };
                prog::Items::Matches {
                    prefix,
                    after: start.unwrap_or_else(|| self.bound(after.as_ref())),
                    until: until.as_ref().map(|until| self.bound(Some(until))),
                }
            }
            Items::Json(text) => prog::Items::Json(self.compiler.template(text)),
        };
        let variable = self.compiler.slot_to_set(variable);
        self.looped(index, body, restart, |passes, index, exit| Op::ForEach {
            passes,
            items: items.clone(),
            variable,
            index,
            exit: exit.0,
        });
    }

    /// Steps in the first pass of the innermost loop.
    pub(super) fn first_pass(&mut self, body: &'p Block) {
        let done = self.place_register();
        let of_loop = self.frames.iter().rev().find_map(|frame| match frame {
            FlowFrame::Loop { resets, .. } | FlowFrame::Runtime { resets, .. } => Some(*resets),
            _ => None,
        });
        if let Some(resets) = of_loop {
            self.code.reset_at(resets, done);
        }
        self.once(body, done);
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
            FlowFrame::Runtime {
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
    pub(super) fn check_it_waits(&mut self, body: &Block, at: Span) {
        // JMeter spins.
        if !self.compiler.lenient() && !waits(body) {
            self.compiler.mistake(at, Message::new("compile-spins"));
        }
    }
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
        | StepKind::Parallel { body, .. }
        | StepKind::Critical { body, .. } => waits(body),
        StepKind::If {
            then, otherwise, ..
        } => waits(then) || waits(otherwise),
        StepKind::Choose { branches, .. } => branches.iter().any(|branch| waits(&branch.body)),
        StepKind::Set(_) | StepKind::Script(_) => false,
    })
}
