//! A consequence never stands above its cause.

use std::sync::Arc;

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::{Lang, render};

use super::{JVM, with};
use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

const AT_DATABASE: (&str, &str) = (
    "RUNNABLE",
    "\tat sun.nio.ch.SocketDispatcher.read0(Native Method)\n\
     \tat org.mariadb.jdbc.client.socket.impl.PacketReader.readReusablePacket(P.java:1)\n\
     \tat com.shop.Orders.open(Orders.java:4)\n",
);
const IN_POOL: (&str, &str) = (
    "TIMED_WAITING (parking)",
    "\tat jdk.internal.misc.Unsafe.park(Native Method)\n\
     \tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)\n\
     \tat com.shop.Orders.open(Orders.java:3)\n",
);

fn layer(found: &[Finding], id: &str) -> Option<Layer> {
    found.iter().find(|one| one.id == id).map(|one| one.layer)
}

/// Ten requests in flight at one statement of 450 ms, while the database's CPU has room.
fn slow_statement() -> Made {
    let database = thing(EntityKind::Database, "mysql:3306");
    let form = [("mysql.digest", "shop.d4")];
    let made = Made::load(20.0, 500.0)
        .process("mariadbd[3306]", 0.1, 1.0)
        .counter(&database, "mysql.statement.count", &form, 20.0)
        .counter(&database, "mysql.statement.time", &form, 9.0)
        .counter(&database, "mysql.statement.rows_examined", &form, 20.0)
        .counter(&database, "mysql.statement.rows_sent", &form, 20.0)
        .counter(&database, "mysql.statement.no_index.count", &form, 0.0)
        .fact(
            &database,
            "mysql.digest.shop.d4",
            "SELECT * FROM `orders` WHERE `id` = ? ",
        );
    with(made, &[(10, AT_DATABASE)])
}

/// A disk of a host that is busy for that share of the time with what the database writes.
fn busy_disk(made: Made, host: &Arc<Entity>, used: f64) -> Made {
    let device = ("system.device", "sda");
    let write = ("disk.io.direction", "write");
    let process = Entity::new(EntityKind::Process, "mariadbd[3306]", host.host.clone());
    made.counter(host, "system.disk.io_time", &[device], used)
        .counter(host, "system.disk.operations", &[device, write], 100.0)
        .counter(host, "system.disk.operation_time", &[device, write], 3.0)
        .counter(host, "system.disk.io", &[device, write], 50e6)
        .counter(&process, "process.disk.io", &[write], 45e6)
        .counter(
            host,
            "system.pressure.stall.time",
            &[("pressure.resource", "io"), ("pressure.stall", "some")],
            0.8,
        )
}

#[test]
fn a_slow_statement_stands_below_the_disk_that_it_waits_for() {
    let alone = slow_statement().all();
    assert_eq!(layer(&alone, "slow_statement"), Some(Layer::Cause));
    let host = thing(EntityKind::Host, "");
    let found = busy_disk(slow_statement(), &host, 0.97).all();
    assert_eq!(found[0].id, "disk_busy", "{found:?}");
    let statement = found.iter().find(|one| one.id == "slow_statement").unwrap();
    assert_eq!(statement.layer, Layer::Hint);
    let why = statement.evidence.last().unwrap();
    for lang in [Lang::En, Lang::Zh] {
        assert!(render(lang, &why.text).contains("sda"), "{why:?}");
    }
    // A disk with room, and one of another host, explain nothing.
    let free = busy_disk(slow_statement(), &host, 0.3).all();
    assert_eq!(layer(&free, "slow_statement"), Some(Layer::Cause));
    let elsewhere = Entity::new(EntityKind::Host, "", "backup");
    let other = busy_disk(slow_statement(), &elsewhere, 0.97).all();
    assert_eq!(layer(&other, "slow_statement"), Some(Layer::Cause));
}

/// Threads of a JVM that wait for a connection, on a host of 8 CPUs with so many idle.
fn full_pool(used: f64, waits: f64, idle: f64) -> Vec<Finding> {
    let (host, process) = (thing(EntityKind::Host, ""), thing(EntityKind::Process, JVM));
    let mode = |mode| [("cpu.mode", mode)];
    let made = Made::load(100.0, 200.0)
        .process(JVM, used, 8.0)
        .counter(&host, "system.cpu.time", &mode("user"), 8.0 - idle)
        .counter(&host, "system.cpu.time", &mode("idle"), idle)
        .counter(&process, "process.cpu.wait_time", &[], waits);
    with(made, &[(16, IN_POOL), (4, AT_DATABASE)]).all()
}

#[test]
fn a_full_pool_stands_below_a_host_without_cpu() {
    let room = full_pool(1.0, 0.1, 6.0);
    assert_eq!(
        layer(&room, "connection_pool"),
        Some(Layer::Cause),
        "{room:?}"
    );
    // Others take the CPU; all that is watched uses it up together.
    for (used, waits, cause) in [(2.0, 15.0, "cpu_taken"), (6.0, 1.0, "host_cpu")] {
        let found = full_pool(used, waits, 0.1);
        assert_eq!(found[0].id, cause, "{found:?}");
        assert_ne!(
            layer(&found, "connection_pool"),
            Some(Layer::Cause),
            "{found:?}"
        );
    }
}

/// A database that uses so many of 2 CPUs, which are all in use, and a service that uses others of them.
fn beside_a_database(database: f64, service: f64) -> Vec<Finding> {
    let (host, process) = (
        thing(EntityKind::Host, ""),
        thing(EntityKind::Process, "postgres[5432]"),
    );
    let mode = |mode| [("cpu.mode", mode)];
    Made::load(80.0, 120.0)
        .process("postgres[5432]", database, 2.0)
        .process("shop[8000]", service, 2.0)
        .counter(&host, "system.cpu.time", &mode("user"), 1.9)
        .counter(&host, "system.cpu.time", &mode("idle"), 0.1)
        .counter(&process, "process.cpu.wait_time", &[], 2.3)
        .all()
}

#[test]
fn a_full_host_stands_below_the_process_that_does_nearly_all_there() {
    let found = beside_a_database(1.75, 0.05);
    assert_eq!(found[0].id, "database_cpu", "{found:?}");
    assert_ne!(
        layer(&found, "host_cpu"),
        Some(Layer::Resource),
        "{found:?}"
    );
    let found = beside_a_database(1.0, 0.8);
    assert_eq!(found[0].id, "host_cpu", "{found:?}");
}

#[test]
fn a_generator_that_touches_no_mean_is_not_what_limits() {
    let layer = |figures: &[&str]| {
        let made = Made::load(100.0, 100.0).process("shop[8000]", 0.2, 2.0);
        let made = figures
            .iter()
            .fold(made, |made, figure| made.generator_touches(figure));
        made.find("generator_late").map(|found| found.layer)
    };
    // A percentile among quick requests, beside slow ones that make the mean.
    assert_eq!(layer(&["p50"]), Some(Layer::Hint));
    assert_eq!(layer(&["mean", "p50"]), Some(Layer::Measurement));
}
