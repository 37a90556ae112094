//! The load of a run over time: points that cover equal stretches, from sums where there are any.

use plimsoll_stats::{ErrorKind, Histogram, LabelId, LabelInterval, LabelKind};
use plimsoll_store::{MINUTE_S, Run, StoreError, TEN_S};

use super::rollup::Rollup;
use super::stretch::RunStretch;

/// Lengths that a point may have, in seconds; longer ones are whole hours.
const STEPS: [u32; 13] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600];

/// Seconds of a label that are read one by one.
const LONG_S: u32 = 2 * 3_600;

/// A value at each point; none where there is none.
pub(crate) type PointValues = Vec<Option<f64>>;

/// Points of equal length over a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PointGrid {
    /// Where the first begins: a multiple of the step.
    pub from_s: u32,
    /// How long each is.
    pub step_s: u32,
    /// How many there are.
    pub points: u32,
}

impl PointGrid {
    /// At most so many points over a stretch.
    pub fn over(stretch: RunStretch, most: u32) -> Self {
        let grid = |step_s: u32| {
            let from_s = stretch.from_s / step_s * step_s;
            let points = (stretch.to_s - from_s).div_ceil(step_s);
            Self {
                from_s,
                step_s,
                points,
            }
        };
        let fits = |step: &u32| grid(*step).points <= most;
        // One as long as the whole run fits whatever begins where.
        let longest = stretch.to_s.div_ceil(3_600).max(1).saturating_mul(3_600);
        let mut hours = (3_600..longest).step_by(3_600);
        let step = STEPS.into_iter().find(fits);
        grid(step.or_else(|| hours.find(fits)).unwrap_or(longest))
    }

    /// The same for a single label: over hours a point is a minute at least, of which there are sums.
    pub fn of_label(self, stretch: RunStretch) -> Self {
        let is_long = self.points * self.step_s > LONG_S && self.step_s < MINUTE_S;
        match is_long {
            true => Self::over(
                stretch,
                (stretch.to_s / MINUTE_S - stretch.from_s / MINUTE_S) + 1,
            ),
            false => self,
        }
    }

    /// The point that a second is in.
    fn place(&self, second: u32) -> Option<usize> {
        let place = second.checked_sub(self.from_s)? / self.step_s;
        (place < self.points).then_some(place as usize)
    }

    /// Where it ends.
    pub fn end_s(&self) -> u32 {
        self.from_s + self.points * self.step_s
    }
}

/// What all requests, or one label, did in each point: in the load, and after it.
pub(crate) type PointSums = Vec<[LabelInterval; 2]>;

/// What all requests, or one label, did in each point.
///
/// # Errors
/// If the run cannot be read.
pub(crate) fn sums(
    run: &Run,
    rollup: &Rollup,
    grid: PointGrid,
    label: Option<LabelId>,
) -> Result<PointSums, StoreError> {
    let mut sums: PointSums = vec![Default::default(); grid.points as usize];
    let block_s = match label {
        Some(_) => MINUTE_S,
        None => TEN_S,
    };
    let mut from_s = grid.from_s;
    if grid.step_s.is_multiple_of(block_s) {
        let to_s = grid.end_s().min(rollup.until_s) / block_s * block_s;
        let stretch = (from_s, to_s.max(from_s));
        let mut add = |at_s: u32, late: bool, did: &LabelInterval| {
            if let Some(sum) = grid.place(at_s).and_then(|place| sums.get_mut(place)) {
                sum[usize::from(late)].merge(did);
            }
        };
        match label {
            None => rollup.for_each_ten(run, stretch, add)?,
            label => rollup.for_each_label(run, stretch, label, |at_s, _, late, did| {
                add(at_s, late, did);
            })?,
        }
        from_s = stretch.1;
    }
    run.for_each_second(from_s, grid.end_s(), |part| {
        let is_wanted = match label {
            Some(label) => part.label.id == label,
            None => part.label.kind == LabelKind::Request,
        };
        let sum = grid
            .place(part.second)
            .and_then(|place| sums.get_mut(place));
        if let (true, Some(sum)) = (is_wanted, sum) {
            sum[usize::from(part.after_load)].merge(part.interval);
        }
    })?;
    Ok(sums)
}

/// A series of the load: its name, unit and values.
pub(crate) struct LoadSeries {
    /// What it is asked for by.
    pub name: String,
    /// The unit by UCUM.
    pub unit: &'static str,
    /// The values.
    pub values: PointValues,
}

impl LoadSeries {
    fn new(name: &str, unit: &'static str, values: PointValues) -> Self {
        Self {
            name: name.to_owned(),
            unit,
            values,
        }
    }
}

/// The share of response times below it, of each series of percentiles.
const PERCENTILES: [(&str, f64); 5] = [
    ("p50_ms", 0.5),
    ("p90_ms", 0.9),
    ("p95_ms", 0.95),
    ("p99_ms", 0.99),
    ("p99_9_ms", 0.999),
];

/// The series of the load from its points. A point's rate is over the time that the load covers of it, which
/// ends at `load_end_s`.
pub(crate) fn load_series(sums: &PointSums, grid: PointGrid, load_end_s: f64) -> Vec<LoadSeries> {
    let covered_s = |place: usize| {
        let from = f64::from(grid.from_s) + place as f64 * f64::from(grid.step_s);
        (load_end_s - from).clamp(0.0, f64::from(grid.step_s))
    };
    let rate = |count: &dyn Fn(&LabelInterval) -> u64| -> PointValues {
        let values = sums.iter().enumerate().map(|(place, [in_load, _])| {
            let covered_s = covered_s(place);
            (covered_s > 0.0).then(|| rounded(count(in_load) as f64 / covered_s))
        });
        values.collect()
    };
    let series = LoadSeries::new;
    let mut all = vec![
        series("throughput", "{request}/s", rate(&LabelInterval::samples)),
        series("errors", "{request}/s", rate(&LabelInterval::errors)),
        series("sent_bytes", "By/s", rate(&|did| did.sent_bytes)),
        series("received_bytes", "By/s", rate(&|did| did.received_bytes)),
        series(
            "dropped",
            "{request}/s",
            rate(&|did| did.dropped_iterations),
        ),
    ];
    let times: Vec<Histogram> = sums.iter().map(times).collect();
    let of_times = |value: &dyn Fn(&Histogram) -> f64| -> PointValues {
        let values = times
            .iter()
            .map(|times| (!times.is_empty()).then(|| rounded(value(times))));
        values.collect()
    };
    all.push(series(
        "mean_ms",
        "ms",
        of_times(&|times| times.mean_ns() / 1e6),
    ));
    for (name, share) in PERCENTILES {
        let values = of_times(&|times| times.percentile_ns(share) as f64 / 1e6);
        all.push(series(name, "ms", values));
    }
    all.push(series(
        "max_ms",
        "ms",
        of_times(&|times| times.max_ns() as f64 / 1e6),
    ));
    for kind in ErrorKind::ALL {
        let count = |did: &LabelInterval| did.errors_by_kind.get(*kind);
        if sums.iter().flatten().any(|did| count(did) > 0) {
            all.push(series(
                &format!("errors.{}", kind.name()),
                "{request}/s",
                rate(&count),
            ));
        }
    }
    all
}

/// The response times of a point, those that ended after the load did too.
pub(crate) fn times([in_load, after_load]: &[LabelInterval; 2]) -> Histogram {
    let mut times = in_load.all_response();
    times.merge(&after_load.all_response());
    times
}

/// To the thousandth: no chart shows more, and texts are short.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// What the generator saw of itself in a point.
#[derive(Clone, Copy, Default)]
struct GeneratorPoint {
    parts: u64,
    users: f64,
    in_flight: f64,
    busiest: f64,
}

/// What the generator saw of itself in each point.
#[derive(Default)]
pub(crate) struct GeneratorPoints(Vec<GeneratorPoint>);

impl GeneratorPoints {
    /// Of a run's seconds.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn of(run: &Run, rollup: &Rollup, grid: PointGrid) -> Result<Self, StoreError> {
        let mut sums = vec![GeneratorPoint::default(); grid.points as usize];
        rollup.for_each_second(run, (grid.from_s, grid.end_s()), |second, figures| {
            let place = grid.place(second);
            if let Some(sum) = place.and_then(|place| sums.get_mut(place)) {
                sum.parts += figures.parts;
                sum.users += figures.users as f64;
                sum.in_flight += figures.in_flight as f64;
                sum.busiest = sum.busiest.max(figures.busiest);
            }
        })?;
        Ok(Self(sums))
    }

    /// Users at work, requests in flight and the busiest load thread over time: the mean of each point, and the largest
    /// share of a CPU.
    pub fn series(&self) -> Vec<LoadSeries> {
        let values = |value: fn(&GeneratorPoint) -> f64| -> PointValues {
            let value = |sum: &GeneratorPoint| (sum.parts > 0).then(|| rounded(value(sum)));
            self.0.iter().map(value).collect()
        };
        let series = LoadSeries::new;
        let mean_users = values(|sum| sum.users / sum.parts as f64);
        let mean_in_flight = values(|sum| sum.in_flight / sum.parts as f64);
        vec![
            series("users", "{user}", mean_users),
            series("in_flight", "{request}", mean_in_flight),
            series("generator_cpu", "1", values(|sum| sum.busiest)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_covers_its_stretch_with_few_points() {
        for from_s in [0, 1, 59, 61, 3_601] {
            for seconds in [1, 7, 600, 601, 28_800, 604_800, 10_000_000] {
                for most in [1, 2, 60, 600, 5_000] {
                    let to_s = from_s + seconds;
                    let grid = PointGrid::over(RunStretch { from_s, to_s }, most);
                    assert!(grid.points <= most, "{from_s} {seconds} {most} {grid:?}");
                    assert!(grid.from_s <= from_s && grid.end_s() >= to_s, "{grid:?}");
                    assert!(grid.from_s.is_multiple_of(grid.step_s), "{grid:?}");
                    let of_label = grid.of_label(RunStretch { from_s, to_s });
                    assert!(of_label.points <= most.max(1), "{of_label:?}");
                    assert!(
                        seconds <= LONG_S || of_label.step_s >= MINUTE_S,
                        "{of_label:?}"
                    );
                    assert!(of_label.from_s <= from_s && of_label.end_s() >= to_s);
                }
            }
        }
    }
}
