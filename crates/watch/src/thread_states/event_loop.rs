//! Event loops: threads that wait for all their sockets at once, each a server of its own.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::fds::epoll_fd;
use super::seen::ThreadSeen;
use super::wait::ThreadWait;
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
/// An epoll set of a server holds so many sockets at least: what it listens at, and connections. A
/// process that serves one client at a time has fewer.
const SERVES: usize = 3;
/// A loop does so much of its process' work; one that never waits for events, of a program that may as well have
/// other threads, nearly all of it.
const SHARE_OF_WORK: f64 = 0.3;
const NEARLY_ALL: f64 = 0.8;

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
    blocked_in: Option<ThreadWait>,
    turns: f64,
}

/// Shares of the time of an event loop.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EventLoopTimes {
    pub(super) name: String,
    pub(super) pid: Pid,
    pub(super) tid: Pid,
    pub(super) running: f64,
    pub(super) runnable: f64,
    pub(super) polling: f64,
    pub(super) blocked: f64,
    /// What it was blocked in most.
    pub(super) blocked_in: Option<ThreadWait>,
}

impl LoopCandidate {
    /// The thread, if it was there for long enough.
    pub(super) fn of(seen: &ThreadSeen) -> Option<Self> {
        let shares = &seen.shares;
        let polls = |wait: &ThreadWait| matches!(wait, ThreadWait::Poll | ThreadWait::Accept);
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

    /// Whether it hardly ever waits for events, but for something that is no lock: idle threads of
    /// a pool wait at one, unless the program is known to have none but its loop.
    fn is_held_up(&self) -> bool {
        let by_lock = matches!(self.blocked_in, Some(ThreadWait::Futex) | None);
        let may_be = !by_lock || self.is_known();
        self.pid == self.tid && may_be && self.blocked_s > self.polling_s
    }

    fn is_known(&self) -> bool {
        NAMES.iter().any(|name| self.name.starts_with(name))
    }

    fn shares(&self) -> EventLoopTimes {
        EventLoopTimes {
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
pub(super) fn event_loops(candidates: &[LoopCandidate], lasted_s: f64) -> Vec<EventLoopTimes> {
    let mut pollers: HashMap<Pid, usize> = HashMap::new();
    let mut work_s: HashMap<Pid, f64> = HashMap::new();
    for one in candidates {
        *pollers.entry(one.pid).or_default() += usize::from(one.polling_s > 0.0 && one.polls());
        *work_s.entry(one.pid).or_default() += one.running_s;
    }
    let work_of = |one: &LoopCandidate| work_s.get(&one.pid).copied().unwrap_or(0.0);
    let is_loop = |one: &&LoopCandidate| {
        // Who neither computes nor wakes serves nobody.
        let wakes = one.is_busy() || one.turns >= MIN_TURNS_PER_S * lasted_s;
        let does = |share: f64| one.running_s >= share * work_of(one);
        let alone = pollers.get(&one.pid).copied().unwrap_or(0) <= 1;
        let seen = || one.polling_s > 0.0 || one.pid == one.tid && has_epoll(one.pid);
        let polls = one.polls() && (one.is_known() || does(SHARE_OF_WORK) && alone && seen());
        let held_up = || {
            let share = if one.is_known() {
                SHARE_OF_WORK
            } else {
                NEARLY_ALL
            };
            one.is_held_up() && does(share) && alone && serves_at_once(one.pid)
        };
        wakes && (polls || held_up())
    };
    let mut loops: Vec<EventLoopTimes> = candidates
        .iter()
        .filter(is_loop)
        .map(LoopCandidate::shares)
        .collect();
    loops.sort_by(|a, b| {
        let busy = |one: &EventLoopTimes| one.running + one.runnable + one.blocked;
        busy(b).total_cmp(&busy(a)).then_with(|| a.tid.cmp(&b.tid))
    });
    loops.truncate(MAX_LOOPS);
    loops
}

/// Whether a process has an epoll set.
fn has_epoll(pid: Pid) -> bool {
    epoll_sets(pid).next().is_some()
}

/// The descriptors of a process that are epoll sets.
fn epoll_sets(pid: Pid) -> impl Iterator<Item = OsString> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter();
    let open = open.flatten().flatten().take(MAX_OPEN);
    let sets = open.filter(|entry| is_link_to(&entry.path(), "anon_inode:[eventpoll]"));
    sets.map(|entry| entry.file_name())
}

/// Whether an epoll set of a process holds the sockets of a server of many.
fn serves_at_once(pid: Pid) -> bool {
    epoll_sets(pid).any(|set| {
        let path = Path::new("/proc").join(pid.to_string()).join("fdinfo");
        let held = crate::proc::file::read(path.join(set)).unwrap_or_default();
        let held = held.lines().filter_map(epoll_fd).take(MAX_OPEN);
        let sockets = held.filter(|one| {
            let fd = format!("/proc/{pid}/fd/{}", one.fd);
            is_link_to(Path::new(&fd), "socket:[")
        });
        sockets.take(SERVES).count() == SERVES
    })
}

fn is_link_to(path: &Path, beginning: &str) -> bool {
    let link = fs::read_link(path);
    link.is_ok_and(|link| link.to_string_lossy().starts_with(beginning))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

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
            blocked_in: Some(ThreadWait::Futex),
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

    /// What a server of one connection holds, and its client.
    async fn connected() -> std::io::Result<(TcpListener, TcpStream, TcpStream)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let client = TcpStream::connect(listener.local_addr()?).await?;
        let (connection, _) = listener.accept().await?;
        Ok((listener, client, connection))
    }

    #[test]
    fn a_loop_that_never_waits_for_events_is_one() {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_io().build().unwrap();
        let _open = runtime.block_on(connected()).unwrap();
        let pid: Pid = std::process::id();
        let blocked = |call, tid| LoopCandidate {
            pid,
            blocked_in: Some(call),
            ..thread("python3", tid, 0.2, 0.1, 99.0)
        };
        assert_eq!(found(&[blocked(ThreadWait::Sleep, pid)]), [pid]);
        assert!(found(&[blocked(ThreadWait::Futex, pid)]).is_empty());
        let node = LoopCandidate {
            name: "node".to_owned(),
            ..blocked(ThreadWait::Futex, pid)
        };
        assert_eq!(found(std::slice::from_ref(&node)), [pid]);
        // Its other threads compile and collect garbage beside it, however little.
        let beside = thread("node", pid + 1, 0.15, 0.0, 99.0);
        assert_eq!(found(&[node, LoopCandidate { pid, ..beside }]), [pid]);
        // Not the first thread of its process.
        assert!(found(&[blocked(ThreadWait::Sleep, pid + 1)]).is_empty());
        // Others do most of the work.
        let other = LoopCandidate {
            pid,
            ..thread("worker", pid + 1, 2.0, 0.0, 99.0)
        };
        assert!(found(&[blocked(ThreadWait::Sleep, pid), other]).is_empty());
        // A process that serves one client at a time, and has no epoll set.
        let own = thread("python3", 1, 0.2, 0.1, 99.0);
        let other_pid = LoopCandidate {
            pid: Pid::MAX,
            tid: Pid::MAX,
            blocked_in: Some(ThreadWait::Sleep),
            ..own
        };
        assert!(found(&[other_pid]).is_empty());
    }
}
