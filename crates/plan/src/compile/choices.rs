//! Choices among branches.

use plimsoll_text::Message;

use super::code::CodeMark;
use super::flow::{FlowFrame, ScenarioFlow};
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

/// What JMeter's Weighted Switch Controller is to know when it is come to after the flow left it.
struct WeightedAgain {
    /// For each branch, whether it was left before its end.
    left: Vec<Register>,
    /// Whether the second branch follows the first.
    then: Register,
    /// Where it goes on for each branch that was left.
    heads: Vec<CodeMark>,
}

/// Most turns of an order by weight; weights that need more are rounded to so many.
const MOST_TURNS: u64 = 10_000;

/// The order in which branches come by weight: each time the one whose share of the turns so far is farthest below
/// its weight, of equals the first; after as many turns as the weights' sum each has had its share, and the heaviest
/// comes first again (jpgc-wsc 0.7, `WeightedSwitchController.getIndex`).
fn by_weight(branches: &[Branch]) -> Box<[u16]> {
    let divisor = branches
        .iter()
        .fold(0, |divisor, branch| greatest_common(divisor, branch.weight));
    #[expect(clippy::cast_precision_loss)] // Turns are few, and weights a person's.
    let real = |number: u64| number as f64;
    let sum: u64 = branches.iter().map(|branch| u64::from(branch.weight)).sum();
    let turns = (sum / u64::from(divisor.max(1))).min(MOST_TURNS);
    let share = |branch: &Branch| f64::from(branch.weight) / real(sum);
    let shares: Vec<f64> = branches.iter().map(share).collect();
    let mut counts = vec![0_u32; branches.len()];
    let mut order = Vec::new();
    for turn in 0..turns {
        let behind = |at: usize| match turn {
            0 => shares[at],
            turn => shares[at] - f64::from(counts[at]) / real(turn),
        };
        let mut next = 0;
        for at in 1..branches.len() {
            if behind(at) > behind(next) {
                next = at;
            }
        }
        counts[next] += 1;
        order.push(u16::try_from(next).unwrap_or(u16::MAX));
    }
    order.into()
}

fn greatest_common(one: u32, other: u32) -> u32 {
    match other {
        0 => one,
        other => greatest_common(other, one % other),
    }
}

impl<'p> ScenarioFlow<'_, 'p> {
    pub(super) fn choose(&mut self, step: &'p Step, by: &'p Choice, branches: &'p [Branch]) {
        if branches.iter().all(|branch| branch.weight == 0) && !matches!(by, Choice::Switch(_)) {
            self.compiler
                .error(step.at, Message::new("compile-no-weight"));
            return;
        }
        let exit = self.code.mark();
        let passing = self.passing(by);
        let again = self.weighted_again(by, branches);
        let by = self.choose_by(step, by, branches);
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
        match again {
            Some(again) => self.weighted(branches, &marks, again, exit),
            None => {
                for (branch, mark) in branches.iter().zip(marks) {
                    self.code.place(mark);
                    self.branch(&branch.body, passing, branches.len(), exit);
                }
            }
        }
        self.code.place(exit);
    }

    /// The branches of JMeter's Weighted Switch Controller. When the flow leaves one before its end, the
    /// controller keeps its choice but looks from its first child on: it goes through that one if it is the
    /// choice, or a sampler before it, and then through the choice; else there is nothing in that pass
    /// (jpgc-wsc 0.7, `WeightedSwitchController.next`).
    fn weighted(
        &mut self,
        branches: &'p [Branch],
        marks: &[CodeMark],
        again: WeightedAgain,
        exit: CodeMark,
    ) {
        let WeightedAgain { left, then, heads } = again;
        let first_is_sampler = branches.first().is_some_and(|it| is_one_sampler(&it.body));
        for (at, (register, head)) in left.iter().zip(&heads).enumerate() {
            let to = match (at, first_is_sampler) {
                (0, false) => marks[0],
                (1, true) => marks[0],
                _ => exit,
            };
            let goes_on = u64::from(at == 1 && first_is_sampler);
            let ops = vec![
                Op::SetRegister(*register, 0),
                Op::SetRegister(then, goes_on),
                Op::Jump(to.0),
            ];
            self.code.aside(*head, ops);
        }
        for (at, (branch, mark)) in branches.iter().zip(marks).enumerate() {
            self.code.place(*mark);
            let frame = FlowFrame::Left {
                register: left[at],
                value: 1,
            };
            self.within(frame, &branch.body);
            let second = branches.get(1).filter(|_| at == 0 && first_is_sampler);
            if let Some(second) = second {
                let on = self.code.mark();
                self.code.op(Op::OnceOnly {
                    done: then,
                    to: on.0,
                });
                self.code.op(Op::SetRegister(then, 0));
                let to = match is_one_sampler(&second.body) {
                    true => exit,
                    false => marks[1],
                };
                self.code
                    .aside(on, vec![Op::SetRegister(then, 0), Op::Jump(to.0)]);
            }
            self.code.jump(exit);
        }
    }

    /// Before JMeter's Weighted Switch Controller: whether the flow left it before the end of a branch.
    fn weighted_again(&mut self, by: &Choice, branches: &[Branch]) -> Option<WeightedAgain> {
        let is_one = self.compiler.lenient() && matches!(by, Choice::InTurnByWeight);
        if !is_one {
            return None;
        }
        let left: Vec<Register> = branches.iter().map(|_| self.code.register()).collect();
        let heads: Vec<CodeMark> = branches.iter().map(|_| self.code.mark()).collect();
        for (register, head) in left.iter().zip(&heads) {
            self.code.op(Op::OnceOnly {
                done: *register,
                to: head.0,
            });
            self.code.op(Op::SetRegister(*register, 0));
        }
        let then = self.code.register();
        self.code.op(Op::SetRegister(then, 0));
        Some(WeightedAgain { left, then, heads })
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
            Choice::Switch(_) | Choice::InTurnByWeight => Passing::Whole,
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
    fn choose_by(&mut self, step: &'p Step, by: &'p Choice, branches: &[Branch]) -> ChooseBy {
        match by {
            Choice::Random | Choice::RandomByRequest => ChooseBy::Random,
            Choice::InTurnFromUser | Choice::InTurnByRequestFromUser => ChooseBy::InTurn {
                passes: self.place_register(),
                shared: None,
                from_user: true,
            },
            Choice::InTurnByWeight => ChooseBy::ByWeight {
                passes: self.place_register(),
                order: by_weight(branches),
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
                self.within(FlowFrame::MayBeEmpty { sampled }, body);
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
        self.within(FlowFrame::ByRequest { at, exit }, body);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn order(weights: &[u32]) -> Vec<u16> {
        let branch = |weight: &u32| Branch {
            weight: *weight,
            ..Branch::default()
        };
        let branches: Vec<Branch> = weights.iter().map(branch).collect();
        by_weight(&branches).into_vec()
    }

    #[test]
    fn the_branch_that_is_farthest_behind_comes_next() {
        // jpgc-wsc 0.7 on JMeter 5.6.3.
        assert_eq!(order(&[50, 30, 20]), [0, 1, 2, 0, 1, 0, 2, 0, 1, 0]);
        assert_eq!(order(&[1, 1, 1]), [0, 1, 2]);
        assert_eq!(order(&[0, 3, 1]), [1, 2, 1, 1]);
        assert!(order(&[0, 0]).is_empty());
        assert!(order(&[]).is_empty());
        for weights in [&[7, 11, 13, 2][..], &[1, 999], &[u32::MAX, u32::MAX, 1]] {
            let order = order(weights);
            let sum: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
            for (at, weight) in (0..).zip(weights) {
                let turns = order.iter().filter(|turn| **turn == at).count() as u64;
                let exact = order.len() as u64 * u64::from(*weight) / sum;
                assert!(
                    turns.abs_diff(exact) <= 1,
                    "{weights:?}: {turns} of {exact}"
                );
            }
        }
    }
}
