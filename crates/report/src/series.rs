//! The run over time, for charts: few points, with every minimum and maximum kept.
//!
//! A point covers one or more whole seconds. Its percentiles are those of all samples in
//! these seconds (merged histograms, not averages of percentiles); beside them stand the
//! smallest and largest response time and the slowest and busiest second.

use std::collections::BTreeMap;

use plimsoll_stats::heat::{HeatColumn, heat_column};
use plimsoll_stats::{GeneratorSecond, Histogram, LabelId, LabelInterval, LabelKind, Summary};
use plimsoll_store::{Run, StoredPart};

use crate::ReportError;

/// Points of a chart at most.
const MAX_POINTS: u32 = 600;
/// Points of a chart at least, unless the run is shorter.
const MIN_POINTS: u32 = 120;
/// Labels that get charts at most: the busiest.
pub(crate) const MAX_LABELS: usize = 60;
/// Values of all charts at most, so that the report stays small.
const MAX_VALUES: u32 = 250_000;
/// Series of a label.
const SERIES: u32 = 9;

/// A value at each point; none where there was no sample.
pub(crate) type Values = Vec<Option<f64>>;

/// One label, or the total, over time. Times in ms, rates in samples per second.
#[derive(Debug, Default)]
pub(crate) struct LabelSeries {
    pub(crate) name: String,
    pub(crate) kind: LabelKind,
    pub(crate) rate: Values,
    pub(crate) rate_min: Values,
    pub(crate) rate_max: Values,
    pub(crate) errors: Values,
    pub(crate) min: Values,
    pub(crate) p50: Values,
    pub(crate) p95: Values,
    pub(crate) p99: Values,
    pub(crate) max: Values,
    /// How long requests took in each point; the total's alone.
    pub(crate) heat: Vec<HeatColumn>,
    /// (1 / (1 - share), response time, service time).
    pub(crate) distribution: Vec<(f64, f64, f64)>,
}

/// The generator over time: the worst second of each point.
#[derive(Debug, Default)]
pub(crate) struct GeneratorSeries {
    pub(crate) users: Values,
    pub(crate) users_min: Values,
    pub(crate) in_flight: Values,
    pub(crate) in_flight_max: Values,
    /// In percent.
    pub(crate) cpu: Values,
    /// In percent.
    pub(crate) wait: Values,
    pub(crate) lateness_ms: Values,
}

/// All charts of a run.
#[derive(Debug)]
pub(crate) struct RunCharts {
    /// Seconds that a point covers.
    pub(crate) step_s: u32,
    /// Where each point begins.
    pub(crate) time_s: Vec<u32>,
    /// The total first, then the labels in the order of the plan.
    pub(crate) labels: Vec<LabelSeries>,
    pub(crate) generator: GeneratorSeries,
    /// Labels the run has, charted or not.
    pub(crate) all_labels: usize,
}

/// Reads the charts of a run.
pub(crate) fn read(
    run: &Run,
    summary: &Summary,
    total_name: &str,
) -> Result<RunCharts, ReportError> {
    let (_, seconds) = run.span_s()?;
    let end_s = (summary.warm_up_s + summary.duration_s).max(0.0);
    let sum = run.aggregate_with_tail(summary.warm_up_s, end_s)?;
    let mut busiest: Vec<(LabelId, u64)> = sum
        .labels()
        .map(|(label, interval)| (label.id, interval.samples()))
        .filter(|(_, samples)| *samples > 0)
        .collect();
    let all_labels = busiest.len();
    busiest.sort_by_key(|(id, samples)| (std::cmp::Reverse(*samples), *id));
    busiest.truncate(MAX_LABELS);
    let step_s = step(seconds, busiest.len() as u32 + 1);
    let mut folder = PointFolder::new(step_s, end_s, busiest.iter().map(|(id, _)| *id));
    run.for_each_second(0, seconds, |part| folder.add(part))?;
    let points = seconds.div_ceil(step_s);
    let (total, mut by_label) = folder.finish(points);
    let mut labels = vec![LabelSeries {
        name: total_name.to_owned(),
        distribution: distribution(&sum.total()),
        ..total
    }];
    for (label, interval) in sum.labels() {
        if let Some(series) = by_label.remove(&label.id) {
            labels.push(LabelSeries {
                name: label.name.clone(),
                kind: label.kind,
                distribution: distribution(interval),
                ..series
            });
        }
    }
    Ok(RunCharts {
        step_s,
        time_s: (0..points).map(|point| point * step_s).collect(),
        labels,
        generator: generator(&run.generator()?, step_s, points),
        all_labels,
    })
}

/// Seconds a point must cover for that many seconds and series.
fn step(seconds: u32, labels: u32) -> u32 {
    let points = (MAX_VALUES / (labels * SERIES)).clamp(MIN_POINTS, MAX_POINTS);
    seconds.div_ceil(points).max(1)
}

/// One series being folded.
#[derive(Default)]
struct Fold {
    series: LabelSeries,
    is_total: bool,
    bucket: LabelInterval,
    /// Samples and errors of the bucket that ended before the load did.
    in_load: (u64, u64),
    /// Samples of the second under way, and how many seconds of the bucket had any.
    in_second: u64,
    seconds_seen: u32,
    slowest: u64,
    busiest: u64,
}

impl Fold {
    fn add(&mut self, interval: &LabelInterval, in_load: bool) {
        self.bucket.merge(interval);
        if in_load {
            self.in_load.0 += interval.samples();
            self.in_load.1 += interval.errors();
            self.in_second += interval.samples();
        }
    }

    /// Ends a second; one that the load's end cut short is neither slowest nor busiest.
    fn end_second(&mut self, whole: bool) {
        if whole && self.in_second > 0 {
            let first = self.seconds_seen == 0;
            self.slowest = match first {
                true => self.in_second,
                false => self.slowest.min(self.in_second),
            };
            self.busiest = self.busiest.max(self.in_second);
            self.seconds_seen += 1;
        }
        self.in_second = 0;
    }

    /// Ends a bucket that the load covers for `covered_s` seconds. Seconds that are not
    /// whole have no rate of their own.
    fn end_bucket(&mut self, covered_s: f64) {
        let whole = covered_s.floor() as u32;
        let rate = |n: u64| (covered_s > 0.0).then(|| n as f64 / covered_s);
        let mean = rate(self.in_load.0);
        let (low, high) = match whole {
            0 => (mean, mean),
            _ if self.seconds_seen < whole => (Some(0.0), Some(self.busiest as f64)),
            _ => (Some(self.slowest as f64), Some(self.busiest as f64)),
        };
        let series = &mut self.series;
        series.rate.push(mean);
        series.rate_min.push(min(mean, low));
        series.rate_max.push(max(mean, high));
        series.errors.push(rate(self.in_load.1));
        let times = self.bucket.all_response();
        let at = |ns: u64| (!times.is_empty()).then(|| ns as f64 / 1e6);
        series.min.push(at(times.min_ns()));
        series.p50.push(at(times.percentile_ns(0.5)));
        series.p95.push(at(times.percentile_ns(0.95)));
        series.p99.push(at(times.percentile_ns(0.99)));
        series.max.push(at(times.max_ns()));
        if self.is_total {
            series.heat.push(heat_column(&times));
        }
        self.bucket.clear();
        self.in_load = (0, 0);
        (self.seconds_seen, self.slowest, self.busiest) = (0, 0, 0);
    }
}

fn min(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a.min(b))
}

fn max(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a.max(b))
}

/// Folds seconds that come in order into points.
struct PointFolder {
    step_s: u32,
    end_s: f64,
    second: u32,
    point: u32,
    total: Fold,
    labels: BTreeMap<LabelId, Fold>,
}

impl PointFolder {
    fn new(step_s: u32, end_s: f64, labels: impl Iterator<Item = LabelId>) -> Self {
        Self {
            step_s,
            end_s,
            second: 0,
            point: 0,
            total: Fold {
                is_total: true,
                ..Fold::default()
            },
            labels: labels.map(|id| (id, Fold::default())).collect(),
        }
    }

    fn add(&mut self, part: &StoredPart<'_>) {
        let (second, interval) = (part.second, part.interval);
        if second != self.second {
            self.end_second();
            self.second = second;
        }
        self.end_points_before(second / self.step_s);
        let in_load = !part.after_load && f64::from(second) < self.end_s;
        if part.label.kind == LabelKind::Request {
            self.total.add(interval, in_load);
        }
        if let Some(fold) = self.labels.get_mut(&part.label.id) {
            fold.add(interval, in_load);
        }
    }

    fn end_second(&mut self) {
        let whole = f64::from(self.second + 1) <= self.end_s;
        self.all(|fold| fold.end_second(whole));
    }

    fn all(&mut self, each: impl Fn(&mut Fold)) {
        each(&mut self.total);
        self.labels.values_mut().for_each(each);
    }

    fn end_points_before(&mut self, point: u32) {
        while self.point < point {
            let from = f64::from(self.point * self.step_s);
            let covered_s = (self.end_s - from).clamp(0.0, f64::from(self.step_s));
            self.all(|fold| fold.end_bucket(covered_s));
            self.point += 1;
        }
    }

    fn finish(mut self, points: u32) -> (LabelSeries, BTreeMap<LabelId, LabelSeries>) {
        self.end_second();
        self.end_points_before(points);
        let labels = self.labels.into_iter().map(|(id, fold)| (id, fold.series));
        (self.total.series, labels.collect())
    }
}

/// The response and service time at shares evenly spread on a logarithmic scale of
/// 1 / (1 - share), up to the largest value.
fn distribution(interval: &LabelInterval) -> Vec<(f64, f64, f64)> {
    /// Points for each nine.
    const PER_DECADE: i32 = 12;
    let (response, service) = (interval.all_response(), interval.all_service());
    let count = response.count() as f64;
    let at = |histogram: &Histogram, share: f64| histogram.percentile_ns(share) as f64 / 1e6;
    let mut points = Vec::new();
    for step in 0.. {
        let x = 10_f64.powf(f64::from(step) / f64::from(PER_DECADE));
        if x >= count {
            break;
        }
        let share = 1.0 - 1.0 / x;
        points.push((x, at(&response, share), at(&service, share)));
    }
    if count > 0.0 {
        points.push((count, at(&response, 1.0), at(&service, 1.0)));
    }
    points
}

fn generator(seconds: &[GeneratorSecond], step_s: u32, points: u32) -> GeneratorSeries {
    let mut buckets: Vec<Vec<&GeneratorSecond>> = vec![Vec::new(); points as usize];
    for second in seconds {
        let point = usize::try_from(second.second / u64::from(step_s));
        if let Some(bucket) = point.ok().and_then(|point| buckets.get_mut(point)) {
            bucket.push(second);
        }
    }
    let largest = |bucket: &[&GeneratorSecond], value: &dyn Fn(&GeneratorSecond) -> f64| {
        bucket.iter().map(|second| value(second)).reduce(f64::max)
    };
    let mut series = GeneratorSeries::default();
    for bucket in &buckets {
        let users = |second: &GeneratorSecond| second.users_active as f64;
        let in_flight = |second: &GeneratorSecond| second.in_flight as f64;
        let threads = |second: &GeneratorSecond, pick: fn(&plimsoll_stats::ThreadSecond) -> f64| {
            second.threads.iter().map(pick).fold(0.0, f64::max) * 100.0
        };
        let mean = bucket.iter().map(|s| in_flight(s)).sum::<f64>() / bucket.len() as f64;
        series.users.push(largest(bucket, &users));
        series
            .users_min
            .push(bucket.iter().map(|s| users(s)).reduce(f64::min));
        series.in_flight.push((!bucket.is_empty()).then_some(mean));
        series.in_flight_max.push(largest(bucket, &in_flight));
        series
            .cpu
            .push(largest(bucket, &|s| threads(s, |t| t.cpu_share)));
        series
            .wait
            .push(largest(bucket, &|s| threads(s, |t| t.runqueue_wait_share)));
        let late = |second: &GeneratorSecond| second.send_lateness_p99_ns as f64 / 1e6;
        series.lateness_ms.push(largest(bucket, &late));
    }
    series
}

#[cfg(test)]
mod tests {
    use plimsoll_stats::LabelInfo;

    use super::*;

    fn interval(response_ms: &[u64]) -> LabelInterval {
        let mut interval = LabelInterval::default();
        for ms in response_ms {
            interval.ok.record(*ms * 1_000_000, *ms * 1_000_000);
        }
        interval
    }

    #[test]
    fn points_keep_extremes_and_merge_percentiles() {
        let id = LabelId(4);
        let mut folder = PointFolder::new(3, 7.5, [id].into_iter());
        let label = LabelInfo {
            id,
            name: String::new(),
            kind: LabelKind::Request,
            parent: None,
        };
        let mut add = |second, values: &[u64]| {
            let interval = interval(values);
            let after_load = second > 7;
            folder.add(&StoredPart {
                second,
                after_load,
                label: &label,
                interval: &interval,
            });
        };
        add(0, &[10, 10, 10, 10]);
        add(1, &[10, 900]);
        add(2, &[10, 10, 10, 10, 10, 1]);
        // Seconds 3 and 5 are empty.
        add(4, &[20, 20, 20]);
        add(6, &[30; 8]);
        add(7, &[30; 4]);
        add(8, &[2_000]);
        let (total, labels) = folder.finish(3);
        let series = &labels[&id];
        assert_eq!(series.rate, [Some(4.0), Some(1.0), Some(8.0)]);
        assert_eq!(series.rate_min, [Some(2.0), Some(0.0), Some(8.0)]);
        assert_eq!(series.rate_max, [Some(6.0), Some(3.0), Some(8.0)]);
        assert_eq!(series.max, [Some(900.0), Some(20.0), Some(2_000.0)]);
        assert_eq!(series.min, [Some(1.0), Some(20.0), Some(30.0)]);
        assert_eq!(series.p99[0], Some(900.0));
        assert_eq!(total.rate, series.rate);
    }

    #[test]
    fn the_number_of_values_is_bounded() {
        for labels in [1, 5, 61] {
            for seconds in [0, 1, 59, 600, 601, 28_800, 604_800] {
                let step_s = step(seconds, labels);
                let points = seconds.div_ceil(step_s);
                assert!(points <= MAX_POINTS && points * labels * SERIES <= MAX_VALUES);
            }
        }
        assert_eq!(step(600, 1), 1, "short runs are shown second by second");
    }

    #[test]
    fn the_distribution_ends_at_the_maximum() {
        let mut sum = interval(&(1..=1_000).collect::<Vec<u64>>());
        sum.err.record(2_000_000_000, 5_000_000_000);
        let points = distribution(&sum);
        assert_eq!(points[0], (1.0, 1.0, 1.0));
        assert_eq!(points[points.len() - 1], (1_001.0, 5_000.0, 2_000.0));
        assert!(
            points
                .windows(2)
                .all(|w| w[0].0 < w[1].0 && w[0].1 <= w[1].1)
        );
    }
}
