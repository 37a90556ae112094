//! Single cases.

use std::net::SocketAddr;

use plimsoll_wire::{EndOwner, Owners, Wire, WireLimits};

use crate::made::{SERVER, START_NS, Sent, Written};
use crate::{Nobody, report};

const SECOND_NS: u64 = 1_000_000_000;

const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn what_becomes_another_protocol_is_undecided() {
    let upgraded = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n";
    let mut socket = Written::new("127.0.0.1:40000", SERVER);
    socket
        .ask(10, GET)
        .respond(20, upgraded)
        .respond(30, b"\x81\x01a")
        .ask(40, b"\x81\x01a");
    let subscribe = b"*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nx\r\n";
    let mut stream = Written::new("127.0.0.1:40001", SERVER);
    stream.ask(10, subscribe).respond(20, b"*1\r\n+x\r\n");
    // Requests that overlap, and that nobody here reads.
    let mut numbered = Written::new("127.0.0.1:40002", SERVER);
    numbered
        .ask(10, b"\xda\xbb\xc2\0")
        .respond(20, b"\xda\xbb\x02\x14");
    let all = [socket.sent, stream.sent, numbered.sent].concat();
    let report = report(&all, START_NS + SECOND_NS, &Nobody);
    let mut told: Vec<(&str, bool)> = report
        .hops
        .iter()
        .map(|hop| (hop.protocol.as_str(), hop.decided))
        .collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [("dubbo", false), ("redis", false), ("websocket", false)]
    );
    assert!(
        report
            .hops
            .iter()
            .all(|hop| hop.requests.is_none() && hop.in_flight.is_none())
    );
    assert!(report.processes.is_empty());
}

#[test]
fn requests_that_failed_at_the_server_are_counted() {
    let status = |line: &str| format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\n\r\n").into_bytes();
    let mut talk = Written::new("127.0.0.1:40000", SERVER);
    let said = [
        "503 Busy",
        "200 OK",
        "404 Not Found",
        "429 Too Many",
        "500 Oops",
        "408 Late",
        "302 Found",
    ];
    for (line, n) in said.iter().zip(0..) {
        talk.ask(n * 10, GET).respond(n * 10 + 5, &status(line));
    }
    let told = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
    let hop = &told.hops[0];
    assert_eq!((hop.requests, hop.failed), (Some(7), Some(4)), "{hop:#?}");
    // Of what is read by turns nobody knows.
    let mut turns = Written::new("127.0.0.1:40000", SERVER);
    turns.ask(0, b"\xffask").respond(5, b"\xfetell");
    let told = report(&turns.sent, START_NS + SECOND_NS, &Nobody);
    assert_eq!(told.hops[0].failed, None);
}

#[test]
fn both_sides_at_once_show_that_turns_tell_nothing() {
    let mut talk = Written::new("127.0.0.1:40000", SERVER);
    for n in 0..20 {
        talk.ask(n * 10, b"\xffask")
            .respond(n * 10 + 1, b"\xfetell");
        // Sent before what the server said was there.
        let before = talk.next[1];
        talk.respond(n * 10 + 2, b"\xfemore")
            .ask(n * 10 + 3, b"\xffmore");
        talk.sent.last_mut().unwrap().acknowledged = Some(before);
    }
    let report = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
    assert_eq!(
        (report.hops[0].protocol.as_str(), report.hops[0].decided),
        ("unknown", false)
    );
}

#[test]
fn who_is_only_spoken_to_has_asked_nothing() {
    let heard = |messages: u64, apart_ms: u64| {
        let mut talk = Written::new("127.0.0.1:40000", SERVER);
        for n in 0..messages {
            talk.respond(n * apart_ms, b"\xfetell");
        }
        report(&talk.sent, START_NS + SECOND_NS, &Nobody)
    };
    let told = heard(10, 50);
    let hop = &told.hops[0];
    assert_eq!((hop.decided, hop.requests), (false, None), "{hop:#?}");
    // What was asked before anybody looked has a response, of one packet or of several.
    for messages in [1, 4] {
        let hop = &heard(messages, 1).hops[0];
        assert_eq!((hop.decided, hop.requests), (true, Some(1)), "{hop:#?}");
    }
}

#[test]
fn a_packet_that_was_not_seen_spoils_one_exchange_and_no_other() {
    let mut talk = Written::new("127.0.0.1:40000", SERVER);
    talk.ask(0, GET).respond(10, OK);
    talk.ask(20, GET).unseen().respond(30, OK);
    talk.ask(40, GET).respond(50, OK).unseen();
    talk.ask(60, GET).respond(70, OK);
    let report = report(&talk.sent, START_NS + SECOND_NS, &Nobody);
    let hop = &report.hops[0];
    let times = hop.response_ms.unwrap();
    assert_eq!((times.mean, times.max), (10.0, 10.0), "{hop:#?}");
    assert!((2..=4).contains(&hop.requests.unwrap()), "{hop:#?}");
    assert!(hop.in_flight.as_ref().unwrap().max <= Some(1));
}

/// Two services on this host, and who calls the first.
struct Chain;

impl Owners for Chain {
    fn owner(&self, _: u32, own: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        let (process, is_generator) = match own.port() {
            8_000 | 50_000.. => ("front[8000]", false),
            9_000 => ("back[9000]", false),
            40_000..41_000 => ("plimsoll[1]", true),
            _ => return None,
        };
        Some(EndOwner {
            process: process.to_owned(),
            is_generator,
        })
    }
}

#[test]
fn what_waits_for_others_is_not_inside() {
    let back = SocketAddr::from(([127, 0, 0, 1], 9_000));
    let mut all = Vec::new();
    for (caller, from) in [("127.0.0.1:40000", 0), ("127.0.0.1:40001", 100)] {
        let mut talk = Written::new(caller, SERVER);
        talk.ask(from, GET).respond(from + 500, OK);
        all.append(&mut talk.sent);
    }
    // Two calls at once for the first request count once.
    for caller in ["127.0.0.1:50000", "127.0.0.1:50001"] {
        let mut talk = Written::new(caller, back);
        talk.ask(20, GET).respond(70, OK);
        all.append(&mut talk.sent);
    }
    let report = report(&all, START_NS + SECOND_NS, &Chain);
    let hop = report
        .hops
        .iter()
        .find(|hop| hop.client.is_generator)
        .unwrap();
    assert_eq!(
        (hop.client.process.as_str(), hop.server.process.as_str()),
        ("plimsoll[1]", "front[8000]")
    );
    let names: Vec<&str> = report
        .processes
        .iter()
        .map(|one| one.process.as_str())
        .collect();
    assert_eq!(names, ["back[9000]", "front[8000]"]);
    let front = &report.processes[1];
    assert!((front.in_flight.mean - 1.0).abs() < 1e-9, "{front:#?}");
    assert!((front.waiting_for_others - 0.05).abs() < 1e-9, "{front:#?}");
    assert!((front.inside.mean - 0.95).abs() < 1e-9, "{front:#?}");
    assert_eq!(
        front.in_flight.shares,
        Some(vec![(0, 0.4), (2, 0.4), (1, 0.2)])
    );
    assert!(!front.calls_undecided);
    // A connection that nobody was seen to hold is the one caller's.
    let mut short = Written::new("127.0.0.1:30000", SERVER);
    short.ask(0, GET).respond(10, OK);
    all.append(&mut short.sent);
    let report = crate::report(&all, START_NS + SECOND_NS, &Chain);
    let hop = report
        .hops
        .iter()
        .find(|hop| hop.client.is_generator)
        .unwrap();
    assert_eq!(hop.connections, 3);
}

/// Who waits in a queue, and the one worker that takes from it.
struct Queue;

impl Owners for Queue {
    fn owner(&self, _: u32, own: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
        let process = match own.port() {
            6_379 => "redis-server[6379]",
            50_000..51_000 => "shop[8000]",
            51_000..52_000 => "worker",
            _ => return None,
        };
        Some(EndOwner {
            process: process.to_owned(),
            is_generator: false,
        })
    }
}

fn command(words: &[&str]) -> Vec<u8> {
    let head = format!("*{}\r\n", words.len());
    let words = words
        .iter()
        .map(|word| format!("${}\r\n{word}\r\n", word.len()));
    words.fold(head, |all, word| all + &word).into_bytes()
}

#[test]
fn who_waits_in_a_queue_waits_for_whoever_puts_the_value_there() {
    let redis = SocketAddr::from(([127, 0, 0, 1], 6_379));
    let (mut shop, mut worker) = (
        Written::new("127.0.0.1:50000", redis),
        Written::new("127.0.0.1:51000", redis),
    );
    let pair = b"*2\r\n$4\r\ntodo\r\n$1\r\n1\r\n";
    worker.ask(0, &command(&["BRPOP", "todo", "0"]));
    shop.ask(100, &command(&["LPUSH", "todo", "1"]))
        .respond(101, b":1\r\n");
    worker.respond(102, pair);
    // Another queue's value lets nobody go on.
    shop.ask(110, &command(&["BLPOP", "done:1", "0"]));
    let mut other = Written::new("127.0.0.1:52000", redis);
    other
        .ask(500, &command(&["LPUSH", "done:2", "1"]))
        .respond(501, b":1\r\n");
    worker
        .ask(800, &command(&["RPUSH", "done:1", "1"]))
        .respond(801, b":1\r\n");
    shop.respond(802, pair);
    worker.ask(810, &command(&["BRPOP", "todo", "0"]));
    let mut all = [shop.sent, worker.sent, other.sent].concat();
    all.sort_by_key(|sent| sent.at_ns);
    let report = report(&all, START_NS + SECOND_NS, &Queue);
    let waits = |client: &str| {
        let mut hops = report.hops.iter();
        let hop = hops.find(|hop| hop.client.process == client).unwrap();
        hop.waits.clone()
    };
    let shop = waits("shop[8000]").unwrap();
    assert_eq!((shop.connections, shop.requests), (1, 1));
    assert!((shop.in_flight - 0.692).abs() < 1e-9, "{shop:?}");
    let by: Vec<_> = shop
        .released_by
        .iter()
        .map(|by| (by.process.as_str(), by.requests))
        .collect();
    assert_eq!(by, [("worker", 1)]);
    let worker = waits("worker").unwrap();
    // The rest of the time it works: 0.1 to 0.81 s.
    assert!((worker.in_flight - 0.292).abs() < 1e-9, "{worker:?}");
    assert_eq!(worker.released_by[0].process, "shop[8000]");
    assert_eq!(waits(""), None);
}

/// A statement of MySQL, and its response.
fn statement(text: &str) -> Vec<u8> {
    let length = text.len() as u8 + 1;
    [&[length, 0, 0, 0, 3], text.as_bytes()].concat()
}

const DONE: &[u8] = &[7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];

#[test]
fn who_keeps_a_row_locked_and_who_waits_for_it_is_told_by_their_statements() {
    let database = SocketAddr::from(([127, 0, 0, 1], 3_306));
    let update = statement("update stock set n = n - 1 where id = 7");
    let mut all = Vec::new();
    // The second has its row when the first commits.
    for (client, from, granted, until) in [
        ("127.0.0.1:50000", 0, 12, 300),
        ("127.0.0.1:50001", 10, 302, 602),
    ] {
        let mut talk = Written::new(client, database);
        talk.ask(from, &statement("start transaction"))
            .respond(from + 1, DONE);
        talk.ask(from + 2, &update).respond(granted, DONE);
        talk.ask(granted + 1, &statement("select 1"))
            .respond(granted + 11, DONE);
        talk.ask(until - 2, &statement("commit"))
            .respond(until, DONE);
        all.append(&mut talk.sent);
    }
    // Outside of a transaction nothing is kept.
    let mut alone = Written::new("127.0.0.1:50002", database);
    alone.ask(700, &update).respond(900, DONE);
    all.append(&mut alone.sent);
    all.sort_by_key(|sent| sent.at_ns);
    let report = report(&all, START_NS + SECOND_NS, &Nobody);
    let told = report.hops[0].transactions.clone().unwrap();
    assert_eq!((told.transactions, told.table.as_str()), (2, "stock"));
    let near = |value: f64, expected: f64| (value - expected).abs() < 1e-9;
    assert!(near(told.waiting, 0.01 + 0.29), "{told:?}");
    assert!(near(told.held, 0.288 + 0.3), "{told:?}");
    assert!(
        near(told.held_outside, 0.288 + 0.3 - 4.0 * 0.006),
        "{told:?}"
    );
}

/// A message of PostgreSQL.
fn message(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32 + 4).to_be_bytes();
    [&[kind], &length[..], content].concat()
}

#[test]
fn transactions_of_prepared_statements_are_told_as_well() {
    let ready = message(b'Z', b"I");
    let group = |name: &str, text: &str, parse: bool| {
        let prepare = [name.as_bytes(), b"\0", text.as_bytes(), b"\0\0\0"].concat();
        let bind = [b"\0", name.as_bytes(), b"\0\0\0\0\0\0\0"].concat();
        let parse = if parse {
            message(b'P', &prepare)
        } else {
            Vec::new()
        };
        [
            parse,
            message(b'B', &bind),
            message(b'E', &[0; 5]),
            message(b'S', &[]),
        ]
        .concat()
    };
    let update = "update public.\"stock\" set n = n - 1 where id = $1";
    let mut postgres = Written::new("127.0.0.1:50000", SocketAddr::from(([127, 0, 0, 1], 5_432)));
    for (at, parse) in [(0, true), (400, false)] {
        postgres
            .ask(at, &message(b'Q', b"BEGIN\0"))
            .respond(at + 1, &ready);
        postgres
            .ask(at + 2, &group("s1", update, parse))
            .respond(at + 12, &ready);
        postgres
            .ask(at + 112, &message(b'Q', b"COMMIT\0"))
            .respond(at + 112, &ready);
    }
    let mut mysql = Written::new("127.0.0.1:50001", SocketAddr::from(([127, 0, 0, 1], 3_306)));
    let packet = |content: &[u8]| [&[content.len() as u8, 0, 0, 0], content].concat();
    mysql
        .ask(0, &statement("set autocommit=0"))
        .respond(1, DONE);
    mysql.ask(2, &packet(b"\x16update stock set n = ? where id = ?"));
    mysql.respond(3, &[12, 0, 0, 1, 0, 9, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
    for at in [10, 500] {
        mysql
            .ask(at, &packet(&[0x17, 9, 0, 0, 0, 0, 1, 0, 0, 0]))
            .respond(at + 10, DONE);
        mysql
            .ask(at + 110, &statement("commit"))
            .respond(at + 110, DONE);
    }
    for talk in [postgres.sent, mysql.sent] {
        let report = report(&talk, START_NS + SECOND_NS, &Nobody);
        let told = report.hops[0].transactions.clone();
        let told = told.unwrap_or_else(|| panic!("{report:#?}"));
        assert_eq!((told.transactions, told.table.as_str()), (2, "stock"));
        assert!(
            (told.waiting - 0.02).abs() < 1e-9 && (told.held - 0.2).abs() < 1e-9,
            "{told:?}"
        );
    }
}

#[test]
fn the_table_that_is_waited_for_is_told_whatever_was_written_before() {
    let mut mysql = Written::new("127.0.0.1:50001", SocketAddr::from(([127, 0, 0, 1], 3_306)));
    for at in [0, 400] {
        for (asked, done, text) in [
            (at, at + 1, "begin"),
            (at + 2, at + 3, "insert into flow values (1, 2)"),
            (
                at + 4,
                at + 204,
                "update account set n = n + 1 where id = 7",
            ),
            (at + 206, at + 207, "update account set m = 1 where id = 7"),
            (at + 254, at + 254, "commit"),
        ] {
            mysql.ask(asked, &statement(text)).respond(done, DONE);
        }
    }
    let report = report(&mysql.sent, START_NS + SECOND_NS, &Nobody);
    let told = report.hops[0].transactions.clone();
    let told = told.unwrap_or_else(|| panic!("{report:#?}"));
    assert_eq!((told.transactions, told.table.as_str()), (2, "account"));
    let near = |number: f64, of: f64| (number - of).abs() < 1e-9;
    assert!(near(told.waiting, 0.4) && near(told.held, 0.1), "{told:?}");
    assert!(near(told.held_outside, 0.098), "{told:?}");
}

/// What is seen of packets, each in those network namespaces.
fn seen_in(sent: &[(u32, &Sent)], owners: &dyn Owners) -> plimsoll_wire::WireReport {
    let mut wire = Wire::new(START_NS, [8_000].into(), WireLimits::default());
    for (space, sent) in sent {
        let mut packet = sent.packet();
        packet.space = *space;
        wire.packet(&packet);
    }
    wire.finish(START_NS + SECOND_NS, owners)
}

#[test]
fn what_crosses_several_network_namespaces_is_counted_once() {
    let server = SocketAddr::from(([10, 0, 0, 3], 8_000));
    let mut talk = Written::new("10.0.0.2:40000", server);
    let opens = Sent {
        begins: true,
        acknowledged: None,
        sequence: 99,
        ..talk.ask(5, b"").sent[0].clone()
    };
    talk.sent[0] = opens;
    for n in 0..4 {
        talk.ask(10 + n * 20, GET).respond(20 + n * 20, OK);
    }
    // Both rings are read in turn, or one of them late.
    let by_packet = talk.sent.iter().flat_map(|sent| [(0, sent), (3, sent)]);
    let late = |space| talk.sent.iter().map(move |sent| (space, sent));
    for all in [
        by_packet.collect::<Vec<_>>(),
        late(3).chain(late(0)).collect(),
    ] {
        let report = seen_in(&all, &Nobody);
        assert_eq!(report.hops.len(), 1, "{report:#?}");
        let hop = &report.hops[0];
        assert_eq!((hop.connections, hop.requests), (1, Some(4)));
        assert_eq!(hop.response_ms.unwrap().mean, 10.0);
        assert_eq!(hop.transit, None);
    }
}

/// Wherever the connection is followed, response times are the client's, and the server's are without the way.
#[test]
fn packets_that_are_long_on_their_way_are_neither_sides() {
    struct Known;
    impl Owners for Known {
        fn owner(&self, _: u32, own: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
            let process = if own.port() == 8_000 { "shop" } else { "front" };
            Some(EndOwner {
                process: process.to_owned(),
                is_generator: false,
            })
        }
    }
    let server = SocketAddr::from(([10, 0, 0, 3], 8_000));
    let mut talk = Written::new("10.0.0.2:40000", server);
    // As the client sees it: 3 ms there, 4 ms at work, 2 ms back.
    for n in 0..10 {
        talk.ask(10 + n * 20, GET).respond(19 + n * 20, OK);
    }
    let ms = |packet: &Sent, by: i64| {
        let at_ns = packet.at_ns.checked_add_signed(by * 1_000_000).unwrap();
        Sent {
            at_ns,
            ..packet.clone()
        }
    };
    let there = |packet: &Sent| match packet.from.port() {
        8_000 => ms(packet, -2),
        _ => ms(packet, 3),
    };
    let far: Vec<Sent> = talk.sent.iter().map(there).collect();
    let near = talk.sent.iter().map(|sent| (0, sent));
    let far = far.iter().map(|sent| (3, sent));
    let near_first: Vec<(u32, &Sent)> = near.clone().chain(far.clone()).collect();
    let far_first: Vec<(u32, &Sent)> = far.chain(near).collect();
    for all in [near_first, far_first] {
        let report = seen_in(&all, &Known);
        let hop = &report.hops[0];
        assert_eq!(hop.response_ms.unwrap().mean, 9.0, "{report:#?}");
        let transit = hop.transit.unwrap();
        assert_eq!(transit.to_server_ms.unwrap().mean, 3.0);
        assert_eq!(transit.to_client_ms.unwrap().mean, 2.0);
        let shop = &report.processes[0];
        // Ten requests of 4 ms in a second.
        assert!((shop.in_flight.mean - 0.04).abs() < 0.001, "{shop:#?}");
    }
}

#[test]
fn each_network_namespace_has_a_loopback_of_its_own() {
    let mut one = Written::new("127.0.0.1:40000", SERVER);
    one.ask(10, GET).respond(20, OK);
    let mut other = Written::new("127.0.0.1:40000", SERVER);
    other
        .ask(15, GET)
        .respond(45, OK)
        .ask(50, GET)
        .respond(60, OK);
    let all: Vec<_> = one
        .sent
        .iter()
        .map(|sent| (0, sent))
        .chain(other.sent.iter().map(|sent| (2, sent)))
        .collect();
    struct Named;
    impl Owners for Named {
        fn owner(&self, space: u32, _: SocketAddr, _: SocketAddr) -> Option<EndOwner> {
            Some(EndOwner {
                process: format!("of {space}"),
                is_generator: false,
            })
        }
    }
    let report = seen_in(&all, &Named);
    let told: Vec<_> = report
        .hops
        .iter()
        .map(|hop| (hop.server.process.as_str(), hop.requests))
        .collect();
    assert_eq!(told, [("of 2", Some(2)), ("of 0", Some(1))]);
}

#[test]
fn a_connection_whose_addresses_are_changed_on_the_way_is_one() {
    struct Ends;
    impl Owners for Ends {
        fn owner(&self, _: u32, own: SocketAddr, other: SocketAddr) -> Option<EndOwner> {
            let process = match (own.port(), other.port()) {
                (40_000, 8_080) => "client[1]",
                (8_000, _) => "nginx[8000] (shop)",
                _ => return None,
            };
            Some(EndOwner {
                process: process.to_owned(),
                is_generator: false,
            })
        }
    }
    let published = SocketAddr::from(([10, 0, 0, 1], 8_080));
    let own = SocketAddr::from(([172, 17, 0, 2], 8_000));
    let talks = [published, own].map(|server| {
        let mut talk = Written::new("10.0.0.9:40000", server);
        talk.ask(10, GET)
            .respond(20, OK)
            .ask(30, GET)
            .respond(40, OK);
        talk.sent
    });
    let all: Vec<_> = talks[0]
        .iter()
        .zip(&talks[1])
        .flat_map(|(outside, inside)| [(0, outside), (0, inside)])
        .collect();
    let report = seen_in(&all, &Ends);
    assert_eq!(report.hops.len(), 1, "{report:#?}");
    let hop = &report.hops[0];
    assert_eq!((hop.connections, hop.requests), (1, Some(2)));
    assert_eq!(hop.client.process, "client[1]");
    assert_eq!(hop.server.process, "nginx[8000] (shop)");
    assert_eq!(hop.server.address, "172.17.0.2:8000");
    // Another client's connection is another one, whatever its numbers.
    let mut other = Written::new("10.0.0.8:40001", published);
    other.ask(50, GET).respond(60, OK);
    let with_other = all
        .into_iter()
        .chain(other.sent.iter().map(|sent| (0, sent)));
    let report = seen_in(&with_other.collect::<Vec<_>>(), &Ends);
    assert_eq!(
        report.hops.iter().map(|hop| hop.connections).sum::<u64>(),
        2
    );
}
