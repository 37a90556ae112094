//! What a thread does, read off its stack: names of the JDK, of servers, drivers and clients
//! that practice meets. What is in no table counts as the application's own code.

mod names;

use plimsoll_watch::threads::{Frame, State, Thread, WaitKind};

use super::own_frame;
use names::{
    AWAIT_TASK, CACHES, CLIENT_POOLS, DATABASE_POOLS, DATABASES, FILES, IDLE, LIBRARIES,
    LOCK_CLASSES, NAME_SERVERS, OTHERS, QUEUES, RUN_TASK, SERVERS, SERVICES, SERVING, SHARED_LOCKS,
    SOCKET, TAKE_LOCK,
};

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
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

/// Whom a thread talks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Peer {
    /// A database, through its driver.
    Database,
    /// A cache such as Redis.
    Cache,
    /// Another service over HTTP.
    Service,
    /// The client that was served.
    Client,
    /// A name server.
    Names,
    /// Something else: a queue, a registry, or whom the application's own code talks to.
    Other,
}

/// What shows whom a thread talks to.
const PEERS: &[(&[&str], Peer)] = &[
    (NAME_SERVERS, Peer::Names),
    (DATABASES, Peer::Database),
    (CACHES, Peer::Cache),
    (SERVICES, Peer::Service),
    (SERVERS, Peer::Client),
    (OTHERS, Peer::Other),
];

/// Whether a class or method belongs to the platform or a well-known library.
#[must_use]
pub fn is_library(method: &str) -> bool {
    starts_with_any(method, LIBRARIES) || talks_to(method).is_some() || is_generated(method)
}

/// Whom a call of a client or server talks to.
fn talks_to(method: &str) -> Option<Peer> {
    let mut tables = PEERS.iter();
    let hit = tables.find(|(prefixes, _)| starts_with_any(method, prefixes));
    hit.map(|(_, peer)| *peer)
}

fn starts_with_any(method: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| method.starts_with(prefix))
}

/// Proxies and lambdas that were made while running.
fn is_generated(method: &str) -> bool {
    let marks = [
        "$$SpringCGLIB$$",
        "$$EnhancerBy",
        "$$FastClass",
        "$Proxy",
        "$$Lambda",
        "LambdaForm$",
        "DubboProxy",
        "DubboWrap",
    ];
    // Hidden classes are called by their address.
    method.starts_with("0x") || marks.iter().any(|mark| method.contains(mark))
}

/// Whether a thread has taken up a request. Those that respond whoever watches do not count.
#[must_use]
pub fn serves(thread: &Thread) -> bool {
    if on_stack(
        thread,
        &["org.springframework.boot.actuate.endpoint.", "org.jolokia."],
    ) {
        return false;
    }
    on_stack(thread, SERVING)
        || thread.is_virtual && thread.frames.iter().any(|f| !is_library(&f.method))
}

/// Whether any of these calls is on the stack.
fn on_stack(thread: &Thread, prefixes: &[&str]) -> bool {
    has_call(&thread.frames, prefixes)
}

fn has_call(frames: &[Frame], prefixes: &[&str]) -> bool {
    let mut frames = frames.iter();
    frames.any(|frame| starts_with_any(&frame.method, prefixes))
}

/// Whether one of these is among the innermost calls.
fn on_top(thread: &Thread, prefixes: &[&str]) -> bool {
    let mut top = thread.frames.iter().take(4);
    top.any(|frame| starts_with_any(&frame.method, prefixes))
}

/// Where a thread is.
#[must_use]
pub fn place(thread: &Thread) -> Place {
    let serving = serves(thread);
    if !serving && on_stack(thread, IDLE) {
        return Place::Idle;
    }
    at_work(thread, serving)
}

/// Where a thread is that has something to do, for a request or not.
pub(super) fn at_work(thread: &Thread, serving: bool) -> Place {
    if peer(thread) == Some(Peer::Names) {
        return Place::Peer(Peer::Names);
    }
    if waits_for_lock(thread) {
        // Pools have locks of their own; who waits there waits for a connection.
        return pool(thread).unwrap_or(Place::Lock);
    }
    if on_top(thread, &["java.lang.Thread.sleep"]) {
        return Place::Sleep;
    }
    let parked = is_parked(thread);
    if parked && let Some(pool) = pool(thread) {
        return pool;
    }
    if on_top(thread, SOCKET) || parked {
        return match peer(thread) {
            Some(peer) => Place::Peer(peer),
            None if parked => Place::Wait,
            None if !serving => Place::Idle,
            None if own_frame(thread).is_some() => Place::Peer(Peer::Other),
            None => Place::Peer(Peer::Client),
        };
    }
    if on_top(thread, FILES) {
        return Place::File;
    }
    match thread.state {
        None | Some(State::Runnable) => Place::Cpu,
        _ => Place::Wait,
    }
}

fn pool(thread: &Thread) -> Option<Place> {
    if on_stack(thread, DATABASE_POOLS) && !on_stack(thread, &["com.zaxxer.hikari.pool.PoolBase."])
    {
        return Some(Place::DatabasePool);
    }
    on_stack(thread, CLIENT_POOLS).then_some(Place::ClientPool)
}

/// Whether the stack is in a pool of connections.
pub(crate) fn is_pool(thread: &Thread) -> bool {
    pool(thread).is_some()
}

fn waits_for_lock(thread: &Thread) -> bool {
    if thread.state == Some(State::Blocked) || shared_lock(thread).is_some() {
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
pub(super) fn shared_lock(thread: &Thread) -> Option<&str> {
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
pub(super) fn waits_for_permit(thread: &Thread) -> bool {
    let mut top = thread.frames.iter().take(8);
    top.any(|frame| {
        let call = frame.method.strip_prefix(SEMAPHORE);
        call.is_some_and(|call| call.to_ascii_lowercase().contains("acquire"))
    })
}

fn is_lock_class(class: &str) -> bool {
    class.starts_with("java.util.concurrent.locks.") && !class.ends_with("ConditionObject")
}

fn is_parked(thread: &Thread) -> bool {
    matches!(thread.state, Some(State::Waiting | State::TimedWaiting))
        || on_top(
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
pub fn awaits_task(thread: &Thread) -> bool {
    let mut top = thread.frames.iter().take(8);
    is_parked(thread) && top.any(|frame| starts_with_any(&frame.method, AWAIT_TASK))
}

/// Whether a thread of a pool runs a task of the application's.
#[must_use]
pub fn runs_task(thread: &Thread) -> bool {
    let mut top = thread.frames.iter().take(8);
    let in_queue = is_parked(thread) && top.any(|frame| starts_with_any(&frame.method, QUEUES));
    let own = thread.frames.iter().any(|frame| !is_library(&frame.method));
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
pub(super) fn queue_call(thread: &Thread) -> Option<QueueCall> {
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

/// The calls that the application's own code has made: those above its outermost call, or all of
/// them where none is its own. What is below has called it.
fn called(thread: &Thread) -> &[Frame] {
    let mut frames = thread.frames.iter();
    let own = frames.rposition(|frame| !is_library(&frame.method));
    &thread.frames[..own.unwrap_or(thread.frames.len())]
}

/// The innermost call of a client or server, unless the application's own code waits by itself
/// above it.
fn peer_call(thread: &Thread) -> Option<(&str, Peer)> {
    let calls = thread.frames.iter().map(|frame| frame.method.as_str());
    let mut called = calls.take_while(|call| is_library(call));
    called.find_map(|call| Some((call, talks_to(call)?)))
}

fn peer(thread: &Thread) -> Option<Peer> {
    peer_call(thread).map(|(_, peer)| peer)
}

/// The call of a client in which a thread waits for a response.
#[must_use]
pub fn client_call(thread: &Thread) -> Option<&str> {
    peer_call(thread).map(|(call, _)| call)
}

const LOGGING: &[&str] = &[
    "ch.qos.logback.",
    "org.apache.logging.log4j.",
    "org.apache.log4j.",
    "java.util.logging.",
    "org.apache.juli.",
];
/// What stands between a logging framework and who logs: facades, and what hides a facade.
const LOGGING_FACADES: &[&str] = &[
    "org.slf4j.",
    "org.apache.commons.logging.",
    "org.jboss.logging.",
    "org.springframework.core.log.",
    "io.netty.util.internal.logging.",
    "java.",
    "jdk.",
];

/// Whether the stack is in a logging framework.
#[must_use]
pub fn is_logging(thread: &Thread) -> bool {
    on_stack(thread, LOGGING)
}

/// The call that logs: the innermost one below the logging framework and its facades, of a
/// library or of the application. Loggers are called after the class that uses them (the habit of
/// all frameworks).
#[must_use]
pub fn logs(thread: &Thread) -> Option<&str> {
    let mut frames = thread.frames.iter().map(|frame| frame.method.as_str());
    frames.find(|method| starts_with_any(method, LOGGING))?;
    frames.find(|method| {
        !starts_with_any(method, LOGGING)
            && !starts_with_any(method, LOGGING_FACADES)
            && !is_generated(method)
    })
}

/// Whether the application has called that kind of peer's client, waiting or not.
#[must_use]
pub fn calls(thread: &Thread, peer: Peer) -> bool {
    let (tables, frameworks): (&[&str], &[&str]) = match peer {
        Peer::Database => (
            DATABASES,
            &[
                "org.springframework.jdbc.core.JdbcTemplate.",
                "com.zaxxer.hikari.",
                "org.hibernate.",
                "org.apache.ibatis.",
            ],
        ),
        Peer::Cache => (CACHES, &["org.springframework.data.redis."]),
        Peer::Service => (SERVICES, &[]),
        Peer::Client | Peer::Names | Peer::Other => (&[], &[]),
    };
    let called = called(thread);
    has_call(called, tables) || has_call(called, frameworks)
}
