//! An open load that was changed while it ran.

use std::time::Duration;

use plimsoll_plan::model::{ArrivalLoad, Rate, RateStage};

use super::line::{LinePart, split};
use super::planned::{Planned, held_from};
use crate::clock::{Nanos, nanos};
use crate::schedule::arrivals::{Arrivals, RateTurn, total_ns};
use crate::schedule::exact::ExactArrivals;

/// An open load over time.
#[derive(Debug, Clone)]
pub(super) struct RateCourse {
    load: ArrivalLoad,
    turns: Vec<RateTurn>,
}

/// Rates that lie between whole ones are counted in this time: exact to a billionth for rates of up to
/// 10,000,000 a second.
const FINE_NS: u64 = 1_000_000_000_000_000;

impl RateCourse {
    pub fn new(load: &ArrivalLoad) -> Self {
        Self {
            load: load.clone(),
            turns: Vec::new(),
        }
    }

    /// The stages since the last change, and when they begin.
    fn last(&self) -> (Nanos, &[RateStage]) {
        match self.turns.last() {
            Some(turn) => (turn.at_ns, &turn.stages),
            None => (0, &self.load.stages),
        }
    }

    pub fn end_ns(&self) -> Nanos {
        let (from_ns, stages) = self.last();
        from_ns.saturating_add(total_ns(stages))
    }

    /// What is left of the stages at a moment.
    fn rest(&self, at_ns: Nanos) -> Vec<RateStage> {
        let (from_ns, stages) = self.last();
        rest_of(stages, at_ns.saturating_sub(from_ns))
    }

    pub fn level(&mut self, at_ns: Nanos, rate: Rate) {
        let lasts = Duration::from_nanos(self.end_ns().saturating_sub(at_ns));
        let spacing = self.rest(at_ns).first().and_then(|stage| stage.spacing);
        let stages = vec![RateStage {
            from: rate,
            to: rate,
            lasts,
            spacing,
        }];
        self.turns.push(RateTurn { at_ns, stages });
    }

    pub fn times(&mut self, at_ns: Nanos, thousandths: u32) {
        let rest = self.rest(at_ns).into_iter();
        let stages = rest.map(|stage| RateStage {
            from: times(stage.from, thousandths),
            to: times(stage.to, thousandths),
            ..stage
        });
        let stages = stages.collect();
        self.turns.push(RateTurn { at_ns, stages });
    }

    pub fn longer(&mut self, at_ns: Nanos, by_ns: Nanos, limit_ns: Nanos) {
        let rest = self.rest(at_ns);
        let mut end_ns = at_ns;
        let mut last_hold_ns = None;
        for stage in &rest {
            end_ns = end_ns.saturating_add(nanos(stage.lasts));
            if is_held(stage) && stage.from.arrivals > 0 {
                last_hold_ns = Some(end_ns);
            }
        }
        let ends_high = rest.last().is_some_and(|stage| stage.to.arrivals > 0);
        let hold_ns = held_from(at_ns, last_hold_ns, end_ns, ends_high).min(limit_ns);
        let stages = held_longer(&rest, hold_ns.saturating_sub(at_ns), by_ns);
        self.turns.push(RateTurn { at_ns, stages });
    }

    /// The rate over time; none if a number of arrivals ends it.
    pub fn line(&self) -> Option<Vec<LinePart>> {
        if self.load.arrivals_total.is_some() {
            return None;
        }
        let mut whole = Vec::new();
        let (mut from_ns, mut line) = (0, line_of(&self.load.stages));
        for turn in &self.turns {
            let (before, _) = split(&line, turn.at_ns.saturating_sub(from_ns));
            whole.extend(before);
            (from_ns, line) = (turn.at_ns, line_of(&turn.stages));
        }
        whole.extend(line);
        Some(whole)
    }

    pub fn turns(&self) -> &[RateTurn] {
        &self.turns
    }

    pub fn planned(&self, seed: u64) -> Planned {
        let load = &self.load;
        let own = load.seed.filter(|seed| *seed != 0);
        let as_random = own.map_or(seed, i64::cast_unsigned);
        if !load.exact_counts {
            let planned = Arrivals::new(&load.stages, load.spacing, as_random);
            return Planned::Rates(planned.with_turns(0, &self.turns));
        }
        let exact = ExactArrivals::new(load, own.unwrap_or(seed.cast_signed()));
        let Some((first, later)) = self.turns.split_first() else {
            return Planned::Exact(Box::new(exact));
        };
        // A stage that was cut has no count of its own any more.
        let at_ns = first.at_ns;
        let turned = Arrivals::new(&first.stages, load.spacing, as_random).with_turns(at_ns, later);
        let before = exact.take_while(move |due_ns| *due_ns < at_ns);
        Planned::Exact(Box::new(before.chain(turned)))
    }
}

fn is_held(stage: &RateStage) -> bool {
    let (from, to) = (stage.from, stage.to);
    u128::from(from.arrivals) * u128::from(to.per_ns)
        == u128::from(to.arrivals) * u128::from(from.per_ns)
}

/// What is left of stages after a time.
fn rest_of(stages: &[RateStage], gone_ns: Nanos) -> Vec<RateStage> {
    let mut gone_ns = gone_ns;
    let mut rest = Vec::new();
    for stage in stages {
        let lasts_ns = nanos(stage.lasts);
        if gone_ns < lasts_ns {
            rest.push(RateStage {
                from: rate_at(stage, gone_ns),
                lasts: Duration::from_nanos(lasts_ns - gone_ns),
                ..*stage
            });
        }
        gone_ns = gone_ns.saturating_sub(lasts_ns);
    }
    rest
}

fn line_of(stages: &[RateStage]) -> Vec<LinePart> {
    let part = |stage: &RateStage| LinePart {
        lasts_ns: nanos(stage.lasts),
        from: stage.from.as_per_second(),
        to: stage.to.as_per_second(),
    };
    stages.iter().map(part).collect()
}

/// Stages with what they are after a time held longer.
fn held_longer(stages: &[RateStage], hold_ns: Nanos, by_ns: Nanos) -> Vec<RateStage> {
    let mut begin_ns: Nanos = 0;
    let mut longer = Vec::new();
    let mut held = None;
    for stage in stages {
        let lasts_ns = nanos(stage.lasts);
        let inside_ns = hold_ns.saturating_sub(begin_ns);
        // At the end of a stage it is that stage's rate that is held, not the next one's.
        let is_here = held.is_none() && (1..=lasts_ns).contains(&inside_ns);
        let is_first = held.is_none() && hold_ns == 0;
        if is_here || is_first {
            let rate = rate_at(stage, inside_ns);
            let part = |from, to, ns| RateStage {
                from,
                to,
                lasts: Duration::from_nanos(ns),
                ..*stage
            };
            let parts = [
                part(stage.from, rate, inside_ns),
                part(rate, rate, by_ns),
                part(rate, stage.to, lasts_ns - inside_ns),
            ];
            longer.extend(parts.into_iter().filter(|part| !part.lasts.is_zero()));
            held = Some(rate);
        } else {
            longer.push(*stage);
        }
        begin_ns = begin_ns.saturating_add(lasts_ns);
    }
    longer
}

/// The rate of a stage after a time in it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn rate_at(stage: &RateStage, at_ns: Nanos) -> Rate {
    let lasts_ns = nanos(stage.lasts);
    if at_ns == 0 || is_held(stage) {
        return stage.from;
    }
    if at_ns >= lasts_ns {
        return stage.to;
    }
    let (from, to) = (stage.from.as_per_second(), stage.to.as_per_second());
    let per_s = from + (to - from) * (at_ns as f64 / lasts_ns as f64);
    Rate {
        // A float to integer cast saturates.
        arrivals: (per_s / 1e9 * FINE_NS as f64).round() as u64,
        per_ns: FINE_NS,
    }
}

/// So many thousandths of a rate, exact where the numbers allow it.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn times(rate: Rate, thousandths: u32) -> Rate {
    let (arrivals, per_ns) = (
        u128::from(rate.arrivals) * u128::from(thousandths),
        u128::from(rate.per_ns) * 1_000,
    );
    let common = gcd(arrivals, per_ns).max(1);
    let whole = (
        u64::try_from(arrivals / common),
        u64::try_from(per_ns / common),
    );
    match whole {
        (Ok(arrivals), Ok(per_ns)) => Rate { arrivals, per_ns },
        _ => Rate {
            arrivals: (arrivals as f64 / per_ns as f64 * FINE_NS as f64).round() as u64,
            per_ns: FINE_NS,
        },
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}
