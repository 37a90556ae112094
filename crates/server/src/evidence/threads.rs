//! A thread dump: threads with the same stack together, and who waits for whose lock.

use std::collections::HashMap;

use plimsoll_diagnose::stacks::frames::is_of_library;
use plimsoll_diagnose::stacks::place::{StackPlace, place, serves};
use plimsoll_watch::threads::{DumpedThread, JavaThreadState, StackFrame, ThreadDump};
use serde::Serialize;
use utoipa::ToSchema;

use super::capture::CaptureListed;
use super::page::PartQuery;
use crate::problem::ApiError;

/// Names that are told of those who share something.
const NAMES: usize = 20;
/// Calls that are told of a stack: the innermost.
const CALLS: usize = 200;
/// Locks that are told: those most waited for.
const LOCKS: usize = 100;
/// Circles of threads that are told.
const CIRCLES: usize = 20;

/// Names of threads.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct ThreadNames {
    /// So many threads there are.
    count: usize,
    /// The names of the first 20.
    names: Vec<String>,
}

impl ThreadNames {
    fn add(&mut self, name: &str) {
        self.count += 1;
        if self.names.len() < NAMES {
            self.names.push(name.to_owned());
        }
    }
}

/// A call on a stack.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StackCall {
    /// Class and method: `shop.Cart.add`.
    method: String,
    /// Where: `Cart.java:17`.
    place: String,
    /// Whether it is the application's own code, and no library's.
    is_own: bool,
}

/// Threads with the same stack.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StackGroup {
    /// The threads.
    threads: ThreadNames,
    /// What they do in Java's words, such as `BLOCKED`; null: the dump does not say.
    state: Option<String>,
    /// Where they are: `cpu`, `lock`, `database_pool`, `client_pool`, `peer`, `file`, `sleep`, `wait`, `idle`.
    place: String,
    /// Whether they serve requests.
    serves: bool,
    /// The calls, innermost first; 200 at most.
    calls: Vec<StackCall>,
    /// Calls that are left out: the outermost.
    calls_left_out: usize,
    /// Ids of the locks that they wait for; 20 at most.
    waits_for: Vec<String>,
    /// Ids of the locks that they hold; 20 at most.
    holds: Vec<String>,
}

/// A lock that threads wait for.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitedLock {
    /// What tells it from others in the same dump.
    id: String,
    /// Its class.
    class: String,
    /// How it is waited for: `monitor` (to enter it), `notify`, `park`.
    how: String,
    /// The thread that holds it; null: the dump does not say.
    holder: Option<String>,
    /// What the holder does in Java's words.
    holder_state: Option<String>,
    /// The innermost call of the holder's own code, else its innermost call.
    holder_in: Option<String>,
    /// Those who wait.
    waiting: ThreadNames,
}

/// A thread dump.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DumpShown {
    /// The capture.
    capture: CaptureListed,
    /// The JVM's version, as it says it.
    jvm: String,
    /// All threads.
    threads: usize,
    /// Of these, those that serve requests.
    serving: usize,
    /// Different stacks.
    groups: usize,
    /// Threads by their stacks: those that serve requests first, the most first.
    items: Vec<StackGroup>,
    /// The cursor of the next part; null: there is none.
    next: Option<String>,
    /// Locks that are waited for, the most waited for first; 100 at most.
    locks: Vec<WaitedLock>,
    /// Locks that are left out.
    locks_left_out: usize,
    /// Names of threads that wait for each other in a circle, by circle; 20 at most.
    deadlocks: Vec<Vec<String>>,
}

impl DumpShown {
    /// Reads a dump of any form.
    ///
    /// # Errors
    /// A limit that is none.
    pub fn of(capture: CaptureListed, text: &str, part: PartQuery) -> Result<Self, ApiError> {
        let dump = ThreadDump::read(text);
        let groups = groups(&dump.threads);
        let (count, serving) = (groups.len(), groups.iter().filter(|group| group.serves));
        let serving = serving.map(|group| group.threads.count).sum();
        let (items, next) = part.of(groups)?;
        let mut locks = locks(&dump);
        let locks_left_out = locks.len().saturating_sub(LOCKS);
        locks.truncate(LOCKS);
        let circles = dump.deadlocks.into_iter().take(CIRCLES);
        let circles = circles.map(|circle| circle.into_iter().take(NAMES).collect());
        Ok(Self {
            capture,
            jvm: dump.jvm,
            threads: dump.threads.len(),
            serving,
            groups: count,
            items,
            next,
            locks,
            locks_left_out,
            deadlocks: circles.collect(),
        })
    }
}

/// What threads of a group have in common.
type GroupKey<'a> = (Option<&'static str>, &'a [StackFrame]);

fn groups(threads: &[DumpedThread]) -> Vec<StackGroup> {
    let mut places: HashMap<GroupKey<'_>, usize> = HashMap::new();
    let mut groups: Vec<StackGroup> = Vec::new();
    for thread in threads {
        let state = thread.state.map(JavaThreadState::name);
        let at = *places.entry((state, &thread.frames)).or_insert_with(|| {
            groups.push(group(thread));
            groups.len() - 1
        });
        let known = &mut groups[at];
        known.threads.add(&thread.name);
        let waits = thread.wait.iter().map(|wait| &wait.lock.id);
        add_new(&mut known.waits_for, waits);
        add_new(&mut known.holds, thread.holds.iter().map(|lock| &lock.id));
    }
    groups.sort_by_key(|group| (!group.serves, std::cmp::Reverse(group.threads.count)));
    groups
}

fn add_new<'a>(known: &mut Vec<String>, ids: impl Iterator<Item = &'a String>) {
    for id in ids {
        if known.len() < NAMES && !known.contains(id) {
            known.push(id.clone());
        }
    }
}

fn group(thread: &DumpedThread) -> StackGroup {
    let at = place(thread);
    let calls = thread.frames.iter().take(CALLS).map(|frame| StackCall {
        method: frame.method.clone(),
        place: frame.place.clone(),
        is_own: !is_of_library(frame),
    });
    StackGroup {
        threads: ThreadNames::default(),
        state: thread.state.map(|state| state.name().to_owned()),
        place: at.name().to_owned(),
        serves: at != StackPlace::Idle && serves(thread),
        calls: calls.collect(),
        calls_left_out: thread.frames.len().saturating_sub(CALLS),
        waits_for: Vec::new(),
        holds: Vec::new(),
    }
}

fn locks(dump: &ThreadDump) -> Vec<WaitedLock> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut locks: Vec<WaitedLock> = Vec::new();
    for thread in &dump.threads {
        let Some(wait) = &thread.wait else { continue };
        let at = *places.entry(&wait.lock.id).or_insert_with(|| {
            let holder = dump.owner(wait);
            let own = |holder: &DumpedThread| {
                let own = holder.frames.iter().find(|frame| !is_of_library(frame));
                let call = own.or(holder.frames.first())?;
                Some(format!("{}({})", call.method, call.place))
            };
            locks.push(WaitedLock {
                id: wait.lock.id.clone(),
                class: wait.lock.class.clone(),
                how: wait.kind.name().to_owned(),
                holder: holder.map(|holder| holder.name.clone()),
                holder_state: holder
                    .and_then(|holder| holder.state)
                    .map(|state| state.name().to_owned()),
                holder_in: holder.and_then(own),
                waiting: ThreadNames::default(),
            });
            locks.len() - 1
        });
        locks[at].waiting.add(&thread.name);
    }
    // Idle threads of a pool wait for its queue: what somebody holds says more.
    locks.sort_by_key(|lock| {
        let is_held = lock.holder.is_some();
        (!is_held, std::cmp::Reverse(lock.waiting.count))
    });
    locks
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_watch::threads::{Lock, Wait, WaitKind};

    use super::*;

    fn thread(name: &str, calls: &[&str]) -> DumpedThread {
        let frame = |method: &&str| StackFrame {
            method: (*method).to_owned(),
            place: "X.java:1".to_owned(),
            library: None,
        };
        DumpedThread {
            name: name.to_owned(),
            state: Some(JavaThreadState::Blocked),
            frames: calls.iter().map(frame).collect(),
            ..DumpedThread::default()
        }
    }

    #[test]
    fn same_stacks_are_together_and_locks_have_their_holders() {
        let lock = Lock {
            id: "0x1".to_owned(),
            class: "shop.Cart".to_owned(),
        };
        let waits = |name: &str| DumpedThread {
            wait: Some(Wait {
                kind: WaitKind::Monitor,
                lock: lock.clone(),
                owner: None,
            }),
            ..thread(name, &["shop.Cart.add", "java.lang.Thread.run"])
        };
        let holder = DumpedThread {
            holds: vec![lock.clone()],
            ..thread("holder", &["java.lang.Thread.sleep", "shop.Cart.save"])
        };
        let mut threads: Vec<DumpedThread> = (0..30).map(|n| waits(&format!("w{n}"))).collect();
        threads.push(holder);
        let groups = groups(&threads);
        assert_eq!(groups.len(), 2);
        assert_eq!(
            (groups[0].threads.count, groups[0].threads.names.len()),
            (30, 20)
        );
        assert_eq!(groups[0].waits_for, ["0x1"]);
        assert_eq!(groups[1].holds, ["0x1"]);
        assert!(groups[0].calls[0].is_own && !groups[0].calls[1].is_own);
        let dump = ThreadDump {
            threads,
            ..ThreadDump::default()
        };
        let locks = locks(&dump);
        assert_eq!((locks.len(), locks[0].waiting.count), (1, 30));
        assert_eq!(locks[0].holder.as_deref(), Some("holder"));
        assert_eq!(
            locks[0].holder_in.as_deref(),
            Some("shop.Cart.save(X.java:1)")
        );
    }
}
