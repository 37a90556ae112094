//! Choices among branches.

use plimsoll_text::Message;

use super::code::CodeMark;
use super::flow::{Flow, Frame};
use crate::model::{Block, Branch, Choice, SharedBy, Span, Step, StepKind};
use crate::program::{ChooseBy, Op, Register, Template};

/// How the branches of a choice are passed.
#[derive(Clone, Copy)]
enum Passing {
    /// Each as a whole.
    Whole,
    /// A request at a time.
    ByRequest { tries: Register },
    /// JMeter's Interleave and Random look for the next child in the same turn when one has
    /// nothing to sample.
    LooksOn {
        sampled: Register,
        tries: Register,
        head: CodeMark,
    },
}

impl<'p> Flow<'_, 'p> {
    pub(super) fn choose(&mut self, step: &'p Step, by: &'p Choice, branches: &'p [Branch]) {
        if branches.iter().all(|branch| branch.weight == 0) && !matches!(by, Choice::Switch(_)) {
            self.compiler
                .error(step.at, Message::new("compile-no-weight"));
            return;
        }
        let exit = self.code.mark();
        let passing = self.passing(by);
        let by = self.choose_by(step, by);
        let marks: Vec<CodeMark> = branches.iter().map(|_| self.code.mark()).collect();
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
            self.branch(&branch.body, passing, branches.len(), exit);
        }
        self.code.place(exit);
    }

    /// How the branches of a choice are passed.
    fn passing(&mut self, by: &Choice) -> Passing {
        match by {
            Choice::InTurnByRequest { .. }
            | Choice::InTurnByRequestFromUser
            | Choice::RandomByRequest => {
                let tries = self.code.register();
                self.code.op(Op::SetRegister(tries, 0));
                Passing::ByRequest { tries }
            }
            Choice::Switch(_) => Passing::Whole,
            _ if self.compiler.lenient() => {
                let (sampled, tries) = (self.code.register(), self.code.register());
                self.code.op(Op::SetRegister(tries, 0));
                let head = self.code.here();
                self.code.op(Op::SetRegister(sampled, 0));
                Passing::LooksOn {
                    sampled,
                    tries,
                    head,
                }
            }
            _ => Passing::Whole,
        }
    }

    /// How a branch is chosen.
    fn choose_by(&mut self, step: &'p Step, by: &'p Choice) -> ChooseBy {
        match by {
            Choice::Random | Choice::RandomByRequest => ChooseBy::Random,
            Choice::InTurnFromUser | Choice::InTurnByRequestFromUser => ChooseBy::InTurn {
                passes: self.place_register(),
                shared: None,
                from_user: true,
            },
            Choice::MixOfUsers => ChooseBy::MixOfUsers,
            Choice::MixOfIterations => match self.compiler.passes(step, SharedBy::All) {
                Some(passes) => ChooseBy::MixOfIterations(passes),
                None => ChooseBy::Random,
            },
            Choice::InTurn { shared_by } | Choice::InTurnByRequest { shared_by } => {
                let shared = self.compiler.passes(step, *shared_by);
                ChooseBy::InTurn {
                    passes: self.place_register(),
                    shared,
                    from_user: false,
                }
            }
            Choice::Switch(text) => ChooseBy::Switch(self.compiler.template(text)),
        }
    }

    /// A branch among so many, up to where it leaves the choice.
    fn branch(&mut self, body: &'p Block, passing: Passing, branches: usize, exit: CodeMark) {
        match passing {
            Passing::ByRequest { tries } if !is_one_sampler(body) => {
                self.by_request(body, tries, exit);
            }
            Passing::LooksOn {
                sampled,
                tries,
                head,
            } if !begins_with_sampler(body) => {
                self.within(Frame::MayBeEmpty { sampled }, body);
                let to = exit.0;
                let done = sampled;
                self.code.op(Op::OnceOnly { done, to });
                self.code.op(Op::Repeat {
                    passes: tries,
                    times: Some(Template::text((branches - 1).to_string())),
                    index: None,
                    exit: to,
                });
                self.code.jump(head);
            }
            _ => {
                self.block(body);
                self.code.jump(exit);
            }
        }
    }

    /// A branch that is left after each of its requests. One that has come to its end begins
    /// again in the same turn, once: a branch without requests must not be passed for ever.
    fn by_request(&mut self, body: &'p Block, tries: Register, exit: CodeMark) {
        let at = self.place_register();
        self.code.op(Op::Resume { at });
        let begin = self.code.here();
        self.within(Frame::ByRequest { at, exit }, body);
        self.code.op(Op::SetRegister(at, 0));
        let times = Some(Template::text("1"));
        self.code.op(Op::Repeat {
            passes: tries,
            times,
            index: None,
            exit: exit.0,
        });
        self.code.jump(begin);
    }

    pub(super) fn random_order(&mut self, block: &'p Block, at: Span) {
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
        let marks: Vec<CodeMark> = steps.iter().map(|_| self.code.mark()).collect();
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
}

/// Whether something is sampled in each pass of a block.
fn begins_with_sampler(block: &Block) -> bool {
    let first = block.steps.iter().find(|step| step.enabled);
    match first.map(|step| &step.kind) {
        Some(StepKind::Http(_) | StepKind::Sample(_)) => true,
        Some(StepKind::Block(inner) | StepKind::Transaction { body: inner, .. }) => {
            begins_with_sampler(inner)
        }
        _ => false,
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
