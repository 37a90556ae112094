//! What was seen, as it is kept.

use serde::{Deserialize, Serialize};

use crate::cached::HopCache;
use crate::held::HeldPieces;
use crate::tries::HopTries;

/// What was seen on the wire. All rates and numbers of requests are of all connections, also where
/// only a share of these was followed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WireReport {
    /// Of this form.
    pub version: u32,
    /// When the looking began, Unix nanoseconds.
    pub from_unix_ns: u64,
    /// How long it lasted, milliseconds.
    pub lasts_ms: f64,
    /// The share of the connections that were followed, up to 1.
    pub connections_share: f64,
    /// Packets of these connections that were read.
    pub packets: u64,
    /// Packets of the stretch for which the kernel had no room: then there were more requests than are
    /// told.
    pub packets_dropped: u64,
    /// Why packets may not be looked at; absent: they may. Then there are sampled hops alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub packets_refused: Option<String>,
    /// How often the stretch began anew, since packets came faster than they were read.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub began_again: u64,
    /// Who calls whom, the most requests first.
    pub hops: Vec<WireHop>,
    /// Hops that are not listed.
    pub hops_left_out: u64,
    /// Calls at sockets of the file system, by which hops are told that no packet crosses; absent: they were not looked at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub calls: Option<SeenCalls>,
    /// Why they may not be looked at; absent: they may. Then hops by these sockets are sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub calls_refused: Option<String>,
    /// How hops by sockets of the file system were sampled; absent: they were not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sampling: Option<SocketSampling>,
    /// Other network namespaces of this host; absent: there are none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spaces: Option<WireSpaces>,
    /// Where the slowest requests spend their time; absent where there are too few requests, or not
    /// all were followed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slowest: Option<WireSlowest>,
    /// Processes of this host that serve a hop whose requests are told apart.
    pub processes: Vec<WireProcess>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Network namespaces beside our own. Packets between them and others are seen in our own, too, where
/// their way leads through it; those of their loopback are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WireSpaces {
    /// Those in which packets were looked at.
    pub entered: u64,
    /// Those that may not be entered (`CAP_SYS_ADMIN`), or ended at that moment.
    pub refused: u64,
    /// Those beyond the number that is looked at, with the fewest sockets.
    pub left_out: u64,
}

/// Calls that send and receive at sockets of the file system, as a program in the kernel told of them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SeenCalls {
    /// How many, of the connections that were followed.
    pub calls: u64,
    /// Calls of the stretch for which there was no room: then there were more requests than are told.
    pub lost: u64,
    /// The share of these connections that was followed, up to 1.
    pub connections_share: f64,
    /// What reading them took of a CPU, seconds; loading the program and looks at the sockets included.
    pub cost_cpu_s: f64,
    /// What the program took of the processes that it looked at; absent: the kernel does not tell (`CAP_SYS_ADMIN`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<ProgramCost>,
}

/// What a program in the kernel took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ProgramCost {
    /// How often it ran: at each call that sends or receives at any socket.
    pub runs: u64,
    /// How long all together, seconds.
    pub cpu_s: f64,
}

/// Looks at sockets that no packet tells of.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SocketSampling {
    /// How many there were.
    pub looks: u64,
    /// What they took of a CPU, seconds.
    pub cost_cpu_s: f64,
}

/// The slowest requests of the load; where it is not made on this host, of whoever is not on it. All times
/// are means of one such request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WireSlowest {
    /// They are not faster than so many of a hundred.
    pub percentile: u32,
    /// The fastest of them, milliseconds.
    pub from_ms: f64,
    /// How many they are.
    pub requests: u64,
    /// Their response time, milliseconds.
    pub mean_ms: f64,
    /// Where they were, as far as it is known whose each call is.
    pub processes: Vec<SlowProcess>,
}

/// The time of one of the slowest requests in a process: inside, undecided and in calls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SlowProcess {
    /// The process.
    pub process: String,
    /// In it, milliseconds, calls to others included.
    pub stay_ms: f64,
    /// In it and in no call, for certain.
    pub inside_ms: f64,
    /// While calls were under way of which it is not known whether they were this request's.
    pub undecided_ms: f64,
    /// In calls that were this request's.
    pub calls: Vec<SlowCall>,
    /// The process also calls others in ways in which requests are not told apart: these are not among
    /// the calls, but inside.
    pub calls_unseen: bool,
}

/// Calls of one of the slowest requests.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SlowCall {
    /// Who is called; empty: not on this host, or not known.
    pub process: String,
    /// Its address and port.
    pub address: String,
    /// How long it has calls under way there, milliseconds.
    pub ms: f64,
    /// How many calls.
    pub calls: f64,
}

/// The calling side of a hop.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct HopClient {
    /// The process; empty: not on this host, or not known.
    pub process: String,
    /// Its address.
    pub address: String,
    /// Whether it is what makes the load.
    pub is_generator: bool,
}

/// The side that is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct HopServer {
    /// The process; empty: not on this host, or not known.
    pub process: String,
    /// Its address and port, or `unix:` and the path of its socket.
    pub address: String,
}

/// Calls of one process to another by one protocol.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WireHop {
    /// Who calls.
    pub client: HopClient,
    /// Who is called.
    pub server: HopServer,
    /// Numbers of its connections by their addresses and ports, the lowest of them: another host that sees the other side
    /// has the same. Only where one side is not on this host, or not known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub ends: Vec<u64>,
    /// How; `unknown`: by a protocol that has no reader, `udp`: by datagrams of such.
    pub protocol: String,
    /// Whether requests could be told apart. If not there are no figures of requests.
    pub decided: bool,
    /// Connections on which anything was seen; of datagrams, pairs of ends.
    pub connections: u64,
    /// Connections that were opened.
    pub opened: u64,
    /// Connections that ended.
    pub closed: u64,
    /// Whether it was looked at now and then instead of being followed: then requests are not
    /// counted, connections are those that were seen, and of numbers at once the shares are of looks.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub sampled: bool,
    /// Connections that the server has not accepted yet, the mean over time; only of sockets of the file system.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accept_queue: Option<f64>,
    /// Connections that were not taken.
    pub refused: u64,
    /// From the first packet of a connection to the server's first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub handshake_ms: Option<ResponseTimes>,
    /// Handshakes of TLS; absent where none was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tls: Option<HopTls>,
    /// From a connection's first packet to the end of its handshake, that of TLS included, where both were seen. Of a
    /// client that is known and does not make the load it counts as in flight: it waits for the connection.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening_ms: Option<ResponseTimes>,
    /// Transactions that wrote something and were committed, those of single statements too; absent where the
    /// protocol is not read for that (it is: PostgreSQL).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commits: Option<u64>,
    /// What a cache said of keys; absent where the protocol is not read for that (it is: Redis and memcached's text), or
    /// nobody used it as one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cache: Option<HopCache>,
    /// Keys that are taken only if nobody has them (Redis: SET with NX, SETNX; memcached: add); absent where none was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tries: Option<HopTries>,
    /// Pieces of requests that the client held back until the server acknowledged, late, the piece before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requests_held: Option<HeldPieces>,
    /// The same of responses, which the server held back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub responses_held: Option<HeldPieces>,
    /// Names that are looked up, the most lookups first; only where the protocol is `dns`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lookups: Vec<HopLookup>,
    /// Requests whose response was complete in the stretch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requests: Option<u64>,
    /// The same a second.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requests_per_s: Option<f64>,
    /// Requests without a complete response when the looking ended, or when their connection did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unfinished: Option<u64>,
    /// Calls that lasted longer than any request that came to the client, the mean number: what is read from a queue all
    /// the time, or a stream that is kept open. They are in none of the other figures; absent where there were none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub apart: Option<f64>,
    /// Of the requests those whose response says that they failed at the server (HTTP: 5xx, 408, 429); absent
    /// where responses of the protocol are not read for that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<u64>,
    /// From the first packet of a request to the last of its response, of those of which all was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub response_ms: Option<ResponseTimes>,
    /// The same to the first packet of the response.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_byte_ms: Option<ResponseTimes>,
    /// Requests that are under way at once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub in_flight: Option<InFlightShares>,
    /// Requests that wait at the server for a value which another client puts there, where all connections were
    /// followed (Redis: BLPOP, BRPOP, BLMOVE, XREAD with BLOCK and the like). They are among those under way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits: Option<WireWaits>,
    /// Transactions that write, where all connections were followed and the statements can be read (MySQL and
    /// PostgreSQL, unencrypted).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub transactions: Option<WireTransactions>,
    /// How long requests and responses were on their way, where the network namespaces of both sides were looked
    /// into and that takes any time. Response times are those that the client sees: this is in them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub transit: Option<HopTransit>,
    /// Bytes from the client, without headers of packets.
    pub bytes_sent: u64,
    /// Bytes to the client.
    pub bytes_received: u64,
    /// Packets that were sent again.
    pub retransmissions: u64,
}

/// The time of packets between both sides of a hop. What was lost and sent again is in it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HopTransit {
    /// Of requests; absent where none was seen at both sides.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub to_server_ms: Option<ResponseTimes>,
    /// Of responses.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub to_client_ms: Option<ResponseTimes>,
}

/// Requests that wait for other clients of the same server; where the hop's requests cannot be told apart, those of
/// its client that go on when another client has sent a message through the server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WireWaits {
    /// Connections on which such requests were seen.
    pub connections: u64,
    /// Such requests whose response came.
    pub requests: u64,
    /// How many are under way at a time, the mean over time.
    pub in_flight: f64,
    /// Whose commands let them go on, as far as these were seen; who was waited for longest first.
    pub released_by: Vec<WireRelease>,
}

/// Transactions that write and so keep something locked until they end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WireTransactions {
    /// Those of which all was seen, and that write to `table`.
    pub transactions: u64,
    /// Writes to it that are under way at a time, of each transaction the longest, the mean over time: they wait for
    /// locks, or work.
    pub waiting: f64,
    /// Transactions between the response to that write and their end, the mean over time.
    pub held: f64,
    /// Of these, those that have no statement under way: their client does something else.
    pub held_outside: f64,
    /// The table to which writes took longest together.
    pub table: String,
}

/// Who let others go on that waited.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WireRelease {
    /// The process; empty: not on this host, or not known.
    pub process: String,
    /// How many requests.
    pub requests: u64,
    /// Their part of those under way.
    pub in_flight: f64,
}

/// Handshakes of TLS on a hop.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HopTls {
    /// How many began.
    pub handshakes: u64,
    /// Of these, those that went on with an earlier session, without the cost of a new key.
    pub resumed: u64,
    /// From the client's first message to the last before data.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub handshake_ms: Option<ResponseTimes>,
}

/// Lookups of one name at one server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HopLookup {
    /// The name; bytes that are no text as `\\ddd`.
    pub name: String,
    /// The type of the record: `A`, `AAAA`.
    pub record: String,
    /// How it went (`NOERROR`, `NXDOMAIN`, `SERVFAIL`); absent: no response came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub outcome: Option<String>,
    /// How many.
    pub count: u64,
    /// From the question to the response.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_ms: Option<f64>,
}

/// Times, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ResponseTimes {
    /// The arithmetic mean.
    pub mean: f64,
    /// The median, by nearest rank as the others.
    pub p50: f64,
    /// Nine of ten are not above it.
    pub p90: f64,
    /// 99 of 100 are not above it.
    pub p99: f64,
    /// The largest.
    pub max: f64,
}

/// How many are under way at once, by time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct InFlightShares {
    /// The mean over time.
    pub mean: f64,
    /// The most at any moment. Absent where only a share of the connections was followed, as
    /// the shares are: what is together cannot be told from a part.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max: Option<u64>,
    /// Numbers, each with the share of the time with so many, the largest share first; of many
    /// numbers those with the largest shares.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shares: Option<Vec<(u64, f64)>>,
}

/// Requests that are done within a moment of each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoneTogether {
    /// So many.
    pub requests: u64,
    /// Within so long, ms: a small part of what one takes.
    pub within_ms: f64,
}

/// How long requests take of which there are so many in a process when they come, they included.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TimesByNumber {
    /// So many; from 32 on the smallest of a group of numbers.
    pub in_flight: u64,
    /// Requests that found so many.
    pub requests: u64,
    /// Their mean response time, ms.
    pub mean_ms: f64,
}

/// A process of this host that is called.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WireProcess {
    /// The process.
    pub process: String,
    /// Requests that it completed a second, those of sampled hops excluded.
    pub requests_per_s: f64,
    /// Requests that came in and have no complete response.
    pub in_flight: InFlightShares,
    /// How many of these wait for calls to others, the mean over time: at each moment no more than
    /// there are calls.
    pub waiting_for_others: f64,
    /// Those that do not.
    pub inside: InFlightShares,
    /// Response times by how many requests were in it when one came, where all connections were followed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub times_by_number: Vec<TimesByNumber>,
    /// How many are done at once, where that was seen time and again and all connections were followed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub done_together: Option<DoneTogether>,
    /// It also calls others in ways in which requests could not be told apart: part of what is
    /// inside may wait for these.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub calls_undecided: bool,
}
