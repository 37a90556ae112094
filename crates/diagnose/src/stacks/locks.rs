//! Threads that wait for the same lock.

use std::collections::BTreeMap;

use plimsoll_watch::threads::{DumpedThread, Wait, WaitKind};

use super::frames::{is_logging, own_frame};
use super::place::{SEMAPHORE, StackPlace, place, shared_lock, waits_for_permit};
use super::threads::{SeenThread, Stacks, lines, mean};

/// What sort of lock it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockKind {
    /// A monitor (`synchronized`).
    Monitor,
    /// An object of the JDK's or a library's.
    Object,
    /// One that all servers of the service share.
    Shared,
}

/// Threads that wait for one lock.
#[derive(Debug, Clone, PartialEq)]
pub struct LockCluster {
    /// The lock's class; empty where the dump does not say.
    pub class: String,
    /// What sort it is.
    pub kind: LockKind,
    /// Threads that hold it, in a dump on average, where it is a semaphore: those in the same own
    /// call that do not wait for it.
    pub inside: Option<f64>,
    /// The application's own call in which most of them wait.
    pub waits_in: Option<String>,
    /// Serving threads that wait, in a dump on average.
    pub waiting: f64,
    /// Their share of the serving threads.
    pub share: f64,
    /// Whether they wait inside a logging framework.
    pub logging: bool,
    /// What the owner does while it holds the lock, most often.
    pub owner_at: Option<StackPlace>,
    /// The owner's innermost own call.
    pub owner_in: Option<String>,
    /// A capture and the lines that show a waiting thread.
    pub waiter: Option<(i64, Vec<String>)>,
    /// A capture and the lines that show the owner.
    pub owner: Option<(i64, Vec<String>)>,
}

/// What tells locks apart from dump to dump: addresses change when the heap is collected.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct LockKey {
    class: String,
    kind: LockKind,
    own: Option<String>,
    logging: bool,
}

impl Stacks {
    /// Locks that serving threads wait for, the most waited for first.
    #[must_use]
    pub fn locks(&self) -> Vec<LockCluster> {
        let mut groups: BTreeMap<LockKey, Vec<&SeenThread>> = BTreeMap::new();
        for seen in self.serving().filter(|seen| seen.place == StackPlace::Lock) {
            groups.entry(key(&seen.thread)).or_default().push(seen);
        }
        let mut all: Vec<LockCluster> = with_unnamed(groups)
            .into_iter()
            .map(|(key, waiting)| self.cluster(key, &waiting))
            .collect();
        all.sort_by(|a, b| b.waiting.total_cmp(&a.waiting));
        all
    }

    fn cluster(&self, key: LockKey, waiting: &[&SeenThread]) -> LockCluster {
        let (class, waits_in) = (key.class, key.own);
        let count = mean(waiting.len(), self.dumps);
        let owner = waiting.iter().find_map(|seen| self.owner_of(seen));
        let inside = class
            .starts_with(SEMAPHORE)
            .then(|| self.inside(waits_in.as_deref()));
        LockCluster {
            inside,
            share: self.share_of(count),
            waiting: count,
            waiter: waiting
                .first()
                .map(|seen| (seen.capture, lines(&seen.thread))),
            owner_at: owner.map(|seen| place(&seen.thread)),
            owner_in: owner.and_then(|seen| own_frame(&seen.thread).map(str::to_owned)),
            owner: owner.map(|seen| (seen.capture, lines(&seen.thread))),
            class,
            kind: key.kind,
            waits_in,
            logging: key.logging,
        }
    }

    /// Serving threads in a call that do not wait for a lock there, in a dump on average.
    fn inside(&self, call: Option<&str>) -> f64 {
        let Some(call) = call else { return 0.0 };
        self.count(|seen| seen.place != StackPlace::Lock && seen.is_within(call))
    }

    /// The thread that holds what that one waits for, in the same dump. Where the dump does not
    /// say who holds it: a thread of the dump that is in the same own call and does not wait.
    fn owner_of(&self, waiter: &SeenThread) -> Option<&SeenThread> {
        let same_dump = || {
            self.threads
                .iter()
                .filter(|seen| seen.capture == waiter.capture && seen.thread != waiter.thread)
        };
        if let Some(wait) = &waiter.thread.wait {
            let holds = |seen: &&SeenThread| {
                seen.thread.holds.contains(&wait.lock)
                    || wait.owner.is_some() && seen.thread.number == wait.owner
            };
            if let Some(owner) = same_dump().find(holds) {
                return Some(owner);
            }
        }
        let within = own_frame(&waiter.thread)?;
        let inside = |seen: &&SeenThread| seen.place != StackPlace::Lock && seen.is_within(within);
        same_dump().find(inside)
    }
}

/// Some dumps do not name the lock: their threads wait for the one that others name in the same
/// call.
fn with_unnamed(
    groups: BTreeMap<LockKey, Vec<&SeenThread>>,
) -> BTreeMap<LockKey, Vec<&SeenThread>> {
    let (unnamed, mut named): (BTreeMap<_, _>, BTreeMap<_, _>) = groups
        .into_iter()
        .partition(|(key, _)| key.class.is_empty());
    for (key, seen) in unnamed {
        let same = named
            .iter_mut()
            .find(|(known, _)| known.own == key.own && key.own.is_some());
        match same {
            Some((_, known)) => known.extend(seen),
            None => {
                named.insert(key, seen);
            }
        }
    }
    named
}

fn key(thread: &DumpedThread) -> LockKey {
    let wait = thread.wait.as_ref();
    let named = |wait: &Wait| wait.lock.class.clone();
    let shared = shared_lock(thread);
    let class = shared.map_or_else(|| wait.map_or_else(String::new, named), str::to_owned);
    // JSON does not always say what is waited for: the call does.
    let permit = class.is_empty() && waits_for_permit(thread);
    let monitor = !permit && wait.is_none_or(|wait| wait.kind == WaitKind::Monitor);
    let kind = match (shared, monitor) {
        (Some(_), _) => LockKind::Shared,
        (None, true) => LockKind::Monitor,
        (None, false) => LockKind::Object,
    };
    LockKey {
        class: if permit { SEMAPHORE.to_owned() } else { class },
        kind,
        own: own_frame(thread).map(str::to_owned),
        logging: is_logging(thread),
    }
}
