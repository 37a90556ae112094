//! Open loads: when each arrival is due.

use std::collections::VecDeque;
use std::sync::Arc;

use plimsoll_plan::model::{RateStage, Spacing};

use crate::clock::{Nanos, nanos};
use crate::random::Random;

/// The end of the last stage.
#[must_use]
pub fn total_ns(stages: &[RateStage]) -> Nanos {
    stages.iter().map(|stage| nanos(stage.lasts)).sum()
}

/// The arrivals of an open load, in order, as nanoseconds from the load's start.
///
/// With even spacing arrival k is due when the integral of the rate reaches k; the first is
/// due at once. In a stage of constant rate that is exact integer arithmetic (10,000/s has
/// gaps of exactly 100,000 ns); in a ramp it is the root of a quadratic, rounded down to a
/// nanosecond. Poisson arrivals are the same in operational time: gaps are exponential with
/// mean 1 there (inversion of the cumulative rate: Çinlar 1975, Lewis & Shedler 1979).
#[derive(Debug, Clone)]
pub struct Arrivals {
    stages: Arc<[RateStage]>,
    /// How arrivals lie in stages that do not say it.
    usual: Spacing,
    random: Random,
    /// The stage we are in, its start, and the arrivals due before it.
    stage: usize,
    stage_start_ns: Nanos,
    due_before: Exact,
    next: Next,
    /// What the stages are from later moments on.
    turns: VecDeque<RateTurn>,
}

/// What the stages of an open load are from a moment on.
#[derive(Debug, Clone)]
pub struct RateTurn {
    /// The moment, from the load's start; before the end of the stages that it takes the place of.
    pub at_ns: Nanos,
    /// The stages from then on.
    pub stages: Vec<RateStage>,
}

impl RateTurn {
    /// The same, but not before a moment.
    #[must_use]
    pub fn not_before(&self, at_ns: Nanos) -> Self {
        Self {
            at_ns: self.at_ns.max(at_ns),
            stages: self.stages.clone(),
        }
    }
}

/// The next arrival in operational time.
#[derive(Debug, Clone)]
enum Next {
    Even { k: u64 },
    Poisson { at: f64 },
}

/// An exact count of arrivals: whole and fraction as a ratio of `DENOMINATOR`.
#[derive(Debug, Clone, Copy, Default)]
struct Exact {
    whole: u64,
    /// Numerator over 2^64.
    fraction: u64,
}

impl Exact {
    /// `whole + numerator / denominator` added, rounded to 2⁻⁶⁴ arrivals.
    fn add_ratio(&mut self, numerator: u128, denominator: u128) {
        let denominator = denominator.max(1);
        let whole = numerator / denominator;
        let rest = numerator % denominator;
        // Long division of the rest by the denominator, 64 binary places, then rounded to
        // the nearest so that sums of exact thirds come out whole.
        let mut fraction: u128 = 0;
        let mut rest = rest;
        for _ in 0..65 {
            rest <<= 1;
            fraction <<= 1;
            if rest >= denominator {
                rest -= denominator;
                fraction |= 1;
            }
        }
        let fraction = (fraction + 1) >> 1;
        let sum = u128::from(self.fraction) + fraction;
        self.whole += u64::try_from(whole).unwrap_or(u64::MAX) + (sum >> 64) as u64;
        self.fraction = sum as u64;
        // Within a few units of the last place of the next whole number: it is that number.
        if self.fraction > u64::MAX - 64 {
            self.whole += 1;
            self.fraction = 0;
        } else if self.fraction < 64 {
            self.fraction = 0;
        }
    }

    #[expect(clippy::cast_precision_loss)]
    fn as_f64(self) -> f64 {
        self.whole as f64 + self.fraction as f64 / 18_446_744_073_709_551_616.0
    }
}

impl Arrivals {
    /// The arrivals of these stages. The seed matters for Poisson spacing only.
    #[must_use]
    pub fn new(stages: &[RateStage], spacing: Spacing, seed: u64) -> Self {
        let mut arrivals = Self {
            stages: stages.into(),
            usual: spacing,
            random: Random::new(seed, 0x5050),
            stage: 0,
            stage_start_ns: 0,
            due_before: Exact::default(),
            next: Next::Even { k: 0 },
            turns: VecDeque::new(),
        };
        arrivals.space();
        arrivals
    }

    /// The same, begun at a moment, and with other stages from later moments on. Arrivals before such a
    /// moment stay as they were; what was counted towards the next one then goes on to count, at the
    /// new rate, so that none is lost and none comes twice.
    #[must_use]
    pub fn with_turns(mut self, start_ns: Nanos, turns: &[RateTurn]) -> Self {
        self.stage_start_ns = start_ns;
        self.turns = turns.to_vec().into();
        self
    }

    /// One more of those turns, later than the others.
    pub fn add_turn(&mut self, turn: RateTurn) {
        self.turns.push_back(turn);
    }

    /// Goes over to the stages of a turn.
    fn turn(&mut self, turn: RateTurn) {
        if let Some(stage) = self.stages.get(self.stage) {
            let gone_ns = turn.at_ns.saturating_sub(self.stage_start_ns);
            let (numerator, denominator) = Self::arrivals_until(stage, gone_ns);
            self.due_before.add_ratio(numerator, denominator);
        }
        self.stages = turn.stages.into();
        self.stage = 0;
        self.stage_start_ns = turn.at_ns;
        self.space();
    }

    /// The turn that comes before the end of this stage, and before an arrival that is due then.
    fn next_turn(&mut self, stage: &RateStage, due_ns: Option<Nanos>) -> Option<RateTurn> {
        let at_ns = self.turns.front()?.at_ns;
        let is_next = match due_ns {
            Some(due_ns) => at_ns <= self.stage_start_ns + due_ns,
            None => at_ns <= self.stage_start_ns + nanos(stage.lasts),
        };
        is_next.then(|| self.turns.pop_front()).flatten()
    }

    /// Goes over to the spacing of the stage. Even arrivals are due at whole counts; a Poisson
    /// process has no memory and may begin at any count.
    fn space(&mut self) {
        let Some(stage) = self.stages.get(self.stage) else {
            return;
        };
        match (stage.spacing.unwrap_or(self.usual), &self.next) {
            (Spacing::Constant, Next::Even { .. }) | (Spacing::Poisson, Next::Poisson { .. }) => {}
            (Spacing::Constant, Next::Poisson { .. }) => {
                let k = self.due_before.whole + u64::from(self.due_before.fraction > 0);
                self.next = Next::Even { k };
            }
            (Spacing::Poisson, Next::Even { .. }) => {
                let at = self.due_before.as_f64() + self.random.exponential();
                self.next = Next::Poisson { at };
            }
        }
    }

    /// Arrivals of the stage, as a ratio: lasts · (from + to) / 2; exact but for rates and times that are too long for it.
    fn arrivals_in(stage: &RateStage) -> (u128, u128) {
        let lasts = u128::from(nanos(stage.lasts));
        let (a, p) = (
            u128::from(stage.from.arrivals),
            u128::from(stage.from.per_ns.max(1)),
        );
        let (b, q) = (
            u128::from(stage.to.arrivals),
            u128::from(stage.to.per_ns.max(1)),
        );
        if a * q == b * p {
            return (lasts * a, p);
        }
        let exact = || {
            let (sum, below) = match p == q {
                true => (a + b, 2 * p),
                false => {
                    let sum = a.checked_mul(q)?.checked_add(b.checked_mul(p)?)?;
                    (sum, p.checked_mul(q)?.checked_mul(2)?)
                }
            };
            let all = (sum.checked_mul(lasts)?, below);
            Some(all).filter(|(_, below)| below >> 120 == 0)
        };
        exact().unwrap_or_else(|| Self::arrivals_until(stage, nanos(stage.lasts)))
    }

    /// Arrivals of the stage until a moment of it, as a ratio: exact but for rates and times that are too
    /// long for it.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn arrivals_until(stage: &RateStage, at_ns: Nanos) -> (u128, u128) {
        const FINE: u128 = 1 << 40;
        let (lasts, at) = (u128::from(nanos(stage.lasts)), u128::from(at_ns));
        let at = at.min(lasts);
        let (a, p) = (
            u128::from(stage.from.arrivals),
            u128::from(stage.from.per_ns.max(1)),
        );
        if Self::is_constant(stage) || at == 0 {
            return (at * a, p);
        }
        let (b, q) = (
            u128::from(stage.to.arrivals),
            u128::from(stage.to.per_ns.max(1)),
        );
        // from·t + (to − from)·t²/2L = t·(from·(2L − t) + to·t) / 2L
        let exact = || {
            let from = a.checked_mul(q)?.checked_mul(2 * lasts - at)?;
            let sum = from.checked_add(b.checked_mul(p)?.checked_mul(at)?)?;
            let below = p.checked_mul(q)?.checked_mul(2 * lasts)?;
            Some((sum.checked_mul(at)?, below)).filter(|(_, below)| below >> 120 == 0)
        };
        exact().unwrap_or_else(|| {
            let (from, to) = (a as f64 / p as f64, b as f64 / q as f64);
            let (at, lasts) = (at as f64, lasts as f64);
            let count = at * (from * (2.0 * lasts - at) + to * at) / (2.0 * lasts);
            ((count * FINE as f64).round() as u128, FINE)
        })
    }

    fn is_constant(stage: &RateStage) -> bool {
        u128::from(stage.from.arrivals) * u128::from(stage.to.per_ns)
            == u128::from(stage.to.arrivals) * u128::from(stage.from.per_ns)
    }

    /// Time in the stage when `count` more arrivals are due, if that lies in the stage.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn time_in(stage: &RateStage, count: f64) -> Option<Nanos> {
        if count <= 0.0 {
            return Some(0);
        }
        let lasts = nanos(stage.lasts) as f64;
        let from = stage.from.arrivals as f64 / stage.from.per_ns.max(1) as f64;
        let to = stage.to.arrivals as f64 / stage.to.per_ns.max(1) as f64;
        let slope = (to - from) / lasts.max(1.0);
        // from·t + slope·t²/2 = count, in the form that does not cancel.
        let root = (from * from + 2.0 * slope * count).max(0.0).sqrt();
        let time = if from + root > 0.0 {
            2.0 * count / (from + root)
        } else {
            lasts
        };
        (time < lasts).then_some(time as u64)
    }

    fn even_in_stage(&self, stage: &RateStage, k: u64) -> Option<Nanos> {
        if k < self.due_before.whole {
            return Some(0);
        }
        if Self::is_constant(stage) {
            if stage.from.arrivals == 0 {
                return None;
            }
            // (k − due_before) · per / arrivals, the fraction of `due_before` taken off.
            let ahead = u128::from(k - self.due_before.whole);
            let per = u128::from(stage.from.per_ns);
            let arrivals = u128::from(stage.from.arrivals);
            let partly = (u128::from(self.due_before.fraction) * per) >> 64;
            // An arrival that rounding has put off is due at once.
            let time = (ahead * per).saturating_sub(partly).div_euclid(arrivals);
            let time = u64::try_from(time).ok()?;
            return (time < nanos(stage.lasts)).then_some(time);
        }
        #[expect(clippy::cast_precision_loss)]
        let ahead = (k - self.due_before.whole) as f64
            - self.due_before.fraction as f64 / 18_446_744_073_709_551_616.0;
        Self::time_in(stage, ahead.max(0.0))
    }
}

impl Iterator for Arrivals {
    type Item = Nanos;

    fn next(&mut self) -> Option<Nanos> {
        loop {
            let stage = *self.stages.get(self.stage)?;
            let due = match &self.next {
                Next::Even { k } => self.even_in_stage(&stage, *k),
                Next::Poisson { at } => {
                    Self::time_in(&stage, (at - self.due_before.as_f64()).max(0.0))
                }
            };
            if let Some(turn) = self.next_turn(&stage, due) {
                self.turn(turn);
                continue;
            }
            if let Some(due) = due {
                match &mut self.next {
                    Next::Even { k } => *k += 1,
                    Next::Poisson { at } => *at += self.random.exponential(),
                }
                return Some(self.stage_start_ns + due);
            }
            let (numerator, denominator) = Self::arrivals_in(&stage);
            self.due_before.add_ratio(numerator, denominator);
            self.stage_start_ns += nanos(stage.lasts);
            self.stage += 1;
            self.space();
        }
    }
}

#[cfg(test)]
#[path = "arrivals_tests.rs"]
mod tests;
