//! Sharing within one process.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use plimsoll_plan::program::{Op, Program, SharedDef, SharedId};
use tokio::sync::Semaphore;

use super::meeting::{Meeting, Patience};
use super::{Shared, Wait, Waited, counter_value};
use crate::timer::Timers;
use plimsoll_plan::share::Share;

/// What the users of one process share.
#[derive(Debug, Default)]
pub struct LocalShared {
    /// The share of the load among those that have users.
    share: Share,
    things: Vec<Thing>,
    named: Mutex<NamedShared>,
}

/// Locks that get their names while the plan runs. Their ids follow those of the things.
#[derive(Debug, Default)]
struct NamedShared {
    numbers: HashMap<String, usize>,
    locks: Vec<Arc<Semaphore>>,
}

#[derive(Debug)]
enum Thing {
    Counter {
        start: i64,
        step: i64,
        end: Option<i64>,
        passes: AtomicU64,
    },
    Passes(AtomicU64),
    Throughput {
        next_ns: AtomicU64,
    },
    Lock(Semaphore),
    Meeting {
        point: Meeting,
        timeout: Option<Duration>,
    },
}

impl LocalShared {
    /// What the users of a share of a program's load have in common. Shares that have no users
    /// take no numbers.
    #[must_use]
    pub fn new(program: &Program, share: Share) -> Self {
        let things = (0..).zip(&program.shared);
        Self {
            share: share.among(program.most_users()).unwrap_or_default(),
            things: things
                .map(|(id, def)| Thing::new(program, SharedId(id), def))
                .collect(),
            named: Mutex::default(),
        }
    }

    fn named(&self, id: SharedId) -> Option<Arc<Semaphore>> {
        let at = (id.0 as usize).checked_sub(self.things.len())?;
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        named.locks.get(at).map(Arc::clone)
    }

    fn thing(&self, id: SharedId) -> Option<&Thing> {
        self.things.get(id.0 as usize)
    }
}

impl Thing {
    fn new(program: &Program, id: SharedId, def: &SharedDef) -> Self {
        match def {
            SharedDef::Counter { start, step, end } => {
                let passes = AtomicU64::new(0);
                Self::Counter {
                    start: *start,
                    step: *step,
                    end: *end,
                    passes,
                }
            }
            SharedDef::Rows { .. } | SharedDef::Passes => Self::Passes(AtomicU64::new(0)),
            SharedDef::Throughput => Self::Throughput {
                next_ns: AtomicU64::new(0),
            },
            SharedDef::Lock { .. } => Self::Lock(Semaphore::new(1)),
            SharedDef::Rendezvous { users, timeout, .. } => Self::Meeting {
                point: Meeting::new(*users, participants(program, id)),
                timeout: *timeout,
            },
        }
    }
}

/// The scenarios whose users come to a rendezvous.
fn participants(program: &Program, id: SharedId) -> Vec<u32> {
    let scenarios = program
        .setup
        .iter()
        .chain(&program.scenarios)
        .chain(&program.teardown);
    let meets = |op: &Op| matches!(op, Op::Rendezvous(point) if *point == id);
    let coming = (0..)
        .zip(scenarios)
        .filter(|(_, scenario)| scenario.ops.iter().any(meets));
    coming.map(|(number, _)| number).collect()
}

impl Shared for LocalShared {
    fn share(&self) -> Share {
        self.share
    }

    fn next(&self, id: SharedId) -> i64 {
        match self.thing(id) {
            // Relaxed: nothing but the number itself is handed over.
            Some(Thing::Counter {
                start,
                step,
                end,
                passes,
            }) => {
                let pass = self.share.number(passes.fetch_add(1, Ordering::Relaxed));
                counter_value(*start, *step, *end, pass)
            }
            Some(Thing::Passes(passes)) => {
                let pass = self.share.number(passes.fetch_add(1, Ordering::Relaxed));
                i64::try_from(pass).unwrap_or(i64::MAX)
            }
            _ => 0,
        }
    }

    fn turn(&self, id: SharedId, now_ns: u64, gap_ns: u64) -> u64 {
        let Some(Thing::Throughput { next_ns }) = self.thing(id) else {
            return now_ns;
        };
        let own_gap_ns = gap_ns.saturating_mul(u64::from(self.share.count()));
        let turn = |next: u64| match next {
            // The first turns of all shares lie one behind the other.
            0 => now_ns.saturating_add(gap_ns.saturating_mul(u64::from(self.share.index()))),
            next => next.max(now_ns),
        };
        let after = |next: u64| Some(turn(next).saturating_add(own_gap_ns));
        match next_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after) {
            Ok(next) | Err(next) => turn(next),
        }
    }

    fn wait<'a>(&'a self, id: SharedId, scenario: u32, timers: &'a Rc<Timers>) -> Wait<'a> {
        match self.thing(id) {
            Some(Thing::Lock(lock)) => Box::pin(async {
                // Never closed, so never an error. The permit comes back by `release`.
                if let Ok(permit) = lock.acquire().await {
                    permit.forget();
                }
                Waited::Done
            }),
            Some(Thing::Meeting { point, timeout }) => {
                let over = timeout.map(|timeout| timers.sleep(timeout));
                Box::pin(point.wait(scenario, over, Patience::WhileOthersMayCome))
            }
            Some(_) => Box::pin(std::future::ready(Waited::Done)),
            None => {
                let lock = self.named(id);
                Box::pin(async move {
                    if let Some(lock) = lock
                        && let Ok(permit) = lock.acquire().await
                    {
                        permit.forget();
                    }
                    Waited::Done
                })
            }
        }
    }

    fn named_lock(&self, name: &str) -> SharedId {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let at = match named.numbers.get(name) {
            Some(at) => *at,
            None => {
                named.locks.push(Arc::new(Semaphore::new(1)));
                let at = named.locks.len() - 1;
                named.numbers.insert(name.to_owned(), at);
                at
            }
        };
        // As many locks as that have no room.
        SharedId(u32::try_from(self.things.len() + at).unwrap_or(u32::MAX))
    }

    fn release(&self, id: SharedId) {
        // A release too many must not let two in.
        let release = |lock: &Semaphore| {
            if lock.available_permits() == 0 {
                lock.add_permits(1);
            }
        };
        match self.thing(id) {
            Some(Thing::Lock(lock)) => release(lock),
            Some(_) => {}
            None => self.named(id).iter().for_each(|lock| release(lock)),
        }
    }

    fn users(&self, scenario: u32, change: i64) {
        for thing in &self.things {
            if let Thing::Meeting { point, .. } = thing {
                point.users(scenario, change);
            }
        }
    }
}
