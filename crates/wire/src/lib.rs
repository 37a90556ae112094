//! Requests between processes, told from their packets alone: for each hop of TCP or UDP how many
//! requests there are, how long they take, and how many are in flight for what share of the time.
//!
//! Packets with their times go into a [`Wire`], a [`WireReport`] comes out; nothing in between reads a
//! clock or does I/O. On the way a packet is read ([`TcpSegment`]), put into the order of its connection,
//! and given to the reader of the connection's protocol, which says where requests and responses begin
//! and end. Where a protocol has no reader of its own, who speaks in turn tells them apart; where that
//! cannot be right either, the hop is told as undecided. A [`Ring`] is where packets come from: the
//! kernel's ring of what crosses this host's interfaces. Hops that no packet crosses are told by the calls at their
//! sockets ([`SocketTraffic`]), which a program in the kernel tells of ([`SocketProbe`]), or by whoever looked at
//! these sockets ([`SampledHop`]).
//!
//! Datagrams of UDP are followed by their two ends, the domain name system's by its messages.
//!
//! Of what packets carry nothing is kept beyond what tells requests apart and who waits for whom (hashes of keys),
//! and nothing of it is told but the name of the table that transactions wait at, and the names that are looked up.
//!
//! This crate must not know processes, captures or any other crate of the project: whose the ends of a
//! connection are, it is told by [`Owners`].

mod cached;
mod called;
mod calls;
mod connection;
mod datagram;
mod datagrams;
mod dns;
mod ends;
mod exchanges;
mod filter;
mod fnv;
mod gathered;
mod held;
mod hops;
mod in_flight;
mod limits;
mod lookups;
mod order;
mod owners;
mod packet;
mod probe;
mod protocol;
mod protocols;
mod queues;
mod relays;
mod report;
mod ring;
mod sampled;
mod serving;
mod slowest;
mod spoken;
mod table_names;
mod talk;
mod times;
mod together;
mod transactions;
mod transit;
mod tries;
mod watched;

pub use cached::{CacheRefusal, HopCache};
pub use called::CalledHops;
pub use calls::{CallEnds, PresentSocket, PresentSockets, SocketCall, SocketDid, SocketTraffic};
pub use datagram::{SeenPacket, UdpDatagram, WireDatagram};
pub use ends::{Ends, FollowedShare};
pub use held::HeldPieces;
pub use limits::WireLimits;
pub use owners::{EndOwner, Owners};
pub use packet::{TcpSegment, WirePacket};
pub use probe::{ProbeRefusal, SocketProbe};
pub use report::{
    DoneTogether, HopClient, HopLookup, HopServer, HopTls, HopTransit, InFlightShares, ProgramCost,
    ResponseTimes, SeenCalls, SlowCall, SlowProcess, SocketSampling, TimesByNumber, WireHop,
    WireProcess, WireRelease, WireReport, WireSlowest, WireSpaces, WireTransactions, WireWaits,
};
pub use ring::{Ring, RingCounts, RingSize};
pub use sampled::{SampledHop, SampledLook};
pub use tries::HopTries;
pub use watched::Wire;
