//! The sockets of the file system are looked at again and again, with who waits at them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use plimsoll_wire::{SampledHop, SocketSampling};

use super::super::stretch::Stretch;
use super::processes::Processes;
use super::seen::{ConnectionState, SeenAll, SeenConnection};
use super::table::{UnixConnection, UnixMoment, UnixTable};
use crate::clock::now_unix_ns;
use crate::proc::Pid;
use crate::proc::descriptors::Descriptors;
use crate::proc::find::workers;
use crate::thread_states::SocketWaiters;
use crate::watcher::costs::thread_cpu;

/// Pauses between looks: nothing periodic keeps step with them.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(23),
    Duration::from_millis(29),
    Duration::from_millis(37),
];
/// Share of a CPU that the looks may cost; beyond it they become fewer.
const CPU_SHARE: f64 = 0.05;
/// Beside what may be spent at the beginning, when all is new.
const AT_ONCE: Duration = Duration::from_millis(150);
/// Who holds which sockets is looked at so often.
const HELD_EVERY: Duration = Duration::from_secs(1);
/// And so soon where nobody is known to call.
const HELD_FIRST: Duration = Duration::from_millis(200);
/// Of more connections at a time the rest is not looked at.
const MAX_CONNECTIONS: usize = 4_000;
/// Nor of more altogether.
const MAX_SEEN: usize = 50_000;

/// Looks during a stretch; gives the hops at which anything happened.
pub(super) fn sample(stretch: &Stretch) -> (Vec<SampledHop>, SocketSampling) {
    let (began, before) = (Instant::now(), thread_cpu());
    let spent = || thread_cpu().saturating_sub(before);
    let mut sampler = UnixSampler::new();
    while !stretch.left().is_zero() {
        sampler.look();
        let usual = PAUSES[sampler.all.looks.len() % PAUSES.len()];
        let allowed_at_s = spent().saturating_sub(AT_ONCE).as_secs_f64() / CPU_SHARE;
        let pause_s = (allowed_at_s - began.elapsed().as_secs_f64()).max(usual.as_secs_f64());
        std::thread::sleep(Duration::from_secs_f64(pause_s.clamp(0.0, 60.0)).min(stretch.left()));
    }
    let looks = sampler.all.looks.len() as u64;
    let hops = sampler.finish();
    let cost_cpu_s = spent().as_secs_f64();
    (hops, SocketSampling { looks, cost_cpu_s })
}

/// A process that listens at a path.
#[derive(Default)]
struct Server {
    /// All processes that may have its connections.
    pids: Vec<Pid>,
    waiters: SocketWaiters,
}

/// Who is known to call at a path.
#[derive(Default)]
struct Callers {
    pids: BTreeSet<Pid>,
    roots: BTreeSet<Pid>,
    waiters: SocketWaiters,
    /// Their threads wait for many connections at once.
    has_loops: bool,
}

struct UnixSampler {
    table: UnixTable,
    processes: Processes,
    servers: HashMap<String, Server>,
    callers: HashMap<String, Callers>,
    /// The place of each connection among all, by its client's end.
    known: HashMap<u64, usize>,
    all: SeenAll,
}

impl UnixSampler {
    fn new() -> Self {
        let mut sampler = Self {
            table: UnixTable::open(),
            processes: Processes::look(),
            servers: HashMap::new(),
            callers: HashMap::new(),
            known: HashMap::new(),
            all: SeenAll::default(),
        };
        let moment = sampler.table.now();
        sampler.find_processes(&moment);
        sampler
    }

    /// Who serves and who calls, by who holds which sockets.
    fn find_processes(&mut self, moment: &UnixMoment) {
        self.processes.take_listeners(moment);
        for (inode, path) in &moment.listeners {
            let Some((root, own)) = self.processes.serving(*inode) else {
                continue;
            };
            let pids: BTreeSet<Pid> = own.into_iter().chain(workers(root)).chain([root]).collect();
            self.all.servers.entry(path.clone()).or_default().process = self.processes.name(root);
            let server = self.servers.entry(path.clone()).or_default();
            server.pids = pids.into_iter().collect();
        }
        for connection in &moment.connections {
            for pid in self.processes.held.holders(connection.client).to_vec() {
                let root = self.processes.root(pid);
                self.called(connection, pid, root);
            }
        }
    }

    /// A connection is one of that process.
    fn called(&mut self, connection: &UnixConnection, pid: Pid, root: Pid) {
        let callers = self.callers.entry(connection.path.clone()).or_default();
        callers.pids.insert(pid);
        callers.roots.insert(root);
        let name = self.processes.name(root);
        if let Some(known) = self.known.get(&connection.client) {
            let seen = &mut self.all.connections[*known];
            (seen.client, seen.is_generator) = (name, root == std::process::id());
        }
    }

    fn look(&mut self) {
        let mut moment = self.table.now();
        moment.connections.truncate(MAX_CONNECTIONS);
        let look = u32::try_from(self.all.looks.len()).unwrap_or(u32::MAX);
        self.all.looks.push(now_unix_ns());
        for connection in &moment.connections {
            self.meet(connection);
        }
        let strange = |path: &String| {
            self.callers
                .get(path)
                .is_none_or(|all| all.roots.is_empty())
        };
        let mut paths = moment.connections.iter().map(|one| &one.path);
        let passed = self.processes.age();
        if passed >= HELD_EVERY || passed >= HELD_FIRST && paths.any(strange) {
            self.processes.look_again();
            self.find_processes(&moment);
        }
        let mut by_path: HashMap<&str, Vec<&UnixConnection>> = HashMap::new();
        for connection in &moment.connections {
            by_path
                .entry(&connection.path)
                .or_default()
                .push(connection);
        }
        for (path, connections) in by_path {
            self.tell_callers(path, &connections);
            let states = self.states(path, &connections);
            for (connection, state) in connections.iter().zip(states) {
                if let Some(known) = self.known.get(&connection.client) {
                    self.all.connections[*known].looks.push((look, state));
                }
            }
        }
    }

    /// Takes up a connection that was not known.
    fn meet(&mut self, connection: &UnixConnection) {
        if self.known.contains_key(&connection.client) || self.known.len() >= MAX_SEEN {
            return;
        }
        self.known
            .insert(connection.client, self.all.connections.len());
        self.all.connections.push(SeenConnection {
            path: connection.path.clone(),
            ..SeenConnection::default()
        });
        if let Some(pid) = self
            .processes
            .held
            .holders(connection.client)
            .first()
            .copied()
        {
            let root = self.processes.root(pid);
            self.called(connection, pid, root);
        }
    }

    /// Where several processes call, whose connections are which.
    fn tell_callers(&mut self, path: &str, connections: &[&UnixConnection]) {
        let Some(callers) = self.callers.get(path) else {
            return;
        };
        let strange = |one: &&&UnixConnection| {
            let known = self.known.get(&one.client);
            known.is_some_and(|known| self.all.connections[*known].client.is_empty())
        };
        let strange: HashMap<u64, &UnixConnection> = connections
            .iter()
            .filter(strange)
            .map(|one| (one.client, *one))
            .collect();
        if callers.roots.len() < 2 || strange.is_empty() {
            return;
        }
        for pid in callers.pids.clone() {
            let open = Descriptors::of(pid).unwrap_or_default();
            let own = open.sockets.iter().filter_map(|inode| strange.get(inode));
            for connection in own {
                let root = self.processes.root(pid);
                self.called(connection, pid, root);
            }
        }
    }

    /// What is known of the connections of one path now.
    fn states(&mut self, path: &str, connections: &[&UnixConnection]) -> Vec<ConnectionState> {
        let quiet = connections.iter().filter(|one| !one.has_bytes);
        let ends: HashMap<u64, u64> = quiet
            .filter_map(|one| Some((one.server?, one.client)))
            .collect();
        let awaited = self.server_waits(path, &ends);
        let by_client = self.client_waits(path, &ends);
        let state = |one: &&UnixConnection| match one.server {
            None => ConnectionState::Queued,
            Some(_) if one.has_bytes => ConnectionState::HasBytes,
            Some(server) => ConnectionState::Quiet {
                server_waits: awaited.contains(&server),
                client_waits: by_client.as_ref().map(|all| all.contains(&one.client)),
            },
        };
        connections.iter().map(state).collect()
    }

    /// Ends of quiet connections at which a thread of the server waits.
    fn server_waits(&mut self, path: &str, ends: &HashMap<u64, u64>) -> HashSet<u64> {
        let seen = self.all.servers.entry(path.to_owned()).or_default();
        if seen.has_loops || ends.is_empty() {
            return HashSet::new();
        }
        let server = self.servers.entry(path.to_owned()).or_default();
        // Who waits for new connections as well has many.
        let sockets = ends
            .keys()
            .chain(&self.processes.listening)
            .copied()
            .collect();
        let waits = server.waiters.look(&server.pids, &sockets);
        seen.has_loops = waits.has_loops;
        waits.awaited
    }

    /// The same of the clients, where the server's threads do not tell; none where theirs do not either.
    fn client_waits(&mut self, path: &str, ends: &HashMap<u64, u64>) -> Option<HashSet<u64>> {
        let loops = self
            .all
            .servers
            .get(path)
            .is_some_and(|seen| seen.has_loops);
        let callers = self.callers.get_mut(path)?;
        if !loops || callers.has_loops || ends.is_empty() {
            return None;
        }
        let pids: Vec<Pid> = callers.pids.iter().copied().collect();
        let waits = callers
            .waiters
            .look(&pids, &ends.values().copied().collect());
        callers.has_loops = waits.has_loops;
        Some(waits.awaited)
    }

    fn finish(mut self) -> Vec<SampledHop> {
        for (path, callers) in std::mem::take(&mut self.callers) {
            let names: Vec<String> = callers
                .roots
                .iter()
                .map(|root| self.processes.name(*root))
                .collect();
            if callers.has_loops {
                self.all.client_loops.insert(path.clone());
            }
            // Whoever is the only one to call there has those too that came and went too quickly.
            if let ([name], Some(root)) = (names.as_slice(), callers.roots.first()) {
                let all = self.all.connections.iter_mut();
                for one in all.filter(|one| one.client.is_empty() && one.path == path) {
                    one.client.clone_from(name);
                    one.is_generator = *root == std::process::id();
                }
            }
        }
        self.all.hops()
    }
}
