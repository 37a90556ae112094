#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};

use crate::model::Layer;
use crate::testing::{Made, thing};

const IN_QUERY: &[&str] = &[
    "sun.nio.ch.SocketDispatcher.read0",
    "org.mariadb.jdbc.client.socket.impl.PacketReader.readReusablePacket",
    "org.springframework.jdbc.core.JdbcTemplate.execute",
    "com.shop.Orders.open",
];
const IN_POOL: &[&str] = &[
    "jdk.internal.misc.Unsafe.park",
    "com.zaxxer.hikari.pool.HikariPool.getConnection",
    "com.shop.Orders.open",
];
const AT_WORK: &[&str] = &["com.shop.Orders.sum"];

fn database() -> Arc<Entity> {
    thing(EntityKind::Database, "mysql:3306")
}

/// Executions a second, time of one, rows examined and sent by one, share without index.
struct Form(f64, f64, f64, f64, f64);

fn with(made: Made, digest: &str, text: &str, form: &Form) -> Made {
    let of = &database();
    let attribute = [("mysql.digest", digest)];
    let Form(rate, each_s, examined, sent, no_index) = *form;
    made.counter(of, "mysql.statement.count", &attribute, rate)
        .counter(of, "mysql.statement.time", &attribute, rate * each_s)
        .counter(
            of,
            "mysql.statement.rows_examined",
            &attribute,
            rate * examined,
        )
        .counter(of, "mysql.statement.rows_sent", &attribute, rate * sent)
        .counter(
            of,
            "mysql.statement.no_index.count",
            &attribute,
            rate * no_index,
        )
        .fact(of, &format!("mysql.digest.{digest}"), text)
}

const COUNT: &str = "SELECT `COUNT` ( * ) FROM `shop` . `orders` WHERE `status` != ? ";
const ONE: &str = "SELECT * FROM `orders` WHERE `id` = ? ";

fn scanning(form: &Form) -> Made {
    let plan = r#"{"running":[],"statements":[{"digest":"shop.a1","text":"","plan":
        [{"table":"orders","type":"ALL","key":"","rows":"998001","extra":"Using where"}]}]}"#;
    let made = Made::load(5.0, 3_000.0)
        .process("mariadbd[3306]", 0.8, 0.8)
        .capture(&database(), "slow_queries", "steady", plan)
        .threads(&[(8, IN_QUERY), (6, IN_POOL), (1, AT_WORK)]);
    with(made, "shop.a1", COUNT, form)
}

#[test]
fn a_scan_is_found_before_the_cpu_that_it_uses_up() {
    let all = scanning(&Form(5.0, 2.0, 1e6, 1.0, 1.0)).all();
    let first = &all[0];
    assert_eq!(
        (first.id, first.object.name.as_str()),
        ("full_scan", "orders")
    );
    assert!(first.explains.share > 0.9);
    let lines: Vec<_> = first.evidence.iter().flat_map(|each| &each.lines).collect();
    for expected in ["`status` != ?", "type: ALL", "com.shop.Orders.open"] {
        assert!(
            lines.iter().any(|line| line.contains(expected)),
            "{lines:?}"
        );
    }
    let text = &first.advice[0].why;
    assert_eq!(text.id, "advice-full-scan");
    assert!(all.iter().any(|finding| finding.id == "database_cpu"));
}

#[test]
fn reads_by_an_index_and_small_tables_are_no_scans() {
    for form in [
        Form(5.0, 2.0, 1e6, 1.0, 0.0),
        Form(5.0, 2.0, 50.0, 1.0, 1.0),
        Form(5.0, 2.0, 1e6, 1e6, 1.0),
        Form(5.0, 0.001, 1e6, 1.0, 1.0),
    ] {
        let made = with(
            scanning(&form),
            "shop.b2",
            ONE,
            &Form(50.0, 0.01, 1.0, 1.0, 0.0),
        );
        let scan = made
            .find("full_scan")
            .filter(|_| form.1 < 0.1 || form.2 < 1e6);
        assert_eq!(scan, None);
        if form.4 < 1.0 || form.3 > 1.0 {
            assert_eq!(made.find("full_scan"), None);
        }
    }
}

#[test]
fn without_statistics_the_rows_read_tell_of_scans() {
    let of = &database();
    let running = r#"{"running":[{"text":"SELECT * FROM `orders` WHERE a <> ?","plan":null}]}"#;
    let made = |rows: f64| {
        Made::load(5.0, 3_000.0)
            .counter(
                of,
                "mysql.handlers",
                &[("mysql.handler", "read_rnd_next")],
                rows,
            )
            .counter(of, "mysql.scans", &[("mysql.scan", "select")], 5.0)
            .capture(of, "slow_queries", "steady", running)
            .threads(&[(8, IN_QUERY), (1, AT_WORK)])
    };
    let finding = made(5e6).find("full_scan").unwrap();
    assert_eq!(finding.object.name, "orders");
    assert!(finding.confidence < 0.9);
    assert_eq!(made(100.0).find("full_scan"), None);
}

fn repeated(rate: f64, in_query: usize) -> Made {
    let made = Made::load(300.0, 50.0)
        .process("mariadbd[3306]", 0.3, 0.6)
        .threads(&[(in_query, IN_QUERY), (16 - in_query, AT_WORK)]);
    let made = with(made, "shop.b2", ONE, &Form(rate, 0.000_2, 1.0, 1.0, 0.0));
    with(
        made,
        "shop.c3",
        "COMMIT",
        &Form(300.0, 0.000_1, 0.0, 0.0, 0.0),
    )
}

#[test]
fn a_query_for_each_row_is_found_by_its_table() {
    let finding = repeated(6_000.0, 14).find("many_queries").unwrap();
    assert_eq!(finding.object.name, "orders");
    assert!((0.8..0.9).contains(&finding.explains.share));
    assert_eq!(repeated(600.0, 14).find("many_queries"), None);
    assert_eq!(repeated(6_000.0, 2).find("many_queries"), None);
}

#[test]
fn a_slow_statement_is_found_while_the_database_has_room() {
    let made = |database_cpu: f64| {
        let made = Made::load(20.0, 500.0)
            .process("mariadbd[3306]", database_cpu, 1.0)
            .threads(&[(10, IN_QUERY)]);
        with(made, "shop.d4", ONE, &Form(20.0, 0.45, 1.0, 1.0, 0.0))
    };
    assert_eq!(
        made(0.1).find("slow_statement").unwrap().object.name,
        "orders"
    );
    assert_eq!(made(1.0).find("slow_statement"), None);
}

#[test]
fn rows_that_are_waited_for_are_found_by_their_table() {
    let of = &database();
    let status = "---TRANSACTION 42, ACTIVE 1 sec\nLOCK WAIT 2 lock struct(s)\nUPDATE `stock` SET ?\n\
        ------- TRX HAS BEEN WAITING 1 SEC FOR THIS LOCK TO BE GRANTED:\n\
        RECORD LOCKS space id 5 index PRIMARY of table `shop`.`stock` trx id 42 lock_mode X\n";
    let made = |waiting: f64| {
        let made = Made::load(20.0, 500.0)
            .counter(of, "mysql.row_locks.time", &[], waiting)
            .counter(of, "mysql.row_locks.waits", &[], 20.0)
            .capture(of, "innodb_status", "steady", status)
            .threads(&[(10, IN_QUERY)]);
        with(
            made,
            "shop.e5",
            "UPDATE `stock` SET ?",
            &Form(20.0, 0.45, 1.0, 0.0, 0.0),
        )
    };
    let all = made(8.0).all();
    assert_eq!(
        (all[0].id, all[0].object.name.as_str()),
        ("row_locks", "stock")
    );
    assert!(all.iter().all(|finding| finding.id != "slow_statement"));
    assert_eq!(made(0.5).find("row_locks"), None);
}

#[test]
fn a_database_that_was_not_watched_is_told_by_threads() {
    let waiting = Made::load(20.0, 500.0).threads(&[(9, IN_QUERY), (1, AT_WORK)]);
    let finding = waiting.find("slow_database").unwrap();
    assert_eq!(finding.object.name, "com.shop.Orders.open");
    let busy = Made::load(20.0, 500.0).threads(&[(1, IN_QUERY), (9, AT_WORK)]);
    assert_eq!(busy.find("slow_database"), None);
}

/// A pool of ten connections, all at a statement, before which the other requests wait.
fn behind_pool(busy: f64) -> Made {
    let of = &database();
    let executes = [
        ("mysql.thread.command", "Execute"),
        ("mysql.thread.state", ""),
    ];
    Made::load(20.0, 5_000.0)
        .gauge(of, "mysql.process.count", &executes, busy)
        .threads(&[(10, IN_QUERY), (90, IN_POOL)])
}

#[test]
fn rows_that_a_few_connections_wait_for_hold_up_all_before_their_pool() {
    let of = &database();
    let made = |waiting: f64| {
        behind_pool(10.0)
            .counter(of, "mysql.row_locks.time", &[], waiting)
            .counter(of, "mysql.row_locks.waits", &[], 20.0)
    };
    let layer = |made: &Made, id: &str| made.find(id).map(|finding| finding.layer);
    let locked = made(9.0);
    let rows = locked.find("row_locks").unwrap();
    assert!((rows.explains.share - 0.9).abs() < 0.01, "{rows:?}");
    assert_eq!(layer(&locked, "connection_pool"), Some(Layer::Hint));
    let free = made(0.2);
    assert_eq!(layer(&free, "row_locks"), None);
    assert_eq!(layer(&free, "connection_pool"), Some(Layer::Cause));
}

#[test]
fn tables_that_are_waited_for_are_named_by_what_locks_them() {
    let of = &database();
    let running = r#"{"statements":[],"running":[
        {"seconds":9,"state":"Waiting for table metadata lock","text":"SELECT * FROM `stock` WHERE `id` = ?"},
        {"seconds":9,"state":"Waiting for table metadata lock","text":"ALTER TABLE `shop`.`orders` ADD COLUMN `x` INT"},
        {"seconds":60,"state":"Sending data","text":"SELECT * FROM `orders`"}]}"#;
    let made = |waiting: f64| {
        let waits = [
            ("mysql.thread.command", "Query"),
            ("mysql.thread.state", "Waiting for table metadata lock"),
        ];
        behind_pool(10.0 - waiting)
            .gauge(of, "mysql.process.count", &waits, waiting)
            .capture(of, "slow_queries", "steady", running)
    };
    let all = made(9.0).all();
    assert_eq!(
        (all[0].id, all[0].object.name.as_str()),
        ("table_locks", "orders")
    );
    assert!(
        all[0].evidence[1].lines[0].contains("ALTER TABLE"),
        "{all:?}"
    );
    assert_eq!(made(0.3).find("table_locks"), None);
}
