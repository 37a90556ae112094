//! Loops over numbers, items, time and shares.

use std::rc::Rc;

use plimsoll_plan::program::{Items, Op, Pc, SharedId, Template};

use super::User;
use crate::functions::{EvalError, eval_value};
use plimsoll_plan::share::Share;

impl User {
    /// Loops and choices.
    pub(crate) fn loop_op(&mut self, op: &Op, next: Pc) -> Result<Pc, EvalError> {
        match op {
            Op::Repeat {
                passes,
                times,
                index,
                exit,
            } => {
                let pass = self.registers[usize::from(passes.0)];
                let over = match times {
                    Some(times) => self.is_last(times, pass)?,
                    None => false,
                };
                let to = if over { Err(*exit) } else { Ok(next) };
                Ok(self.enter_pass(passes.0, pass, 0, *index, to))
            }
            Op::ForEach {
                passes,
                items,
                variable,
                index,
                exit,
            } => {
                let pass = self.registers[usize::from(passes.0)];
                let to = match self.item(items, pass)? {
                    Some(item) => {
                        self.vars.set(*variable, item);
                        Ok(next)
                    }
                    None => Err(*exit),
                };
                let first = match items {
                    // JMeter's numbers begin with the start index.
                    Items::Matches { after, .. } if self.vars.keeps_literal() => {
                        self.bound(after)?
                    }
                    _ => 0,
                };
                Ok(self.enter_pass(passes.0, pass, first, *index, to))
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
                let gone = now.saturating_sub(*since) as f64 / 1e9;
                Ok(if gone < limit { next } else { *exit })
            }
            _ => self.choice_op(op, next),
        }
    }

    /// Whether a loop of so many times is over at this pass.
    fn is_last(&mut self, times: &Template, pass: u64) -> Result<bool, EvalError> {
        let times = self.number(times)?;
        // JMeter: a negative number is for ever.
        let for_ever = times < 0.0 && self.vars.keeps_literal();
        #[expect(clippy::cast_precision_loss)]
        let over = pass as f64 >= times;
        Ok(over && !for_ever)
    }

    /// Parts that not every pass takes.
    fn choice_op(&mut self, op: &Op, next: Pc) -> Result<Pc, EvalError> {
        Ok(match op {
            Op::Percent {
                percent,
                passes,
                shared,
                to,
            } => {
                let percent = self.number(percent)?;
                let (pass, share) = self.turn(passes.0, *shared);
                if in_percent(pass, percent, share) {
                    next
                } else {
                    *to
                }
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

    /// Enters a pass of a loop, or leaves it and forgets the count. Passes are shown as
    /// numbers from `first`.
    fn enter_pass(
        &mut self,
        passes: u16,
        pass: u64,
        first: i64,
        index: Option<plimsoll_plan::program::Slot>,
        to: Result<Pc, Pc>,
    ) -> Pc {
        let number = first.saturating_add_unsigned(pass);
        match to {
            Ok(next) => {
                self.registers[usize::from(passes)] = pass + 1;
                if let Some(index) = index {
                    self.vars.set(index, number.to_string());
                }
                next
            }
            Err(exit) => {
                self.registers[usize::from(passes)] = 0;
                if let Some(index) = index
                    && self.vars.keeps_literal()
                {
                    // In JMeter's loops it tells of the pass that is not taken, too.
                    self.vars.set(index, number.to_string());
                }
                exit
            }
        }
    }

    /// The number of this pass, from 0, of this user or of all who share.
    pub(crate) fn pass(&mut self, own: u16, shared: Option<SharedId>) -> u64 {
        match shared {
            Some(id) => self.thread.shared.next(id).max(0).cast_unsigned(),
            None => {
                let passes = &mut self.registers[usize::from(own)];
                *passes += 1;
                *passes - 1
            }
        }
    }

    /// How many passes were before this one: of this user, or of the users of this share of
    /// the load, with the share. What returns with the number of passes goes by these, for
    /// with the numbers of all passes a share would meet the same ones again and again.
    pub(crate) fn turn(&mut self, own: u16, shared: Option<SharedId>) -> (u64, Share) {
        let number = self.pass(own, shared);
        match shared {
            Some(_) => {
                let share = self.thread.shared.share();
                (share.own_pass(number), share)
            }
            None => (number, Share::WHOLE),
        }
    }

    /// A bound of a loop, as Java reads it; what is no number is 0.
    fn bound(&mut self, text: &Template) -> Result<i64, EvalError> {
        let number = self.text(text)?.parse::<i32>();
        Ok(number.map_or(0, i64::from))
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
                let after = self.bound(after)?;
                let number = after.saturating_add_unsigned(pass).saturating_add(1);
                if let Some(until) = until
                    && number > self.bound(until)?
                {
                    return Ok(None);
                }
                let name = format!("{}{number}", self.text(prefix)?);
                self.vars.get_by_name(&name).cloned()
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

/// Whether pass `pass` (from 0) of a share of the load belongs to the `percent` that go on, by
/// the rule of [`Op::Percent`]: of the first n passes, `percent` of n rounded to the nearest
/// whole number (halves down) do. Shares round at different places, so that the sum over
/// shares that have gone through equally many passes is that of the whole (Hermite's identity).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn in_percent(pass: u64, percent: f64, share: Share) -> bool {
    const WHOLE: u128 = 100_000_000;
    // Millionths of a percent, so that the sums are whole numbers.
    let part = u128::from((percent.clamp(0.0, 100.0) * 1e6).round() as u64);
    let (index, count) = (u128::from(share.index()), u128::from(share.count()));
    let rounding = (2 * index + 1) * WHOLE - 1;
    let of_first = |passes: u128| (2 * passes * part * count + rounding) / (2 * count * WHOLE);
    of_first(u128::from(pass)) != of_first(u128::from(pass) + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]

    use super::*;

    #[test]
    fn shares_are_exact_and_even() {
        for percent in [0.0, 12.5, 33.0, 50.0, 99.9, 100.0] {
            let taken = (0..1000)
                .filter(|pass| in_percent(*pass, percent, Share::WHOLE))
                .count();
            let wanted = percent * 10.0;
            #[expect(clippy::cast_precision_loss)]
            let off = (taken as f64 - wanted).abs();
            assert!(off <= 0.5, "{percent}: {taken}");
        }
        let pattern = |percent| {
            (0..4)
                .map(|pass| in_percent(pass, percent, Share::WHOLE))
                .collect::<Vec<_>>()
        };
        assert_eq!(pattern(50.0), [false, true, false, true]);
        assert_eq!(pattern(25.0), [false, false, true, false]);
        assert_eq!(pattern(75.0), [true, false, true, true]);
    }

    #[test]
    fn shares_of_the_load_make_the_percentage_together_and_each_for_itself() {
        for (count, percent) in [(3, 100.0 / 3.0), (7, 50.0), (4, 12.5), (5, 99.9)] {
            let taken = |index, passes: u64| {
                let share = Share::new(index, count).expect("below count");
                let own = (0..passes).filter(|pass| in_percent(*pass, percent, share));
                own.count()
            };
            for passes in [1, 2, 40] {
                let together: usize = (0..count).map(|index| taken(index, passes)).sum();
                let whole = (0..passes * u64::from(count))
                    .filter(|pass| in_percent(*pass, percent, Share::WHOLE));
                assert_eq!(together, whole.count(), "{count} {percent} {passes}");
            }
            let own = (0..count).map(|index| taken(index, 1000));
            #[expect(clippy::cast_precision_loss)]
            let off = |taken: usize| (taken as f64 - percent * 10.0).abs();
            assert!(own.map(off).all(|off| off <= 1.0), "{count} {percent}");
        }
    }

    /// The counting that JMeter's Throughput Controller does.
    #[test]
    fn shares_are_those_of_jmeters_counting() {
        for percent in 0..=100_u32 {
            let mut executions = 0_u32;
            for pass in 0..500_u32 {
                let runs = 100 * executions + 50 < percent * (pass + 1);
                assert_eq!(
                    in_percent(u64::from(pass), f64::from(percent), Share::WHOLE),
                    runs,
                    "{percent} {pass}"
                );
                executions += u32::from(runs);
            }
        }
    }
}
