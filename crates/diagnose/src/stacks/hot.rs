//! Where serving threads compute: the calls and libraries that most of them are in.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use plimsoll_watch::threads::{DumpedThread, StackFrame};

use super::frames::{belongs_to, is_of_library, own_frame};
use super::names::is_base;
use super::place::StackPlace;
use super::threads::{SeenThread, Stacks, most_frequent};

/// A call or library in which serving threads compute.
#[derive(Debug, Clone, PartialEq)]
pub struct Hot {
    /// The library (`com.fasterxml.jackson`) or method.
    pub name: String,
    /// The application's own call that leads there most often.
    pub own: Option<String>,
    /// Share of the serving threads that compute.
    pub share: f64,
    /// In how many threads of all dumps together it was seen.
    pub samples: usize,
    /// Ways through the application's own code, line by line, to its same call, each by a
    /// tenth of these threads at least.
    pub callers: usize,
}

/// Packages whose presence on a stack says nothing: every request passes through them.
const PASSAGE: &[&str] = &[
    "java.lang",
    "java.util",
    "java.base",
    "jdk.",
    "0x",
    "sun.",
    "java.net",
    "java.io",
    "java.nio",
    "java.security",
    "java.time",
    "java.math",
    "java.text",
    "javax.",
    "jakarta.",
    "com.sun.net.httpserver",
    "org.apache.catalina",
    "org.apache.coyote",
    "org.apache.tomcat",
    "org.springframework",
    "org.eclipse.jetty",
    "io.undertow",
    "org.xnio",
    "org.jboss",
    "org.apache.dubbo",
    "com.alibaba.dubbo",
    "io.grpc",
    "weblogic",
    "com.caucho",
    "com.ibm.ws",
    "io.micrometer",
    "org.slf4j",
    "io.netty",
    "reactor.",
    "io.opentelemetry",
];

/// The first three parts of a class's package: `com.fasterxml.jackson`; two where the third is
/// a class. None for what is passed by every request.
#[must_use]
pub fn library_of(method: &str) -> Option<String> {
    if PASSAGE.iter().any(|prefix| method.starts_with(prefix)) {
        return None;
    }
    let parts: Vec<&str> = method.split('.').collect();
    let lower = |part: &&&str| part.chars().next().is_some_and(char::is_lowercase);
    let package: Vec<&str> = parts.iter().take(3).take_while(lower).copied().collect();
    (!package.is_empty()).then(|| package.join("."))
}

impl Stacks {
    /// Libraries that computing threads are in, most first. A thread counts once for each.
    /// The application's own packages (those of the outermost own call) are no library.
    #[must_use]
    pub fn hot_libraries(&self) -> Vec<Hot> {
        self.hot(|thread| {
            if is_told(thread) {
                return called_libraries(thread);
            }
            let own = outermost_own(thread).and_then(library_of);
            let all = thread
                .frames
                .iter()
                .filter_map(|frame| library_of(&frame.method));
            all.filter(|library| Some(library) != own.as_ref())
                .collect()
        })
    }

    /// Methods of the application's own code, and of what is in no table, that computing
    /// threads are in. Where lines are known, only the innermost counts: all others are on the way
    /// to it.
    #[must_use]
    pub fn hot_methods(&self) -> Vec<Hot> {
        self.hot(|thread| {
            if is_told(thread) {
                return own_frame(thread).map(str::to_owned).into_iter().collect();
            }
            let frames = thread.frames.iter();
            let own = frames.filter(|frame| !is_of_library(frame));
            own.map(|frame| frame.method.clone()).collect()
        })
    }

    /// How often a serving thread was seen computing, over all dumps.
    #[must_use]
    pub fn seen_computing(&self) -> usize {
        self.serving().filter(|seen| seen.computes()).count()
    }

    fn hot(&self, names: impl Fn(&DumpedThread) -> BTreeSet<String>) -> Vec<Hot> {
        let mut found: BTreeMap<String, Vec<&SeenThread>> = BTreeMap::new();
        for seen in self.serving().filter(|seen| seen.computes()) {
            for name in names(&seen.thread) {
                found.entry(name).or_default().push(seen);
            }
        }
        let computing = self.seen_computing();
        let hot = |(name, seen): (String, Vec<&SeenThread>)| Hot {
            own: most_frequent(seen.iter().filter_map(|seen| caller(&seen.thread, &name))),
            #[expect(clippy::cast_precision_loss, reason = "threads of a few dumps")]
            share: seen.len() as f64 / computing.max(1) as f64,
            samples: seen.len(),
            callers: callers(&seen, &name),
            name,
        };
        let mut all: Vec<Hot> = found.into_iter().map(hot).collect();
        all.sort_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.name.cmp(&b.name)));
        all
    }
}

/// Calls that let another thread go first: where a CPU is short, a thread is seen there for as long
/// as it waits for one again, however little it uses.
const HANDS_OVER: &[&str] = &[
    "java.lang.Thread.yield",
    "java.lang.Thread.start0",
    "java.lang.Object.notify",
    "jdk.internal.misc.Unsafe.unpark",
    "sun.misc.Unsafe.unpark",
    "sun.nio.ch.EventFD.set",
];

impl SeenThread {
    /// Computing, or in a short lock or write on the way: work, not waiting for others.
    pub(crate) fn computes(&self) -> bool {
        let innermost = self.thread.frames.first();
        let hands_over = innermost.is_some_and(|frame| {
            let mut calls = HANDS_OVER.iter();
            calls.any(|call| frame.method.starts_with(call))
        });
        matches!(self.place, StackPlace::Cpu | StackPlace::File) && !hands_over
    }
}

/// The outermost call of the application's own code.
fn outermost_own(thread: &DumpedThread) -> Option<&str> {
    let frames = thread.frames.iter().rev();
    let mut own = frames.filter(|frame| !is_of_library(frame));
    own.next().map(|frame| frame.method.as_str())
}

/// Own calls with their lines, innermost first.
type Way<'a> = Vec<(&'a str, &'a str)>;

/// Ways through own code (line by line) to the same call of a library: the most there are, rare
/// ones left out. Two ways mean that a request does the same thing twice, or two do.
fn callers(seen: &[&SeenThread], library: &str) -> usize {
    let mut counts: BTreeMap<&str, BTreeMap<Way<'_>, usize>> = BTreeMap::new();
    for seen in seen {
        let frames = &seen.thread.frames;
        let inside = frames.iter().rposition(|frame| belongs_to(frame, library));
        let Some((at, entry)) = inside.and_then(|at| Some((at, frames.get(at)?))) else {
            continue;
        };
        let own = frames[at + 1..]
            .iter()
            .filter(|frame| !is_of_library(frame));
        let way: Way<'_> = own
            .map(|frame| (frame.method.as_str(), frame.place.as_str()))
            .collect();
        if !way.is_empty() {
            let ways = counts.entry(entry.method.as_str()).or_default();
            *ways.entry(way).or_default() += 1;
        }
    }
    let often = |count: &&usize| **count * 10 >= seen.len();
    let ways = counts
        .values()
        .map(|ways| ways.values().filter(often).count());
    ways.max().unwrap_or(0)
}

/// The innermost own call outside a library, from which it was called.
fn caller<'a>(thread: &'a DumpedThread, library: &str) -> Option<&'a str> {
    let last_inside = thread
        .frames
        .iter()
        .rposition(|frame| belongs_to(frame, library))?;
    let outside = || thread.frames.iter().skip(last_inside + 1);
    let is_own = |frame: &&StackFrame| !is_of_library(frame) && !belongs_to(frame, library);
    let found = outside().find(is_own).map(|frame| frame.method.as_str());
    // A program that is nobody's own code is what calls.
    let program = || {
        let calls = |frame: &&StackFrame| {
            let of = frame.library.as_deref();
            of.is_some_and(|of| of != library && !is_base(of))
        };
        outside().find(calls).map(|frame| frame.method.as_str())
    };
    found.or_else(|| own_frame(thread)).or_else(program)
}

/// Whether it is known of each call what it belongs to.
fn is_told(thread: &DumpedThread) -> bool {
    thread.frames.iter().any(|frame| frame.library.is_some())
}

/// The libraries that the application's own code has called; of a stack without own code those
/// behind what it began with. What calls the own code is on the way of every request.
fn called_libraries(thread: &DumpedThread) -> BTreeSet<String> {
    let of = |frame: &StackFrame| {
        let library = frame.library.as_deref()?;
        (!library.is_empty() && !is_base(library)).then(|| library.to_owned())
    };
    let frames = &thread.frames;
    let own = frames.iter().rposition(|frame| !is_of_library(frame));
    let begins = || frames.iter().rposition(|frame| of(frame).is_some());
    let (inner, outer) = frames.split_at(own.or_else(begins).unwrap_or(0));
    let on_the_way: BTreeSet<String> = outer.iter().filter_map(of).collect();
    let called = inner.iter().filter_map(of);
    called
        .filter(|library| !on_the_way.contains(library))
        .collect()
}
