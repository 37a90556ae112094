//! A curve of loads that were held in runs of their own, as a search for the most load measures them.

use super::mix::LabelCounts;
use super::point::{CurvePoint, MeasuredPoint, SecondSums, measure};
use super::steps::{CurveStep, LoadModel};
use super::{Curve, FEWEST_LOADS};
use crate::Histogram;

/// A load that one run held, with all that is needed to put several measurements of the same load together.
#[derive(Clone, Debug)]
pub struct HeldLoad {
    /// What the run says of it.
    pub measured: MeasuredPoint,
    /// All its seconds, settled or not.
    pub sums: Vec<SecondSums>,
    /// Response times of the seconds that count.
    pub times: Histogram,
}

impl Curve {
    /// The curve of loads in any order; measurements of the same load make one point, as a load that comes back within
    /// a run does. `None` with fewer than [`FEWEST_LOADS`] loads.
    #[must_use]
    pub fn of_held<'a>(
        model: LoadModel,
        held: impl IntoIterator<Item = &'a HeldLoad>,
    ) -> Option<Self> {
        let mut held: Vec<&HeldLoad> = held.into_iter().collect();
        held.sort_by(|a, b| a.load().total_cmp(&b.load()));
        let loads = held.chunk_by(|a, b| a.load() == b.load());
        let points: Vec<CurvePoint> = loads.filter_map(together).collect();
        (points.len() >= FEWEST_LOADS).then(|| Self::new(model, points))?
    }
}

impl HeldLoad {
    const fn load(&self) -> f64 {
        self.measured.point.load
    }
}

/// The point of measurements of one load.
fn together(same: &[&HeldLoad]) -> Option<CurvePoint> {
    let mut sums = Vec::new();
    let mut parts = Vec::with_capacity(same.len());
    let mut times = Histogram::new();
    let mut labels = LabelCounts::new();
    for held in same {
        parts.push(sums.len()..sums.len() + held.sums.len());
        sums.extend_from_slice(&held.sums);
        times.merge(&held.times);
        for (label, count) in &held.measured.point.labels {
            *labels.entry(label.clone()).or_default() += count;
        }
    }
    let step = CurveStep {
        load: same.first()?.load(),
        held: true,
        parts,
    };
    let mut point = measure(&step, &sums)?.point;
    // Who measured it may know more of a queue than its throughput shows.
    point.steady &= same.iter().all(|held| held.measured.point.steady);
    point.set_times(&times);
    point.labels = labels;
    Some(point)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A run that held a load for 20 s: so many requests a second, each of so many ms, give or take.
    fn held(load: f64, per_s: u64, response_ms: f64) -> HeldLoad {
        let sums: Vec<SecondSums> = (0..20)
            .map(|second| SecondSums {
                second,
                ok: per_s + u64::from(second % 3),
                errors: 0,
                response_ns: (per_s + u64::from(second % 3)) as f64 * response_ms * 1e6,
            })
            .collect();
        let step = CurveStep {
            load,
            held: true,
            parts: std::iter::once(0..20).collect(),
        };
        let mut times = Histogram::new();
        (0..per_s).for_each(|_| times.record((response_ms * 1e6) as u64));
        let mut measured = measure(&step, &sums).unwrap();
        measured.point.set_times(&times);
        HeldLoad {
            measured,
            sums,
            times,
        }
    }

    /// A target of 10 ms that gives 400 a second at most.
    fn target() -> Vec<HeldLoad> {
        [
            (4.0, 400, 10.0),
            (1.0, 100, 10.0),
            (8.0, 400, 20.0),
            (2.0, 200, 10.0),
        ]
        .map(|(load, per_s, ms)| held(load, per_s, ms))
        .into()
    }

    #[test]
    fn each_load_measured_once_is_the_point_that_was_measured() {
        let target = target();
        let curve = Curve::of_held(LoadModel::Users, &target).unwrap();
        let loads: Vec<f64> = curve.points.iter().map(|point| point.load).collect();
        assert_eq!(loads, [1.0, 2.0, 4.0, 8.0]);
        let points = target.iter().map(|held| held.measured.point.clone());
        assert_eq!(
            Some(&curve),
            Curve::new(LoadModel::Users, points.collect()).as_ref()
        );
        let marks = &curve.marks;
        assert_eq!(marks.a.unwrap().load, 4.0);
        assert_eq!(marks.c.unwrap().load, 4.0);
        assert!((marks.n_star.unwrap().load - 4.0).abs() < 0.1, "{marks:?}");
        assert_eq!((marks.d, marks.e), (None, None));
    }

    #[test]
    fn measurements_of_one_load_are_one_point() {
        let mut all = target();
        let (slow, quick) = (held(8.0, 200, 40.0), held(8.0, 400, 20.0));
        all.extend([slow, quick]);
        let curve = Curve::of_held(LoadModel::Users, &all).unwrap();
        assert_eq!(curve.points.len(), 4, "{curve:?}");
        let eight = &curve.points[3];
        assert_eq!(eight.seconds_cut + eight.seconds_used, 60);
        // 400, 200 and 400 for as long each.
        assert!((eight.throughput_per_s.value - 1_000.0 / 3.0).abs() < 2.0);
        assert_eq!((eight.p50_ms.round(), eight.p99_ms.round()), (20.0, 40.0));
        // A run that held a queue that grew says so for all of them.
        assert!(eight.steady);
        all[4].measured.point.steady = false;
        assert!(!Curve::of_held(LoadModel::Users, &all).unwrap().points[3].steady);
    }

    #[test]
    fn two_loads_are_no_curve_however_often_they_are_measured() {
        let all = [held(1.0, 10, 5.0), held(2.0, 20, 5.0), held(2.0, 20, 5.0)];
        assert_eq!(Curve::of_held(LoadModel::Users, &all), None);
        assert_eq!(Curve::of_held(LoadModel::Rate, &[]), None);
    }
}
