//! What packets say of hops and processes, as it is asked for.

use serde::Deserialize;

/// A process on a host; without a name: nobody knows whose the address is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Whose {
    pub host: String,
    pub process: String,
}

impl Whose {
    pub fn is_known(&self) -> bool {
        !self.process.is_empty()
    }

    /// Its name; of one that nobody knows, the address.
    pub fn or_address<'a>(&'a self, address: &'a str) -> &'a str {
        match self.is_known() {
            true => &self.process,
            false => address,
        }
    }
}

/// What was seen while packets were looked at.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    pub hops: Vec<SeenHop>,
    pub processes: Vec<SeenProcess>,
    /// When, ms from the run's start.
    pub stretch_ms: (i64, i64),
}

/// Requests from one process to another.
#[derive(Debug, Clone)]
pub(crate) struct SeenHop {
    pub client: Whose,
    pub client_address: String,
    pub server: Whose,
    /// Where the server listens.
    pub address: String,
    /// Numbers of its connections, the lowest of them, the same on each host; none where both sides are on one.
    pub ends: Vec<u64>,
    /// When it was looked at, ms from the start of the run.
    pub stretch_ms: (i64, i64),
    pub protocol: String,
    /// Calls that the server has not accepted yet, where that was seen: at sockets of the file system.
    pub accept_queue: Option<f64>,
    /// Its sockets were looked at now and then: requests were not counted.
    pub sampled: bool,
    pub is_generator: bool,
    pub requests_per_s: f64,
    /// Of these, those that failed at the server; none where that is not read.
    pub failed_per_s: Option<f64>,
    /// Requests a second that were given up before a response came: more ended without one than were ever under
    /// way at once.
    pub given_up_per_s: f64,
    /// Connections that were seen, and those of them that were opened then.
    pub connections: f64,
    pub opened: f64,
    /// What is known of its calls beside.
    pub talk: SeenTalk,
    /// Bytes a second both ways.
    pub bytes_per_s: f64,
    /// The mean response time, ms; none where requests cannot be told apart.
    pub response_ms: Option<f64>,
    /// How many have no response yet; none where requests cannot be told apart.
    pub in_flight: Option<Level>,
    /// They are only those that wait for what other clients send through the server.
    pub relayed: bool,
    /// Of these, those that wait there for other clients of the server.
    pub waits: Option<SeenWaits>,
    /// Transactions that write.
    pub transactions: Option<SeenTransactions>,
}

/// How long a stretch lasts, s.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of a capture")]
pub(super) fn lasts_s((from, to): (i64, i64)) -> f64 {
    ((to - from) as f64 / 1e3).max(1e-3)
}

impl SeenHop {
    /// How long it was looked at, s.
    pub fn lasts_s(&self) -> f64 {
        lasts_s(self.stretch_ms)
    }

    /// Who is called: its name, else its address.
    pub fn called(&self) -> &str {
        self.server.or_address(&self.address)
    }
}

impl Wire {
    /// Who is called, told apart from others: where processes of several hosts have one name, the address.
    pub fn called<'h>(&self, hop: &'h SeenHop) -> &'h str {
        let is_other = |other: &SeenHop| {
            other.server.process == hop.server.process && other.server.host != hop.server.host
        };
        match hop.server.is_known() && self.hops.iter().any(is_other) {
            true => &hop.address,
            false => hop.called(),
        }
    }
}

/// Transactions that write; numbers at a time, on average.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct SeenTransactions {
    pub transactions: f64,
    /// Writes to the table that are under way, of each transaction the longest.
    pub waiting: f64,
    /// Those between that write and their end, and those of them that have no statement under way.
    pub held: f64,
    pub held_outside: f64,
    /// The table of the writes that take longest.
    pub table: String,
}

/// Requests that wait at a server for values which other clients put there: the server does nothing for them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct SeenWaits {
    /// Connections on which such requests were seen.
    pub connections: f64,
    pub requests: f64,
    /// How many are under way, on average.
    pub in_flight: f64,
    pub released_by: Vec<SeenRelease>,
}

/// Who let such requests go on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct SeenRelease {
    pub process: String,
    pub in_flight: f64,
}

impl SeenWaits {
    /// How many wait, where that is all that is known of the calls.
    pub fn level(&self) -> Level {
        Level {
            mean: self.in_flight,
            ..Level::default()
        }
    }

    /// For whom is waited, each with its share of all; empty where that was not seen.
    pub fn shares(&self) -> impl Iterator<Item = (&str, f64)> {
        let all: f64 = self.released_by.iter().map(|by| by.in_flight).sum();
        let known = self.released_by.iter().filter(move |_| all > 0.0);
        known.map(move |by| (by.process.as_str(), by.in_flight / all))
    }
}

/// What is known of the calls of a hop beside how many there are.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenTalk {
    /// Connections a second that were opened, and the mean time of that, ms.
    pub opened_per_s: f64,
    pub opening_ms: Option<f64>,
    /// Handshakes of TLS a second, and those of them that went on with an earlier session.
    pub tls_per_s: f64,
    pub resumed_per_s: f64,
    /// Transactions a second that wrote something and were committed; none where that is not read.
    pub commits_per_s: Option<f64>,
    /// What a cache said of keys; none where that is not read, or it was used as none.
    pub cache: Option<SeenCache>,
    /// Tries to take keys that nobody has; none where that is not read, or nobody tried.
    pub tries: Option<SeenTries>,
    /// The median response time, ms; 0 where it is not known.
    pub median_ms: f64,
    /// Packets that were sent again for each request.
    pub sent_again: f64,
    pub lookups: Vec<SeenNames>,
    /// What client and server held back until it was acknowledged.
    pub held: [HeldCalls; 2],
    /// How long packets are on their way, where both sides were seen.
    pub transit: Option<SeenTransit>,
}

/// How long packets are on their way between both sides of a hop, ms.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SeenTransit {
    /// There and back, the mean and the median.
    pub mean_ms: f64,
    pub median_ms: f64,
    /// There, and back, the means; none where either side was seen by a clock of its own.
    pub ways_ms: Option<(f64, f64)>,
    /// Packets that were sent again for each request.
    pub sent_again: f64,
}

/// What a cache said, in keys a second.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SeenCache {
    pub found_per_s: f64,
    pub missed_per_s: f64,
    pub taken_per_s: f64,
    pub refused_per_s: f64,
    /// Why something was not taken.
    pub why: Option<String>,
    /// Of what was missed, what had been put there before, at least.
    pub lost_per_s: f64,
    /// Half of that had been put there no longer ago, ms.
    pub lost_after_ms: Option<f64>,
}

impl SeenCache {
    pub fn add(&mut self, other: &Self) {
        self.found_per_s += other.found_per_s;
        self.missed_per_s += other.missed_per_s;
        self.taken_per_s += other.taken_per_s;
        self.refused_per_s += other.refused_per_s;
        self.why = self.why.take().or_else(|| other.why.clone());
        self.lost_per_s += other.lost_per_s;
        self.lost_after_ms = self.lost_after_ms.or(other.lost_after_ms);
    }
}

/// Tries to take keys that nobody has, a second.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct SeenTries {
    pub tries_per_s: f64,
    /// Those that were in vain.
    pub refused_per_s: f64,
    /// How many keys these were about.
    pub keys: f64,
}

impl SeenTries {
    pub fn add(&mut self, other: Self) {
        self.tries_per_s += other.tries_per_s;
        self.refused_per_s += other.refused_per_s;
        // Processes of one service try for the same keys.
        self.keys = self.keys.max(other.keys);
    }
}

/// Pieces of requests or responses that were held back until the piece before was acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct HeldCalls {
    /// Such pieces a second.
    pub per_s: f64,
    /// How many calls wait so at a time, on average.
    pub waiting: f64,
}

/// Lookups of a name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct SeenNames {
    pub name: String,
    pub record: String,
    /// How they went; none: there was no response.
    pub outcome: Option<String>,
    pub count: f64,
    pub mean_ms: Option<f64>,
}

/// A process that serves requests.
#[derive(Debug, Clone)]
pub(crate) struct SeenProcess {
    pub whose: Whose,
    pub requests_per_s: f64,
    /// Requests that came in and have no response yet.
    pub in_flight: Level,
    /// Of these, those that wait for calls to others.
    pub waiting_for_others: f64,
    /// How long requests take, by how many are in it when they come.
    pub times_by_number: Vec<TimesByNumber>,
    /// How many are done at once, time and again.
    pub done_together: Option<DoneTogether>,
    /// It calls others in ways, too, in which requests cannot be told apart.
    pub calls_undecided: bool,
}

/// Requests that are done within a moment of each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct DoneTogether {
    pub requests: f64,
    pub within_ms: f64,
}

/// How long requests take of which there are so many in a process when they come.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct TimesByNumber {
    pub in_flight: f64,
    pub requests: f64,
    pub mean_ms: f64,
}

/// A number over time.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Level {
    pub mean: f64,
    /// The most at any moment; 0 where that is not known, as where a part of the connections was
    /// followed.
    pub max: f64,
    /// Shares of the time by number.
    pub shares: Vec<(f64, f64)>,
}

impl Level {
    /// The share of the time in which it was so many or more.
    pub fn share_from(&self, number: f64) -> f64 {
        let from = self.shares.iter().filter(|(held, _)| *held >= number);
        from.map(|(_, share)| share).sum()
    }
}
