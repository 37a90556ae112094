//! Threads that wait for the same lock.

use std::collections::BTreeMap;

use plimsoll_watch::threads::{Lock, Thread, WaitKind};

use super::place::{is_logging, place};
use super::{Place, Seen, Stacks, lines, own_frame};

/// Threads that wait for one lock.
#[derive(Debug, Clone, PartialEq)]
pub struct LockCluster {
    /// The lock's class; empty where the dump does not say.
    pub class: String,
    /// Whether it is a monitor (`synchronized`).
    pub monitor: bool,
    /// The application's own call in which most of them wait.
    pub waits_in: Option<String>,
    /// Serving threads that wait, in a dump on average.
    pub waiting: f64,
    /// Their share of the serving threads.
    pub share: f64,
    /// Whether they wait inside a logging framework.
    pub logging: bool,
    /// What the owner does while it holds the lock, most often.
    pub owner_at: Option<Place>,
    /// The owner's innermost own call.
    pub owner_in: Option<String>,
    /// A capture and the lines that show a waiting thread.
    pub waiter: Option<(i64, Vec<String>)>,
    /// A capture and the lines that show the owner.
    pub owner: Option<(i64, Vec<String>)>,
}

/// What tells locks apart from dump to dump: addresses change when the heap is collected.
type Key = (String, bool, Option<String>, bool);

impl Stacks {
    /// Locks that serving threads wait for, the most waited for first.
    #[must_use]
    pub fn locks(&self) -> Vec<LockCluster> {
        let mut groups: BTreeMap<Key, Vec<&Seen>> = BTreeMap::new();
        for seen in self.serving().filter(|seen| seen.place == Place::Lock) {
            groups.entry(key(&seen.thread)).or_default().push(seen);
        }
        let mut all: Vec<LockCluster> = with_unnamed(groups)
            .into_iter()
            .map(|(key, waiting)| self.cluster(key, &waiting))
            .collect();
        all.sort_by(|a, b| b.waiting.total_cmp(&a.waiting));
        all
    }

    fn cluster(&self, (class, monitor, waits_in, logging): Key, waiting: &[&Seen]) -> LockCluster {
        let count = super::mean(waiting.len(), self.dumps);
        let busy = self.busy();
        let owner = waiting.iter().find_map(|seen| self.owner_of(seen));
        LockCluster {
            share: if busy > 0.0 { count / busy } else { 0.0 },
            waiting: count,
            waiter: waiting
                .first()
                .map(|seen| (seen.capture, lines(&seen.thread))),
            owner_at: owner.map(|seen| place(&seen.thread)),
            owner_in: owner.and_then(|seen| own_frame(&seen.thread).map(str::to_owned)),
            owner: owner.map(|seen| (seen.capture, lines(&seen.thread))),
            class,
            monitor,
            waits_in,
            logging,
        }
    }

    /// The thread that holds what that one waits for, in the same dump. Where the dump does not
    /// say who holds it: a thread of the dump that is in the same own call and does not wait.
    fn owner_of(&self, waiter: &Seen) -> Option<&Seen> {
        let same_dump = || {
            self.threads
                .iter()
                .filter(|seen| seen.capture == waiter.capture && seen.thread != waiter.thread)
        };
        if let Some(wait) = &waiter.thread.wait {
            let holds = |seen: &&Seen| {
                seen.thread.holds.contains(&wait.lock)
                    || wait.owner.is_some() && seen.thread.number == wait.owner
            };
            if let Some(owner) = same_dump().find(holds) {
                return Some(owner);
            }
        }
        let within = own_frame(&waiter.thread)?;
        let inside = |seen: &&Seen| {
            seen.place != Place::Lock && seen.thread.frames.iter().any(|f| f.method == within)
        };
        same_dump().find(inside)
    }
}

/// Some dumps do not name the lock: their threads wait for the one that others name in the same
/// call.
fn with_unnamed(groups: BTreeMap<Key, Vec<&Seen>>) -> BTreeMap<Key, Vec<&Seen>> {
    let (unnamed, mut named): (BTreeMap<_, _>, BTreeMap<_, _>) =
        groups.into_iter().partition(|(key, _)| key.0.is_empty());
    for (key, seen) in unnamed {
        let same = named
            .iter_mut()
            .find(|(known, _)| known.2 == key.2 && key.2.is_some());
        match same {
            Some((_, known)) => known.extend(seen),
            None => {
                named.insert(key, seen);
            }
        }
    }
    named
}

fn key(thread: &Thread) -> Key {
    let wait = thread.wait.as_ref();
    let class = wait.map_or(String::new(), |wait: &plimsoll_watch::threads::Wait| {
        let lock: &Lock = &wait.lock;
        lock.class.clone()
    });
    let monitor = wait.is_none_or(|wait| wait.kind == WaitKind::Monitor);
    let own = own_frame(thread).map(str::to_owned);
    (class, monitor, own, is_logging(thread))
}
