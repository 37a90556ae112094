//! The service demand of a resource over the loads of a run: D = U / X, whether it stays, and
//! which throughput it bounds.
//!
//! Utilization law and bottleneck analysis (Denning and Buzen, ACM Computing Surveys 10(3), 1978;
//! Lazowska et al., "Quantitative System Performance", 1984, chapters 3 and 5). A demand that
//! grows with the load is contention: spinning, switching, cold caches, longer queues to walk.

use serde::{Deserialize, Serialize};

use crate::batch_means::Estimate;
use crate::t_test::{mean, t_quantile};

/// Loads up to this share of the largest throughput are before the knee.
const BEFORE_KNEE: f64 = 0.75;
/// A demand that grows by less is called stable.
const GROWS: f64 = 0.1;
/// A bound within this share above the largest throughput predicts it.
const PREDICTS: f64 = 0.85;
const CONFIDENCE: f64 = 0.95;

/// What a part of a load showed of a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemandSample {
    /// The load.
    pub load: f64,
    /// How much of the resource was busy: CPUs, disks, connections.
    pub busy: f64,
    /// Requests that ended, per second.
    pub throughput_per_s: f64,
}

/// The demand at one load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemandAtLoad {
    /// The load.
    pub load: f64,
    /// Time of the resource for one request.
    pub demand_ms: f64,
    /// How much of the resource was busy, 0 to 1.
    #[serde(alias = "utilisation")]
    pub utilization: f64,
    /// Requests that ended, per second.
    pub throughput_per_s: f64,
}

/// The demand of a resource over several loads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// Each load, in ascending order.
    pub loads: Vec<DemandAtLoad>,
    /// How much of the resource there is.
    pub capacity: f64,
    /// Capacity / D with the demand of the loads before the knee: what throughput it should
    /// bear, known before it is full.
    pub bound_per_s: f64,
    /// The largest throughput that was seen.
    pub largest_per_s: f64,
    /// How much the demand grows from the smallest to the largest load, as a share of that at
    /// the smallest, with its 95 % interval: the line of least squares over all parts. None
    /// with fewer than four parts.
    pub growth: Option<Estimate>,
}

impl Demand {
    /// The demand that samples of at least two loads show; samples of a load come together.
    #[must_use]
    pub fn of(samples: &[DemandSample], capacity: f64) -> Option<Self> {
        let used = |sample: &&DemandSample| sample.throughput_per_s > 0.0 && sample.busy >= 0.0;
        let samples: Vec<DemandSample> = samples.iter().filter(used).copied().collect();
        let mut loads = at_loads(&samples, capacity);
        loads.sort_by(|a, b| a.load.total_cmp(&b.load));
        let largest_per_s = loads
            .iter()
            .map(|at| at.throughput_per_s)
            .fold(0.0, f64::max);
        if loads.len() < 2 || capacity <= 0.0 {
            return None;
        }
        let light = |at: &&DemandAtLoad| at.throughput_per_s <= largest_per_s * BEFORE_KNEE;
        let mut before: Vec<DemandAtLoad> = loads.iter().filter(light).copied().collect();
        if before.is_empty() {
            before.push(loads[0]);
        }
        let busy: f64 = before.iter().map(|at| at.utilization * capacity).sum();
        let done: f64 = before.iter().map(|at| at.throughput_per_s).sum();
        (busy > 0.0).then(|| Self {
            growth: growth(&samples, &loads),
            bound_per_s: capacity * done / busy,
            largest_per_s,
            capacity,
            loads,
        })
    }

    /// Whether the demand grows with the load beyond doubt, and by how much.
    #[must_use]
    pub fn grows_by(&self) -> Option<f64> {
        let growth = self.growth?;
        let sure = growth.low.is_some_and(|low| low > 0.0) && growth.value >= GROWS;
        sure.then_some(growth.value)
    }

    /// Whether the largest throughput is what this resource bounds it to.
    #[must_use]
    pub fn predicts(&self) -> bool {
        let reached = self.largest_per_s / self.bound_per_s;
        (PREDICTS..=1.0 / PREDICTS).contains(&reached)
    }
}

fn at_loads(samples: &[DemandSample], capacity: f64) -> Vec<DemandAtLoad> {
    let same = samples.chunk_by(|a, b| a.load == b.load);
    same.map(|parts| {
        let of =
            |value: fn(&DemandSample) -> f64| mean(&parts.iter().map(value).collect::<Vec<f64>>());
        let (busy, throughput_per_s) = (of(|part| part.busy), of(|part| part.throughput_per_s));
        DemandAtLoad {
            load: parts[0].load,
            demand_ms: busy / throughput_per_s * 1e3,
            utilization: busy / capacity,
            throughput_per_s,
        }
    })
    .collect()
}

/// The slope of the demand over the load, as growth over the whole range.
fn growth(samples: &[DemandSample], loads: &[DemandAtLoad]) -> Option<Estimate> {
    let (first, last) = (loads.first()?, loads.last()?);
    let range = last.load - first.load;
    if samples.len() < 4 || range <= 0.0 {
        return None;
    }
    let n: Vec<f64> = samples.iter().map(|sample| sample.load).collect();
    let d: Vec<f64> = samples
        .iter()
        .map(|sample| sample.busy / sample.throughput_per_s)
        .collect();
    let (middle, centre) = (mean(&n), mean(&d));
    let squares: f64 = n.iter().map(|n| (n - middle).powi(2)).sum();
    let both = n.iter().zip(&d);
    let slope = both.map(|(n, d)| (n - middle) * (d - centre)).sum::<f64>() / squares;
    let rest: f64 = n
        .iter()
        .zip(&d)
        .map(|(n, d)| (d - centre - slope * (n - middle)).powi(2))
        .sum();
    let freedom = samples.len() as f64 - 2.0;
    let error = (rest / freedom / squares).sqrt();
    let at_first = centre + slope * (first.load - middle);
    if at_first <= 0.0 {
        return None;
    }
    let scale = range / at_first;
    let half = t_quantile(freedom, CONFIDENCE)? * error * scale;
    Some(Estimate::within(slope * scale, half))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Four parts of each load of a station with that demand, which gives at most 1 / D.
    fn station(demand_ms: impl Fn(f64) -> f64, capacity: f64) -> Vec<DemandSample> {
        let mut samples = Vec::new();
        for load in [1.0, 4.0, 16.0, 64.0] {
            for part in 0..4 {
                // What is seen scatters by 2 %.
                let noise = 1.0 + 0.02 * (f64::from(part) - 1.5);
                let demand_s = demand_ms(load) / 1e3;
                let offered = load * 20.0;
                let throughput_per_s = offered.min(capacity / demand_s);
                samples.push(DemandSample {
                    load,
                    busy: throughput_per_s * demand_s * noise,
                    throughput_per_s,
                });
            }
        }
        samples
    }

    #[test]
    fn a_steady_demand_predicts_the_plateau() {
        let demand = Demand::of(&station(|_| 4.0, 2.0), 2.0).unwrap();
        assert_eq!(demand.loads.len(), 4);
        assert!((demand.bound_per_s - 500.0).abs() < 5.0, "{demand:?}");
        assert!((demand.largest_per_s - 500.0).abs() < 1e-6);
        assert!(demand.predicts());
        assert_eq!(demand.grows_by(), None, "{:?}", demand.growth);
        let last = demand.loads.last().unwrap();
        assert!((last.utilization - 1.0).abs() < 0.01 && (last.demand_ms - 4.0).abs() < 0.05);
    }

    #[test]
    fn contention_is_a_demand_that_grows() {
        let demand = Demand::of(&station(|load| 2.0 + load / 32.0, 1.0), 1.0).unwrap();
        let grows = demand.grows_by().unwrap();
        // From 2.03 ms to 4 ms.
        assert!((grows - 0.97).abs() < 0.1, "{grows}");
        assert!(!demand.predicts(), "it promised more: {demand:?}");
        assert!(demand.bound_per_s > demand.largest_per_s * 1.3);
    }

    #[test]
    fn a_resource_with_room_predicts_nothing() {
        let mut samples = station(|_| 4.0, 2.0);
        // The same throughput, of something that is used a tenth as much.
        samples.iter_mut().for_each(|sample| sample.busy /= 10.0);
        let demand = Demand::of(&samples, 2.0).unwrap();
        assert!(demand.bound_per_s > 4_000.0 && !demand.predicts());
    }

    #[test]
    fn one_load_or_nothing_says_nothing() {
        assert_eq!(Demand::of(&[], 1.0), None);
        let one = station(|_| 4.0, 2.0);
        assert_eq!(Demand::of(&one[..4], 2.0), None);
        let mut idle = one;
        idle.iter_mut().for_each(|sample| sample.busy = 0.0);
        assert_eq!(Demand::of(&idle, 2.0), None);
    }
}
