//! What a thread does, read off its stack by the calls that practice meets.

use plimsoll_watch::threads::{DumpedThread, JavaThreadState, WaitKind};

use super::frames::{
    Peer, called, is_of_library, on_stack, on_top, own_frame, peer, starts_with_any,
};
use super::names::{
    AWAIT_TASK, CLIENT_POOLS, DATABASE_POOLS, FILES, IDLE, KEPT_APART, LOCK_CLASSES, QUEUES,
    RUN_TASK, SERVING, SHARED_LOCKS, SOCKET, TAKE_LOCK,
};

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StackPlace {
    /// Waits for work: it serves nobody.
    Idle,
    /// Computes, or wants to.
    Cpu,
    /// Waits for a monitor, a lock or a permit.
    Lock,
    /// Waits for a connection of a pool of database connections.
    DatabasePool,
    /// Waits for a connection of another client's pool.
    ClientPool,
    /// Waits for a response, or talks to the peer.
    Peer(Peer),
    /// Reads or writes files.
    File,
    /// Sleeps.
    Sleep,
    /// Waits for something else: a latch, a future, a condition.
    Wait,
}

impl StackPlace {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Cpu => "cpu",
            Self::Lock => "lock",
            Self::DatabasePool => "database_pool",
            Self::ClientPool => "client_pool",
            Self::Peer(_) => "peer",
            Self::File => "file",
            Self::Sleep => "sleep",
            Self::Wait => "wait",
        }
    }
}

/// Whether a thread has taken up a request. Those that respond whoever watches do not count.
#[must_use]
pub fn serves(thread: &DumpedThread) -> bool {
    if on_stack(
        thread,
        &["org.springframework.boot.actuate.endpoint.", "org.jolokia."],
    ) {
        return false;
    }
    on_stack(thread, SERVING)
        || thread.is_virtual && thread.frames.iter().any(|f| !is_of_library(f))
}

/// Whether a thread of a server's pool that is idle is none that takes what waits in the pool's queue.
#[must_use]
pub fn is_kept_apart(thread: &DumpedThread) -> bool {
    place(thread) == StackPlace::Idle && on_stack(thread, KEPT_APART)
}

/// Where a thread is.
#[must_use]
pub fn place(thread: &DumpedThread) -> StackPlace {
    let serving = serves(thread);
    if !serving && on_stack(thread, IDLE) {
        return StackPlace::Idle;
    }
    at_work(thread, serving)
}

/// Where a thread is that has something to do, for a request or not.
pub(super) fn at_work(thread: &DumpedThread, serving: bool) -> StackPlace {
    if peer(thread) == Some(Peer::Names) {
        return StackPlace::Peer(Peer::Names);
    }
    if waits_for_lock(thread) {
        // Pools have locks of their own; who waits there waits for a connection.
        return pool(thread).unwrap_or(StackPlace::Lock);
    }
    if on_top(thread, &["java.lang.Thread.sleep"]) {
        return StackPlace::Sleep;
    }
    let parked = is_parked(thread);
    if parked && let Some(pool) = pool(thread) {
        return pool;
    }
    if on_top(thread, SOCKET) || parked {
        return match peer(thread) {
            Some(peer) => StackPlace::Peer(peer),
            None if parked => StackPlace::Wait,
            None if !serving => StackPlace::Idle,
            None if own_frame(thread).is_some() => StackPlace::Peer(Peer::Other),
            None => StackPlace::Peer(Peer::Client),
        };
    }
    if on_top(thread, FILES) {
        return StackPlace::File;
    }
    match thread.state {
        None | Some(JavaThreadState::Runnable) => StackPlace::Cpu,
        _ => StackPlace::Wait,
    }
}

fn pool(thread: &DumpedThread) -> Option<StackPlace> {
    if on_stack(thread, DATABASE_POOLS) && !on_stack(thread, &["com.zaxxer.hikari.pool.PoolBase."])
    {
        return Some(StackPlace::DatabasePool);
    }
    on_stack(thread, CLIENT_POOLS).then_some(StackPlace::ClientPool)
}

/// Whether the stack is in a pool of connections.
pub(crate) fn is_pool(thread: &DumpedThread) -> bool {
    pool(thread).is_some()
}

fn waits_for_lock(thread: &DumpedThread) -> bool {
    if thread.state == Some(JavaThreadState::Blocked) || shared_lock(thread).is_some() {
        return true;
    }
    match &thread.wait {
        Some(wait) => match wait.kind {
            WaitKind::Monitor => true,
            WaitKind::Park => {
                is_lock_class(&wait.lock.class) || wait.lock.class.starts_with(SEMAPHORE)
            }
            WaitKind::Notify => false,
        },
        // JSON without what it waits for: the call tells.
        None => {
            is_parked(thread)
                && (waits_for_permit(thread)
                    || thread.frames.iter().take(8).any(|frame| {
                        let method = frame.method.as_str();
                        method.starts_with("java.util.concurrent.locks.Reentrant")
                            && (method.ends_with(".lock") || method.contains("Lock."))
                    }))
        }
    }
}

/// The class of the lock which all servers of a service share that a thread waits for.
pub(super) fn shared_lock(thread: &DumpedThread) -> Option<&str> {
    called(thread).iter().find_map(|frame| {
        let (class, call) = frame.method.rsplit_once('.')?;
        let is_lock = LOCK_CLASSES.iter().any(|end| class.ends_with(end));
        let waits = starts_with_any(class, SHARED_LOCKS) && is_lock && TAKE_LOCK.contains(&call);
        waits.then_some(class)
    })
}

/// What hands out permits, of which there may be several.
pub(super) const SEMAPHORE: &str = "java.util.concurrent.Semaphore";

/// Whether a parked thread is in a call that asks for a permit.
pub(super) fn waits_for_permit(thread: &DumpedThread) -> bool {
    let mut top = thread.frames.iter().take(8);
    top.any(|frame| {
        let call = frame.method.strip_prefix(SEMAPHORE);
        call.is_some_and(|call| call.to_ascii_lowercase().contains("acquire"))
    })
}

fn is_lock_class(class: &str) -> bool {
    class.starts_with("java.util.concurrent.locks.") && !class.ends_with("ConditionObject")
}

fn is_parked(thread: &DumpedThread) -> bool {
    matches!(
        thread.state,
        Some(JavaThreadState::Waiting | JavaThreadState::TimedWaiting)
    ) || on_top(
        thread,
        &[
            "jdk.internal.misc.Unsafe.park",
            "sun.misc.Unsafe.park",
            "java.util.concurrent.locks.LockSupport.park",
            "java.lang.VirtualThread.park",
            "java.lang.System$2.parkVirtualThread",
            "java.lang.Object.wait",
        ],
    )
}

/// Whether a thread waits for a task that it has handed to others.
#[must_use]
pub fn awaits_task(thread: &DumpedThread) -> bool {
    let mut top = thread.frames.iter().take(8);
    is_parked(thread) && top.any(|frame| starts_with_any(&frame.method, AWAIT_TASK))
}

/// Whether a thread of a pool runs a task of the application's.
#[must_use]
pub fn runs_task(thread: &DumpedThread) -> bool {
    let mut top = thread.frames.iter().take(8);
    let in_queue = is_parked(thread) && top.any(|frame| starts_with_any(&frame.method, QUEUES));
    let own = thread.frames.iter().any(|frame| !is_of_library(frame));
    own && !in_queue && on_stack(thread, RUN_TASK)
}

/// What a thread wants of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueCall {
    /// To put something in: it is full.
    Put,
    /// To take something out: it is empty.
    Take,
}

/// What a thread waits for at a queue that the application's own code uses.
pub(super) fn queue_call(thread: &DumpedThread) -> Option<QueueCall> {
    if !is_parked(thread) {
        return None;
    }
    called(thread).iter().find_map(|frame| {
        let (_, call) = frame.method.rsplit_once('.')?;
        if !starts_with_any(&frame.method, QUEUES) {
            None
        } else if starts_with_any(call, &["put", "offer"]) {
            Some(QueueCall::Put)
        } else if starts_with_any(call, &["take", "poll"]) {
            Some(QueueCall::Take)
        } else {
            None
        }
    })
}
