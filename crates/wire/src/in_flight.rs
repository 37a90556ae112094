//! How many requests are under way, moment by moment.

use crate::exchanges::WireExchange;
use crate::report::InFlightShares;
use crate::sampled::SampledLook;

/// So many different numbers are told.
const MAX_NUMBERS: usize = 64;

/// Beginnings and ends of requests within a stretch of time.
#[derive(Clone)]
pub(crate) struct FlightSteps {
    from_ns: u64,
    until_ns: u64,
    /// Each with how many more there are from then on.
    steps: Vec<(u64, i32)>,
}

/// The time for which each number lasted.
#[derive(Default)]
struct LevelTimes {
    by_number: Vec<u64>,
}

impl LevelTimes {
    fn add(&mut self, number: i64, lasted_ns: u64) {
        let number = usize::try_from(number).unwrap_or(0);
        if self.by_number.len() <= number {
            self.by_number.resize(number + 1, 0);
        }
        self.by_number[number] += lasted_ns;
    }

    /// As shares of the whole.
    fn shares(&self) -> InFlightShares {
        let whole = self.by_number.iter().sum::<u64>().max(1) as f64;
        let lasted = self.by_number.iter().enumerate().filter(|(_, ns)| **ns > 0);
        let mut shares: Vec<(u64, f64)> = lasted
            .map(|(number, ns)| (number as u64, *ns as f64 / whole))
            .collect();
        let mean = shares.iter().map(|(number, share)| *number as f64 * share);
        let (mean, max) = (mean.sum(), shares.last().map(|(number, _)| *number));
        shares.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        shares.truncate(MAX_NUMBERS);
        InFlightShares {
            mean,
            max: Some(max.unwrap_or(0)),
            shares: Some(shares),
        }
    }
}

impl InFlightShares {
    /// The same of a share of all: only the mean is known of all.
    pub(crate) fn scaled(self, share: f64) -> Self {
        if share >= 1.0 {
            return self;
        }
        let mut all = Self {
            mean: self.mean / share,
            ..self
        };
        all.only_mean();
        all
    }

    /// Nothing else is known.
    pub(crate) fn only_mean(&mut self) {
        (self.max, self.shares) = (None, None);
    }
}

impl FlightSteps {
    /// No requests, in a stretch of time.
    pub(crate) fn new(from_ns: u64, until_ns: u64) -> Self {
        Self {
            from_ns,
            until_ns,
            steps: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, exchange: &WireExchange) {
        self.add_stretch(exchange.asked_ns, exchange.done_ns);
    }

    /// Takes one that is under way from one moment (Unix nanoseconds) to another.
    pub(crate) fn add_stretch(&mut self, from_ns: u64, until_ns: u64) {
        let within = |at_ns: u64| at_ns.clamp(self.from_ns, self.until_ns);
        let (from, until) = (within(from_ns), within(until_ns));
        if from < until {
            self.steps.extend([(from, 1), (until, -1)]);
        }
    }

    /// Takes one out that was added.
    pub(crate) fn remove(&mut self, exchange: &WireExchange) {
        let within = |at_ns: u64| at_ns.clamp(self.from_ns, self.until_ns);
        let (from, until) = (within(exchange.asked_ns), within(exchange.done_ns));
        if from < until {
            self.steps.extend([(from, -1), (until, 1)]);
        }
    }

    /// Takes numbers at some moments: each holds until the next, the first from the beginning on.
    pub(crate) fn add_looks(
        &mut self,
        looks: &[SampledLook],
        number: impl Fn(&SampledLook) -> u32,
    ) {
        let mut held = 0;
        let mut since = self.from_ns;
        for (place, look) in looks.iter().enumerate() {
            if place > 0 {
                since = look.at_ns.clamp(since, self.until_ns);
            }
            let now = i32::try_from(number(look)).unwrap_or(i32::MAX);
            if now != held {
                self.steps.push((since, now - held));
                held = now;
            }
        }
        if held != 0 {
            self.steps.push((self.until_ns, -held));
        }
    }

    /// Those of other requests too.
    pub(crate) fn join(&mut self, others: &Self) {
        self.steps.extend(&others.steps);
    }

    /// The steps in their order.
    pub(crate) fn sorted(mut self) -> Vec<(u64, i32)> {
        self.steps.sort_unstable();
        self.steps
    }

    /// How many there are at once.
    pub(crate) fn shares(mut self) -> InFlightShares {
        self.steps.sort_unstable();
        let (mut lasting, mut number, mut since) = (LevelTimes::default(), 0, self.from_ns);
        for (at, step) in self.steps {
            lasting.add(number, at - since);
            (number, since) = (number + i64::from(step), at);
        }
        lasting.add(number, self.until_ns - since);
        lasting.shares()
    }

    /// Of those that came in: how many wait for `calls`, the mean over time, and how many do not.
    pub(crate) fn less(mut self, mut calls: Self) -> (f64, InFlightShares) {
        self.steps.sort_unstable();
        calls.steps.sort_unstable();
        let (mut waiting, mut inside) = (LevelTimes::default(), LevelTimes::default());
        let (mut came, mut called, mut since) = (0_i64, 0_i64, self.from_ns);
        let mut hold = |came: i64, called: i64, lasted_ns: u64| {
            let waits = came.min(called);
            waiting.add(waits, lasted_ns);
            inside.add(came - waits, lasted_ns);
        };
        let (mut ins, mut outs) = (self.steps.iter().peekable(), calls.steps.iter().peekable());
        loop {
            let from_in = match (ins.peek(), outs.peek()) {
                (Some((one, _)), Some((other, _))) => one <= other,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            let next = if from_in { ins.next() } else { outs.next() };
            let Some((at, step)) = next else { break };
            hold(came, called, at - since);
            let number = if from_in { &mut came } else { &mut called };
            *number += i64::from(*step);
            since = *at;
        }
        hold(came, called, self.until_ns - since);
        (waiting.shares().mean, inside.shares())
    }
}
