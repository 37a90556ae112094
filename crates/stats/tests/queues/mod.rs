//! Queues whose curves are known, simulated event by event.
#![allow(dead_code)]

use std::collections::VecDeque;

use plimsoll_stats::curve::SecondSums;

/// A small seeded generator (SplitMix64).
pub struct Noise(pub u64);

impl Noise {
    /// Even between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponential with this rate.
    fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.uniform()).ln() / rate
    }
}

/// A station that serves n requests at the rate `rate(n)` all together.
#[derive(Clone, Copy)]
pub enum Station {
    /// M/M/c: so many servers, so many seconds of service.
    Servers(u32, f64),
    /// Requests that disturb each other: the Universal Scalability Law in n, with λ, σ, κ.
    Retrograde(f64, f64, f64),
}

impl Station {
    pub fn rate(self, n: u32) -> f64 {
        let n = f64::from(n);
        match self {
            Self::Servers(servers, service_s) => n.min(f64::from(servers)) / service_s,
            Self::Retrograde(lambda, sigma, kappa) => {
                lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
            }
        }
    }

    /// Exact throughput of users who think for an exponential time, by the balance of births
    /// and deaths.
    pub fn throughput(self, users: u32, think_s: f64) -> f64 {
        if think_s == 0.0 {
            return self.rate(users);
        }
        let (mut weight, mut sum, mut flow) = (1.0, 1.0, 0.0);
        for n in 1..=users {
            weight *= f64::from(users - n + 1) / think_s / self.rate(n);
            sum += weight;
            flow += weight * self.rate(n);
            // Weights grow beyond any number; only their proportions count.
            if weight > 1e200 {
                (weight, sum, flow) = (weight / 1e200, sum / 1e200, flow / 1e200);
            }
        }
        flow / sum
    }
}

/// Where requests come from.
#[derive(Clone, Copy)]
pub enum Source {
    /// So many users who think for an exponential time of this mean.
    Users(u32, f64),
    /// A Poisson process of this rate.
    Rate(f64),
}

/// One second, with the response times in it.
pub struct Second {
    pub sums: SecondSums,
    pub responses_s: Vec<f64>,
}

/// Simulates a number of seconds from an empty station.
pub fn simulate(station: Station, source: Source, seconds: u32, noise: &mut Noise) -> Vec<Second> {
    let mut all: Vec<Second> = (0..seconds)
        .map(|second| Second {
            sums: SecondSums {
                second,
                ..SecondSums::default()
            },
            responses_s: Vec::new(),
        })
        .collect();
    let mut waiting: VecDeque<f64> = VecDeque::new();
    let mut now = 0.0;
    // Without think time everybody is there at once.
    if let Source::Users(users, 0.0) = source {
        waiting.extend(std::iter::repeat_n(0.0, users as usize));
    }
    loop {
        let n = waiting.len() as u32;
        let arrivals = match source {
            Source::Users(_, 0.0) => 0.0,
            Source::Users(users, think_s) => f64::from(users - n) / think_s,
            Source::Rate(rate) => rate,
        };
        let served = if n > 0 { station.rate(n) } else { 0.0 };
        now += noise.exponential(arrivals + served);
        let Some(second) = all.get_mut(now as usize) else {
            return all;
        };
        if noise.uniform() * (arrivals + served) < arrivals {
            waiting.push_back(now);
            continue;
        }
        let in_service = match station {
            Station::Servers(servers, _) => n.min(servers),
            Station::Retrograde(..) => n,
        };
        let picked = (noise.uniform() * f64::from(in_service)) as usize;
        let since = waiting.remove(picked).unwrap_or(now);
        second.sums.ok += 1;
        second.sums.response_ns += (now - since) * 1e9;
        second.responses_s.push(now - since);
        if let Source::Users(_, 0.0) = source {
            waiting.push_back(now);
        }
    }
}
