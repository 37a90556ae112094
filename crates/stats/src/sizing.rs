//! Calculators for sizing: how much load to expect, and what it needs.
//!
//! Little's law is a theorem (J. D. C. Little, "A proof for the queuing formula L = λ W",
//! Operations Research 9(3), 1961). The others are rules of thumb of the field: where to
//! begin, not what to end with.

use serde::Serialize;

/// Seconds in a day.
pub const DAY_S: f64 = 86_400.0;
/// The share of a day's visits that comes in its busy time, and the share of the day that
/// this takes (the rule 80/40).
pub const BUSY_VISITS: f64 = 0.8;
/// See [`BUSY_VISITS`].
pub const BUSY_DAY: f64 = 0.4;
/// Worker threads of a web server for each core.
pub const WEB_THREADS_PER_CORE: f64 = 200.0;
/// Stack of a thread, by default.
pub const STACK_MIB: f64 = 1.0;
/// A pool of database connections has this share of the web threads to begin with.
pub const POOL_SHARE: f64 = 0.5;
/// Below this response time threads are seldom the limit.
pub const SHORT_RESPONSE_S: f64 = 0.1;

/// Target throughput from the visits of a day:
/// (busy visits × visits) / (busy share of the day × 86,400 s). Both shares are above 0 and at most 1; a
/// busy share of 0 gives infinity.
///
/// ```
/// use plimsoll_stats::sizing::{target_tps, threads, users};
///
/// // 80 % of a million visits come in 20 % of the day; a visit takes 0.5 s, and 4.5 s pass until the next.
/// let tps = target_tps(1_000_000.0, 0.8, 0.2);
/// assert_eq!(tps.round(), 46.0);
/// assert_eq!(users(tps, 0.5, 4.5).round(), 231.0);
/// assert_eq!(threads(23.1, Some(4)), 24);
/// ```
#[must_use]
pub fn target_tps(visits_per_day: f64, busy_visits: f64, busy_day: f64) -> f64 {
    visits_per_day * busy_visits / (DAY_S * busy_day)
}

/// Users by Little's law with think time: N = X · (R + Z). Times are in seconds and may be 0.
#[must_use]
pub fn users(tps: f64, response_s: f64, think_s: f64) -> f64 {
    tps * (response_s + think_s)
}

/// Throughput of that many users: X = N / (R + Z); not finite where both times are 0.
#[must_use]
pub fn tps_of_users(users: f64, response_s: f64, think_s: f64) -> f64 {
    users / (response_s + think_s)
}

/// Threads that are busy by Little's law: X · R.
#[must_use]
pub fn busy_threads(tps: f64, response_s: f64) -> f64 {
    tps * response_s
}

/// A whole number of threads, raised to a multiple of the cores if they are known (0 counts as 1). At
/// least one.
#[must_use]
pub fn threads(busy: f64, cores: Option<u32>) -> u64 {
    // Products of decimal numbers end a little above the whole number that they are.
    let whole = (busy - 1e-9 * busy).ceil().max(1.0);
    let step = f64::from(cores.unwrap_or(1).max(1));
    ((whole / step).ceil() * step) as u64
}

/// Connections of a database pool to begin with: at least one.
#[must_use]
pub fn pool(web_threads: u64) -> u64 {
    ((web_threads as f64 * POOL_SHARE).ceil() as u64).max(1)
}

/// Web threads that a host carries, by rule of thumb.
#[must_use]
pub fn web_threads_of_host(cores: u32) -> u64 {
    (f64::from(cores) * WEB_THREADS_PER_CORE) as u64
}

/// Memory that the stacks of threads may take, MiB.
#[must_use]
pub fn stack_mib(threads: u64) -> f64 {
    threads as f64 * STACK_MIB
}

/// How load is brought up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RampKind {
    /// To begin with.
    Careful,
    /// The usual way.
    Gentle,
    /// Once the target is known to stand it.
    Fast,
}

/// A ramp-up by rule of thumb.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizedRamp {
    /// Which.
    pub kind: RampKind,
    /// New users a second, from …
    pub from_users_per_s: f64,
    /// … to.
    pub to_users_per_s: f64,
    /// Seconds that this takes for the users given, at least …
    pub from_s: f64,
    /// … and at most.
    pub to_s: f64,
}

/// Ramp-ups for that many users (0 or more): careful 1 to 2 users a second, gentle 3 to 6, fast 13 to 20.
#[must_use]
pub fn ramps(users: f64) -> [SizedRamp; 3] {
    [
        (RampKind::Careful, 1.0, 2.0),
        (RampKind::Gentle, 3.0, 6.0),
        (RampKind::Fast, 13.0, 20.0),
    ]
    .map(|(kind, slow, quick)| SizedRamp {
        kind,
        from_users_per_s: slow,
        to_users_per_s: quick,
        from_s: (users / quick).ceil(),
        to_s: (users / slow).ceil(),
    })
}

/// Version of the JSON of [`Sizes`]; rises when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// What a system is sized by; what is not known is none.
#[derive(Debug, Clone, Copy, Default)]
pub struct SizingKnown {
    /// Visits of a day, 0 or more.
    pub visits_per_day: Option<f64>,
    /// The share of them in the busy time, above 0 and at most 1.
    pub busy_visits: f64,
    /// The share of the day that this is, above 0 and at most 1.
    pub busy_day: f64,
    /// Throughput, requests per second.
    pub tps: Option<f64>,
    /// Users at work at once.
    pub users: Option<f64>,
    /// Response time, s, above 0.
    pub response_s: Option<f64>,
    /// Think time, s; may be 0.
    pub think_s: f64,
    /// Cores of a host.
    pub cores: Option<u32>,
}

impl SizingKnown {
    /// Whether nothing is known that anything follows from.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let load = [self.visits_per_day, self.tps, self.users];
        load.iter().all(Option::is_none) && self.cores.is_none()
    }
}

/// Everything that was calculated; what does not follow from what is known is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sizes {
    /// Version of this JSON.
    pub schema_version: u32,
    /// Throughput, requests per second.
    pub target_tps: Option<f64>,
    /// Users at work at once.
    pub users: Option<f64>,
    /// Threads busy on average.
    pub busy_threads: Option<f64>,
    /// Threads to begin with.
    pub threads: Option<u64>,
    /// Connections of a database pool to begin with.
    pub pool: Option<u64>,
    /// Web threads of the host by rule of thumb.
    pub host_web_threads: Option<u64>,
    /// Memory of their stacks, MiB.
    pub host_stack_mib: Option<f64>,
    /// Ways to bring the users up.
    pub ramps: Vec<SizedRamp>,
}

/// All that follows from what is known. A throughput that visits tell comes before one that is given,
/// and that before the one of the users.
#[must_use]
pub fn sizes(known: &SizingKnown) -> Sizes {
    let by_visits = known
        .visits_per_day
        .map(|visits| target_tps(visits, known.busy_visits, known.busy_day));
    let by_users = known
        .users
        .zip(known.response_s)
        .map(|(users, response_s)| tps_of_users(users, response_s, known.think_s));
    let tps = by_visits.or(known.tps).or(by_users);
    let with_response = tps.zip(known.response_s);
    let of_response = with_response.map(|(tps, response_s)| users(tps, response_s, known.think_s));
    let users = known.users.or(of_response);
    let busy = with_response.map(|(tps, response_s)| busy_threads(tps, response_s));
    let threads = busy.map(|busy| threads(busy, known.cores));
    let host = known.cores.map(web_threads_of_host);
    Sizes {
        schema_version: SCHEMA_VERSION,
        target_tps: tps,
        users,
        busy_threads: busy,
        threads,
        pool: threads.map(pool),
        host_web_threads: host,
        host_stack_mib: host.map(stack_mib),
        ramps: users.map(ramps).into_iter().flatten().collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_rules_give_the_fields_own_figures() {
        // 1,000,000 visits: 800,000 in 34,560 s.
        let tps = target_tps(1e6, BUSY_VISITS, BUSY_DAY);
        assert!((tps - 23.148_148).abs() < 1e-5, "{tps}");
        assert_eq!(users(100.0, 0.2, 0.8), 100.0);
        // TPS / (1000 ms / RT): 1,000 at 200 ms.
        assert_eq!(threads(busy_threads(1_000.0, 0.2), None), 200);
        assert_eq!(threads(busy_threads(1_010.0, 0.2), Some(4)), 204);
        assert_eq!([1, 4, 8].map(web_threads_of_host), [200, 800, 1_600]);
        assert_eq!((pool(200), pool(1), pool(0)), (100, 1, 1));
        let ramps = ramps(360.0);
        assert_eq!((ramps[0].from_s, ramps[0].to_s), (180.0, 360.0));
        assert_eq!((ramps[1].from_s, ramps[1].to_s), (60.0, 120.0));
        assert_eq!((ramps[2].from_s, ramps[2].to_s), (18.0, 28.0));
    }

    proptest! {
        #[test]
        fn users_and_throughput_are_inverse(
            tps in 0.1..1e6_f64, response_s in 0.001..10.0_f64, think_s in 0.0..60.0_f64,
        ) {
            let back = tps_of_users(users(tps, response_s, think_s), response_s, think_s);
            prop_assert!((back / tps - 1.0).abs() < 1e-9);
        }

        #[test]
        fn threads_are_enough_and_a_multiple_of_the_cores(busy in 0.0..1e5_f64, cores in 1..64_u32) {
            let threads = threads(busy, Some(cores));
            prop_assert_eq!(threads % u64::from(cores), 0);
            prop_assert!(threads as f64 >= busy * (1.0 - 1e-9));
            prop_assert!((threads as f64) < busy + 1.0 + f64::from(cores));
        }
    }
}
