//! Real web servers, pools and clients in the lab's service, by actuator and by Jolokia, beside
//! what curl, mysqladmin and redis-cli say.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use plimsoll_watch::Look;
use support::java::join_jolokia;
use support::mariadb::MariaDb;
use support::{Lab, Process, curl, free_port, look, look_soon, open, program, value};

/// The first sample that begins so, as curl gets it.
fn sample(text: &str, begin: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(begin));
    let line = line.unwrap_or_else(|| panic!("no {begin} in {text}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn has(look: &Look, name: &str, attributes: &[(&str, &str)]) -> f64 {
    value(look, name, attributes).unwrap_or_else(|| {
        let known: Vec<_> = look.points().map(|(key, _)| key.name.as_ref()).collect();
        panic!("no {name} {attributes:?} in {known:?}")
    })
}

#[tokio::test]
async fn jetty_in_the_labs_service() {
    let lab = Lab::with_server("watch-jetty", "jetty", &["--server.jetty.threads.max=23"]);
    let mut source = open("actuator", &format!("{}/actuator", lab.management), &[]);
    curl(&format!("{}/hello", lab.url));
    let seen = look_soon(&mut source.collectors[0]).await;
    let text = curl(&format!("{}/actuator/prometheus", lab.management));
    assert_eq!(has(&seen, "jetty.thread.limit", &[]), 23.0);
    assert_eq!(sample(&text, "jetty_threads_config_max"), 23.0);
    let count = has(&seen, "jetty.thread.count", &[]);
    let busy = has(&seen, "jetty.thread.busy.count", &[]);
    let idle = has(&seen, "jetty.thread.idle.count", &[]);
    assert!(count >= 1.0 && busy <= count && idle <= count);
    assert_eq!(has(&seen, "jetty.thread.queue.size", &[]), 0.0);
}

#[tokio::test]
async fn undertow_in_the_labs_service_by_jolokia() {
    let arguments = ["--server.undertow.threads.worker=19"];
    let lab = Lab::with_server("watch-undertow", "undertow", &arguments);
    let url = join_jolokia(lab.pid);
    curl(&format!("{}/hello", lab.url));
    let mut source = open("jolokia", &url, &[]);
    let seen = look_soon(&mut source.collectors[0]).await;
    let worker = [("undertow.worker.name", "XNIO-1")];
    assert_eq!(has(&seen, "undertow.thread.limit", &worker), 19.0);
    let theirs = curl(&format!(
        "{url}read/org.xnio:type=Xnio,provider=%22nio%22,worker=%22XNIO-1%22"
    ));
    let theirs: serde_json::Value = serde_json::from_str(&theirs).unwrap();
    let io = theirs["value"]["IoThreadCount"].as_f64().unwrap();
    assert_eq!(has(&seen, "undertow.io_thread.count", &worker), io);
    assert!(has(&seen, "undertow.thread.count", &worker) >= 1.0);
    assert_eq!(has(&seen, "undertow.thread.queue.size", &worker), 0.0);
    let address = lab.url.trim_start_matches("http://").to_owned();
    let mut kept = TcpStream::connect(&address).unwrap();
    // The worker has taken the connection once it has responded.
    write!(kept, "GET /status/200 HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    assert!(kept.read(&mut [0; 16]).unwrap() > 0);
    let seen = look(&mut source.collectors[0]).await;
    assert_eq!(has(&seen, "undertow.connection.count", &worker), 1.0);
    assert!(has(&seen, "jvm.cpu.time", &[]) > 0.0);
}

#[tokio::test]
async fn tomcat_by_jolokia_and_by_actuator_is_the_same() {
    let lab = Lab::start("watch-jolokia", &["--server.tomcat.threads.max=9"]);
    let url = join_jolokia(lab.pid);
    for _ in 0..3 {
        curl(&format!("{}/hello", lab.url));
    }
    let mut beans = open("jolokia", &url, &[]);
    let mut actuator = open("actuator", &format!("{}/actuator", lab.management), &[]);
    let theirs = look_soon(&mut actuator.collectors[0]).await;
    let ours = look_soon(&mut beans.collectors[0]).await;
    let name = "http-nio-127.0.0.1-auto-1";
    let threads = [("tomcat.thread.pool.name", name)];
    let requests = [("tomcat.request.processor.name", name)];
    for (series, attributes) in [
        ("tomcat.thread.limit", &threads),
        ("tomcat.connection.limit", &threads),
        ("tomcat.request.count", &requests),
    ] {
        let same = has(&theirs, series, attributes);
        assert_eq!(has(&ours, series, attributes), same, "{series}");
    }
    assert_eq!(has(&ours, "tomcat.thread.limit", &threads), 9.0);
    assert_eq!(
        has(&ours, "tomcat.connection.accept.limit", &threads),
        100.0
    );
    assert_eq!(has(&ours, "tomcat.session.active.count", &[]), 0.0);
    let heap = |look: &Look| {
        let pools = look.points().filter(|(key, _)| {
            key.name == "jvm.memory.committed" && key.attribute("jvm.memory.type") == Some("heap")
        });
        pools.map(|(_, value)| value).sum::<f64>()
    };
    assert_eq!(heap(&ours), heap(&theirs));
    let classes = has(&ours, "jvm.class.count", &[]);
    assert!(classes >= has(&theirs, "jvm.class.count", &[]));
}

#[tokio::test]
async fn a_pool_and_a_redis_client_in_the_labs_service() {
    let server = MariaDb::start();
    server.wait_until_up();
    server.sql(
        "create database shop; create user 'shop'@'127.0.0.1' identified by 'geheim';
         grant all on shop.* to 'shop'@'127.0.0.1';",
    );
    let redis = Process::redis(free_port());
    let database = format!("jdbc:mariadb://127.0.0.1:{}/shop", server.port);
    let lab = Lab::start(
        "watch-pool",
        &[
            &format!("--spring.datasource.url={database}"),
            "--spring.datasource.username=shop",
            "--spring.datasource.password=geheim",
            "--spring.datasource.hikari.maximum-pool-size=3",
            "--spring.data.redis.host=127.0.0.1",
            &format!(
                "--spring.data.redis.port={}",
                redis.address().split(':').nth(1).unwrap()
            ),
        ],
    );
    let mut source = open("actuator", &format!("{}/actuator", lab.management), &[]);
    // Asks the database for a connection, and Redis.
    curl(&format!("{}/actuator/health", lab.management));
    let pool = ("db.client.connection.pool.name", "HikariPool-1");
    let state = |state| [pool, ("db.client.connection.state", state)];
    let began = Instant::now();
    // The pool fills itself in the background.
    let seen = loop {
        let seen = look_soon(&mut source.collectors[0]).await;
        if value(&seen, "db.client.connection.count", &state("idle")) == Some(3.0) {
            break seen;
        }
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "no idle connections"
        );
    };
    assert_eq!(has(&seen, "db.client.connection.max", &[pool]), 3.0);
    assert_eq!(
        has(&seen, "db.client.connection.count", &state("used")),
        0.0
    );
    assert_eq!(
        has(&seen, "db.client.connection.pending_requests", &[pool]),
        0.0
    );
    assert!(has(&seen, "db.client.connection.use_time.count", &[pool]) >= 1.0);
    assert!(has(&seen, "db.client.connection.create_time.count", &[pool]) >= 1.0);
    let connected =
        server.sql("select count(*) from information_schema.processlist where user = 'shop'");
    assert_eq!(connected.trim(), "3");

    let settings = look_soon(&mut source.collectors[1]).await;
    let fact = |name: &str| {
        let found = settings.facts().iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.as_str())
    };
    assert_eq!(
        fact("spring.datasource.hikari.maximum-pool-size"),
        Some("3")
    );
    assert_eq!(fact("spring.datasource.url"), Some(database.as_str()));
    let told = |text: &str| {
        settings
            .facts()
            .iter()
            .any(|fact| fact.value.contains(text))
    };
    assert!(!told("geheim"));

    // That look asked for health too; then nobody does until both are read.
    let seen = look(&mut source.collectors[0]).await;
    let pings: f64 = seen
        .points()
        .filter(|(key, _)| {
            key.name == "db.client.operation.duration.count"
                && key.attribute("db.operation.name") == Some("INFO")
        })
        .map(|(_, value)| value)
        .sum();
    let theirs = Command::new(program("redis-cli"))
        .args(["-p", redis.address().split(':').nth(1).unwrap()])
        .args(["INFO", "commandstats"])
        .output()
        .unwrap();
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    let calls = theirs.split("cmdstat_info:calls=").nth(1).unwrap();
    let calls: f64 = calls.split(',').next().unwrap().parse().unwrap();
    assert!(pings >= 1.0);
    assert_eq!(pings, calls, "{theirs}");
}
