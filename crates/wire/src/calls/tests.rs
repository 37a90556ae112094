#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::report::{WireHop, WireReport};
use crate::{EndOwner, Owners, Wire};

const CLIENT: usize = 0;
const SERVER: usize = 1;

/// A request and its response, as sizes of pieces; who receives takes what is there in pieces of a size.
#[derive(Debug, Clone)]
struct Exchange {
    sizes: [Vec<u32>; 2],
    takes: [u32; 2],
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let sizes = || prop::collection::vec(1..5_000_u32, 1..4);
    (sizes(), sizes(), 1..9_000_u32, 1..9_000_u32).prop_map(|(asks, responds, one, other)| {
        Exchange {
            sizes: [asks, responds],
            takes: [one, other],
        }
    })
}

/// What one side did, in the order in which it happened.
#[derive(Debug, Clone, Copy)]
struct Done {
    side: usize,
    did: SocketDid,
    unread: bool,
}

/// The calls of one connection. Who sends is at the other end received at some time before the other end speaks.
fn calls(exchanges: &[Exchange]) -> Vec<Done> {
    let mut all = Vec::new();
    for one in exchanges {
        for side in [CLIENT, SERVER] {
            let mut there = 0;
            let last = one.sizes[side].len() - 1;
            for (at, size) in one.sizes[side].iter().enumerate() {
                all.push(Done {
                    side,
                    did: SocketDid::Sent(*size),
                    unread: false,
                });
                there += size;
                let take = one.takes[side];
                while there > 0 && (there > take || at == last) {
                    let taken = there.min(take);
                    there -= taken;
                    all.push(Done {
                        side: 1 - side,
                        did: SocketDid::Received(taken),
                        unread: there > 0,
                    });
                }
            }
        }
    }
    all
}

/// Tells calls that send later by some places, but before anything else that the same side did.
fn late(all: &[Done], by: &[usize]) -> Vec<Done> {
    let mut told = all.to_vec();
    for at in (0..told.len()).rev() {
        let Done { side, did, .. } = told[at];
        let mut place = at;
        let mut left = by[at % by.len()];
        while matches!(did, SocketDid::Sent(_))
            && left > 0
            && place + 1 < told.len()
            && told[place + 1].side != side
        {
            told.swap(place, place + 1);
            (place, left) = (place + 1, left - 1);
        }
    }
    told
}

/// A call of a connection with that number, at that time.
fn call(number: u64, at_ns: u64, done: Done) -> SocketCall {
    SocketCall {
        at_ns,
        ends: (number * 64, number * 64 + 1_000_000),
        client: number + 1,
        name: 7,
        pid: 100 + done.side as u32,
        by_server: done.side == SERVER,
        did: done.did,
        unread: done.unread,
    }
}

/// When each request was known of first, and its response last, by what was told.
fn expected(exchanges: &[Exchange], told: &[SocketCall]) -> Vec<(u64, u64)> {
    // Each byte is known of once it was sent or received.
    let mut known = [Vec::new(), Vec::new()];
    for receiving in [false, true] {
        let mut at = [0, 0];
        for call in told {
            let (count, received) = match call.did {
                SocketDid::Sent(count) => (count, false),
                SocketDid::Received(count) => (count, true),
                SocketDid::Broke => continue,
            };
            if received != receiving {
                continue;
            }
            let side = usize::from(call.by_server != received);
            for _ in 0..count {
                match known[side].get_mut(at[side]) {
                    Some(known) => *known = call.at_ns.min(*known),
                    None => known[side].push(call.at_ns),
                }
                at[side] += 1;
            }
        }
    }
    let mut at = [0, 0];
    let mut next = |side: usize, one: &Exchange| {
        let count = one.sizes[side].iter().sum::<u32>() as usize;
        let bytes = known[side][at[side]..at[side] + count].to_vec();
        at[side] += count;
        bytes
    };
    let each = exchanges.iter().map(|one| {
        let asked = next(CLIENT, one).into_iter().min().unwrap();
        (asked, next(SERVER, one).into_iter().max().unwrap())
    });
    each.collect()
}

struct Nobody;

impl Owners for Nobody {
    fn owner(&self, _: u32, _: std::net::SocketAddr, _: std::net::SocketAddr) -> Option<EndOwner> {
        None
    }
}

fn sides(ends: &CallEnds) -> (HopClient, HopServer) {
    let client = HopClient {
        process: format!("client[{}]", ends.client_pid),
        ..HopClient::default()
    };
    let server = HopServer {
        process: format!("server[{}]", ends.server_pid),
        address: format!("unix:/run/{}", ends.name),
    };
    (client, server)
}

fn traffic(from_ns: u64, before: &[(u64, bool)]) -> SocketTraffic {
    let before = before.iter().map(|(client, has_bytes)| {
        let socket = PresentSocket {
            queued: false,
            has_bytes: *has_bytes,
        };
        (*client, socket)
    });
    let before = PresentSockets {
        at_ns: 0,
        sockets: before.collect(),
    };
    SocketTraffic::new(from_ns, Some(before), WireLimits::default())
}

fn report(traffic: SocketTraffic, until_ns: u64) -> WireReport {
    let mut wire = Wire::new(traffic.from_ns, [].into(), WireLimits::default());
    wire.called(traffic.finish(until_ns, &sides));
    wire.finish(until_ns, &Nobody)
}

fn only(report: &WireReport) -> &WireHop {
    let [hop] = report.hops.as_slice() else {
        panic!("{:?}", report.hops)
    };
    hop
}

/// The requests of which all was seen, each from when to when.
fn whole(traffic: SocketTraffic, until_ns: u64) -> Vec<(u64, u64)> {
    let hops = traffic.finish(until_ns, &sides).0;
    let followed = hops.into_iter().flat_map(|pair| pair.followed);
    let exchanges = followed.flat_map(|one| one.exchanges);
    let whole = exchanges.filter(|one| one.seen == crate::exchanges::HowSeen::Whole);
    let mut whole: Vec<(u64, u64)> = whole.map(|one| (one.asked_ns, one.done_ns)).collect();
    whole.sort_unstable();
    whole
}

/// Several connections, each with its exchanges, told late by these numbers of places, and mixed by others.
#[derive(Debug, Clone)]
struct Mixed {
    exchanges: Vec<Vec<Exchange>>,
    told: Vec<SocketCall>,
}

fn mixed() -> impl Strategy<Value = Mixed> {
    let connection = || {
        let exchanges = prop::collection::vec(exchange(), 1..6);
        (exchanges, prop::collection::vec(0..9_usize, 1..20))
    };
    let connections = prop::collection::vec(connection(), 1..5);
    let turns = prop::collection::vec(any::<prop::sample::Index>(), 1..50);
    (connections, turns).prop_map(|(connections, turns)| {
        let told = connections
            .iter()
            .map(|(exchanges, by)| late(&calls(exchanges), by));
        let mut queues: Vec<(u64, std::vec::IntoIter<Done>)> =
            (0..).zip(told.map(Vec::into_iter)).collect();
        let mut told = Vec::new();
        while !queues.is_empty() {
            let turn = turns[told.len() % turns.len()].index(queues.len());
            let (number, queue) = &mut queues[turn];
            match queue.next() {
                Some(done) => told.push(call(*number, 1_000 + 10 * told.len() as u64, done)),
                None => drop(queues.remove(turn)),
            }
        }
        Mixed {
            exchanges: connections.into_iter().map(|one| one.0).collect(),
            told,
        }
    })
}

impl Mixed {
    fn of(&self, number: usize) -> Vec<SocketCall> {
        let own = |call: &&SocketCall| call.client == number as u64 + 1;
        self.told.iter().filter(own).copied().collect()
    }

    fn expected(&self) -> Vec<(u64, u64)> {
        let each = self.exchanges.iter().enumerate();
        let mut all: Vec<_> = each
            .flat_map(|(number, exchanges)| expected(exchanges, &self.of(number)))
            .collect();
        all.sort_unstable();
        all
    }

    fn until_ns(&self) -> u64 {
        2_000 + 10 * self.told.len() as u64
    }
}

proptest! {
    #[test]
    fn exchanges_are_told_by_turns_in_whatever_order_both_ends_are_heard_of(
        mixed in mixed(), existed in prop::collection::vec(any::<bool>(), 4),
    ) {
        let before: Vec<(u64, bool)> = (1..=4).zip(&existed)
            .filter(|(_, existed)| **existed)
            .map(|(client, _)| (client, false))
            .collect();
        let mut all = traffic(1_000, &before);
        mixed.told.iter().for_each(|call| all.take(call));
        let count = mixed.exchanges.iter().flatten().count() as u64;
        let report = report(all, mixed.until_ns());
        let hop = only(&report);
        prop_assert!(hop.decided && !hop.sampled);
        prop_assert_eq!((hop.requests, hop.unfinished), (Some(count), Some(0)));
        let opened = existed.iter().take(mixed.exchanges.len()).filter(|existed| !**existed);
        prop_assert_eq!((hop.connections, hop.opened), (mixed.exchanges.len() as u64, opened.count() as u64));
        let bytes = |side: usize| {
            let sizes = mixed.exchanges.iter().flatten().flat_map(|one| &one.sizes[side]);
            sizes.map(|size| u64::from(*size)).sum::<u64>()
        };
        prop_assert_eq!((hop.bytes_sent, hop.bytes_received), (bytes(CLIENT), bytes(SERVER)));
        let mut again = traffic(1_000, &before);
        mixed.told.iter().for_each(|call| again.take(call));
        prop_assert_eq!(whole(again, mixed.until_ns()), mixed.expected());
    }

    #[test]
    fn a_stretch_that_begins_and_ends_amidst_counts_what_ended_in_it(
        mixed in mixed(), from in any::<prop::sample::Index>(), until in any::<prop::sample::Index>(),
    ) {
        let (one, other) = (from.index(mixed.told.len()), until.index(mixed.told.len()));
        let at_ns = |at: usize| 1_000 + 10 * at as u64;
        let (from_ns, until_ns) = (at_ns(one.min(other)), at_ns(one.max(other)) + 5);
        let mut all = traffic(from_ns, &[]);
        let told = mixed.told.iter().filter(|call| call.at_ns < until_ns);
        told.for_each(|call| all.take(call));
        let expected = mixed.expected();
        // What had begun to respond when the looking ended is taken to have ended.
        let whole = whole(all, until_ns);
        let ended: Vec<_> = expected.iter().filter(|one| one.0 >= from_ns && one.1 < until_ns).collect();
        prop_assert!(ended.iter().all(|one| whole.contains(one)), "{whole:?} {expected:?}");
        prop_assert!(whole.iter().all(|one| expected.iter().any(|truth| truth.0 == one.0)));
    }

    #[test]
    fn what_was_under_way_before_or_was_lost_makes_no_request_up(
        mixed in mixed(), lost in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        has_bytes in any::<bool>(), is_told in any::<bool>(),
    ) {
        let (one, other) = (lost.0.index(mixed.told.len()), lost.1.index(mixed.told.len()));
        let lost = one.min(other)..one.max(other);
        let back_ns = 1_000 + 10 * lost.end as u64;
        // Either the looking begins there, or something was lost before.
        let before: Vec<(u64, bool)> = (1..=4).map(|client| (client, has_bytes || is_told)).collect();
        let mut all = traffic(if is_told { 1_000 } else { back_ns }, &before);
        if is_told {
            mixed.told[..lost.start].iter().for_each(|call| all.take(call));
            all.lose(back_ns);
        }
        if !is_told && !has_bytes {
            // Then nothing is on its way.
            return Ok(());
        }
        mixed.told[lost.end..].iter().for_each(|call| all.take(call));
        let whole = whole(all, mixed.until_ns());
        let each = mixed.exchanges.iter().enumerate();
        let (mut truth, mut sure) = (Vec::new(), Vec::new());
        for (number, exchanges) in each {
            let own = expected(exchanges, &mixed.of(number));
            // The first of which all is told may be taken for one that had begun before, or for one with that.
            let behind = own.iter().filter(|one| one.0 >= back_ns);
            sure.extend(behind.skip(2).copied());
            truth.extend(own);
        }
        // Of one that was torn, or is known late, the rest may be taken for all of it; where it is told of late, too, for
        // one with the next.
        let is_part = |one: &(u64, u64)| truth.iter().any(|all| all.0 <= one.0 && one.1 <= all.1);
        let strange = whole.iter().filter(|one| !is_part(one)).count();
        prop_assert!(strange <= mixed.exchanges.len(), "{whole:?} {truth:?}");
        prop_assert!(whole.len() <= truth.len() + mixed.exchanges.len());
        let missing: Vec<_> = sure.iter().filter(|one| !whole.contains(one)).collect();
        prop_assert!(missing.is_empty(), "{missing:?} {whole:?}");
    }

    #[test]
    fn noise_does_no_harm(
        noise in prop::collection::vec(
            ((0..2_000_u64, 0..4_u64, 0..4_u64, 0..4_u64), any::<[bool; 2]>(), 0..5_u8, any::<u32>(), any::<bool>()),
            0..300,
        ),
    ) {
        let mut all = traffic(1_000, &[(1, true)]);
        for ((at_ns, client, server, inode), [by_server, unread], kind, count, looks) in noise {
            all.take(&SocketCall {
                at_ns,
                ends: (client, server),
                client: inode,
                name: 0,
                pid: client as u32,
                by_server,
                unread,
                did: match kind {
                    0 | 1 => SocketDid::Sent(count),
                    2 | 3 => SocketDid::Received(count),
                    _ => SocketDid::Broke,
                },
            });
            if looks {
                all.looked(at_ns, &HashMap::from([(inode, PresentSocket { queued: unread, has_bytes: false })]));
            }
            match kind {
                2 if looks => all.lose(at_ns),
                3 if looks => drop(all.halve()),
                4 if looks => all.begin_anew(at_ns),
                _ => {}
            }
        }
        let report = report(all, 2_000);
        let counts = report.hops.iter().filter_map(|hop| hop.requests);
        prop_assert!(counts.sum::<u64>() <= 300 * 256);
    }
}

fn say(all: &mut SocketTraffic, number: u64, at_ns: u64, side: usize, did: SocketDid) {
    all.take(&call(
        number,
        at_ns,
        Done {
            side,
            did,
            unread: false,
        },
    ));
}

/// A request of ten bytes and its response, all of it heard of.
fn asks(all: &mut SocketTraffic, number: u64, at_ns: u64) {
    say(all, number, at_ns, CLIENT, SocketDid::Sent(10));
    say(all, number, at_ns + 1, SERVER, SocketDid::Received(10));
    say(all, number, at_ns + 100, SERVER, SocketDid::Sent(20));
    say(all, number, at_ns + 101, CLIENT, SocketDid::Received(20));
}

#[test]
fn ends_that_are_given_to_others_are_other_connections() {
    let mut all = traffic(1_000, &[]);
    for number in 0..5 {
        let at_ns = 1_000 + 200 * number;
        let mut calls = traffic(1_000, &[]);
        asks(&mut calls, 0, at_ns);
        for (side, did, at_ns) in [
            (CLIENT, SocketDid::Sent(10), at_ns),
            (SERVER, SocketDid::Received(10), at_ns + 1),
            (SERVER, SocketDid::Sent(20), at_ns + 100),
            (CLIENT, SocketDid::Received(20), at_ns + 101),
        ] {
            let done = Done {
                side,
                did,
                unread: false,
            };
            all.take(&SocketCall {
                client: 50 + number,
                ..call(0, at_ns, done)
            });
        }
        // What the server finds once its client is gone is of the same.
        let ends = Done {
            side: SERVER,
            did: SocketDid::Received(0),
            unread: false,
        };
        all.take(&SocketCall {
            client: 0,
            ..call(0, at_ns + 102, ends)
        });
    }
    let report = report(all, 3_000);
    let hop = only(&report);
    assert_eq!((hop.connections, hop.opened, hop.closed), (5, 5, 5));
    assert_eq!((hop.requests, hop.unfinished), (Some(5), Some(0)));
    let took = hop.response_ms.unwrap();
    assert!((took.mean - 1e-4).abs() < 1e-9 && took.max <= 1e-4 + 1e-9);
}

#[test]
fn what_is_given_up_is_under_way_until_then() {
    let mut ends: [fn(&mut SocketTraffic); 3] = [
        // The server finds it when it responds.
        |all| say(all, 0, 1_500, SERVER, SocketDid::Broke),
        // The client hears that the server has gone.
        |all| say(all, 0, 1_500, CLIENT, SocketDid::Received(0)),
        // It is not there any more, though it was after it had asked.
        |all| {
            all.looked(1_200, &HashMap::from([(1, PresentSocket::default())]));
            all.looked(1_500, &HashMap::new());
            all.looked(1_600, &HashMap::new());
        },
    ];
    for ends in &mut ends {
        let mut all = traffic(1_000, &[]);
        say(&mut all, 0, 1_000, CLIENT, SocketDid::Sent(10));
        say(&mut all, 0, 1_001, SERVER, SocketDid::Received(10));
        ends(&mut all);
        let report = report(all, 2_000);
        let hop = only(&report);
        assert_eq!(
            (hop.requests, hop.unfinished, hop.closed),
            (Some(0), Some(1), 1)
        );
        assert!((hop.in_flight.as_ref().unwrap().mean - 0.5).abs() < 1e-9);
    }
    // A client that sends no more may still wait for its response.
    let mut all = traffic(1_000, &[]);
    say(&mut all, 0, 1_000, CLIENT, SocketDid::Sent(10));
    say(&mut all, 0, 1_100, SERVER, SocketDid::Received(10));
    say(&mut all, 0, 1_100, SERVER, SocketDid::Received(0));
    say(&mut all, 0, 1_400, SERVER, SocketDid::Sent(10));
    let report = report(all, 2_000);
    assert_eq!((only(&report).requests, only(&report).closed), (Some(1), 1));
}

#[test]
fn a_server_that_greets_or_is_never_asked_has_no_requests_for_that() {
    let mut all = traffic(1_000, &[]);
    say(&mut all, 0, 1_000, SERVER, SocketDid::Sent(80));
    asks(&mut all, 0, 1_010);
    assert_eq!(only(&report(all, 2_000)).requests, Some(1));
    let mut all = traffic(0, &[]);
    for at in 0..10 {
        say(&mut all, 0, at * 100_000_000, SERVER, SocketDid::Sent(80));
    }
    let report = report(all, 1_000_000_000);
    assert!(!only(&report).decided && only(&report).requests.is_none());
}

#[test]
fn who_speaks_out_of_turn_shows_that_requests_cannot_be_told_apart() {
    let mut all = traffic(1_000, &[]);
    for at in 0..20 {
        asks(&mut all, 0, 1_000 + 200 * at);
        let more = Done {
            side: CLIENT,
            did: SocketDid::Sent(3),
            unread: true,
        };
        say(&mut all, 0, 1_150 + 200 * at, SERVER, SocketDid::Sent(5));
        all.take(&call(0, 1_151 + 200 * at, more));
    }
    assert!(!only(&report(all, 9_000)).decided);
}

#[test]
fn those_that_wait_to_be_accepted_are_told_from_looks() {
    let mut all = traffic(1_000, &[]);
    for number in 0..4 {
        say(&mut all, number, 1_000, CLIENT, SocketDid::Sent(10));
    }
    let look = |queued: u64| {
        let socket = |client| PresentSocket {
            queued: client <= queued,
            has_bytes: false,
        };
        (1..=4).map(|client| (client, socket(client))).collect()
    };
    all.looked(1_000, &look(3));
    all.looked(1_500, &look(1));
    let report = report(all, 2_000);
    let hop = only(&report);
    assert_eq!((hop.accept_queue, hop.sampled), (Some(2.0), false));
    let level = hop.in_flight.as_ref().unwrap();
    assert_eq!((level.mean, level.max), (4.0, Some(4)));
}

#[test]
fn of_a_share_whole_connections_are_followed_and_all_are_told() {
    let both = |halvings: u32, limits: WireLimits| {
        let mut all = SocketTraffic::new(1_000, Some(PresentSockets::default()), limits);
        for round in 0..4 {
            for number in 0..4_000 {
                asks(&mut all, number, 1_000 + round * 200);
            }
            if round == 1 {
                (0..halvings).for_each(|_| assert!(all.halve()));
            }
        }
        let share = all.share().number();
        (report(all, 2_000), share)
    };
    let few = WireLimits {
        connections: 1_100,
        exchanges: 500_000,
    };
    for (halvings, limits) in [
        (0, WireLimits::default()),
        (2, WireLimits::default()),
        (0, few),
    ] {
        let (report, share) = both(halvings, limits);
        let hop = only(&report);
        let near = |count: u64, all: f64| (count as f64 - all).abs() < 0.1 * all;
        assert!(
            near(hop.connections, 4_000.0) && near(hop.requests.unwrap(), 16_000.0),
            "{hop:?}"
        );
        assert_eq!(hop.in_flight.as_ref().unwrap().max.is_some(), share >= 1.0);
        let server = &report.processes[0];
        let per_s = 16_000.0 / 1e-6;
        assert!((server.requests_per_s - per_s).abs() < 0.1 * per_s);
        assert_eq!(server.in_flight.max.is_some(), share >= 1.0);
        let mean = hop.in_flight.as_ref().unwrap().mean;
        assert!((server.in_flight.mean - mean).abs() < 1e-6 * mean);
    }
}

#[test]
fn a_farewell_is_no_request() {
    let mut all = traffic(1_000, &[]);
    for (number, is_heard) in [(0, true), (1, false)] {
        asks(&mut all, number, 1_000);
        let farewell = 1_000 + 200;
        all.looked(
            farewell - 50,
            &HashMap::from([(number + 1, PresentSocket::default())]),
        );
        say(&mut all, number, farewell, CLIENT, SocketDid::Sent(5));
        say(
            &mut all,
            number,
            farewell + 1,
            SERVER,
            SocketDid::Received(5),
        );
        if is_heard {
            say(
                &mut all,
                number,
                farewell + 2,
                SERVER,
                SocketDid::Received(0),
            );
        }
        all.looked(farewell + 100, &HashMap::new());
        all.looked(farewell + 200, &HashMap::new());
    }
    let report = report(all, 2_000);
    let hop = only(&report);
    assert_eq!(
        (hop.requests, hop.unfinished, hop.closed),
        (Some(2), Some(0), 2)
    );
}

#[test]
fn what_one_look_misses_is_not_gone() {
    let mut all = traffic(1_000, &[]);
    for round in 0..5 {
        say(
            &mut all,
            0,
            1_000 + 200 * round,
            CLIENT,
            SocketDid::Sent(10),
        );
        say(
            &mut all,
            0,
            1_001 + 200 * round,
            SERVER,
            SocketDid::Received(10),
        );
        all.looked(1_050 + 200 * round, &HashMap::new());
        say(
            &mut all,
            0,
            1_100 + 200 * round,
            SERVER,
            SocketDid::Sent(20),
        );
        say(
            &mut all,
            0,
            1_101 + 200 * round,
            CLIENT,
            SocketDid::Received(20),
        );
    }
    let report = report(all, 3_000);
    let hop = only(&report);
    assert_eq!((hop.connections, hop.closed), (1, 0));
    assert_eq!((hop.requests, hop.unfinished), (Some(5), Some(0)));
}
