//! Choosing one of several branches.

use plimsoll_plan::program::{ChooseBy, Pc, Template};

use super::User;
use crate::functions::EvalError;

impl User {
    pub(crate) fn choose(
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
                even_turn(branches.len(), |at| branches[at].0, u64::from(self.number))
            }
            ChooseBy::MixOfIterations(id) => {
                let (pass, share) = self.turn(0, Some(*id));
                // Shares of the load begin at different places of the sequence.
                let total: u128 = weights().map(u128::from).sum();
                let first = total * u128::from(share.index()) / u128::from(share.count());
                let turn = pass.wrapping_add(u64::try_from(first).unwrap_or(0));
                even_turn(branches.len(), |at| branches[at].0, turn)
            }
            ChooseBy::InTurn {
                passes,
                shared,
                from_user,
            } => {
                let first = if *from_user {
                    u64::from(self.number)
                } else {
                    0
                };
                let (pass, share) = self.turn(passes.0, *shared);
                let first = first + u64::from(share.index());
                let pass = pass.wrapping_add(first);
                usize::try_from(pass % (branches.len().max(1) as u64)).ok()
            }
            ChooseBy::ByWeight { passes, order } => {
                let (pass, _) = self.turn(passes.0, None);
                let turn = usize::try_from(pass % order.len().max(1) as u64);
                let next = turn.ok().and_then(|turn| order.get(turn));
                next.map(|at| usize::from(*at))
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
        if self.vars.keeps_literal() {
            // JMeter's Switch Controller: a number is a position, one too big the first.
            let value = value.trim();
            let number = value.chars().all(char::is_numeric).then(|| value.parse());
            if value.is_empty() || matches!(number, Some(Ok(_))) {
                let at = number.and_then(Result::ok).unwrap_or(0_i32);
                let at = usize::try_from(at).ok().filter(|at| *at < branches.len());
                return Ok(branches.get(at.unwrap_or(0)).map(|(.., pc)| *pc));
            }
        }
        let value = if self.vars.keeps_literal() {
            value.trim().to_owned()
        } else {
            value
        };
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
        if self.vars.keeps_literal() {
            return Ok(default);
        }
        let by_position = value
            .trim()
            .parse()
            .ok()
            .and_then(|at: usize| branches.get(at));
        Ok(by_position.map(|(.., pc)| *pc).or(default))
    }

    pub(crate) fn random_branch(&mut self, done: u16, branches: &[Pc], exit: Pc) -> Pc {
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
}

/// The branch that holds `pick` when weights are laid end to end.
fn by_weight(weights: impl Iterator<Item = u64>, pick: u64) -> Option<usize> {
    let mut end = 0;
    weights.enumerate().find_map(|(at, weight)| {
        end += weight;
        (pick < end).then_some(at)
    })
}

/// Whose turn number `turn` is, when each of `count` comes as often as its weight says and as evenly
/// spread as can be, without a memory of earlier turns: halves of the range take turns by the sum
/// of their weights, and so do the halves of a half. After any number of turns each of them has had
/// its share to within half a turn, so each branch to within half a turn for every halving.
fn even_turn(count: usize, weight: impl Fn(usize) -> u32, turn: u64) -> Option<usize> {
    let sum = |from: usize, to: usize| (from..to).map(|at| u128::from(weight(at))).sum::<u128>();
    let (mut from, mut to) = (0, count);
    let mut total = sum(from, to);
    if total == 0 {
        return None;
    }
    let mut turn = u128::from(turn) % total;
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        let left = sum(from, middle);
        // Turns of the left half among the first `turns`, rounded.
        let of_left = |turns: u128| (2 * turns * left + total) / (2 * total);
        let before = of_left(turn);
        if of_left(turn + 1) > before {
            (to, turn, total) = (middle, before, left);
        } else {
            (from, turn, total) = (middle, turn - before, total - left);
        }
    }
    Some(from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turns(weights: &[u32], turns: std::ops::Range<u64>) -> Vec<usize> {
        let of = |turn| even_turn(weights.len(), |at| weights[at], turn);
        turns.filter_map(of).collect()
    }

    #[test]
    fn turns_follow_weights_exactly() {
        assert_eq!(turns(&[3, 1], 0..8), [0, 0, 1, 0, 0, 0, 1, 0]);
        assert_eq!(turns(&[1], 0..3), [0, 0, 0]);
        assert!(turns(&[0, 0], 0..9).is_empty());
        assert!(turns(&[], 0..9).is_empty());
        assert_eq!(by_weight([1, 0, 3].into_iter(), 1), Some(2));
        // Sums beyond 64 bits and turns at the end of them cost no more than small ones.
        let huge = [u32::MAX; 9];
        assert!(even_turn(huge.len(), |at| huge[at], u64::MAX).is_some());
    }

    proptest! {
        /// However many iterations a run has, its mix is the one that was asked for, from whichever
        /// place of the sequence on.
        #[test]
        fn any_stretch_of_turns_has_the_mix(
            weights in proptest::collection::vec(0_u32..1_000, 1..12),
            from in 0_u64..1_000_000,
            length in 0_u64..700,
        ) {
            let total: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
            prop_assume!(total > 0);
            let seen = turns(&weights, from..from + length);
            prop_assert_eq!(seen.len() as u64, length);
            let halvings = f64::from(weights.len().next_power_of_two().ilog2());
            for (at, weight) in weights.iter().enumerate() {
                let n = seen.iter().filter(|chosen| **chosen == at).count() as f64;
                let wanted = length as f64 * f64::from(*weight) / total as f64;
                // Of a stretch both ends are rounded.
                prop_assert!((n - wanted).abs() <= halvings.max(0.5) + 1e-9, "{} for {}", n, wanted);
                prop_assert!(*weight > 0 || n == 0.0);
            }
        }
    }
}
