//! The points of the curve that have names.
//!
//! *Significantly below the peak* means: Welch's t-test of the batches' throughputs, one-sided,
//! with Bonferroni's correction for all pairs of loads at 5 % in all, and at least
//! [`LEAST_DROP`] lower. All pairs, because the peak itself is picked from the data: the
//! largest of several equal loads is always a little above the others. A share, because the
//! seconds of one load share what happened in those minutes, which no test of them can see.

use serde::{Deserialize, Serialize};

use super::point::CurvePoint;
use crate::t_test::TTest;

/// What is left of proportional throughput at A.
pub const PROPORTIONAL: f64 = 0.95;
/// Allowed chance that any load is called below the peak when none is.
pub const ALPHA: f64 = 0.05;
/// A smaller drop than this share of the peak is none.
pub const LEAST_DROP: f64 = 0.03;
/// E is where this share of the requests fails.
pub const FAILING: f64 = 0.5;

/// A load with the loads between which it may lie as well.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The load.
    pub load: f64,
    /// The lowest load it may be.
    pub low: f64,
    /// The highest; null if that is beyond what was measured.
    pub high: Option<f64>,
}

/// The points that have names; those the curve does not show are null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// A: the last load N with X(N) ≥ 0.95 · N · X(1).
    pub a: Option<Mark>,
    /// C, the best balance: the smallest load whose X is not significantly below the peak.
    pub c: Option<Mark>,
    /// D: the first load after the peak from which on all X are significantly below it; a dip that later loads do not
    /// share is none.
    pub d: Option<Mark>,
    /// E: the first load at which more than half of the requests fail.
    pub e: Option<Mark>,
    /// The load of the largest X.
    pub peak: Option<Mark>,
    /// Kleinrock's point: the load of the largest X / R (L. Kleinrock, "Power and
    /// deterministic rules of thumb for probabilistic problems in computer communications",
    /// ICC 1979).
    pub power: Option<Mark>,
    /// N*, where the asymptotes X = N · X(1) and X = peak cross; null while the throughput
    /// still follows the load.
    pub n_star: Option<Mark>,
}

/// Finds the marks of points that are in the order of their loads.
#[must_use]
pub fn marks(points: &[CurvePoint]) -> Marks {
    let Some(peak) = peak(points) else {
        return Marks {
            e: failing(points),
            ..Marks::default()
        };
    };
    let below: Vec<bool> = points
        .iter()
        .map(|point| significantly_below(point, &points[peak], points.len()))
        .collect();
    let a = proportional(points);
    // Where the last load measured still follows proportionally, nothing has crossed yet.
    let last = points.last().map(|point| point.load);
    let bent = a.is_some_and(|a| Some(a.load) != last);
    Marks {
        a,
        c: best_balance(points, &below, peak),
        d: degraded(points, &below),
        e: failing(points),
        peak: Some(plateau(points, &below, peak)),
        power: best_power(points),
        n_star: bent.then(|| crossing(points, peak)).flatten(),
    }
}

/// The point of the largest throughput; none if nothing ended well anywhere.
pub(super) fn peak(points: &[CurvePoint]) -> Option<usize> {
    let value = |at: &usize| points[*at].throughput_per_s.value;
    let best = (0..points.len()).max_by(|a, b| value(a).total_cmp(&value(b)))?;
    (value(&best) > 0.0).then_some(best)
}

/// Whether a load's throughput is significantly below the peak's, of so many loads.
#[must_use]
pub fn significantly_below(point: &CurvePoint, peak: &CurvePoint, loads: usize) -> bool {
    let (x, most) = (point.throughput_per_s.value, peak.throughput_per_s.value);
    if x > most * (1.0 - LEAST_DROP) {
        return false;
    }
    let Some(test) = TTest::unpaired(&point.batches, &peak.batches) else {
        return false;
    };
    let pairs = (loads * loads.saturating_sub(1) / 2).max(1) as f64;
    test.p_value() / 2.0 * pairs <= ALPHA
}

/// Relative half width of an interval; 0 where it is not known.
fn half(point: &CurvePoint) -> f64 {
    point.throughput_per_s.relative_half().unwrap_or(0.0)
}

fn proportional(points: &[CurvePoint]) -> Option<Mark> {
    let first = points.first()?;
    let per_load = first.throughput_per_s.value / first.load;
    if per_load.is_nan() || per_load <= 0.0 {
        return None;
    }
    let share = |at: usize| points[at].throughput_per_s.value / (points[at].load * per_load);
    let doubt = |at: usize| match at {
        0 => 0.0,
        at => half(&points[at]).hypot(half(first)),
    };
    let all = || 0..points.len();
    let at = all().rfind(|at| share(*at) >= PROPORTIONAL)?;
    let sure = |at: &usize| share(*at) * (1.0 - doubt(*at)) >= PROPORTIONAL;
    let surely_not = |at: &usize| share(*at) * (1.0 + doubt(*at)) < PROPORTIONAL;
    let low = (0..=at).rfind(sure).unwrap_or(0);
    let high = (at + 1..points.len()).find(surely_not);
    Some(Mark {
        load: points[at].load,
        low: points[low].load,
        high: high.map(|at| points[at].load),
    })
}

fn best_balance(points: &[CurvePoint], below: &[bool], peak: usize) -> Option<Mark> {
    let at = below.iter().position(|below| !below)?;
    let most = points[peak].throughput_per_s.value;
    let close = |point: &CurvePoint| {
        let x = point.throughput_per_s;
        x.low.unwrap_or(x.value) >= PROPORTIONAL * most
    };
    let high = points[at..].iter().find(|point| close(point));
    Some(Mark {
        load: points[at].load,
        low: points[at.saturating_sub(1)].load,
        high: Some(high.unwrap_or(&points[peak]).load),
    })
}

/// The peak with the loads around it that are not significantly below.
fn plateau(points: &[CurvePoint], below: &[bool], peak: usize) -> Mark {
    let low = (0..=peak).rev().take_while(|at| !below[*at]).last();
    let high = (peak..points.len()).take_while(|at| !below[*at]).last();
    let high = high.filter(|at| at + 1 < points.len());
    Mark {
        load: points[peak].load,
        low: points[low.unwrap_or(peak)].load,
        high: high.map(|at| points[at].load),
    }
}

/// Where the throughput has fallen and stays so.
fn degraded(points: &[CurvePoint], below: &[bool]) -> Option<Mark> {
    // The peak is not below itself.
    let last_good = below.iter().rposition(|below| !below)?;
    first(points, last_good + 1, |_| true)
}

/// The first point from `from` on of which something is true; it began after the one before.
fn first(points: &[CurvePoint], from: usize, is: impl Fn(usize) -> bool) -> Option<Mark> {
    let at = (from..points.len()).find(|at| is(*at))?;
    Some(Mark {
        load: points[at].load,
        low: points[at.saturating_sub(1)].load,
        high: Some(points[at].load),
    })
}

fn failing(points: &[CurvePoint]) -> Option<Mark> {
    first(points, 0, |at| points[at].error_rate > FAILING)
}

fn best_power(points: &[CurvePoint]) -> Option<Mark> {
    let power = |at: usize| points[at].power();
    let best = (0..points.len()).max_by(|a, b| power(*a).total_cmp(&power(*b)))?;
    if power(best) <= 0.0 {
        return None;
    }
    let doubt = |at: usize| {
        let response = points[at].response_time_ms.relative_half();
        half(&points[at]).hypot(response.unwrap_or(0.0))
    };
    let least = power(best) * (1.0 - doubt(best));
    let as_good = |at: &usize| power(*at) * (1.0 + doubt(*at)) >= least;
    let low = (0..points.len()).find(as_good).unwrap_or(best);
    let high = (0..points.len()).rfind(as_good).unwrap_or(best);
    Some(Mark {
        load: points[best].load,
        low: points[low].load,
        high: (high + 1 < points.len()).then(|| points[high].load),
    })
}

fn crossing(points: &[CurvePoint], peak: usize) -> Option<Mark> {
    let first = points.first()?;
    let per_load = first.throughput_per_s.value / first.load;
    let load = points[peak].throughput_per_s.value / per_load;
    let doubt = half(first).hypot(half(&points[peak]));
    load.is_finite().then(|| Mark {
        load,
        low: load * (1.0 - doubt).max(0.0),
        high: Some(load * (1.0 + doubt)),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::batch_means::Estimate;
    use crate::testing::Noise;

    /// A point whose 20 batches spread by a share of the throughput.
    fn point(noise: &mut Noise, load: f64, x: f64, spread: f64) -> CurvePoint {
        let batches: Vec<f64> = (0..20)
            .map(|_| x * (1.0 + spread * noise.normal()))
            .collect();
        let mean = batches.iter().sum::<f64>() / 20.0;
        CurvePoint {
            load,
            throughput_per_s: Estimate::of_parts(mean, &batches),
            response_time_ms: Estimate::unsure(load / x * 1e3),
            batches,
            ..CurvePoint::default()
        }
    }

    fn curve(noise: &mut Noise, of: &[(f64, f64)]) -> Vec<CurvePoint> {
        let points = of.iter().map(|(load, x)| point(noise, *load, *x, 0.01));
        points.collect()
    }

    #[test]
    fn a_curve_with_a_knee_a_plateau_and_a_fall_has_all_marks() {
        let mut noise = Noise(5);
        let mut points = curve(
            &mut noise,
            &[
                (1.0, 100.0),
                (2.0, 200.0),
                (4.0, 390.0),
                (8.0, 600.0),
                (16.0, 700.0),
                (32.0, 700.0),
                (64.0, 500.0),
                (128.0, 100.0),
            ],
        );
        points[7].error_rate = 0.7;
        let marks = marks(&points);
        let load = |mark: Option<Mark>| mark.map(|mark| mark.load);
        assert_eq!(load(marks.a), Some(4.0));
        assert_eq!(load(marks.c), Some(16.0));
        assert_eq!(load(marks.d), Some(64.0));
        assert_eq!(load(marks.e), Some(128.0));
        let n_star = marks.n_star.unwrap();
        assert!((n_star.load / 7.0 - 1.0).abs() < 0.05, "{n_star:?}");
        assert!(n_star.low < 7.0 && 7.0 < n_star.high.unwrap());
        let power = marks.power.unwrap().load;
        assert!(power == 4.0 || power == 8.0, "{power}");
        assert_eq!(marks.c.unwrap().low, 8.0);
        assert_eq!(marks.d.unwrap().low, 32.0);
        let peak = marks.peak.unwrap();
        assert_eq!((peak.low, peak.high), (16.0, Some(32.0)));
    }

    #[test]
    fn a_plateau_seldom_seems_to_fall() {
        let mut noise = Noise(6);
        let falls = |noise: &mut Noise| {
            let plateau: Vec<(f64, f64)> = (1..=10).map(|n| (f64::from(n), 500.0)).collect();
            let points: Vec<_> = plateau
                .iter()
                .map(|(load, x)| point(noise, *load, *x, 0.1))
                .collect();
            marks(&points).d.is_some()
        };
        let share = (0..300).filter(|_| falls(&mut noise)).count() as f64 / 300.0;
        assert!(share <= ALPHA + 0.03, "{share}");
    }

    #[test]
    fn a_dip_of_a_plateau_is_no_fall() {
        let mut noise = Noise(9);
        let plateau = [(1.0, 500.0), (2.0, 500.0), (4.0, 440.0), (8.0, 498.0)];
        assert_eq!(marks(&curve(&mut noise, &plateau)).d, None);
        let slight = [(1.0, 500.0), (2.0, 491.0), (4.0, 489.0), (8.0, 490.0)];
        assert_eq!(marks(&curve(&mut noise, &slight)).d, None);
        let falls = [
            (1.0, 500.0),
            (2.0, 440.0),
            (4.0, 500.0),
            (8.0, 470.0),
            (16.0, 400.0),
        ];
        let d = marks(&curve(&mut noise, &falls)).d.unwrap();
        assert_eq!((d.load, d.low, d.high), (8.0, 4.0, Some(8.0)));
    }

    #[test]
    fn a_curve_that_still_rises_says_so() {
        let mut noise = Noise(7);
        let marks = marks(&curve(&mut noise, &[(1.0, 10.0), (2.0, 20.0), (4.0, 40.0)]));
        assert_eq!(marks.a.unwrap().high, None);
        assert_eq!((marks.n_star, marks.d), (None, None));
        assert_eq!(marks.c.unwrap().load, 4.0);
        assert_eq!(marks.peak.unwrap().high, None);
    }

    #[test]
    fn nothing_that_ends_well_has_no_peak() {
        let mut points = curve(&mut Noise(8), &[(1.0, 1.0), (2.0, 1.0)]);
        for point in &mut points {
            point.throughput_per_s = Estimate::unsure(0.0);
            point.error_rate = 1.0;
        }
        let marks = marks(&points);
        assert_eq!((marks.a, marks.c, marks.peak), (None, None, None));
        assert_eq!(marks.e.unwrap().load, 1.0);
        assert_eq!(super::marks(&[]), Marks::default());
    }
}
