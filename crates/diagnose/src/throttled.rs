//! A CPU quota as requests meet it: in which share of its periods it stops a process, for how long, and which share
//! of the requests is there then. A mean utilization hides that.

use plimsoll_stats::names::{self, SeriesName};
use plimsoll_stats::series::Entity;

use crate::account::stay_s;
use crate::scene::Scene;

/// A period where none other is set (Linux, cpu.max: 100000 µs).
pub(crate) const PERIOD_S: f64 = 0.1;

/// How a quota stops a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QuotaStops {
    /// Of all periods, those in which it is stopped.
    pub periods: f64,
    /// For how long in such a one, s; at most, where several CPUs are stopped.
    pub stop_s: f64,
    /// Of the requests, those that are there while it is stopped.
    pub requests: f64,
}

/// How its quota stops a process; none where it does not.
pub(crate) fn stops(scene: &Scene<'_>, process: &Entity) -> Option<QuotaStops> {
    let rate = |name: SeriesName| scene.of(process, name).mean().unwrap_or(0.0);
    let (periods, stopped) = (
        rate(names::host::CGROUP_PERIODS),
        rate(names::host::CGROUP_THROTTLED_PERIODS),
    );
    let time = rate(names::host::CGROUP_THROTTLED_TIME);
    if stopped <= 0.0 || time <= 0.0 {
        return None;
    }
    // Periods in which nothing runs are not counted: more a second than ten are shorter ones.
    let period_s = PERIOD_S.min(1.0 / periods.max(1e-9));
    let stop_s = (time / stopped).min(period_s);
    let share = (stopped * period_s).min(1.0);
    let stay_s = stay_s(scene, &process.host, &process.name).unwrap_or_else(|| scene.service_s());
    Some(QuotaStops {
        periods: share,
        stop_s,
        requests: met(share, stop_s / period_s, stay_s / period_s),
    })
}

/// Of requests that begin at any moment and stay for so many periods, those that are there in a stop: each period
/// has one with that chance, at its end and of that length, a share of the period.
fn met(chance: f64, stop: f64, stay: f64) -> f64 {
    let reach = stay + stop;
    let whole = reach.floor();
    1.0 - (1.0 - chance).powf(whole) * (1.0 - chance * (reach - whole))
}

#[cfg(test)]
#[allow(clippy::cast_precision_loss)]
mod tests {
    use super::*;
    use crate::testing::Chance;

    /// Held against throwing dice: periods that are stopped by chance, requests at any moment.
    #[test]
    fn the_share_of_requests_that_meet_a_stop_is_that_of_dice() {
        let mut chance = Chance(5);
        let share = |chance: &mut Chance| chance.below(1_001) as f64 / 1_000.0;
        for _ in 0..40 {
            let (stops, stop, stay) = (
                share(&mut chance),
                share(&mut chance),
                share(&mut chance) * 5.0,
            );
            let rounds = 20_000;
            let hit = (0..rounds).filter(|_| {
                let from = share(&mut chance) * 0.999;
                let until = from + stay;
                let stopped: Vec<bool> = (0..8).map(|_| share(&mut chance) < stops).collect();
                stopped.iter().enumerate().any(|(period, stopped)| {
                    let ends = period as f64 + 1.0;
                    *stopped && from < ends && until > ends - stop
                })
            });
            let seen = hit.count() as f64 / f64::from(rounds);
            let told = met(stops, stop, stay);
            assert!(
                (seen - told).abs() < 0.02,
                "{stops} {stop} {stay}: {seen} {told}"
            );
        }
    }
}
