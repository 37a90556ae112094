//! Where the load comes in.

use plimsoll_stats::series::{Entity, EntityKind};
use serde_json::{Value, json};

use super::{adds_up, level, ms};
use crate::account::{Account, PartKind};
use crate::testing::{Made, thing};

fn hop(client: (&str, &str), server: (&str, &str), per_s: f64, held: f64) -> Value {
    json!({
        "client": {"process": client.0, "address": client.1, "is_generator": client.0.starts_with("plimsoll")},
        "server": {"process": server.0, "address": server.1},
        "decided": true, "requests_per_s": per_s, "in_flight": level(held),
    })
}

fn serves(process: &str, per_s: f64, held: f64, waiting: f64) -> Value {
    json!({"process": process, "requests_per_s": per_s, "in_flight": level(held), "waiting_for_others": waiting})
}

fn look(hops: &[Value], processes: &[Value]) -> String {
    json!({"version": 1, "lasts_ms": 3000.0, "hops": hops, "processes": processes}).to_string()
}

fn account(made: &Made) -> Account {
    let account = made.diagnose().account.unwrap();
    adds_up(&account);
    account
}

const GENERATOR: (&str, &str) = ("plimsoll[7]", "127.0.0.1");

#[test]
fn a_look_in_which_no_response_ended_takes_no_more_than_the_time_there_is() {
    for (per_s, response_ms, held) in [
        (100.0, 208.0, 150.0),
        (100.0, 208.0, 0.2),
        (20.0 / 60.0, 60_000.0, 20.0),
        (100.0, 208.0, 0.0),
    ] {
        let door = hop(GENERATOR, ("shop[8000]", "127.0.0.1:8000"), 0.0, held);
        let wire = look(&[door], &[serves("shop[8000]", 0.0, held, 0.0)]);
        let made = Made::load(per_s, response_ms)
            .at("http://127.0.0.1:8000/")
            .process("shop[8000]", 0.01, 4.0)
            .capture(&thing(EntityKind::Host, ""), "wire", "steady", &wire);
        let seen = account(&made);
        if held >= 1.0 {
            let inside = ms(&seen, PartKind::WaitingInside, "shop[8000]");
            assert!(inside > 0.9 * response_ms, "{held}: {seen:?}");
        }
    }
}

/// 20 requests at a front, which calls a back at the same port of another host; the generator is not watched.
fn behind(there_ms: f64) -> Account {
    let there = 100.0 * there_ms / 1e3;
    let front = hop(
        ("", "10.0.0.2"),
        ("front[8080]", "10.0.0.3:8080"),
        100.0,
        20.0,
    );
    let call = hop(
        ("front[8080]", "10.0.0.3"),
        ("", "10.0.0.8:8080"),
        100.0,
        there,
    );
    let back = hop(
        ("", "10.0.0.3"),
        ("back[8080]", "10.0.0.4:8080"),
        100.0,
        there,
    );
    let near = look(&[front, call], &[serves("front[8080]", 100.0, 20.0, there)]);
    let far = look(&[back], &[serves("back[8080]", 100.0, there, 0.0)]);
    let made = Made::load(100.0, 200.0)
        .at("http://front:8080/")
        .process("front[8080]", 0.01, 4.0)
        .capture(&thing(EntityKind::Host, ""), "wire", "steady", &near)
        .capture(
            &Entity::new(EntityKind::Host, "", "far"),
            "wire",
            "steady",
            &far,
        );
    account(&made)
}

#[test]
fn whoever_is_called_by_the_first_is_no_door() {
    for there_ms in [20.0, 100.0, 150.0, 190.0] {
        let seen = behind(there_ms);
        let inside = ms(&seen, PartKind::WaitingInside, "front[8080]");
        assert!(
            (inside - (200.0 - there_ms)).abs() < 2.0,
            "{there_ms}: {seen:?}"
        );
        assert_eq!(
            ms(&seen, PartKind::WaitingInside, "back[8080]"),
            0.0,
            "{seen:?}"
        );
    }
}

#[test]
fn what_others_ask_at_the_door_is_none_of_the_loads_time() {
    for others in [0.0, 100.0, 300.0] {
        // A request is there for 120 ms of the 200 that the load sees.
        let own = hop(
            ("", "10.0.0.2"),
            ("shop[8080]", "10.0.0.3:8080"),
            100.0,
            12.0,
        );
        let other = hop(
            ("", "10.0.0.9"),
            ("shop[8080]", "10.0.0.3:8080"),
            others,
            others * 0.12,
        );
        let all = 100.0 + others;
        let wire = look(&[own, other], &[serves("shop[8080]", all, all * 0.12, 0.0)]);
        let made = Made::load(100.0, 200.0)
            .at("http://shop:8080/")
            .process("shop[8080]", 0.01, 4.0)
            .capture(&thing(EntityKind::Host, ""), "wire", "steady", &wire);
        let seen = account(&made);
        assert!(
            (ms(&seen, PartKind::Network, "") - 80.0).abs() < 1.0,
            "{others}: {seen:?}"
        );
    }
}

#[test]
fn a_look_of_another_moment_is_left_out() {
    let near = |from_s: i64| {
        (
            from_s,
            look(
                &[
                    hop(GENERATOR, ("shop[8000]", "127.0.0.1:8000"), 80.0, 19.6),
                    hop(
                        ("shop[8000]", "10.0.0.3"),
                        ("", "10.0.0.8:5432"),
                        80.0,
                        10.0,
                    ),
                ],
                &[serves("shop[8000]", 80.0, 19.6, 10.0)],
            ),
        )
    };
    let far = look(
        &[hop(
            ("", "10.0.0.3"),
            ("store[5432]", "10.0.0.8:5432"),
            80.0,
            10.0,
        )],
        &[serves("store[5432]", 80.0, 10.0, 0.0)],
    );
    let there = Entity::new(EntityKind::Host, "", "far");
    // The other host's looks: in the same seconds, and long before.
    for apart in [0, 12] {
        let mut made = Made::load(80.0, 250.0)
            .at("http://127.0.0.1:8000/")
            .process("shop[8000]", 0.01, 4.0);
        made = made.capture(&there, "wire", "steady", &far);
        for _ in 0..apart {
            made = made.capture(&thing(EntityKind::Host, ""), "none", "steady", "");
        }
        let (_, own) = near(0);
        let made = made.capture(&thing(EntityKind::Host, ""), "wire", "steady", &own);
        let scene = made.scene();
        let wire = super::super::wire::read(&scene).unwrap();
        assert!(wire.lasts_s() <= 6.0, "{apart}: {:?}", wire.stretch_ms);
        let knows = wire
            .hops
            .iter()
            .any(|hop| hop.server.process == "store[5432]");
        assert_eq!(knows, apart == 0);
    }
}

#[test]
fn a_socket_of_the_file_system_has_no_queue_of_a_port() {
    let wire = look(
        &[
            hop(GENERATOR, ("nginx[80]", "127.0.0.1:80"), 80.0, 19.6),
            hop(
                ("nginx[80]", ""),
                ("php-fpm[9]", "unix:/run/php.sock"),
                80.0,
                19.0,
            ),
        ],
        &[
            serves("nginx[80]", 80.0, 19.6, 19.0),
            serves("php-fpm[9]", 80.0, 19.0, 0.0),
        ],
    );
    let host = thing(EntityKind::Host, "");
    let port = [("server.port", "80")];
    let made = Made::load(80.0, 250.0)
        .at("http://127.0.0.1:80/")
        .process("nginx[80]", 0.01, 4.0)
        .process("php-fpm[9]", 0.01, 4.0)
        .gauge(&host, "system.tcp.listen.queue.length", &port, 8.0)
        .capture(&host, "wire", "steady", &wire);
    let seen = account(&made);
    assert_eq!(
        ms(&seen, PartKind::AcceptQueue, "php-fpm[9]"),
        0.0,
        "{seen:?}"
    );
}
