//! Advice whose value fits: what is behind has room for it, and it is more than there is.

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::EntityKind;
use serde_json::json;

use super::principles::{hop, serves};
use super::{JVM, SLEEPS, limits, with};
use crate::model::{Finding, Layer};
use crate::testing::{Made, thing};

const NAME: [(&str, &str); 1] = [("db.client.connection.pool.name", "HikariPool-1")];

fn proposed(finding: &Finding) -> Option<f64> {
    finding.advice[0].proposed.as_ref()?.parse().ok()
}

/// A pool of 10 that is used up, of a process, while so many requests wait.
fn full_pool(made: Made, process: &str, pending: f64) -> Made {
    let pool = thing(EntityKind::Pool, process);
    let used = [NAME[0], ("db.client.connection.state", "used")];
    made.process(process, 0.1, 2.0)
        .gauge(&pool, "db.client.connection.max", &NAME, 10.0)
        .gauge(&pool, "db.client.connection.count", &used, 10.0)
        .gauge(
            &pool,
            "db.client.connection.pending_requests",
            &NAME,
            pending,
        )
}

#[test]
fn a_pool_grows_no_further_than_the_database_lets_it() {
    let database = thing(EntityKind::Database, "postgresql:5432");
    let made = |pending: f64, limit: f64, taken: f64| {
        full_pool(Made::load(20.0, 10_000.0), JVM, pending)
            .gauge(&database, "postgresql.connection.max", &[], limit)
            .gauge(&database, "postgresql.connection.count", &[], taken)
            .find("connection_pool")
            .unwrap()
    };
    // As many as wait, and as the database has room for: three are kept for superusers, one is the watcher's.
    assert_eq!(proposed(&made(60.0, 1_000.0, 10.0)), Some(70.0));
    assert_eq!(proposed(&made(190.0, 100.0, 10.0)), Some(10.0 + 86.0));
    // Where ordinary logins take no more, its limit is named.
    for taken in [96.0, 95.0] {
        let finding = made(190.0, 100.0, taken);
        assert!(
            finding
                .advice
                .iter()
                .all(|advice| advice.proposed.is_none()),
            "{finding:?}"
        );
    }
    let reached = full_pool(Made::load(20.0, 10_000.0), JVM, 190.0)
        .gauge(&database, "postgresql.connection.max", &[], 100.0)
        .gauge(&database, "postgresql.connection.count", &[], 96.0);
    assert_eq!(reached.all()[0].id, "connection_limit");
}

#[test]
fn pools_of_the_same_name_are_of_their_own_services() {
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [
            hop("plimsoll[7]", "java[8080]", "127.0.0.1:8080", 10.0, 100.0),
            hop("plimsoll[7]", "java[8081]", "127.0.0.1:8081", 10.0, 100.0),
        ],
        "processes": [serves("java[8080]", 10.0, 100.0, 0.0), serves("java[8081]", 10.0, 100.0, 0.0)],
    });
    let host = thing(EntityKind::Host, "");
    let made = Made::load(20.0, 10_000.0).at("http://127.0.0.1:8080/");
    let made = full_pool(full_pool(made, "java[8080]", 30.0), "java[8081]", 60.0);
    let made = made.capture(&host, "wire", "steady", &wire.to_string());
    let found = made.all();
    let mut shares: Vec<(&str, i64)> = found
        .iter()
        .filter(|finding| finding.id == "connection_pool")
        .map(|finding| {
            let percent = (finding.explains.share * 100.0).round();
            #[expect(clippy::cast_possible_truncation, reason = "a percentage")]
            (finding.object.process.as_str(), percent as i64)
        })
        .collect();
    shares.sort_unstable();
    // Each of its own requests: 100 of the 200.
    assert_eq!(
        shares,
        [("java[8080]", 30), ("java[8081]", 60)],
        "{found:?}"
    );
}

fn two_tomcats(in_flight_each: f64) -> Vec<Finding> {
    let names = ["java[8080]", "java[8081]"];
    let per_s = 10.0 * in_flight_each;
    let wire = json!({
        "version": 1, "lasts_ms": 3000.0,
        "hops": [
            hop("plimsoll[7]", names[0], "127.0.0.1:8080", per_s, in_flight_each),
            hop("plimsoll[7]", names[1], "127.0.0.1:8081", per_s, in_flight_each),
        ],
        "processes": [
            serves(names[0], per_s, in_flight_each, 0.0), serves(names[1], per_s, in_flight_each, 0.0),
        ],
    });
    let pool = [("tomcat.thread.pool.name", "http-nio")];
    let made = Made::load(2.0 * per_s, 100.0).at("http://127.0.0.1:8080/");
    let made = names.iter().fold(made, |made, name| {
        let server = thing(EntityKind::WebServer, name);
        made.process(name, 0.3, 2.0)
            .gauge(
                &server,
                "tomcat.thread.busy.count",
                &pool,
                in_flight_each.min(200.0),
            )
            .gauge(&server, "tomcat.thread.limit", &pool, 200.0)
    });
    let host = thing(EntityKind::Host, "");
    made.capture(&host, "wire", "steady", &wire.to_string())
        .all()
}

#[test]
fn threads_of_several_instances_have_each_their_own_requests() {
    let of = |found: &[Finding]| {
        found
            .iter()
            .filter(|one| one.id == "worker_threads")
            .count()
    };
    // 190 of 200 threads in each, and nobody waits.
    assert_eq!(of(&two_tomcats(190.0)), 0);
    assert_eq!(of(&two_tomcats(300.0)), 2);
}

#[test]
fn threads_that_wait_for_a_full_database_are_not_to_be_more() {
    let made = |database: f64| {
        let fpm = thing(EntityKind::WebServer, "php-fpm[9]");
        Made::load(100.0, 400.0)
            .process("php-fpm[9]", 0.3, 4.0)
            .process("mysqld[3306]", database, 2.0)
            .gauge(&fpm, "php_fpm.process.active.count", &[], 20.0)
            .gauge(&fpm, "php_fpm.process.limit", &[], 20.0)
            .all()
    };
    let with_room = made(0.3);
    assert_eq!(limits(&with_room), ["worker_threads"], "{with_room:?}");
    let full = made(1.98);
    assert_eq!(full[0].id, "database_cpu", "{full:?}");
    let workers = full.iter().find(|finding| finding.id == "worker_threads");
    let workers = workers.unwrap();
    assert_eq!(workers.layer, Layer::Hint);
    assert!(workers.advice.iter().all(|advice| advice.setting.is_none()));
}

#[test]
fn an_accept_queue_is_never_to_be_shorter() {
    let host = thing(EntityKind::Host, "");
    let made = |limit: f64, kernel: &str| {
        let of = [("server.port", "8000")];
        let made = Made::load(100.0, 300.0)
            .process("redis-server[8000]", 0.1, 2.0)
            .counter(&host, "system.tcp.listen.overflows", &[], 5.0)
            .gauge(&host, "system.tcp.listen.queue.length", &of, limit)
            .gauge(&host, "system.tcp.listen.queue.limit", &of, limit)
            .errors(ErrorKind::ConnectTimeout, 400)
            .fact(&host, "net.core.somaxconn", kernel);
        made.find("accept_queue").unwrap()
    };
    for (limit, kernel, setting, wanted) in [
        (128.0, "4096", "tcp-backlog", 512.0),
        (1_000.0, "4096", "tcp-backlog", 2_000.0),
        (3_000.0, "4096", "tcp-backlog", 4_096.0),
        // The kernel's own limit comes first.
        (4_096.0, "4096", "net.core.somaxconn", 8_192.0),
        (128.0, "128", "net.core.somaxconn", 512.0),
    ] {
        let finding = made(limit, kernel);
        assert_eq!(
            finding.advice[0].setting.as_deref(),
            Some(setting),
            "{limit}"
        );
        assert_eq!(proposed(&finding), Some(wanted), "{limit}");
    }
}

#[test]
fn one_failed_request_makes_no_counter_the_cause() {
    let database = thing(EntityKind::Database, "mysql:3306");
    let threads = [("mysql.thread.kind", "connected")];
    let made = |failed: u64| {
        Made::load(1_000.0, 30.0)
            .process("mysqld[3306]", 0.1, 2.0)
            .fact(&database, "mysql.max_connections", "151")
            .gauge(&database, "mysql.threads", &threads, 147.0)
            .errors(ErrorKind::ReadTimeout, failed)
            .find("connection_limit")
            .unwrap()
            .layer
    };
    assert_eq!(made(1), Layer::Hint);
    assert_eq!(made(2_000), Layer::Cause);
}

#[test]
fn a_quota_is_not_to_be_more_than_the_host_has() {
    // Of a host of 8.
    let advice = |limit: f64| {
        let made = Made::load(100.0, 100.0).process("shop[8000]", limit, limit);
        let found = made.find("cpu");
        proposed(&found.unwrap_or_else(|| panic!("{:?}", made.all())))
    };
    assert_eq!(advice(1.0), Some(2.0));
    assert_eq!(advice(6.0), Some(8.0));
}

#[test]
fn connections_that_turn_nobody_away_are_no_fault() {
    let server = thing(EntityKind::WebServer, JVM);
    let made = |limit: f64| {
        let made = Made::load(100.0, 100.0)
            .process(JVM, 0.3, 2.0)
            .gauge(&server, "tomcat.connection.count", &[], limit)
            .gauge(&server, "tomcat.connection.limit", &[], limit);
        with(made, &[(5, SLEEPS)]).find("max_connections").unwrap()
    };
    // 20 users, each of whom has a connection; or only half of them.
    assert_eq!(made(20.0).layer, Layer::Hint);
    let half = made(10.0);
    assert_eq!((half.layer, half.explains.share), (Layer::Cause, 0.5));
}

#[test]
fn a_single_user_who_waits_is_no_target_that_stands_still() {
    let still = |waiting: u64| {
        let made = Made::load(50.0, 20.0).stands_still(8..11, waiting);
        made.find("stood_still").is_some()
    };
    assert!(!still(1));
    assert!(still(20));
    // A kind of requests that takes as long by itself.
    let slow = Made::load(50.0, 20.0)
        .label("report", 0.01, 3_000.0)
        .stands_still(8..11, 2);
    assert!(slow.find("stood_still").is_none());
}

#[test]
fn threads_of_their_own_for_each_request_are_no_single_thread() {
    let made = |in_flight: f64| {
        let process = thing(EntityKind::Process, "backend[9]");
        let made = Made::load(10.0 * in_flight, 100.0).process("backend[9]", 2.0, 16.0);
        let made = (0..2).fold(made, |made, id| {
            let id = id.to_string();
            let thread = [("thread.name", "conn"), ("thread.id", id.as_str())];
            made.counter(&process, "process.thread.cpu.time", &thread, 0.98)
        });
        made.find("single_thread").is_some()
    };
    assert!(!made(2.0));
    assert!(made(8.0));
}
