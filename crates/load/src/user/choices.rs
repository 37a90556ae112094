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
                smooth_turn(&weights().collect::<Vec<_>>(), u64::from(self.number))
            }
            ChooseBy::MixOfIterations(id) => {
                let (pass, share) = self.turn(0, Some(*id));
                let weights: Vec<u64> = weights().collect();
                // Shares of the load begin at different places of the sequence.
                let total: u64 = weights.iter().sum();
                let first = total * u64::from(share.index()) / u64::from(share.count());
                smooth_turn(&weights, pass.wrapping_add(first))
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
    fn turns_follow_weights_exactly() {
        let turns: Vec<usize> = (0..7)
            .filter_map(|turn| smooth_turn(&[5, 1, 1], turn))
            .collect();
        assert_eq!(turns, [0, 0, 1, 0, 2, 0, 0]);
        assert_eq!(smooth_turn(&[0, 0], 3), None);
        assert_eq!(by_weight([1, 0, 3].into_iter(), 1), Some(2));
    }
}
