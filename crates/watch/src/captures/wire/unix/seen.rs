//! What many looks saw of connections by sockets of the file system, as hops between processes.

use std::collections::{BTreeMap, HashMap, HashSet};

use plimsoll_wire::{HopClient, HopServer, SampledHop, SampledLook};

/// A hop of which the state of this share of its connections is not known is not decided.
const MOST_UNKNOWN: f64 = 0.05;
/// Connections that are not kept are opened at least so often while they are looked at.
const LEAST_OPENED: u64 = 5;
/// And of all that is there at a time, this share was there from the first look to the last.
const MOST_KEPT: f64 = 0.1;

/// A connection over all looks.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenConnection {
    /// Who called; empty: not known.
    pub(super) client: String,
    pub(super) is_generator: bool,
    pub(super) path: String,
    /// Each look at which it was there, by number, with its state.
    pub(super) looks: Vec<(u32, ConnectionState)>,
}

/// What is known of a connection at one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// Nobody has accepted it.
    Queued,
    /// Bytes are under way.
    HasBytes,
    /// Whether a thread of the server waits for bytes from it, and one of the client; none: the
    /// client's were not looked at.
    Quiet {
        server_waits: bool,
        client_waits: Option<bool>,
    },
}

/// Who serves at a path.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenServer {
    /// The process; empty: not known.
    pub(super) process: String,
    /// Its threads wait for many connections at once: where they do not wait says nothing.
    pub(super) has_loops: bool,
}

/// All that was seen.
#[derive(Debug, Default)]
pub(super) struct SeenAll {
    /// When each look was, Unix nanoseconds.
    pub(super) looks: Vec<u64>,
    pub(super) connections: Vec<SeenConnection>,
    pub(super) servers: HashMap<String, SeenServer>,
    /// Paths whose callers' threads wait for many connections at once.
    pub(super) client_loops: HashSet<String>,
}

impl SeenAll {
    /// The hops at which anything happened.
    pub(super) fn hops(&self) -> Vec<SampledHop> {
        let mut pairs: BTreeMap<(&str, &str), Vec<&SeenConnection>> = BTreeMap::new();
        for one in &self.connections {
            let pair = (one.client.as_str(), one.path.as_str());
            pairs.entry(pair).or_default().push(one);
        }
        let hops = pairs.into_values().filter_map(|all| self.hop(&all));
        hops.collect()
    }

    fn hop(&self, all: &[&SeenConnection]) -> Option<SampledHop> {
        let first = all.first()?;
        let last_look = u32::try_from(self.looks.len().checked_sub(1)?).ok()?;
        let from_first = |one: &SeenConnection| one.looks.first().is_some_and(|look| look.0 == 0);
        let to_last =
            |one: &SeenConnection| one.looks.last().is_some_and(|look| look.0 == last_look);
        let count = |holds: &dyn Fn(&SeenConnection) -> bool| {
            all.iter().filter(|one| holds(one)).count() as u64
        };
        let opened = count(&|one| !from_first(one));
        let length = |one: &&&SeenConnection| one.looks.len() as f64;
        let looks: f64 = all.iter().map(|one| length(&one)).sum();
        let kept = all.iter().filter(|one| from_first(one) && to_last(one));
        let kept: f64 = kept.map(|one| length(&one)).sum();
        let is_short = opened >= LEAST_OPENED && kept <= MOST_KEPT * looks;
        let server = self.servers.get(&first.path).cloned().unwrap_or_default();
        let client_loops = self.client_loops.contains(&first.path);
        let mut at = vec![SampledLook::default(); self.looks.len()];
        for (look, at_ns) in at.iter_mut().zip(&self.looks) {
            look.at_ns = *at_ns;
        }
        let (mut unknown, mut moved) = (0.0, opened > 0);
        for (number, state) in all.iter().flat_map(|one| &one.looks) {
            let Some(look) = at.get_mut(*number as usize) else {
                continue;
            };
            moved |= matches!(state, ConnectionState::Queued | ConnectionState::HasBytes);
            look.queued += u32::from(*state == ConnectionState::Queued);
            let works = state.works(server.has_loops, client_loops);
            unknown += f64::from(u8::from(works.is_none()));
            // A connection that is made for one request has it all the time.
            look.in_flight += u32::from(works.unwrap_or(is_short));
        }
        let decided = is_short || unknown <= MOST_UNKNOWN * looks;
        let works = decided && at.iter().any(|look| look.in_flight > 0);
        (moved || works).then(|| SampledHop {
            client: HopClient {
                process: first.client.clone(),
                address: String::new(),
                is_generator: first.is_generator,
            },
            server: HopServer {
                process: server.process,
                address: format!("unix:{}", first.path),
            },
            protocol: "unix".to_owned(),
            decided,
            connections: all.len() as u64,
            opened,
            closed: count(&|one| !to_last(one)),
            looks: at,
        })
    }
}

impl ConnectionState {
    /// Whether a request is under way; none: nobody knows.
    fn works(self, server_loops: bool, client_loops: bool) -> Option<bool> {
        match self {
            Self::Queued | Self::HasBytes => Some(true),
            Self::Quiet {
                server_waits: true, ..
            } => Some(false),
            Self::Quiet { .. } if !server_loops => Some(true),
            Self::Quiet { client_waits, .. } => match client_waits {
                Some(true) => Some(true),
                Some(false) if !client_loops => Some(false),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const WORKS: ConnectionState = ConnectionState::Quiet {
        server_waits: false,
        client_waits: None,
    };
    const IDLE: ConnectionState = ConnectionState::Quiet {
        server_waits: true,
        client_waits: None,
    };

    fn all(has_loops: bool, connections: Vec<Vec<(u32, ConnectionState)>>) -> SeenAll {
        let server = SeenServer {
            process: "app[1]".to_owned(),
            has_loops,
        };
        let connection = |looks| SeenConnection {
            client: "web[80]".to_owned(),
            path: "/run/app".to_owned(),
            looks,
            ..SeenConnection::default()
        };
        SeenAll {
            looks: (0..20).map(|at| at * 30).collect(),
            connections: connections.into_iter().map(connection).collect(),
            servers: [("/run/app".to_owned(), server)].into(),
            client_loops: ["/run/app".to_owned()].into(),
        }
    }

    fn numbers(hop: &SampledHop) -> Vec<u32> {
        hop.looks.iter().map(|look| look.in_flight).collect()
    }

    #[test]
    fn a_keep_alive_connection_is_at_work_while_its_server_does_not_wait_for_it() {
        let looks = |odd| (0..20).map(move |at| (at, if at % 2 == odd { WORKS } else { IDLE }));
        let kept = vec![looks(0).collect(), looks(1).collect(), looks(0).collect()];
        let hops = all(false, kept.clone()).hops();
        let [hop] = hops.as_slice() else {
            panic!("{hops:?}")
        };
        assert!(hop.decided);
        assert_eq!((hop.connections, hop.opened, hop.closed), (3, 0, 0));
        assert_eq!(numbers(hop), [2, 1].repeat(10));
        assert_eq!(hop.server.address, "unix:/run/app");
        // Where one thread has many connections nobody knows, and nothing is said of such a one at
        // which nothing happens.
        let loops = |with| {
            let mut kept = kept.clone();
            kept.iter_mut().flatten().for_each(|look| look.1 = WORKS);
            kept[0][3].1 = with;
            all(true, kept).hops()
        };
        assert_eq!(loops(WORKS), []);
        assert!(!loops(ConnectionState::HasBytes)[0].decided);
        // But whose client waits for it is at work, and whose client does not is idle.
        let by_client = |at| ConnectionState::Quiet {
            server_waits: false,
            client_waits: Some(at % 4 == 0),
        };
        let mut seen = all(true, vec![(0..20).map(|at| (at, by_client(at))).collect()]);
        seen.client_loops.clear();
        let hops = seen.hops();
        assert!(hops[0].decided);
        assert_eq!(numbers(&hops[0]), [1, 0, 0, 0].repeat(5));
    }

    #[test]
    fn a_connection_that_is_not_kept_is_one_request() {
        let short = (0..18).map(|at| {
            let queued = ConnectionState::Queued;
            vec![(at, queued), (at + 1, WORKS), (at + 2, WORKS)]
        });
        for has_loops in [false, true] {
            let hops = all(has_loops, short.clone().collect()).hops();
            let [hop] = hops.as_slice() else {
                panic!("{hops:?}")
            };
            assert!(hop.decided);
            assert_eq!((hop.connections, hop.opened, hop.closed), (18, 17, 17));
            assert_eq!(numbers(hop)[2..18], [3; 16]);
            assert_eq!(hop.looks[5].queued, 1);
        }
        assert_eq!(all(false, Vec::new()).hops(), []);
    }
}
