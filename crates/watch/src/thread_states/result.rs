//! What was found out, and as JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::account::ThreadShares;
use super::event_loop::{EventLoopTimes, LoopCandidate, event_loops};
use super::files::Denied;
use super::neighbours::{Neighbour, around};
use super::peers::PeerTable;
use super::seen::ThreadSeen;
use super::titles::ServerTitles;
use super::wait::{ThreadWait, Whom};
use crate::proc::find::{holders, roots};
use crate::proc::{Pid, name};

/// So many classes are told of one by one, and so many peers of each.
const MAX_CLASSES: usize = 200;
const MAX_PEERS: usize = 50;
/// So many files are counted, and so many told.
const MAX_FILES: usize = 200;
const TOLD_FILES: usize = 10;

/// What the threads of a process and its workers did.
#[derive(Default)]
pub(crate) struct SamplingResult {
    root: Pid,
    pub(super) lasted_s: f64,
    pub(super) looks: u32,
    /// Threads at the end, and the thread-seconds there were.
    pub(super) threads: usize,
    pub(super) thread_s: f64,
    /// Only a part of the threads was followed.
    pub(super) is_part: bool,
    /// CPU time of all threads, by the process's own count, s.
    pub(super) cpu_s: f64,
    pub(super) denied: Denied,
    pub(super) cost: Duration,
    looked_at: usize,
    /// By process, so that the master of workers is told apart.
    classes: BTreeMap<(bool, String), ThreadShares>,
    processes: BTreeSet<Pid>,
    candidates: Vec<LoopCandidate>,
    names: HashMap<Whom, String>,
    /// Files that threads were seen to wait for a disk for, with how often.
    files: BTreeMap<String, u32>,
    /// Who uses the CPUs that it wants.
    neighbours: Vec<Neighbour>,
    /// What its workers say of themselves.
    pub(crate) titles: ServerTitles,
}

/// From so many threads on that want a CPU on average it is asked who has it.
const WANT_A_CPU: f64 = 0.2;

impl SamplingResult {
    /// Nothing yet, of a process and its workers.
    pub(super) fn of(root: Pid) -> Self {
        Self {
            root,
            ..Self::default()
        }
    }

    /// Takes a thread's part.
    pub(super) fn add(&mut self, seen: ThreadSeen) {
        self.looked_at += 1;
        self.processes.insert(seen.pid);
        self.candidates.extend(LoopCandidate::of(&seen));
        let is_root = seen.pid == self.root;
        let class = self.classes.entry((is_root, seen.class)).or_default();
        class.add(&seen.shares);
    }

    /// A thread waits for a disk, for that file where it is known.
    pub(super) fn waits_for_file(&mut self, file: Option<String>) {
        let Some(file) = file else { return };
        if self.files.len() < MAX_FILES || self.files.contains_key(&file) {
            *self.files.entry(file).or_default() += 1;
        }
    }

    /// Those with the most waits, the most first.
    fn most_waited_for(&self) -> Vec<Value> {
        let mut files: Vec<(&String, &u32)> = self.files.iter().collect();
        files.sort_by_key(|(_, waits)| std::cmp::Reverse(**waits));
        let told = files.into_iter().take(TOLD_FILES);
        told.map(|(path, waits)| json!({ "path": path, "waits": waits }))
            .collect()
    }

    /// Finds out which processes the other ends belong to.
    pub(super) fn name(&mut self, peers: &PeerTable) {
        let waits = self.classes.values().flat_map(|shares| shares.waits.keys());
        let whoms: BTreeSet<Whom> = waits.filter_map(|wait| whom(wait).cloned()).collect();
        let sockets: Vec<(Whom, Vec<u64>)> = whoms
            .into_iter()
            .map(|whom| {
                let sockets = peers.sockets(&whom);
                (whom, sockets)
            })
            .collect();
        let wanted: HashSet<u64> = sockets.iter().flat_map(|(_, all)| all).copied().collect();
        let held = holders(&wanted).by_socket;
        for (whom, sockets) in sockets {
            let pids = sockets.iter().filter_map(|inode| held.get(inode)).flatten();
            let pids: Vec<Pid> = pids.copied().collect();
            let root = roots(&pids).first().copied();
            if let Some(name) = root.and_then(name::entity_name) {
                self.names.insert(whom, name);
            }
        }
    }

    /// Where threads want a CPU: asks for a moment who uses it.
    pub(crate) fn look_around(&mut self) {
        let runnable_s: f64 = self.classes.values().map(|shares| shares.runnable_s).sum();
        if runnable_s * self.part() >= WANT_A_CPU {
            self.neighbours = around(&self.processes, self.root);
        }
    }

    /// The text that is kept.
    pub(crate) fn told(&self, from_unix_ns: u64) -> Value {
        let whole = self.part();
        let mut sum = ThreadShares::default();
        let mut classes: BTreeMap<String, ThreadShares> = BTreeMap::new();
        for ((is_root, name), shares) in &self.classes {
            sum.add(shares);
            let name = match *is_root && self.processes.len() > 1 {
                true => format!("{name} (master)"),
                false => name.clone(),
            };
            let full = classes.len() >= MAX_CLASSES && !classes.contains_key(&name);
            let name = if full { "other".to_owned() } else { name };
            classes.entry(name).or_default().add(shares);
        }
        let classes = classes
            .iter()
            .map(|(name, shares)| self.class(name, shares));
        let classes: Vec<Value> = classes.collect();
        // Of a part only the process's own count is exact.
        let running = match self.is_part {
            true => self.cpu_s / self.lasted_s.max(1e-9),
            false => sum.running_s * whole,
        };
        let loops = event_loops(&self.candidates, self.lasted_s);
        let loops: Vec<Value> = loops.iter().map(|one| self.event_loop(one)).collect();
        json!({
            "version": 1,
            "from_unix_ns": from_unix_ns,
            "lasts_ms": rounded(self.lasted_s * 1e3),
            "looks": self.looks,
            "threads": self.threads,
            "threads_looked_at": self.looked_at,
            "processes": self.processes.len(),
            "cost_cpu_s": rounded(self.cost.as_secs_f64()),
            "denied": self.denied,
            "running": rounded(running),
            "runnable": rounded(sum.runnable_s * whole),
            "classes": classes,
            "event_loops": loops,
            "files": self.most_waited_for(),
            "titles": self.titles.told(),
            "neighbours": self.neighbours.iter().map(Neighbour::told).collect::<Vec<_>>(),
        })
    }

    /// What makes seconds of the threads that were followed numbers of threads.
    fn part(&self) -> f64 {
        let followed: f64 = self.classes.values().map(|shares| shares.span_s).sum();
        let all = if self.is_part {
            self.thread_s.max(followed)
        } else {
            followed
        };
        match followed > 0.0 && self.lasted_s > 0.0 {
            true => all / followed / self.lasted_s,
            false => 0.0,
        }
    }

    fn class(&self, name: &str, shares: &ThreadShares) -> Value {
        let part = self.part();
        let waiting = |wait: &ThreadWait| rounded(shares.waiting_s(|known| known == wait) * part);
        let mut read: Vec<(&ThreadWait, f64)> = shares
            .waits
            .iter()
            .filter(|(wait, _)| whom(wait).is_some())
            .map(|(wait, seconds)| (wait, seconds * part))
            .collect();
        read.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let rest: f64 = read.iter().skip(MAX_PEERS).map(|(_, number)| number).sum();
        let read = read.into_iter().take(MAX_PEERS);
        let still = |wait: &ThreadWait| shares.still.get(wait).copied().unwrap_or(0.0) * part;
        let mut read: Vec<Value> = read
            .map(|(wait, number)| self.peer(wait, number, still(wait)))
            .collect();
        if rest > 0.0 {
            read.push(json!({ "peer": "", "process": "", "number": rounded(rest) }));
        }
        let others = shares.still.keys().filter(|wait| whom(wait).is_none());
        let stills = others.map(|wait| (wait_name(wait).to_owned(), json!(rounded(still(wait)))));
        json!({
            "name": name,
            "still": stills.collect::<Map<String, Value>>(),
            "threads": rounded(shares.span_s * part),
            "running": rounded(shares.running_s * part),
            "runnable": rounded(shares.runnable_s * part),
            "disk": waiting(&ThreadWait::Disk),
            "fsync": waiting(&ThreadWait::Sync),
            "futex": waiting(&ThreadWait::Futex),
            "poll": waiting(&ThreadWait::Poll),
            "accept": waiting(&ThreadWait::Accept),
            "sleep": waiting(&ThreadWait::Sleep),
            "write": waiting(&ThreadWait::Write),
            "pipe": waiting(&ThreadWait::Pipe),
            "child": waiting(&ThreadWait::Child),
            "lock_file": waiting(&ThreadWait::FileLock),
            "other": waiting(&ThreadWait::Other),
            "read": read,
        })
    }

    /// A peer that bytes are waited for, or a connection to it.
    fn peer(&self, wait: &ThreadWait, number: f64, still: f64) -> Value {
        let known = whom(wait).unwrap_or(&Whom::Unknown);
        let mut told = Map::new();
        let process = self.names.get(known).map_or("", String::as_str);
        told.insert("peer".to_owned(), json!(known.address()));
        told.insert("process".to_owned(), json!(process));
        told.insert("number".to_owned(), json!(rounded(number)));
        if still > 0.0 {
            told.insert("still".to_owned(), json!(rounded(still)));
        }
        if known.is_client() {
            told.insert("is_client".to_owned(), json!(true));
        }
        if matches!(wait, ThreadWait::Connect(_)) {
            told.insert("connecting".to_owned(), json!(true));
        }
        Value::Object(told)
    }

    fn event_loop(&self, one: &EventLoopTimes) -> Value {
        let mut told = json!({
            "thread": one.name,
            "pid": one.pid,
            "tid": one.tid,
            "running": rounded(one.running),
            "runnable": rounded(one.runnable),
            "polling": rounded(one.polling),
            "blocked": rounded(one.blocked),
        });
        if let Some(wait) = &one.blocked_in {
            told["blocked_in"] = json!(wait_name(wait));
            if let Some(known) = whom(wait) {
                told["peer"] = json!(known.address());
            }
        }
        told
    }
}

/// Whose bytes or connection that waits for.
fn whom(wait: &ThreadWait) -> Option<&Whom> {
    match wait {
        ThreadWait::Read(whom) | ThreadWait::Connect(whom) => Some(whom),
        _ => None,
    }
}

fn wait_name(wait: &ThreadWait) -> &'static str {
    match wait {
        ThreadWait::Disk => "disk",
        ThreadWait::Sync => "fsync",
        ThreadWait::Futex => "futex",
        ThreadWait::Poll => "poll",
        ThreadWait::Accept => "accept",
        ThreadWait::Sleep => "sleep",
        ThreadWait::Write => "write",
        ThreadWait::Pipe => "pipe",
        ThreadWait::Child => "child",
        ThreadWait::FileLock => "lock_file",
        ThreadWait::Other => "other",
        ThreadWait::Read(_) | ThreadWait::Connect(_) => "read",
    }
}

/// Four digits after the point say more than was measured.
fn rounded(value: f64) -> f64 {
    // A sum of nothing is -0.
    (value * 1e4).round() / 1e4 + 0.0
}
