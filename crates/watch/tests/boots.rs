//! Actuators of other Spring Boots than the lab's service has: 2.7 (javax, Tomcat 9, Micrometer
//! 1.9) and 4 (Tomcat 11, metrics in modules of their own), beside our own look at the same JVM.
//!
//! Maven builds them, which takes a while the first time: `PLIMSOLL_BOOTS=0` leaves them out.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::path::Path;

use plimsoll_watch::Look;
use support::java::{join_jolokia, maven};
use support::{Process, curl, free_port, look_soon, open, value};

/// Meters that keep their own names.
const LEFT_OUT: [&str; 3] = [
    "tomcat_cache_",
    "tomcat_servlet_",
    "tomcat_sessions_alive_max",
];

/// The classes and jars of the lab's smallest service on that Spring Boot.
fn class_path(version: &str) -> String {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/boot");
    let built = lab.join("target").join(version);
    if !built.join("lib").is_dir() {
        let pom = lab.join("pom.xml").display().to_string();
        let version = format!("-Dboot.version={version}");
        maven(&["-f", &pom, &version, "process-classes"]);
    }
    let built = built.display();
    format!("{built}/classes:{built}/lib/*")
}

/// That service at work.
struct Boot {
    process: Process,
    url: String,
    actuator: String,
}

impl Boot {
    fn start(version: &str) -> Self {
        let (port, management) = (free_port(), free_port());
        let class_path = class_path(version);
        let ports = [
            format!("--server.port={port}"),
            format!("--management.server.port={management}"),
        ];
        let main = "io.plimsoll.lab.boot.BootApplication";
        let threads = "--server.tomcat.threads.max=7";
        let arguments = [
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            &class_path,
            main,
            &ports[0],
            &ports[1],
            threads,
        ];
        Self {
            process: Process::start("java", port, &arguments),
            url: format!("http://127.0.0.1:{port}"),
            actuator: format!("http://127.0.0.1:{management}/actuator"),
        }
    }
}

fn has(look: &Look, name: &str, attributes: &[(&str, &str)]) -> f64 {
    value(look, name, attributes).unwrap_or_else(|| {
        let known: Vec<_> = look
            .points()
            .filter(|(key, _)| key.name == name)
            .map(|(key, _)| &key.attributes)
            .collect();
        panic!("no {name} {attributes:?}, but {known:?}")
    })
}

/// The names that begin so of series that a look has.
fn names(look: &Look, begin: &str) -> Vec<String> {
    let points = look.points().map(|(key, _)| key.name.to_string());
    let mut names: Vec<_> = points.filter(|name| name.starts_with(begin)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Committed heap, bytes: it is hardly ever changed in so short a time.
fn heap(look: &Look) -> f64 {
    let pools = look.points().filter(|(key, _)| {
        key.name == "jvm.memory.committed" && key.attribute("jvm.memory.type") == Some("heap")
    });
    pools.map(|(_, value)| value).sum()
}

async fn is_seen_alike(version: &str) {
    if std::env::var_os("PLIMSOLL_BOOTS").is_some_and(|set| set == "0") {
        eprintln!("PLIMSOLL_BOOTS=0: left out");
        return;
    }
    let boot = Boot::start(version);
    let mut actuator = open("actuator", &boot.actuator, &[]);
    look_soon(&mut actuator.collectors[0]).await;
    let mut beans = open("jolokia", &join_jolokia(boot.process.pid()), &[]);
    for _ in 0..3 {
        assert_eq!(curl(&format!("{}/hello", boot.url)), "Hello\n");
    }
    let ours = look_soon(&mut beans.collectors[0]).await;
    let theirs = look_soon(&mut actuator.collectors[0]).await;

    let port = boot.url.rsplit(':').next().unwrap();
    let name = format!("http-nio-127.0.0.1-{port}");
    let threads = [("tomcat.thread.pool.name", name.as_str())];
    let requests = [("tomcat.request.processor.name", name.as_str())];
    for (series, attributes) in [
        ("tomcat.thread.limit", &threads),
        ("tomcat.connection.limit", &threads),
        ("tomcat.request.count", &requests),
        ("tomcat.error.count", &requests),
    ] {
        let same = has(&ours, series, attributes);
        assert_eq!(has(&theirs, series, attributes), same, "{series}");
    }
    assert_eq!(has(&theirs, "tomcat.thread.limit", &threads), 7.0);
    assert_eq!(has(&theirs, "tomcat.request.count", &requests), 3.0);
    assert_eq!(has(&theirs, "tomcat.session.active.count", &[]), 0.0);
    assert_eq!(heap(&theirs), heap(&ours));
    let states = names(&theirs, "jvm.");
    for name in [
        "jvm.class.count",
        // Micrometer 1.9 has no sum of CPU time; the process itself tells it.
        "jvm.cpu.recent_utilization",
        "jvm.gc.overhead",
        "jvm.memory.used",
        "jvm.memory.usage_after_gc",
        "jvm.thread.count",
    ] {
        assert!(
            states.iter().any(|known| known == name),
            "no {name} in {states:?}"
        );
    }
    // Under names that are not ours only what says nothing of load is left.
    let mut foreign = names(&theirs, "tomcat_");
    foreign.extend(names(&theirs, "jvm_"));
    foreign.retain(|name| !LEFT_OUT.iter().any(|begin| name.starts_with(begin)));
    assert!(foreign.is_empty(), "{foreign:?}");

    let settings = look_soon(&mut actuator.collectors[1]).await;
    let fact = |name: &str| {
        let found = settings.facts().iter().find(|fact| fact.name == name);
        found.map(|fact| fact.value.as_str())
    };
    assert_eq!(fact("server.tomcat.threads.max"), Some("7"));
    assert_eq!(value(&settings, "application.health", &[]), Some(1.0));
    let dumps = actuator.captures[0]
        .take(plimsoll_watch::Moment::Request.into())
        .await
        .unwrap();
    let dump = String::from_utf8_lossy(&dumps[2].bytes);
    assert!(dump.contains(&format!("{name}-exec-1")), "{dump}");
}

#[tokio::test]
async fn spring_boot_2_7() {
    is_seen_alike("2.7.18").await;
}

#[tokio::test]
async fn spring_boot_4() {
    is_seen_alike("4.1.1").await;
}
