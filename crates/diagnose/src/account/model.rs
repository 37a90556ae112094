//! What an account of the response time says: parts that add up, and places that are full.

use plimsoll_text::Message;

use super::slow::SlowestRequests;
use crate::figures::{counted, percent, tenths};

/// What is less of the response time is followed no further: ways may part again and again.
pub(super) const LEAST_FOLLOWED: f64 = 1e-4;
/// No chain of processes is longer.
pub(super) const LONGEST_WAY: usize = 12;
/// Times that differ by less are the same.
const SAME: f64 = 1.15;
/// Nor may they differ by more than this of what a queue of that length adds.
const ADDED: f64 = 0.25;
/// So much of what a queue of that length adds; and where no more is done than before.
const PROPORTION: f64 = 0.6;
const WHOLE_PROPORTION: f64 = 0.9;
/// Of hardly more requests nothing can be said.
const LEAST_MORE: f64 = 0.1;

/// Where the mean response time went.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The mean response time, ms.
    pub response_ms: f64,
    /// Requests a second, failed ones included.
    pub requests_per_s: f64,
    /// Requests in flight on average (Little's law).
    pub in_flight: f64,
    /// Its parts, in the order of the way of a request, what is not accounted for last. They add up
    /// to the response time.
    pub parts: Vec<AccountPart>,
    /// Places at which as many requests are in work as ever are, while more wait before them; the
    /// deepest first.
    pub plateaus: Vec<AccountPlateau>,
    /// Whether requests wait for each other, as far as that was seen.
    pub together: Together,
    /// Where the slowest requests were, where packets could be followed.
    pub slowest: Option<SlowestRequests>,
    /// Whether packets tell how long each process has a request.
    pub is_by_packets: bool,
    /// Host and name of the processes on the way, each with how many lie before it.
    pub way: Vec<(String, String, usize)>,
}

/// A part of the response time.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountPart {
    /// What happens then.
    pub kind: PartKind,
    /// The process that the requests are in meanwhile; empty where they are in none.
    pub process: String,
    /// The host of that process.
    pub host: String,
    /// For whom it waits; else empty.
    pub peer: String,
    /// What threads do that wait inside, where that is known: `sleep`, `lock`, `write` …; else empty.
    pub state: &'static str,
    /// So long, ms of each request on average.
    pub ms: f64,
    /// What it was read from.
    pub basis: AccountBasis,
}

/// What happens to a request meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// The generator has it: it sends late or notices late.
    Generator,
    /// It is on its way, or a connection is made for it.
    Network,
    /// The kernel has its connection, the server has not taken it.
    AcceptQueue,
    /// A thread of the process runs for it.
    Running,
    /// A thread of the process wants to run for it and has no CPU.
    CpuWait,
    /// A disk reads or writes for it.
    Disk,
    /// The process stands still for its garbage collection.
    GarbageCollection,
    /// The process has it, and no thread of it runs, reads or waits for another process for it.
    WaitingInside,
    /// The process waits for another system whose inside nobody watches.
    WaitingFor,
    /// Nothing that was watched says where it is.
    Unaccounted,
}

impl PartKind {
    /// Its name in JSON and text ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generator => "generator",
            Self::Network => "network",
            Self::AcceptQueue => "accept_queue",
            Self::Running => "running",
            Self::CpuWait => "cpu_wait",
            Self::Disk => "disk",
            Self::GarbageCollection => "garbage_collection",
            Self::WaitingInside => "waiting_inside",
            Self::WaitingFor => "waiting_for",
            Self::Unaccounted => "unaccounted",
        }
    }
}

/// What a part was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccountBasis {
    /// Packets of the connections between processes.
    Wire,
    /// Sockets between processes, looked at now and then.
    Sockets,
    /// What threads did.
    Threads,
    /// Series of the target.
    Series,
    /// The load's own times.
    Load,
}

impl AccountBasis {
    /// Its name in JSON and text ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Sockets => "sockets",
            Self::Threads => "threads",
            Self::Series => "series",
            Self::Load => "load",
        }
    }
}

/// A place that lets so many requests work at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountPlateau {
    /// The process that the place is in.
    pub process: String,
    /// The host of that process.
    pub host: String,
    /// What is full.
    pub place: FullPlace,
    /// Whom a hop leads to, or the threads' name; else empty.
    pub peer: String,
    /// So many at a time.
    pub number: f64,
    /// The share of the time in which it was so many, 0 to 1.
    pub share_of_time: f64,
    /// Requests that wait before it, on average.
    pub waiting: f64,
    /// Whether it is the one that limits: behind it none is full.
    pub deepest: bool,
}

/// What is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FullPlace {
    /// All threads of a class.
    Threads,
    /// All workers of a program of several processes.
    Children,
    /// The process itself: permits or the like, which nobody sees.
    Inside,
    /// Calls to another process: connections or permits.
    Hop,
    /// An event loop.
    EventLoop,
    /// The CPUs that a process may use.
    Cpu,
}

impl FullPlace {
    /// Its name in JSON and text ids.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Children => "children",
            Self::Inside => "inside",
            Self::Hop => "hop",
            Self::EventLoop => "event_loop",
            Self::Cpu => "cpu",
        }
    }
}

impl Account {
    /// So much of the response time is accounted for, 0 to 1.
    #[must_use]
    pub fn measured_share(&self) -> f64 {
        1.0 - self.share(|part| part.kind == PartKind::Unaccounted)
    }

    /// How many processes lie before one on the way of a request; none if it is not on it.
    #[must_use]
    pub fn depth(&self, host: &str, process: &str) -> Option<usize> {
        let mut way = self.way.iter();
        let own = way.find(|(its_host, name, _)| its_host == host && name == process);
        own.map(|(.., depth)| *depth)
    }

    /// The full places of a process.
    pub(crate) fn full_in<'a>(
        &'a self,
        host: &'a str,
        process: &'a str,
    ) -> impl Iterator<Item = &'a AccountPlateau> {
        let all = self.plateaus.iter();
        all.filter(move |place| place.host == host && place.process == process)
    }

    /// The share of the response time that requests wait before a place: without it, the response
    /// time is shorter by that at most.
    #[must_use]
    pub fn share_waiting(&self, place: &AccountPlateau) -> f64 {
        (place.waiting / self.in_flight.max(1e-9)).clamp(0.0, 1.0)
    }

    /// All of it in a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::new("account-sum")
            .with("ms", tenths(self.response_ms))
            .with("rate", tenths(self.requests_per_s))
            .with("in_flight", tenths(self.in_flight))
            .with("percent", percent(self.measured_share()))
    }

    /// Whether it was seen that requests do not wait for each other.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.together.is_apart()
    }

    /// Whether it was seen that they do, for as many at work at a time however many there are.
    pub(crate) fn is_queue(&self) -> bool {
        self.together
            .times
            .as_ref()
            .is_some_and(TimesTogether::is_queue)
    }

    /// What is to be said beside the parts: places that are full, and whether requests wait for each other.
    #[must_use]
    pub fn notes(&self) -> Vec<Message> {
        let full = self.plateaus.iter().map(AccountPlateau::message);
        full.chain(self.together.message()).collect()
    }

    /// The share of the response time of the parts for which something holds, 0 to 1.
    #[must_use]
    pub fn share(&self, holds: impl Fn(&AccountPart) -> bool) -> f64 {
        let held = self.parts.iter().filter(|part| holds(part));
        let ms = held.map(|part| part.ms).sum::<f64>();
        (ms / self.response_ms.max(1e-9)).clamp(0.0, 1.0)
    }
}

impl AccountPart {
    /// What it is, without its figure.
    #[must_use]
    pub fn name(&self) -> Message {
        let kind = self.kind.name().replace('_', "-");
        let how = match self.kind {
            PartKind::Network if !self.peer.is_empty() => "-between",
            PartKind::WaitingFor if self.peer.is_empty() => "-unknown",
            PartKind::WaitingFor if self.process.is_empty() => "-nobody",
            PartKind::WaitingInside if !self.state.is_empty() => "-state",
            PartKind::Unaccounted if self.process.is_empty() => "-nowhere",
            _ => "",
        };
        Message::new(format!("account-{kind}{how}"))
            .with("process", self.process.as_str())
            .with("peer", self.peer.as_str())
            .with("state", self.state)
    }

    /// What it was read from.
    #[must_use]
    pub fn basis(&self) -> Message {
        Message::new(format!("account-basis-{}", self.basis.name()))
    }
}

impl AccountPlateau {
    /// What is full, in a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let place = self.place.name().replace('_', "-");
        let number = match self.place {
            FullPlace::Cpu => tenths(self.number),
            _ => counted(self.number),
        };
        Message::new(format!("account-full-{place}"))
            .with("process", self.process.as_str())
            .with("peer", self.peer.as_str())
            .with("number", number)
            .with("percent", percent(self.share_of_time))
            .with("waiting", tenths(self.waiting))
    }
}

/// Whether requests wait for each other.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Together {
    /// How long they took with few others and with many.
    pub times: Option<TimesTogether>,
    /// Nearly all of them were worked on at the same time.
    pub at_once: Option<WorkedAtOnce>,
}

impl Together {
    /// Whether it was seen that none waits for another.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        match &self.times {
            Some(times) => times.is_apart(),
            None => self.at_once.is_some(),
        }
    }

    /// In a sentence; none where nothing was seen.
    #[must_use]
    pub fn message(&self) -> Option<Message> {
        let at_once = self.at_once.as_ref().map(WorkedAtOnce::message);
        self.times.as_ref().map(TimesTogether::message).or(at_once)
    }
}

/// Requests that were done within a moment of each other, time and again. Before so many places at a time, one after
/// the other would have been done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkedAtOnce {
    /// So many.
    pub requests: f64,
    /// Within so long, ms.
    pub within_ms: f64,
    /// Of so many in flight.
    pub in_flight: f64,
}

impl WorkedAtOnce {
    /// In a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::new("account-at-once")
            .with("requests", counted(self.requests))
            .with("ms", tenths(self.within_ms))
            .with("in_flight", tenths(self.in_flight))
    }
}

/// How long requests took that came when few were under way, and when many were.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimesTogether {
    /// Requests in flight when one came, itself included, on average: few.
    pub few: f64,
    /// The mean response time of those, ms.
    pub few_ms: f64,
    /// Many.
    pub many: f64,
    /// The mean response time of those, ms.
    pub many_ms: f64,
}

impl TimesTogether {
    /// Whether they took as long with many others as with few: none waited for another.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.many_ms <= self.few_ms * SAME.min(1.0 + ADDED * self.more())
    }

    /// Whether they took longer in proportion: as many are at work at a time, however many there are.
    pub(super) fn is_queue(&self) -> bool {
        self.is_longer_by(PROPORTION)
    }

    /// Whether more of them bring no more throughput.
    pub(super) fn is_at_limit(&self) -> bool {
        self.is_longer_by(WHOLE_PROPORTION)
    }

    fn is_longer_by(&self, proportion: f64) -> bool {
        self.more() >= LEAST_MORE && self.many_ms >= self.few_ms * (1.0 + proportion * self.more())
    }

    /// How much more many are than few, as a share of these.
    fn more(&self) -> f64 {
        (self.many / self.few.max(1e-9) - 1.0).max(0.0)
    }

    /// In a sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let id = match self.is_apart() {
            true => "account-together-apart",
            false => "account-together-wait",
        };
        Message::new(id)
            .with("few", counted(self.few))
            .with("few_ms", tenths(self.few_ms))
            .with("many", counted(self.many))
            .with("many_ms", tenths(self.many_ms))
    }
}
