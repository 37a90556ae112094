//! The calls at sockets of the file system, read while a stretch lasts, and whose the sockets are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use plimsoll_wire::{
    CallEnds, CalledHops, EndOwner, HopClient, HopServer, PresentSocket, PresentSockets,
    ProbeRefusal, SeenCalls, SocketProbe, SocketTraffic, WireLimits,
};

use super::super::stretch::Stretch;
use super::processes::Processes;
use super::table::{UnixMoment, UnixTable};
use crate::clock::now_unix_ns;
use crate::proc::{Pid, name};
use crate::sockets::unix_path;
use crate::watcher::costs::thread_cpu;

/// Calls are read so often, and the sockets looked at: for those that wait to be accepted, and those that are gone.
const READ_EVERY: Duration = Duration::from_millis(20);
/// Share of a CPU that these looks may cost; beyond it they become fewer.
const LOOKS_SHARE: f64 = 0.03;
/// Who holds which sockets is looked at so often.
const HELD_EVERY: Duration = Duration::from_secs(1);
/// So much of a CPU reading takes at most; beyond it fewer connections are followed.
const MAX_CPU: f64 = 0.2;
/// That is judged so often.
const JUDGE_EVERY: Duration = Duration::from_millis(200);
/// The namespace of processes whose numbers the kernel uses itself (`PROC_PID_INIT_INO`).
const FIRST_SPACE: &str = "pid:[4026531836]";

/// Reads them.
pub(super) struct CallReader {
    probe: SocketProbe,
    table: UnixTable,
    before: Option<PresentSockets>,
    owners: CallOwners,
    /// What opening took of a CPU.
    opening: Duration,
}

/// What reading has taken and lost so far.
struct Spent {
    began: Instant,
    looks: Duration,
    judged: Instant,
    /// CPU time since then.
    cpu: Duration,
    /// Calls that were lost before the stretch began, and so far.
    lost_before: u64,
    lost: u64,
}

impl CallReader {
    /// Loads the program, then looks at the connections that are there.
    pub(super) fn open() -> Result<Self, ProbeRefusal> {
        let before = thread_cpu();
        let mut table = UnixTable::open();
        let probe = SocketProbe::open()?;
        // Where sockets come and go a look may miss one.
        let mut sockets = present(&table.now());
        let moment = table.now();
        sockets.extend(present(&moment));
        let at_ns = now_unix_ns();
        let mut owners = CallOwners::new();
        owners.take(&moment);
        Ok(Self {
            before: table
                .is_whole()
                .then_some(PresentSockets { at_ns, sockets }),
            probe,
            table,
            owners,
            opening: thread_cpu().saturating_sub(before),
        })
    }

    /// Reads until a stretch ends; it begins anew if calls are lost.
    pub(super) fn read(mut self, stretch: &Stretch) -> (CalledHops, SeenCalls) {
        let began = thread_cpu();
        let mut from_ns = stretch.begins_ns();
        let limits = WireLimits::default();
        let mut traffic = SocketTraffic::new(from_ns, self.before.take(), limits);
        let mut spent = Spent::new();
        loop {
            let before = thread_cpu();
            let left = stretch.left();
            if stretch.begins_ns() > from_ns {
                from_ns = stretch.begins_ns();
                traffic.begin_anew(from_ns);
                spent.lost_before = self.probe.lost();
            }
            self.read_calls(&mut traffic, stretch.until_ns());
            if spent.may_look() {
                self.look(&mut traffic, &mut spent);
            }
            let lost = self.probe.lost();
            let more_lost = lost > spent.lost;
            spent.lost = lost;
            spent.cpu += thread_cpu().saturating_sub(before);
            if more_lost {
                traffic.lose(now_unix_ns());
                stretch.begin_anew();
            }
            if spent.is_too_much() || more_lost {
                self.follow_fewer(&mut traffic);
            }
            if left.is_zero() {
                break;
            }
            std::thread::sleep(READ_EVERY.min(left));
        }
        let cost = self.opening + thread_cpu().saturating_sub(began);
        let calls = SeenCalls {
            calls: traffic.calls(),
            lost: self.probe.lost() - spent.lost_before,
            connections_share: traffic.share().number(),
            cost_cpu_s: cost.as_secs_f64(),
            program: self.probe.cost(),
        };
        let names = self.probe.names();
        self.owners.remember(self.probe.programs());
        // What is not looked at any more need not be told of.
        drop(self.probe);
        let sides = self.owners.sides(&names);
        (traffic.finish(stretch.until_ns(), &sides), calls)
    }

    fn read_calls(&mut self, traffic: &mut SocketTraffic, until_ns: u64) {
        self.probe.read(|call| {
            if call.at_ns < until_ns {
                traffic.take(call);
            }
        });
        self.owners.meet(traffic.fresh_pids());
    }

    fn follow_fewer(&mut self, traffic: &mut SocketTraffic) {
        if traffic.halve() {
            // Where the kernel does not take it, the traffic leaves the others out itself.
            let _ = self.probe.set_share(traffic.share());
        }
    }

    /// Looks at the sockets that are there, when all calls so far have been read.
    fn look(&mut self, traffic: &mut SocketTraffic, spent: &mut Spent) {
        let (before, at_ns) = (thread_cpu(), now_unix_ns());
        let moment = self.table.now();
        if self.table.is_whole() {
            traffic.looked(at_ns, &present(&moment));
        }
        if self.owners.processes.age() >= HELD_EVERY {
            self.owners.processes.look_again();
            self.owners.take(&moment);
        }
        spent.looks += thread_cpu().saturating_sub(before);
    }
}

impl Spent {
    fn new() -> Self {
        Self {
            began: Instant::now(),
            looks: Duration::ZERO,
            judged: Instant::now(),
            cpu: Duration::ZERO,
            lost_before: 0,
            lost: 0,
        }
    }

    fn may_look(&self) -> bool {
        self.looks.as_secs_f64() <= LOOKS_SHARE * self.began.elapsed().as_secs_f64()
    }

    /// Whether more was taken since the last time than may be.
    fn is_too_much(&mut self) -> bool {
        let passed = self.judged.elapsed();
        if passed < JUDGE_EVERY {
            return false;
        }
        let took = self.cpu.as_secs_f64() / passed.as_secs_f64();
        (self.judged, self.cpu) = (Instant::now(), Duration::ZERO);
        took > MAX_CPU
    }
}

/// The connections of a moment by their clients' numbers.
fn present(moment: &UnixMoment) -> HashMap<u64, PresentSocket> {
    let all = moment.connections.iter().map(|one| {
        let socket = PresentSocket {
            queued: one.server.is_none(),
            has_bytes: one.has_bytes,
        };
        (one.client, socket)
    });
    all.collect()
}

/// Whose the sockets are.
struct CallOwners {
    processes: Processes,
    /// By the numbers that calls told, where these are ours.
    known: HashMap<u32, EndOwner>,
    numbers_are_ours: bool,
    /// By the numbers of their sockets, those who call.
    holders: HashMap<u64, EndOwner>,
    /// Who listens at a path.
    servers: BTreeMap<String, String>,
}

impl CallOwners {
    fn new() -> Self {
        let space = std::fs::read_link("/proc/self/ns/pid");
        Self {
            processes: Processes::look(),
            known: HashMap::new(),
            numbers_are_ours: space.is_ok_and(|space| space.as_os_str() == FIRST_SPACE),
            holders: HashMap::new(),
            servers: BTreeMap::new(),
        }
    }

    fn owner(&mut self, pid: Pid) -> EndOwner {
        let root = self.processes.root(pid);
        EndOwner {
            process: self.processes.name(root),
            is_generator: root == std::process::id(),
        }
    }

    /// Takes in who serves and who calls, by who holds which sockets.
    fn take(&mut self, moment: &UnixMoment) {
        self.processes.take_listeners(moment);
        for (inode, path) in &moment.listeners {
            if let Some((root, _)) = self.processes.serving(*inode) {
                let name = self.processes.name(root);
                self.servers.insert(path.clone(), name);
            }
        }
        if self.numbers_are_ours {
            return;
        }
        for one in &moment.connections {
            let holder = self.processes.held.holders(one.client).first().copied();
            if let Some(holder) = holder {
                let owner = self.owner(holder);
                self.holders.insert(one.client, owner);
            }
        }
    }

    /// Processes called that had not before. They may be gone soon.
    fn meet(&mut self, pids: BTreeSet<u32>) {
        if self.numbers_are_ours {
            for pid in pids {
                let owner = self.owner(pid);
                self.known.insert(pid, owner);
            }
        }
    }

    /// Takes the names that the kernel kept for those that were gone before they were looked at.
    fn remember(&mut self, programs: HashMap<u32, String>) {
        for (pid, program) in programs {
            if let Some(owner) = self.known.get_mut(&pid)
                && owner.process.is_empty()
                && !program.is_empty()
            {
                owner.process = name::numbered(&program, pid);
            }
        }
    }

    /// Who is at the ends of connections; `names`: of servers, by what tells them apart.
    fn sides(self, names: &HashMap<u64, Vec<u8>>) -> impl Fn(&CallEnds) -> (HopClient, HopServer) {
        let paths: HashMap<u64, String> = names
            .iter()
            .map(|(key, name)| (*key, unix_path(name)))
            .collect();
        move |ends| {
            let of = |pid: u32| self.known.get(&pid).filter(|one| !one.process.is_empty());
            let client = of(ends.client_pid).or_else(|| self.holders.get(&ends.client));
            let client = client.cloned().unwrap_or_default();
            let path = paths.get(&ends.name).cloned().unwrap_or_default();
            let listens = || self.servers.get(&path).cloned();
            let server = of(ends.server_pid).map(|one| one.process.clone());
            let client = HopClient {
                process: client.process,
                address: String::new(),
                is_generator: client.is_generator,
            };
            let server = HopServer {
                process: server.or_else(listens).unwrap_or_default(),
                address: format!("unix:{path}"),
            };
            (client, server)
        }
    }
}
