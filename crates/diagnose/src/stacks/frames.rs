//! What the calls on a thread's stack are: the platform's, a library's or the application's own,
//! and whom they talk to. What is in no table counts as the application's own code.

use plimsoll_watch::threads::{DumpedThread, StackFrame};

use super::names::{CACHES, DATABASES, LIBRARIES, NAME_SERVERS, OTHERS, SERVERS, SERVICES};

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

/// Whether a call is of the platform or a library: by what is known of it, else by its name.
#[must_use]
pub fn is_of_library(frame: &StackFrame) -> bool {
    match &frame.library {
        Some(library) => !library.is_empty(),
        None => is_library(&frame.method),
    }
}

/// Whether a call is within a library or method of that name.
pub(crate) fn belongs_to(frame: &StackFrame, name: &str) -> bool {
    let of_library = frame
        .library
        .as_deref()
        .is_some_and(|library| library == name);
    of_library || frame.method.starts_with(name)
}

/// Whom a call of a client or server talks to.
fn talks_to(method: &str) -> Option<Peer> {
    let mut tables = PEERS.iter();
    let hit = tables.find(|(prefixes, _)| starts_with_any(method, prefixes));
    hit.map(|(_, peer)| *peer)
}

pub(super) fn starts_with_any(method: &str, prefixes: &[&str]) -> bool {
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

/// Whether any of these calls is on the stack.
pub(crate) fn on_stack(thread: &DumpedThread, prefixes: &[&str]) -> bool {
    has_call(&thread.frames, prefixes)
}

fn has_call(frames: &[StackFrame], prefixes: &[&str]) -> bool {
    let mut frames = frames.iter();
    frames.any(|frame| starts_with_any(&frame.method, prefixes))
}

/// Whether one of these is among the innermost calls.
pub(super) fn on_top(thread: &DumpedThread, prefixes: &[&str]) -> bool {
    let mut top = thread.frames.iter().take(4);
    top.any(|frame| starts_with_any(&frame.method, prefixes))
}

/// The innermost call of the application's own code.
#[must_use]
pub fn own_frame(thread: &DumpedThread) -> Option<&str> {
    let mut frames = thread.frames.iter();
    let own = frames.find(|frame| !is_of_library(frame));
    own.map(|frame| frame.method.as_str())
}

/// The calls that the application's own code has made: those above its outermost call, or all of
/// them where none is its own. What is below has called it.
pub(super) fn called(thread: &DumpedThread) -> &[StackFrame] {
    let mut frames = thread.frames.iter();
    let own = frames.rposition(|frame| !is_of_library(frame));
    &thread.frames[..own.unwrap_or(thread.frames.len())]
}

/// The innermost call of a client or server, unless the application's own code waits by itself
/// above it.
fn peer_call(thread: &DumpedThread) -> Option<(&str, Peer)> {
    let called = thread
        .frames
        .iter()
        .take_while(|frame| is_of_library(frame));
    let mut called = called.map(|frame| frame.method.as_str());
    called.find_map(|call| Some((call, talks_to(call)?)))
}

pub(super) fn peer(thread: &DumpedThread) -> Option<Peer> {
    peer_call(thread).map(|(_, peer)| peer)
}

/// The call of a client in which a thread waits for a response.
#[must_use]
pub fn client_call(thread: &DumpedThread) -> Option<&str> {
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
pub fn is_logging(thread: &DumpedThread) -> bool {
    on_stack(thread, LOGGING)
}

/// The call that logs: the innermost one below the logging framework and its facades, of a
/// library or of the application. Loggers are called after the class that uses them (the habit of
/// all frameworks).
#[must_use]
pub fn logs(thread: &DumpedThread) -> Option<&str> {
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
pub fn calls(thread: &DumpedThread, peer: Peer) -> bool {
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
