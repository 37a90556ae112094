//! Chains of processes simulated event by event, with their truth: how many requests are where, on
//! average and over time. Service times are drawn; a closed load of so many users without pauses.

use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use serde_json::{Value, json};

use crate::testing::Chance;

/// How a process serves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Serves {
    /// By so many threads, each with one request from its beginning to its end.
    Threads(u32),
    /// By one event loop, which each request blocks for so long beside what it runs.
    Loop { blocks_ms: f64 },
}

/// A process of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tier {
    pub serves: Serves,
    /// It runs so long for each request.
    pub runs_ms: f64,
    /// It has so many connections to the next process.
    pub pool: u32,
}

/// Moments in units of a microsecond.
type Moment = u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Place {
    Threads(usize),
    Loop(usize),
    Pool(usize),
}

#[derive(Debug, Clone, Copy)]
enum Step {
    In(usize),
    Take(Place),
    Run(usize),
    Block(usize),
    Call(usize),
    Return(usize),
    Give(Place),
    Out(usize),
}

/// A number that changes with time.
#[derive(Debug, Default, Clone)]
pub(super) struct Track {
    now: u32,
    since: Moment,
    held: BTreeMap<u32, Moment>,
}

impl Track {
    fn add(&mut self, more: i32, at: Moment) {
        *self.held.entry(self.now).or_default() += at - self.since;
        self.since = at;
        self.now = self.now.checked_add_signed(more).unwrap();
    }

    #[expect(clippy::cast_precision_loss, reason = "microseconds of a test")]
    fn shares(&self) -> Vec<(u32, f64)> {
        let all: Moment = self.held.values().sum();
        let share = |held: &Moment| *held as f64 / all.max(1) as f64;
        let held = self.held.iter().filter(|(_, held)| **held > 0);
        held.map(|(number, held)| (*number, share(held))).collect()
    }

    pub fn mean(&self) -> f64 {
        self.shares()
            .iter()
            .map(|(number, share)| f64::from(*number) * share)
            .sum()
    }

    fn json(&self) -> Value {
        let shares = self.shares();
        let max = shares.iter().map(|(number, _)| *number).max().unwrap_or(0);
        json!({"mean": self.mean(), "max": max, "shares": shares})
    }
}

/// What was so in a simulated chain.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub per_s: f64,
    pub response_ms: f64,
    /// Of each process: requests in it, those that it calls the next for, that it runs, that block it.
    pub inside: Vec<Track>,
    pub calls: Vec<Track>,
    pub runs: Vec<Track>,
    pub blocks: Vec<Track>,
}

pub(super) fn name(tier: usize) -> String {
    format!("tier{tier}[{}]", 8_000 + tier)
}

fn address(tier: usize) -> String {
    format!("127.0.0.1:{}", 8_000 + tier)
}

fn steps(tiers: &[Tier], at: usize, steps: &mut Vec<Step>) {
    let Some(tier) = tiers.get(at) else { return };
    steps.push(Step::In(at));
    match tier.serves {
        Serves::Threads(_) => steps.extend([Step::Take(Place::Threads(at)), Step::Run(at)]),
        Serves::Loop { .. } => steps.extend([
            Step::Take(Place::Loop(at)),
            Step::Run(at),
            Step::Block(at),
            Step::Give(Place::Loop(at)),
        ]),
    }
    if at + 1 < tiers.len() {
        steps.extend([Step::Take(Place::Pool(at)), Step::Call(at)]);
        self::steps(tiers, at + 1, steps);
        steps.extend([Step::Return(at), Step::Give(Place::Pool(at))]);
    }
    if matches!(tier.serves, Serves::Threads(_)) {
        steps.push(Step::Give(Place::Threads(at)));
    }
    steps.push(Step::Out(at));
}

struct World<'a> {
    tiers: &'a [Tier],
    steps: Vec<Step>,
    chance: &'a mut Chance,
    now: Moment,
    free: BTreeMap<Place, u32>,
    queues: BTreeMap<Place, VecDeque<usize>>,
    /// Where each user is, and those that go on at a moment.
    at: Vec<usize>,
    works: Vec<bool>,
    due: BinaryHeap<std::cmp::Reverse<(Moment, usize)>>,
    truth: Truth,
    done: u64,
}

impl World<'_> {
    /// A time with that mean, half of it at least.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "microseconds of a test"
    )]
    fn drawn(&mut self, mean_ms: f64) -> Moment {
        let uniform = (self.chance.below(1_000_000) + 1) as f64 / 1e6;
        (mean_ms * (0.5 - 0.5 * uniform.ln()) * 1e3) as Moment
    }

    /// A user goes on until it has to wait.
    fn go(&mut self, user: usize) {
        loop {
            let step = self.steps[self.at[user]];
            let now = self.now;
            let truth = &mut self.truth;
            match step {
                Step::In(tier) => truth.inside[tier].add(1, now),
                Step::Call(tier) => truth.calls[tier].add(1, now),
                Step::Return(tier) => truth.calls[tier].add(-1, now),
                Step::Out(tier) => truth.inside[tier].add(-1, now),
                Step::Take(place) => {
                    let free = self.free.get_mut(&place).unwrap();
                    if *free == 0 {
                        self.queues.entry(place).or_default().push_back(user);
                        return;
                    }
                    *free -= 1;
                }
                Step::Give(place) => match self.queues.entry(place).or_default().pop_front() {
                    // Whoever waited longest has it.
                    Some(next) => {
                        self.at[next] += 1;
                        self.due.push(std::cmp::Reverse((now, next)));
                    }
                    None => *self.free.get_mut(&place).unwrap() += 1,
                },
                Step::Run(_) | Step::Block(_) => return self.works(user, step),
            }
            self.at[user] += 1;
            if self.at[user] == self.steps.len() {
                self.at[user] = 0;
                self.done += 1;
            }
        }
    }

    fn works(&mut self, user: usize, step: Step) {
        let mean_ms = match step {
            Step::Run(tier) => self.tiers[tier].runs_ms,
            Step::Block(tier) => match self.tiers[tier].serves {
                Serves::Loop { blocks_ms } => blocks_ms,
                Serves::Threads(_) => 0.0,
            },
            _ => 0.0,
        };
        self.works_at(step, 1);
        self.works[user] = true;
        let ends = self.now + self.drawn(mean_ms);
        self.due.push(std::cmp::Reverse((ends, user)));
    }

    fn works_at(&mut self, step: Step, more: i32) {
        match step {
            Step::Run(tier) => self.truth.runs[tier].add(more, self.now),
            Step::Block(tier) => self.truth.blocks[tier].add(more, self.now),
            _ => {}
        }
    }
}

/// Simulates so many users for so many seconds.
#[expect(clippy::cast_precision_loss, reason = "counts of a test")]
pub(super) fn simulate(tiers: &[Tier], users: usize, seconds: u64, chance: &mut Chance) -> Truth {
    let mut all_steps = Vec::new();
    steps(tiers, 0, &mut all_steps);
    let mut free = BTreeMap::new();
    for (at, tier) in tiers.iter().enumerate() {
        free.insert(Place::Pool(at), tier.pool);
        free.insert(Place::Loop(at), 1);
        let threads = match tier.serves {
            Serves::Threads(number) => number,
            Serves::Loop { .. } => 0,
        };
        free.insert(Place::Threads(at), threads);
    }
    let tracks = || vec![Track::default(); tiers.len()];
    let mut world = World {
        tiers,
        steps: all_steps,
        chance,
        now: 0,
        free,
        queues: BTreeMap::new(),
        at: vec![0; users],
        works: vec![false; users],
        due: (0..users)
            .map(|user| std::cmp::Reverse((0, user)))
            .collect(),
        truth: Truth {
            inside: tracks(),
            calls: tracks(),
            runs: tracks(),
            blocks: tracks(),
            ..Truth::default()
        },
        done: 0,
    };
    let end = seconds * 1_000_000;
    while let Some(std::cmp::Reverse((moment, user))) = world.due.pop() {
        if moment > end {
            break;
        }
        world.now = moment;
        let step = world.steps[world.at[user]];
        if std::mem::take(&mut world.works[user]) {
            world.works_at(step, -1);
            world.at[user] += 1;
        }
        world.go(user);
    }
    let mut truth = world.truth;
    truth.per_s = world.done as f64 / seconds as f64;
    truth.response_ms = truth.inside[0].mean() / truth.per_s * 1e3;
    truth
}

impl Truth {
    /// What packets would tell of it.
    pub fn wire(&self) -> Value {
        let hop = |client: String, server: usize, is_generator: bool, level: &Track| {
            json!({
                "client": {"process": client, "address": "127.0.0.1", "is_generator": is_generator},
                "server": {"process": name(server), "address": address(server)},
                "decided": true, "requests_per_s": self.per_s, "in_flight": level.json(),
            })
        };
        let mut hops = vec![hop("plimsoll[7]".to_owned(), 0, true, &self.inside[0])];
        let calls = self.calls.iter().zip(1..).take(self.calls.len() - 1);
        hops.extend(calls.map(|(calls, server)| hop(name(server - 1), server, false, calls)));
        let process = |tier: usize| {
            let (all, waits) = (&self.inside[tier], self.calls[tier].mean());
            json!({
                "process": name(tier), "requests_per_s": self.per_s, "in_flight": all.json(),
                "waiting_for_others": waits, "inside": {"mean": all.mean() - waits, "max": 0, "shares": []},
            })
        };
        json!({
            "version": 1, "lasts_ms": 3000.0, "hops": hops,
            "processes": (0..self.inside.len()).map(process).collect::<Vec<_>>(),
        })
    }

    /// What looks at the threads of a process would tell.
    pub fn threads(&self, tier: usize, serves: Serves) -> Value {
        let (runs, blocks) = (self.runs[tier].mean(), self.blocks[tier].mean());
        match serves {
            Serves::Loop { .. } => {
                let polls = 1.0 - runs - blocks;
                json!({
                    "classes": [{"name": "loop", "threads": 1, "running": runs, "sleep": blocks, "poll": polls}],
                    "event_loops": [{"thread": "loop", "running": runs, "polling": polls, "blocked": blocks, "blocked_in": "sleep"}],
                })
            }
            Serves::Threads(number) => {
                let calls = self.calls[tier].mean();
                let rest = f64::from(number) - runs - calls;
                json!({"classes": [{
                    "name": "worker", "threads": number, "running": runs, "futex": rest,
                    "read": [{"peer": address(tier + 1), "process": name(tier + 1), "number": calls}],
                }]})
            }
        }
    }
}
