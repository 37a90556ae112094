//! Whose the ends of connections are.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};

use crate::connection::{Addressed, Followed};
use crate::report::{HopClient, HopServer};

/// Whose so many of the known connections to a server are, his are those that nobody knows.
const NEARLY_ALL: f64 = 0.9;

/// Both sides of a hop.
pub(crate) type Sides = (HopClient, HopServer);

/// Whose an end of a connection is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EndOwner {
    /// The process.
    pub process: String,
    /// Whether it is what makes the load.
    pub is_generator: bool,
}

/// Knows whose the ends of connections are.
pub trait Owners {
    /// Who has the end `own` of a connection with `other`; none: nobody on this host, or not known.
    /// `space` is the network namespace of a connection over loopback, as its ring was told.
    fn owner(&self, space: u32, own: SocketAddr, other: SocketAddr) -> Option<EndOwner>;

    /// The same of an end that sends datagrams, which may be connected with nobody.
    fn datagram_owner(&self, _: u32, _: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        None
    }
}

/// The owners of both ends, client's first, as far as they are known.
type Owned = (Option<EndOwner>, Option<EndOwner>);

/// The connections with their owners. One whose addresses are changed on the way (a port that a container
/// publishes) was seen under both, with the same numbers: it is one, from who called to who was called.
fn with_owners(seen: Vec<Addressed>, owners: &dyn Owners) -> Vec<(Addressed, Owned)> {
    let mut by_marks: HashMap<[u32; 2], usize> = HashMap::new();
    let mut all: Vec<(Addressed, Owned)> = Vec::new();
    for one in seen {
        let (client, server) = (one.ends.client, one.ends.server);
        let owner = |own, other| match one.datagrams {
            true => owners.datagram_owner(one.space, own, other),
            false => owners.owner(one.space, own, other),
        };
        let owned = (owner(client, server), owner(server, client));
        let Some(marks) = one.marks else {
            all.push((one, owned));
            continue;
        };
        let twin = by_marks.get(&marks).copied();
        let changed = twin.filter(|at| {
            let ends = all[*at].0.ends;
            let (same_client, same_server) = (ends.client == client, ends.server == server);
            same_client != same_server && !one.ends.is_loopback()
        });
        match changed {
            Some(at) => {
                let (known, (caller, called)) = &mut all[at];
                // The address that was called is the one that somebody has.
                if called.is_none() && owned.1.is_some() {
                    known.ends.server = server;
                }
                if caller.is_none() && owned.0.is_some() {
                    known.ends.client = client;
                }
                *caller = caller.take().or(owned.0);
                *called = called.take().or(owned.1);
            }
            None => {
                by_marks.insert(marks, all.len());
                all.push((one, owned));
            }
        }
    }
    all
}

/// The connections by who called whom.
pub(crate) fn by_sides(
    seen: Vec<Addressed>,
    owners: &dyn Owners,
) -> BTreeMap<Sides, Vec<Followed>> {
    let owned = with_owners(seen, owners);
    // A connection that came and went between two looks at the sockets is the one caller's who was
    // seen to call that server from there, also in that way: by connections that come and go.
    let mut clients: HashMap<(u32, IpAddr, SocketAddr), OwnersSeen> = HashMap::new();
    let mut servers: HashMap<(u32, SocketAddr), OwnersSeen> = HashMap::new();
    let places = |one: &Addressed| {
        let (space, ends) = (one.space, one.ends);
        let from = (space, ends.client.ip(), ends.server);
        (from, (space, ends.server))
    };
    for (one, (client, server)) in &owned {
        let (from, to) = places(one);
        let passing = one.followed.passing;
        let caller = clients.entry(from).or_default();
        caller.add(client.as_ref(), passing);
        let called = servers.entry(to).or_default();
        called.add(server.as_ref(), passing);
    }
    let only = |known: Option<&OwnersSeen>| known.and_then(OwnersSeen::only);
    let mut sides: BTreeMap<Sides, Vec<Followed>> = BTreeMap::new();
    for (mut one, (client, server)) in owned {
        let ends = one.ends;
        let (from, to) = places(&one);
        let client = client.or_else(|| only(clients.get(&from)));
        let server = server.or_else(|| only(servers.get(&to)));
        let client = client.unwrap_or_default();
        let key = (
            HopClient {
                process: client.process,
                address: ends.client.ip().to_string(),
                is_generator: client.is_generator,
            },
            HopServer {
                process: server.unwrap_or_default().process,
                address: ends.server.to_string(),
            },
        );
        let is_shared = !one.datagrams && !ends.is_loopback();
        one.followed.number = is_shared.then(|| ends.number());
        sides.entry(key).or_default().push(one.followed);
    }
    sides
}

/// Whose ends of connections were seen to be, each with those of connections that were opened meanwhile.
#[derive(Default)]
struct OwnersSeen(BTreeMap<EndOwner, u64>);

impl OwnersSeen {
    fn add(&mut self, owner: Option<&EndOwner>, passing: bool) {
        if let Some(owner) = owner {
            *self.0.entry(owner.clone()).or_default() += u64::from(passing);
        }
    }

    /// The only one, or whose nearly all are that came and went.
    fn only(&self) -> Option<EndOwner> {
        let all: u64 = self.0.values().sum();
        let (most, count) = self.0.iter().max_by_key(|(_, count)| **count)?;
        let is_only = self.0.len() == 1 || *count as f64 >= NEARLY_ALL * all as f64 && all > 0;
        is_only.then(|| most.clone())
    }
}
