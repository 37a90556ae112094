//! Throughput and response time against load: the curve, its marks, and what laws make of it.
//!
//! All of it is pure: [`steps`] says which seconds belong to which load, [`measure`] makes a
//! point of each, [`Curve::new`] finds the [`marks`] and fits the laws. Where the numbers come
//! from is somebody else's business.

mod bounds;
mod demand;
mod held;
mod marks;
mod mix;
mod point;
mod steps;
mod usl;

use serde::{Deserialize, Serialize};

pub use bounds::{Demands, ThroughputRange, response_time_s};
pub use demand::{Demand, DemandAtLoad, DemandSample};
pub use held::HeldLoad;
pub use marks::{
    ALPHA, FAILING, LEAST_DROP, Mark, Marks, PROPORTIONAL, marks, significantly_below,
};
pub use mix::{LabelCounts, MixDifference, mix_difference};
pub use point::{CurvePoint, MeasuredPoint, SecondSums, measure};
pub use steps::{
    CurveStep, FEWEST_LOADS, LoadModel, LoadProfile, SHORTEST_HOLD_S, SecondLoad, Stretch,
    from_counts, steps,
};
pub use usl::{Usl, UslAxis, UslPoint, fit};

use crate::batch_means::CONFIDENCE;
use crate::t_test::t_quantile;

/// Version of the curve's JSON; rises when a field changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;
/// Laws are not asked beyond this many times the largest load that was measured.
pub const PREDICT_UP_TO: f64 = 2.0;
/// Loads at which a larger share fails are no part of a fit: the laws know no errors.
const FITTED_ERRORS: f64 = 0.1;
/// A response time that differs by more than this share from the law's is noted.
const LAW_TOLERANCE: f64 = 0.1;
/// A scalability law that misses a measured throughput by more than this share does not fit.
const USL_TOLERANCE: f64 = 0.1;
/// The same for times so short that their share says little.
const LAW_TOLERANCE_MS: f64 = 1.0;

/// What a reader should know about a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurveNote {
    /// The smallest load is not one: X(1) is taken as its throughput for each user.
    SmallestLoadIsNotOne,
    /// Throughput still follows the load at the largest load: the knee was not reached.
    KneeNotReached,
    /// Some loads were not steady.
    NotSteady,
    /// The load was a ramp: its points have no steady state.
    Ramp,
    /// R differs from N / X − Z at some load: users did something else than wait and think.
    ResponseTimeLawBroken,
    /// The scalability law misses a measured throughput by more than a tenth.
    UslDoesNotFit,
    /// The scalability law falls below the bounds, although no load that was measured lost
    /// throughput.
    UslContradictsBounds,
    /// Throughput fell at a load that was measured: the lower bounds, which suppose that nothing
    /// changes but the load, do not hold.
    LowerBoundsBroken,
}

/// What the laws say of a load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The load.
    pub load: f64,
    /// Throughput by the Universal Scalability Law; null if it does not fit this curve or
    /// contradicts its bounds.
    pub usl_per_s: Option<f64>,
    /// Bounds that always hold.
    pub asymptotic: ThroughputRange,
    /// Balanced job bounds.
    pub balanced: ThroughputRange,
    /// Response time at the asymptotic bound's throughput: at least so long.
    pub least_response_ms: f64,
}

/// The curve of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What the load is counted in.
    pub model: LoadModel,
    /// The loads in ascending order.
    pub points: Vec<CurvePoint>,
    /// The points that have names.
    pub marks: Marks,
    /// The Universal Scalability Law; null if it does not fit.
    pub usl: Option<Usl>,
    /// Service demands as the curve shows them; null for open loads, and while the knee was
    /// not reached.
    pub demands: Option<Demands>,
    /// What the laws say beyond what was measured, up to [`PREDICT_UP_TO`] times the largest
    /// load.
    pub predictions: Vec<Prediction>,
    /// What a reader should know.
    pub notes: Vec<CurveNote>,
    /// The label whose share of the requests differs most between the loads; null if the mix is
    /// the same.
    #[serde(default)]
    pub mix: Option<MixDifference>,
}

impl Curve {
    /// The curve of points; `None` with fewer than [`FEWEST_LOADS`].
    #[must_use]
    pub fn new(model: LoadModel, mut points: Vec<CurvePoint>) -> Option<Self> {
        points.retain(|point| point.load > 0.0);
        points.sort_by(|a, b| a.load.total_cmp(&b.load));
        if points.len() < FEWEST_LOADS {
            return None;
        }
        let marks = marks(&points);
        let usl = fit_usl(model, &points);
        let demands = demands(model, &points, &marks);
        let mut curve = Self {
            schema_version: SCHEMA_VERSION,
            model,
            marks,
            usl,
            demands,
            predictions: Vec::new(),
            notes: Vec::new(),
            mix: mix_difference(points.iter().map(|point| (point.load, &point.labels))),
            points,
        };
        curve.predictions = curve.predict();
        curve.notes = curve.note();
        if curve.usl_is_doubtful() {
            let predictions = curve.predictions.iter_mut();
            predictions.for_each(|prediction| prediction.usl_per_s = None);
        }
        Some(curve)
    }

    /// The point at a mark.
    #[must_use]
    pub fn at(&self, mark: Option<Mark>) -> Option<&CurvePoint> {
        let load = mark?.load;
        self.points.iter().find(|point| point.load == load)
    }

    /// The largest load that was measured.
    #[must_use]
    pub fn largest_load(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.load)
    }

    /// Time between requests of a user, in seconds, as the smallest load shows it by the
    /// response time law: Z = N / X − R. 0 for open loads.
    #[must_use]
    pub fn think_time_s(&self) -> f64 {
        match (self.model, self.points.first()) {
            (LoadModel::Users, Some(first)) => think_time_s(first),
            _ => 0.0,
        }
    }

    /// R by the response time law, in ms; none for open loads.
    #[must_use]
    pub fn law_response_ms(&self, point: &CurvePoint) -> Option<f64> {
        let closed = self.model == LoadModel::Users && point.completed_per_s > 0.0;
        closed
            .then(|| response_time_s(point.load, point.completed_per_s, self.think_time_s()) * 1e3)
    }

    /// Whether the scalability law is at odds with what was measured, so that it predicts nothing.
    #[must_use]
    pub fn usl_is_doubtful(&self) -> bool {
        let doubts = [CurveNote::UslDoesNotFit, CurveNote::UslContradictsBounds];
        self.notes.iter().any(|note| doubts.contains(note))
    }

    /// Whether throughput was seen to fall, so that the lower bounds do not hold.
    #[must_use]
    pub fn has_fallen(&self) -> bool {
        self.marks.d.is_some()
    }

    /// Whether the law predicts less than the lower bound beside it, and nothing measured says so.
    fn usl_contradicts(&self) -> bool {
        let below = |prediction: &Prediction| {
            let least = prediction.balanced.low_per_s;
            prediction.usl_per_s.is_some_and(|by_law| by_law < least)
        };
        !self.has_fallen() && self.predictions.iter().any(below)
    }

    fn predict(&self) -> Vec<Prediction> {
        let Some(demands) = &self.demands else {
            return Vec::new();
        };
        let usl = self.usl.filter(|usl| usl.axis == UslAxis::Load);
        let at = |factor: f64| {
            let load = self.largest_load() * factor;
            let asymptotic = demands.asymptotic(load);
            Prediction {
                load,
                usl_per_s: usl.map(|usl| usl.throughput_per_s(load)),
                asymptotic,
                balanced: demands.balanced(load, None),
                least_response_ms: demands.response_s(load, asymptotic.high_per_s) * 1e3,
            }
        };
        [1.25, 1.5, PREDICT_UP_TO].map(at).to_vec()
    }

    fn note(&self) -> Vec<CurveNote> {
        let points = &self.points;
        let closed = self.model == LoadModel::Users;
        let bent = self.marks.a.is_none_or(|a| a.load < self.largest_load());
        let unsteady = |point: &CurvePoint| point.held && !point.steady;
        let breaks_law = |point: &CurvePoint| {
            let (seen, law) = (point.response_time_ms.value, self.law_response_ms(point));
            law.is_some_and(|law| {
                (seen - law).abs() > LAW_TOLERANCE_MS.max(LAW_TOLERANCE * seen.max(law))
            })
        };
        [
            (
                CurveNote::SmallestLoadIsNotOne,
                closed && points.first().is_some_and(|first| first.load != 1.0),
            ),
            (CurveNote::KneeNotReached, !bent),
            (CurveNote::NotSteady, points.iter().any(unsteady)),
            (CurveNote::Ramp, points.iter().any(|point| !point.held)),
            (
                CurveNote::ResponseTimeLawBroken,
                points.iter().any(breaks_law),
            ),
            (
                CurveNote::UslDoesNotFit,
                self.usl
                    .is_some_and(|usl| usl.worst_residual > USL_TOLERANCE),
            ),
            (CurveNote::UslContradictsBounds, self.usl_contradicts()),
            (
                CurveNote::LowerBoundsBroken,
                self.has_fallen() && !self.predictions.is_empty(),
            ),
        ]
        .into_iter()
        .filter_map(|(note, holds)| holds.then_some(note))
        .collect()
    }
}

/// Z = N / X − R.
fn think_time_s(point: &CurvePoint) -> f64 {
    if point.completed_per_s <= 0.0 {
        return 0.0;
    }
    (point.load / point.completed_per_s - point.response_time_ms.value / 1e3).max(0.0)
}

fn fit_usl(model: LoadModel, points: &[CurvePoint]) -> Option<Usl> {
    let axis = match model {
        LoadModel::Users => UslAxis::Load,
        LoadModel::Rate => UslAxis::Concurrency,
    };
    let of = |point: &CurvePoint| {
        let (n, usable) = match axis {
            UslAxis::Load => (point.load, true),
            // A queue that grows has no number of its own.
            UslAxis::Concurrency => (point.concurrency, point.steady || !point.held),
        };
        let usable = usable && point.error_rate <= FITTED_ERRORS;
        let half = point.throughput_per_s.relative_half().unwrap_or(0.0);
        let x = point.throughput_per_s.value;
        let freedom = point.batches.len().saturating_sub(1) as f64;
        let reach = t_quantile(freedom, CONFIDENCE).unwrap_or(2.0);
        usable.then_some(UslPoint {
            n,
            x,
            error: half * x / reach,
        })
    };
    let points: Vec<UslPoint> = points.iter().filter_map(of).collect();
    fit(&points, axis)
}

/// D + Z and D from the smallest load, D_max from the peak: the peak's throughput is what the
/// busiest resource gives, once it is reached.
fn demands(model: LoadModel, points: &[CurvePoint], marks: &Marks) -> Option<Demands> {
    let first = points.first()?;
    let peak = points[marks::peak(points)?].throughput_per_s.value;
    let d_s = first.response_time_ms.value / 1e3;
    let known = model == LoadModel::Users && marks.n_star.is_some() && d_s > 0.0 && peak > 0.0;
    known.then(|| Demands {
        d_max_s: 1.0 / peak,
        d_s,
        z_s: think_time_s(first),
    })
}
