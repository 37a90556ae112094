//! Constant and random delays: `ConstantTimer`, `UniformRandomTimer`, `GaussianRandomTimer`,
//! `PoissonRandomTimer`. The engine stretches the random ones by `timer.factor`.

use crate::context::{Context, Fault, unit};
use crate::fields::{Field, Fields};
use crate::functions::numbers::{double_or_zero, long};
use crate::leaf::{Bound, Timer};

/// How a random part is made from its range.
type Chance = fn(f64, &mut dyn Context) -> f64;

struct Delay {
    delay: Field,
    range: Field,
    chance: Chance,
}

pub(super) fn constant(fields: Fields<'_>) -> Bound {
    bound(fields, |_, _| 0.0)
}

pub(super) fn uniform(fields: Fields<'_>) -> Bound {
    bound(fields, |range, cx| unit(cx.random_bits()) * range)
}

pub(super) fn gaussian(fields: Fields<'_>) -> Bound {
    bound(fields, |range, cx| normal(cx) * range)
}

pub(super) fn poisson(fields: Fields<'_>) -> Bound {
    bound(fields, |range, cx| poisson_number(range.round(), cx))
}

fn bound(fields: Fields<'_>, chance: Chance) -> Bound {
    Bound::Timer(Box::new(Delay {
        delay: fields.field("ConstantTimer.delay"),
        range: fields.field("RandomTimer.range"),
        chance,
    }))
}

impl Timer for Delay {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    fn delay_ms(&self, cx: &mut dyn Context) -> Result<u64, Fault> {
        // What is no number is 0 (JMeter 5.6.3, `AbstractProperty`).
        let delay = long(&self.delay.text(cx)?).unwrap_or(0);
        if !self.range.is_there() {
            return Ok(u64::try_from(delay).unwrap_or(0));
        }
        let range = double_or_zero(&self.range.text(cx)?);
        let total = ((self.chance)(range, cx) + delay as f64).abs();
        // A cast saturates, as Java's does.
        Ok((total as i64).unsigned_abs())
    }
}

/// A number of the standard normal distribution (Box and Muller 1958).
fn normal(cx: &mut dyn Context) -> f64 {
    // Above 0, so that the logarithm is finite.
    let first = 1.0 - unit(cx.random_bits());
    let second = unit(cx.random_bits());
    (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos()
}

/// A number of the Poisson distribution of a mean. Above a mean of 30 by rejection from the
/// logistic distribution (Atkinson 1979, method PA), below by counting factors (Knuth).
fn poisson_number(mean: f64, cx: &mut dyn Context) -> f64 {
    if mean <= 30.0 {
        return counted(mean, cx);
    }
    let steepness = std::f64::consts::PI / (3.0 * mean).sqrt();
    let shift = steepness * mean;
    let scale = (0.767 - 3.36 / mean).ln() - mean - steepness.ln();
    loop {
        let chance = unit(cx.random_bits());
        let guess = (shift - ((1.0 - chance) / chance).ln()) / steepness;
        let number = (guess + 0.5).floor();
        if number < 0.0 || !number.is_finite() {
            continue;
        }
        let height = shift - steepness * guess;
        let accept = unit(cx.random_bits());
        let left = height + (accept / (1.0 + height.exp()).powi(2)).ln();
        if left <= scale + number * mean.ln() - log_factorial(number) {
            return number;
        }
    }
}

fn counted(mean: f64, cx: &mut dyn Context) -> f64 {
    let limit = (-mean).exp();
    let mut product = unit(cx.random_bits());
    let mut number = 0.0;
    while product > limit {
        product *= unit(cx.random_bits());
        number += 1.0;
    }
    number
}

/// The logarithm of n!, by Stirling's series from 10 on (its error is below 10^-9).
fn log_factorial(n: f64) -> f64 {
    if n < 10.0 {
        let mut product = 1.0;
        let mut factor = 2.0;
        while factor <= n {
            product *= factor;
            factor += 1.0;
        }
        return product.ln();
    }
    let tau = std::f64::consts::TAU;
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5));
    (n + 0.5) * n.ln() - n + 0.5 * tau.ln() + series
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::context::testing::TestContext;
    use crate::timers::testing::timer;

    /// Mean and variance of many delays.
    fn moments(class: &str, delay: &str, range: &str) -> (f64, f64) {
        let timer = timer(
            class,
            &[("ConstantTimer.delay", delay), ("RandomTimer.range", range)],
        );
        let mut cx = TestContext::with(&[]);
        let n = 20_000;
        #[expect(clippy::cast_precision_loss)]
        let all: Vec<f64> = (0..n)
            .map(|_| timer.delay_ms(&mut cx).unwrap() as f64)
            .collect();
        let mean = all.iter().sum::<f64>() / f64::from(n);
        let squares: f64 = all.iter().map(|one| (one - mean).powi(2)).sum();
        (mean, squares / f64::from(n))
    }

    fn near(value: f64, expected: f64, part: f64) {
        assert!(
            (value - expected).abs() <= expected * part,
            "{value} is not {expected}"
        );
    }

    #[test]
    fn a_constant_delay_is_the_number_that_is_written() {
        let mut cx = TestContext::with(&[("ms", "70")]);
        for (text, expected) in [
            ("300", 300),
            ("${ms}", 70),
            ("x", 0),
            ("", 0),
            ("-5", 0),
            ("3.5", 0),
        ] {
            let timer = timer("ConstantTimer", &[("ConstantTimer.delay", text)]);
            assert_eq!(timer.delay_ms(&mut cx), Ok(expected), "{text}");
        }
    }

    // Four to six standard errors of 20,000 numbers; the stream is the same each time.
    #[test]
    fn random_delays_have_their_distribution() {
        let (mean, variance) = moments("UniformRandomTimer", "100", "50.0");
        near(mean, 124.5, 0.005);
        near(variance, 50.0 * 50.0 / 12.0, 0.05);
        let (mean, variance) = moments("GaussianRandomTimer", "300", "40");
        near(mean, 299.5, 0.005);
        near(variance, 1600.0, 0.06);
        let (mean, variance) = moments("PoissonRandomTimer", "100", "20");
        near(mean, 120.0, 0.005);
        near(variance, 20.0, 0.06);
        let (mean, variance) = moments("PoissonRandomTimer", "100", "400.2");
        near(mean, 500.0, 0.005);
        near(variance, 400.0, 0.06);
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        let mut cx = TestContext::with(&[]);
        for class in [
            "UniformRandomTimer",
            "GaussianRandomTimer",
            "PoissonRandomTimer",
        ] {
            for range in ["", "x", "0", "-10"] {
                let fields = [("ConstantTimer.delay", "5"), ("RandomTimer.range", range)];
                let delay_ms = timer(class, &fields).delay_ms(&mut cx).unwrap();
                assert!(delay_ms < 100, "{class} {range}: {delay_ms}");
            }
        }
        assert!((log_factorial(5.0) - 120_f64.ln()).abs() < 1e-12);
        assert!((log_factorial(10.0) - 3_628_800_f64.ln()).abs() < 1e-9);
    }
}
