//! Hops that no packet crosses, which are looked at now and then instead.

use crate::report::{HopClient, HopServer};

/// Calls of one process to another, as many looks at the sockets between them saw them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampledHop {
    /// Who calls.
    pub client: HopClient,
    /// Who is called.
    pub server: HopServer,
    /// How: `unix`.
    pub protocol: String,
    /// Whether connections at work could be told from idle ones. If not, nothing is told of requests.
    pub decided: bool,
    /// Connections that were seen.
    pub connections: u64,
    /// Of these, those that were not there at the first look.
    pub opened: u64,
    /// And those that were not there any more at the last.
    pub closed: u64,
    /// What each look saw, in the order of time.
    pub looks: Vec<SampledLook>,
}

/// What one look saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampledLook {
    /// When, Unix nanoseconds.
    pub at_ns: u64,
    /// Requests under way, those that wait to be accepted too.
    pub in_flight: u32,
    /// Those that wait to be accepted.
    pub queued: u32,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::owners::{EndOwner, Owners};
    use crate::{Wire, WireLimits, WireReport};

    struct Nobody;

    impl Owners for Nobody {
        fn owner(
            &self,
            _: u32,
            _: std::net::SocketAddr,
            _: std::net::SocketAddr,
        ) -> Option<EndOwner> {
            None
        }
    }

    fn hop(client: &str, server: &str, looks: &[(u64, u32, u32)]) -> SampledHop {
        let look = |(at_ns, in_flight, queued): &(u64, u32, u32)| SampledLook {
            at_ns: *at_ns,
            in_flight: *in_flight,
            queued: *queued,
        };
        SampledHop {
            client: HopClient {
                process: client.to_owned(),
                ..HopClient::default()
            },
            server: HopServer {
                process: server.to_owned(),
                address: format!("unix:/run/{server}"),
            },
            protocol: "unix".to_owned(),
            decided: true,
            connections: 9,
            looks: looks.iter().map(look).collect(),
            ..SampledHop::default()
        }
    }

    fn report(hops: Vec<SampledHop>, halved: bool) -> WireReport {
        let mut wire = Wire::new(1_000, [].into(), WireLimits::default());
        if halved {
            wire.halve();
        }
        hops.into_iter().for_each(|hop| wire.sampled(hop));
        wire.finish(2_000, &Nobody)
    }

    #[test]
    fn what_a_look_saw_holds_until_the_next() {
        for halved in [false, true] {
            let door = hop("", "web", &[(1_100, 6, 0)]);
            let inner = hop("web", "app", &[(1_100, 2, 0), (1_500, 6, 3), (1_750, 4, 0)]);
            let report = report(vec![door, inner], halved);
            let app = report.hops.iter().find(|hop| hop.server.process == "app");
            let app = app.unwrap();
            assert!(app.sampled && app.requests.is_none() && app.requests_per_s.is_none());
            assert_eq!((app.connections, app.accept_queue), (9, Some(0.75)));
            // 2 for half of the time, 6 and 4 for a quarter each.
            let level = app.in_flight.clone().unwrap();
            assert_eq!((level.mean, level.max), (3.5, Some(6)));
            assert_eq!(level.shares.unwrap(), [(2, 0.5), (4, 0.25), (6, 0.25)]);
            let of = |name: &str| report.processes.iter().find(|one| one.process == name);
            let (web, app) = (of("web").unwrap(), of("app").unwrap());
            assert_eq!((web.in_flight.mean, web.waiting_for_others), (6.0, 3.5));
            assert_eq!(web.inside.mean, 2.5);
            assert_eq!((app.in_flight.mean, app.waiting_for_others), (3.5, 0.0));
        }
    }

    #[test]
    fn undecided_hops_tell_no_requests() {
        let unknown = SampledHop {
            decided: false,
            ..hop("web", "app", &[(1_100, 6, 1)])
        };
        let report = report(vec![hop("", "web", &[(1_000, 6, 0)]), unknown], false);
        let app = report.hops.iter().find(|hop| hop.server.process == "app");
        assert_eq!(app.unwrap().in_flight, None);
        assert_eq!(app.unwrap().accept_queue, Some(1.0));
        let web = report.processes.iter().find(|one| one.process == "web");
        assert!(web.unwrap().calls_undecided);
    }
}
