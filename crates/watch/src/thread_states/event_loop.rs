//! Event loops: threads that wait for all their sockets at once, each a server of its own.

use std::collections::HashMap;
use std::fs;

use super::seen::ThreadSeen;
use super::wait::Wait;
use crate::proc::Pid;

/// Beginnings of names of threads that are event loops. Java's are cut to 15 bytes, some in their
/// middle.
const NAMES: &[&str] = &[
    "nioEven",
    "epollEv",
    "reactor",
    "vert.x-e",
    "vert.x-",
    "lettuce",
    "grpc-nio",
    "XNIO-",
    "nginx",
    "openresty",
    "node",
    "redis-server",
    "valkey-server",
    "keydb-server",
    "haproxy",
    "envoy",
    "wrk:worker",
    "uvicorn",
    "hypercorn",
    "mc-worker",
];
/// So many are told of.
const MAX_LOOPS: usize = 64;
/// A thread that was there for less is not judged, s.
const MIN_SPAN_S: f64 = 0.5;
/// A loop that works wakes as often, 1/s.
const MIN_TURNS_PER_S: f64 = 5.0;
/// Descriptors of a process that are looked through for an epoll set.
const MAX_OPEN: usize = 1000;

/// A thread that may be an event loop.
#[derive(Debug, Clone)]
pub(super) struct LoopCandidate {
    name: String,
    pid: Pid,
    tid: Pid,
    span_s: f64,
    running_s: f64,
    runnable_s: f64,
    polling_s: f64,
    blocked_s: f64,
    blocked_in: Option<Wait>,
    turns: f64,
}

/// Shares of the time of an event loop.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EventLoop {
    pub(super) name: String,
    pub(super) pid: Pid,
    pub(super) tid: Pid,
    pub(super) running: f64,
    pub(super) runnable: f64,
    pub(super) polling: f64,
    pub(super) blocked: f64,
    /// What it was blocked in most.
    pub(super) blocked_in: Option<Wait>,
}

impl LoopCandidate {
    /// The thread, if it was there for long enough.
    pub(super) fn of(seen: &ThreadSeen) -> Option<Self> {
        let shares = &seen.shares;
        let polls = |wait: &Wait| matches!(wait, Wait::Poll | Wait::Accept);
        let blocked = shares.waits.iter().filter(|(wait, _)| !polls(wait));
        let most = blocked.max_by(|a, b| a.1.total_cmp(b.1).then_with(|| b.0.cmp(a.0)));
        (shares.span_s >= MIN_SPAN_S).then(|| Self {
            name: seen.name.clone(),
            pid: seen.pid,
            tid: seen.tid,
            span_s: shares.span_s,
            running_s: shares.running_s,
            runnable_s: shares.runnable_s,
            polling_s: shares.waiting_s(polls),
            blocked_s: shares.waiting_s(|wait| !polls(wait)),
            blocked_in: most.map(|(wait, _)| wait.clone()),
            turns: seen.turns,
        })
    }

    /// Whether it spends its idle time in a poll, or has none.
    fn polls(&self) -> bool {
        let idle_s = self.polling_s + self.blocked_s;
        self.polling_s > 0.0 && self.polling_s >= 0.5 * idle_s || self.is_busy()
    }

    fn is_busy(&self) -> bool {
        self.running_s + self.runnable_s >= 0.8 * self.span_s
    }

    fn is_known(&self) -> bool {
        NAMES.iter().any(|name| self.name.starts_with(name))
    }

    fn shares(&self) -> EventLoop {
        EventLoop {
            name: self.name.clone(),
            pid: self.pid,
            tid: self.tid,
            running: self.running_s / self.span_s,
            runnable: self.runnable_s / self.span_s,
            polling: self.polling_s / self.span_s,
            blocked: self.blocked_s / self.span_s,
            blocked_in: self.blocked_in.clone(),
        }
    }
}

/// Those that are event loops: known by their names, or what does the work of its process and
/// alone polls.
pub(super) fn event_loops(candidates: &[LoopCandidate], lasted_s: f64) -> Vec<EventLoop> {
    let mut pollers: HashMap<Pid, usize> = HashMap::new();
    let mut work_s: HashMap<Pid, f64> = HashMap::new();
    for one in candidates {
        *pollers.entry(one.pid).or_default() += usize::from(one.polling_s > 0.0 && one.polls());
        *work_s.entry(one.pid).or_default() += one.running_s;
    }
    let is_loop = |one: &&LoopCandidate| {
        // Who neither computes nor wakes serves nobody.
        let wakes = one.is_busy() || one.turns >= MIN_TURNS_PER_S * lasted_s;
        let works = one.running_s >= 0.3 * work_s.get(&one.pid).copied().unwrap_or(0.0);
        let alone = pollers.get(&one.pid).copied().unwrap_or(0) <= 1;
        let seen = || one.polling_s > 0.0 || one.pid == one.tid && has_epoll(one.pid);
        one.polls() && wakes && (one.is_known() || works && alone && seen())
    };
    let mut loops: Vec<EventLoop> = candidates
        .iter()
        .filter(is_loop)
        .map(LoopCandidate::shares)
        .collect();
    loops.sort_by(|a, b| {
        let busy = |one: &EventLoop| one.running + one.runnable + one.blocked;
        busy(b).total_cmp(&busy(a)).then_with(|| a.tid.cmp(&b.tid))
    });
    loops.truncate(MAX_LOOPS);
    loops
}

/// Whether a process has an epoll set.
fn has_epoll(pid: Pid) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten();
    let links = open
        .flatten()
        .take(MAX_OPEN)
        .map(|entry| fs::read_link(entry.path()));
    links
        .flatten()
        .any(|link| link.as_os_str() == "anon_inode:[eventpoll]")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread of three seconds.
    fn thread(name: &str, tid: Pid, running_s: f64, polling_s: f64, turns: f64) -> LoopCandidate {
        LoopCandidate {
            name: name.to_owned(),
            pid: 1,
            tid,
            span_s: 3.0,
            running_s,
            runnable_s: 0.0,
            polling_s,
            blocked_s: 3.0 - running_s - polling_s,
            blocked_in: Some(Wait::Futex),
            turns,
        }
    }

    fn found(threads: &[LoopCandidate]) -> Vec<Pid> {
        let loops = event_loops(threads, 3.0);
        loops.iter().map(|one| one.tid).collect()
    }

    #[test]
    fn loops_are_known_by_name_or_by_their_work() {
        let netty = |tid, running| thread("nioEventLoopGro", tid, running, 3.0 - running, 99.0);
        assert_eq!(found(&[netty(11, 0.5), netty(12, 1.5)]), [12, 11]);
        // One that never wakes, as the timer thread of Node.js.
        assert!(found(&[thread("node", 12, 0.0, 3.0, 1.0)]).is_empty());
        // A poller beside the threads that do the work.
        let poller = thread("http-nio-8080-P", 12, 0.1, 2.9, 99.0);
        assert!(found(&[poller, thread("exec", 13, 2.0, 0.0, 99.0)]).is_empty());
        assert_eq!(found(&[thread("python3", 1, 1.0, 1.5, 99.0)]), [1]);
        // It waits for a lock most of its time.
        assert!(found(&[thread("python3", 1, 1.0, 0.5, 99.0)]).is_empty());
        // Two threads of a pool that poll.
        let pool = [
            thread("a", 2, 1.0, 2.0, 99.0),
            thread("a", 3, 1.0, 2.0, 99.0),
        ];
        assert!(found(&pool).is_empty());
    }
}
