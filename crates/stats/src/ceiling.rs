//! The most a load generator can do on a machine, as a calibration measured it, and how near a
//! run came to it.
//!
//! The utilization law (Denning and Buzen, "The Operational Analysis of Queueing Network
//! Models", ACM Computing Surveys 10(3), 1978) gives the demand of a request, D = U / X, and
//! with it the bound of the throughput: CPUs / D.

use serde::{Deserialize, Serialize};

/// A run from this share of the ceiling on is near it.
pub const NEAR: f64 = 0.8;
/// From this share on nothing more can be expected: the ceiling itself is known no better.
pub const AT: f64 = 0.95;
/// Load threads that use this share of their CPUs are the limit.
const SATURATED: f64 = 0.85;
/// Steps that bring less than this share more have come to the ceiling.
const GAIN: f64 = 0.03;
/// So many such steps in a row end a climb.
const PATIENCE: u32 = 2;

/// The machine and program that a ceiling holds for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Version of the program.
    pub version: String,
    /// Host name.
    pub host: String,
    /// Model of the first processor.
    pub cpu_model: String,
    /// Kernel release.
    pub kernel: String,
    /// CPUs that the program may use, by affinity and quota.
    pub cpus: f64,
}

/// What kept the throughput from rising further.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingLimit {
    /// The load threads exhausted their CPUs.
    Generator,
    /// The page's server used CPUs that the load threads waited for.
    SharedCpus,
    /// The page, or the network to it: the load threads had room.
    #[default]
    Page,
    /// Throughput still rose at the most users that were tried.
    NotReached,
}

impl CeilingLimit {
    /// Its name in JSON and text ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generator => "generator",
            Self::SharedCpus => "shared_cpus",
            Self::Page => "page",
            Self::NotReached => "not_reached",
        }
    }
}

/// What a load of so many users showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CeilingStep {
    /// Users.
    pub users: u32,
    /// Requests a second that ended well.
    pub throughput_per_s: f64,
    /// Mean response time.
    pub response_time_ms: f64,
    /// CPUs that the load threads used together.
    pub generator_cpus: f64,
    /// The same of what they may use, 0 to 1.
    pub generator_cpu_share: f64,
    /// Time a load thread was ready and had no CPU, as a share of the time, 0 to 1.
    pub waiting_share: f64,
    /// CPUs that the built-in page's server used; null for a page of somebody else's.
    pub page_cpus: Option<f64>,
}

/// The most a generator can do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceiling {
    /// When it was measured (RFC 3339).
    pub measured_at: String,
    /// For what it holds.
    pub machine: Machine,
    /// The page that was loaded; null for the built-in one.
    pub page: Option<String>,
    /// Whether connections were kept open.
    pub keep_alive: bool,
    /// Load threads.
    pub threads: u32,
    /// Users at the largest throughput.
    pub users: u32,
    /// The largest throughput that was measured, requests a second.
    pub measured_per_s: f64,
    /// CPU of the load threads for a request there, microseconds: D = U / X.
    pub cpu_us_per_request: f64,
    /// 1 / D: requests a second of one core that does nothing else.
    pub per_core_per_s: f64,
    /// What all CPUs that the program may use would give if nothing else ran on them.
    pub all_cores_per_s: f64,
    /// What kept the throughput from rising.
    pub limit: CeilingLimit,
    /// The part of the CPU time of a request that the built-in page's server took, 0 to 1; null
    /// for a page of somebody else's.
    pub page_share: Option<f64>,
}

impl Ceiling {
    /// The ceiling that steps of a climb show; `None` if none of them had load.
    #[must_use]
    pub fn of_steps(steps: &[CeilingStep], machine: Machine, threads: u32) -> Option<Self> {
        let best = steps
            .iter()
            .filter(|step| step.throughput_per_s > 0.0 && step.generator_cpus > 0.0)
            .max_by(|a, b| a.throughput_per_s.total_cmp(&b.throughput_per_s))?;
        let demand_s = best.generator_cpus / best.throughput_per_s;
        let still_rising = steps.last().is_some_and(|last| last.users == best.users)
            && rising(steps, best.throughput_per_s);
        let limit = match best {
            _ if best.generator_cpu_share >= SATURATED => CeilingLimit::Generator,
            _ if best.generator_cpu_share + best.waiting_share >= SATURATED => {
                CeilingLimit::SharedCpus
            }
            _ if still_rising => CeilingLimit::NotReached,
            _ => CeilingLimit::Page,
        };
        Some(Self {
            all_cores_per_s: machine.cpus / demand_s,
            machine,
            threads,
            users: best.users,
            measured_per_s: best.throughput_per_s,
            cpu_us_per_request: demand_s * 1e6,
            per_core_per_s: 1.0 / demand_s,
            limit,
            page_share: best
                .page_cpus
                .map(|page| page / (page + best.generator_cpus)),
            ..Self::default()
        })
    }

    /// What so many load threads can do, each on at most one CPU; 0 threads stands for as many
    /// as there are CPUs.
    #[must_use]
    pub fn of_threads_per_s(&self, threads: u32) -> f64 {
        let cpus = match threads {
            0 => self.machine.cpus,
            threads => f64::from(threads).min(self.machine.cpus),
        };
        self.per_core_per_s * cpus
    }
}

/// Whether the last step brought clearly more than all before it.
fn rising(steps: &[CeilingStep], best_per_s: f64) -> bool {
    let before = steps.iter().rev().skip(1);
    let most = before.map(|step| step.throughput_per_s).fold(0.0, f64::max);
    best_per_s > most * (1.0 + GAIN)
}

/// The ceiling that a run is to be compared with, of those that are known of its machine: that
/// of its own address, else that of the built-in page, with connections used as it did.
#[must_use]
pub fn choose<'a>(known: &'a [Ceiling], target: &str, keeps_alive: bool) -> Option<&'a Ceiling> {
    let fitting = || {
        known
            .iter()
            .filter(|ceiling| ceiling.keep_alive == keeps_alive)
    };
    let own = fitting().find(|ceiling| {
        let page = ceiling.page.as_deref();
        !target.is_empty() && page.is_some_and(|page| page.starts_with(target))
    });
    own.or_else(|| fitting().find(|ceiling| ceiling.page.is_none()))
}

/// A climb of users: 1, 2, 4 … until more bring nothing more, or the most was tried.
///
/// ```
/// use plimsoll_stats::ceiling::Climb;
///
/// let mut climb = Climb::to(64);
/// let mut tried = Vec::new();
/// while let Some(users) = climb.next_users() {
///     tried.push(users);
///     climb.report(f64::from(users.min(4)) * 1_000.0); // four are as many as help
/// }
/// assert_eq!(tried[..3], [1, 2, 4]);
/// assert!(tried.len() < 7);
/// ```
#[derive(Clone, Debug)]
pub struct Climb {
    users: u32,
    most: u32,
    best_per_s: f64,
    without_gain: u32,
    ended: bool,
}

impl Climb {
    /// Up to so many users; 0 counts as 1.
    #[must_use]
    pub fn to(most: u32) -> Self {
        Self {
            users: 1,
            most: most.max(1),
            best_per_s: 0.0,
            without_gain: 0,
            ended: false,
        }
    }

    /// The users to be measured next; `None` when the climb has ended.
    #[must_use]
    pub fn next_users(&self) -> Option<u32> {
        (!self.ended).then_some(self.users)
    }

    /// Takes what they showed.
    pub fn report(&mut self, throughput_per_s: f64) {
        if throughput_per_s > self.best_per_s * (1.0 + GAIN) {
            self.without_gain = 0;
        } else {
            self.without_gain += 1;
        }
        self.best_per_s = self.best_per_s.max(throughput_per_s);
        self.ended = self.users >= self.most || self.without_gain >= PATIENCE;
        self.users = self.users.saturating_mul(2).min(self.most);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn step(users: u32, throughput_per_s: f64, cpus: f64, share: f64) -> CeilingStep {
        CeilingStep {
            users,
            throughput_per_s,
            generator_cpus: cpus,
            generator_cpu_share: share,
            ..CeilingStep::default()
        }
    }

    fn machine(cpus: f64) -> Machine {
        Machine {
            cpus,
            ..Machine::default()
        }
    }

    #[test]
    fn a_climb_ends_where_more_users_bring_nothing() {
        let mut climb = Climb::to(1_000);
        let mut tried = Vec::new();
        while let Some(users) = climb.next_users() {
            tried.push(users);
            climb.report(f64::from(users.min(10)) * 100.0);
        }
        assert_eq!(tried, [1, 2, 4, 8, 16, 32, 64]);
        let mut short = Climb::to(3);
        let mut tried = Vec::new();
        while let Some(users) = short.next_users() {
            tried.push(users);
            short.report(f64::from(users));
        }
        assert_eq!(tried, [1, 2, 3]);
    }

    #[test]
    fn the_ceiling_is_the_cpu_by_the_demand_of_a_request() {
        let steps = [
            step(1, 5_000.0, 0.2, 0.2),
            step(8, 20_000.0, 0.96, 0.96),
            step(16, 19_900.0, 0.97, 0.97),
        ];
        let ceiling = Ceiling::of_steps(&steps, machine(4.0), 1).unwrap();
        assert_eq!((ceiling.users, ceiling.limit), (8, CeilingLimit::Generator));
        assert!((ceiling.cpu_us_per_request - 48.0).abs() < 1e-6);
        assert!((ceiling.per_core_per_s - 20_833.3).abs() < 0.1);
        assert!((ceiling.all_cores_per_s - 83_333.3).abs() < 0.1);
        assert!((ceiling.of_threads_per_s(2) - 41_666.7).abs() < 0.1);
        assert_eq!(ceiling.of_threads_per_s(0), ceiling.all_cores_per_s);
        assert_eq!(ceiling.of_threads_per_s(64), ceiling.all_cores_per_s);
        assert_eq!(Ceiling::of_steps(&[], machine(4.0), 1), None);
    }

    #[test]
    fn what_limited_is_said() {
        let limit = |steps: &[CeilingStep]| {
            let ceiling = Ceiling::of_steps(steps, machine(2.0), 1).unwrap();
            ceiling.limit
        };
        let flat = [step(1, 900.0, 0.1, 0.1), step(2, 905.0, 0.1, 0.1)];
        assert_eq!(limit(&flat), CeilingLimit::Page);
        let rising = [step(1, 900.0, 0.1, 0.1), step(2, 1_800.0, 0.2, 0.2)];
        assert_eq!(limit(&rising), CeilingLimit::NotReached);
        let mut shared = step(4, 9_000.0, 1.0, 0.5);
        (shared.waiting_share, shared.page_cpus) = (0.45, Some(1.0));
        assert_eq!(limit(&[shared]), CeilingLimit::SharedCpus);
        let ceiling = Ceiling::of_steps(&[shared], machine(2.0), 2).unwrap();
        assert_eq!(ceiling.page_share, Some(0.5));
    }

    #[test]
    fn a_run_is_compared_with_what_is_most_like_it() {
        let of = |page: Option<&str>, keep_alive| Ceiling {
            page: page.map(str::to_owned),
            keep_alive,
            ..Ceiling::default()
        };
        let known = [
            of(None, true),
            of(None, false),
            of(Some("http://web/hello"), true),
        ];
        assert_eq!(choose(&known, "http://web", true), Some(&known[2]));
        assert_eq!(choose(&known, "http://other", true), Some(&known[0]));
        assert_eq!(choose(&known, "http://web", false), Some(&known[1]));
        assert_eq!(choose(&known[2..], "", true), None);
    }
}
