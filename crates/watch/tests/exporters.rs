//! Real Prometheus exporters beside our own look at the same things: the same series by the
//! same names.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::process::Command;

use plimsoll_stats::series::{EntityKind, SeriesKey, SeriesKind};
use plimsoll_watch::{Look, Opened};
use support::java::{jar, join_jolokia};
use support::mariadb::MariaDb;
use support::{Lab, Process, curl, free_port, look, look_soon, open, program};

/// An exporter; none, and said so, where the system has no such package.
fn exporter(name: &str, arguments: &[&str]) -> Option<Process> {
    if !std::path::Path::new("/usr/bin").join(name).exists() {
        eprintln!("{name} is not installed: left out");
        return None;
    }
    let port = free_port();
    let listen = format!("--web.listen-address=127.0.0.1:{port}");
    let mut all = vec![listen.as_str()];
    all.extend(arguments);
    Some(Process::start(name, port, &all))
}

/// All collectors of a source, once.
async fn all(source: &mut Opened) -> Look {
    let mut all = Look::at(1);
    for collector in &mut source.collectors {
        // What is not there on this host is not what is compared.
        let _ = collector.collect(&mut all).await;
    }
    all
}

/// Our own looks before and after theirs.
struct Beside {
    before: Look,
    theirs: Look,
    after: Look,
}

impl Beside {
    async fn look(ours: &mut Opened, exporter: &str) -> Self {
        let mut source = open("prometheus", exporter, &[]);
        look_soon(&mut source.collectors[0]).await;
        let before = all(ours).await;
        let theirs = look(&mut source.collectors[0]).await;
        let after = all(ours).await;
        assert!(theirs.notes().is_empty(), "{:?}", theirs.notes());
        Self {
            before,
            theirs,
            after,
        }
    }

    /// Holds their series of that kind of thing against ours; gives the names of those that
    /// both have. `left_out` says which of theirs we may lack.
    fn compare(&self, kind: EntityKind, left_out: impl Fn(&SeriesKey) -> bool) -> Vec<&str> {
        let mut names = Vec::new();
        for (key, value) in self
            .theirs
            .points()
            .filter(|(key, _)| key.entity.kind == kind)
        {
            let Some(last) = find(&self.after, key) else {
                assert!(*value == 0.0 || left_out(key), "we lack {key:?} {value}");
                continue;
            };
            // A command that somebody else gave in between.
            let first = find(&self.before, key).unwrap_or(0.0);
            // A microsecond is less than any of the clocks tells apart.
            let between = first - 1e-6 <= *value && *value <= last + 1e-6;
            let back = |mode| key.attribute("cpu.mode") == Some(mode);
            match key.kind {
                // The kernel's idle times may go back a little.
                SeriesKind::Counter if back("idle") || back("iowait") => {}
                SeriesKind::Counter => assert!(between, "{key:?}: {first} {value} {last}"),
                // Of buffers it is what they have now.
                SeriesKind::Gauge
                    if key.name.ends_with(".limit") && !key.name.starts_with("jvm.buffer.") =>
                {
                    assert_eq!((first, last), (*value, *value), "{key:?}");
                }
                SeriesKind::Gauge => {}
            }
            names.push(key.name.as_ref());
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Their facts that begin so are among ours, with the same values; gives how many.
    fn compare_facts(&self, begin: &str, unlike: &[&str]) -> usize {
        let mut count = 0;
        for fact in self.theirs.facts() {
            let own = fact.entity.kind == EntityKind::Exporter;
            if own || !fact.name.starts_with(begin) || unlike.contains(&fact.name.as_str()) {
                continue;
            }
            let mut facts = self.before.facts().iter();
            let ours = facts.find(|known| known.name == fact.name);
            let ours = &ours.unwrap_or_else(|| panic!("we lack {fact:?}")).value;
            match (ours.parse::<f64>(), fact.value.parse::<f64>()) {
                (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{}", fact.name),
                _ => assert_eq!(*ours, fact.value, "{}", fact.name),
            }
            count += 1;
        }
        count
    }
}

fn find(look: &Look, key: &SeriesKey) -> Option<f64> {
    let same = |known: &SeriesKey| {
        known.name == key.name
            && known.attributes == key.attributes
            && known.unit == key.unit
            && known.kind == key.kind
            && known.entity.kind == key.entity.kind
    };
    let found = look.points().filter(|(known, _)| same(known));
    found.map(|(_, value)| *value).last()
}

/// Series that must be among those compared.
fn has(names: &[&str], wanted: &[&str]) {
    for name in wanted {
        assert!(names.contains(name), "no {name} in {names:?}");
    }
}

#[tokio::test]
async fn a_real_node_exporter_beside_our_host() {
    let Some(exporter) = exporter("prometheus-node-exporter", &[]) else {
        return;
    };
    let mut ours = open("host", "", &[]);
    let beside = Beside::look(&mut ours, &exporter.address()).await;
    // The exporter tells of file systems and devices that we do not.
    let left_out = |key: &SeriesKey| {
        key.attribute("system.filesystem.mountpoint").is_some()
            || key.attribute("network.interface.name").is_some()
            || key.attribute("system.device").is_some()
    };
    let names = beside.compare(EntityKind::Host, left_out);
    has(
        &names,
        &[
            "system.cpu.time",
            "system.cpu.logical.count",
            "system.cpu.run_queue",
            "system.cpu.context_switches",
            "system.memory.usage",
            "system.memory.limit",
            "system.linux.memory.available",
            "system.paging.faults",
            "system.disk.io",
            "system.disk.operation_time",
            "system.disk.io_time",
            "system.filesystem.usage",
            "system.network.io",
            "system.tcp.retransmits",
            "system.tcp.listen.overflows",
            "system.tcp.time_wait",
            "system.file_descriptor.used",
        ],
    );
    let value = |look: &Look, name: &str, state: &str| {
        let mut points = look.points();
        let found = points.find(|(key, _)| {
            key.name == name && key.attributes.iter().any(|(_, value)| value == state)
        });
        found.unwrap().1
    };
    // Sums that the exporter leaves to its reader.
    let used = value(&beside.theirs, "system.memory.usage", "used");
    let ours = value(&beside.before, "system.memory.usage", "used");
    assert!(used > ours / 2.0 && used < ours * 2.0, "{used} {ours}");
    assert_eq!(beside.compare_facts("kernel.", &[]), 1);
    assert_eq!(beside.compare_facts("os.", &[]), 1);
}

#[tokio::test]
async fn a_real_redis_exporter_beside_our_own() {
    let port = free_port();
    let redis = Process::redis(port);
    let cli = |words: &[&str]| {
        let told = Command::new(program("redis-cli"))
            .args(["-p", &port.to_string()])
            .args(words)
            .output()
            .unwrap();
        assert!(told.status.success(), "{told:?}");
    };
    cli(&["SET", "a", "1"]);
    cli(&["GET", "a"]);
    cli(&["GET", "b"]);
    let address = format!("--redis.addr=redis://{}", redis.address());
    let Some(exporter) = exporter("prometheus-redis-exporter", &[&address]) else {
        return;
    };
    let mut ours = open("redis", &redis.address(), &[]);
    let beside = Beside::look(&mut ours, &exporter.address()).await;
    let names = beside.compare(EntityKind::Cache, |_| false);
    has(
        &names,
        &[
            "redis.clients.connected",
            "redis.commands.processed",
            "redis.cmd.calls",
            "redis.cmd.time",
            "redis.cmd.latency",
            "redis.cpu.time",
            "redis.cpu.main_thread.time",
            "redis.db.keys",
            "redis.keyspace.hits",
            "redis.keyspace.misses",
            "redis.memory.used",
            "redis.net.output",
        ],
    );
    assert!(beside.compare_facts("redis.", &[]) > 4);
}

#[tokio::test]
async fn a_real_nginx_exporter_beside_our_own() {
    let folder = tempfile::tempdir().unwrap();
    let (home, port) = (folder.path().display(), free_port());
    let config = format!(
        "daemon off; pid {home}/pid; error_log {home}/error.log; events {{}}
         http {{
             access_log off;
             client_body_temp_path {home}/b; proxy_temp_path {home}/p; fastcgi_temp_path {home}/f;
             uwsgi_temp_path {home}/u; scgi_temp_path {home}/s;
             server {{ listen 127.0.0.1:{port}; location = /status {{ stub_status; }} }}
         }}"
    );
    let path = folder.path().join("nginx.conf").display().to_string();
    std::fs::write(&path, config).unwrap();
    let nginx = Process::start("nginx", port, &["-p", &home.to_string(), "-c", &path]);
    let status = format!("http://{}/status", nginx.address());
    let uri = format!("--nginx.scrape-uri={status}");
    let Some(exporter) = exporter("prometheus-nginx-exporter", &[&uri]) else {
        return;
    };
    let mut ours = open("nginx", &status, &[]);
    let beside = Beside::look(&mut ours, &exporter.address()).await;
    assert_eq!(
        beside.compare(EntityKind::Proxy, |_| false),
        [
            "nginx.connections_accepted",
            "nginx.connections_current",
            "nginx.connections_handled",
            "nginx.requests",
        ]
    );
}

#[tokio::test]
async fn a_real_mysqld_exporter_beside_our_own() {
    let server = MariaDb::start();
    server.wait_until_up();
    server.sql(
        "create database shop; use shop;
         create table orders (id int primary key auto_increment, note varchar(20));
         insert into orders (note) select 'topsecret' from seq_1_to_500;
         create user 'watch'@'127.0.0.1' identified by 'geheim';
         grant all on *.* to 'watch'@'127.0.0.1';
         select count(*) from orders where note = 'topsecret';",
    );
    let config = server.folder.path().join("client.cnf");
    let text = format!(
        "[client]\nhost=127.0.0.1\nport={}\nuser=watch\npassword=geheim\n",
        server.port
    );
    std::fs::write(&config, text).unwrap();
    let config = format!("--config.my-cnf={}", config.display());
    let Some(exporter) = exporter(
        "prometheus-mysqld-exporter",
        &[&config, "--collect.perf_schema.eventsstatements"],
    ) else {
        return;
    };
    let mut ours = open("mysql", &server.socket(), &[("user", "root")]);
    let beside = Beside::look(&mut ours, &exporter.address()).await;
    // We ask for the statements of the last minute that cost most, the exporter for all.
    let left_out = |key: &SeriesKey| key.name.starts_with("mysql.statement.");
    let names = beside.compare(EntityKind::Database, left_out);
    has(
        &names,
        &[
            "mysql.query.count",
            "mysql.commands",
            "mysql.threads",
            "mysql.handlers",
            "mysql.connection.errors",
            "mysql.buffer_pool.pages",
            "mysql.buffer_pool.reads",
            "mysql.row_locks.time",
            "mysql.client.network.io",
            "mysql.statement.count",
            "mysql.statement.rows_examined",
            "mysql.statement.no_index.count",
        ],
    );
    // MariaDB calls its variable by the old name.
    let unlike = ["mysql.transaction_isolation"];
    assert!(beside.compare_facts("mysql.innodb_", &unlike) > 5);
    assert!(beside.compare_facts("mysql.slow_query_log", &unlike) == 1);
    assert!(beside.compare_facts("mysql.version", &unlike) > 0);
    let digests = beside.theirs.facts().iter();
    let texts: Vec<_> = digests
        .filter(|fact| fact.name.starts_with("mysql.digest.shop."))
        .collect();
    assert!(!texts.is_empty());
    assert!(texts.iter().all(|fact| !fact.value.contains("topsecret")));
}

/// As in the exporter's example for Tomcat, but for the embedded one's domain and names.
const TOMCAT: &str = r#"
lowercaseOutputName: true
lowercaseOutputLabelNames: true
includeObjectNames: ["Tomcat:*"]
rules:
  - pattern: 'Tomcat<type=GlobalRequestProcessor, name="(\w+-\w+)-(.+)"><>(\w+):'
    name: tomcat_$3_total
    labels: {protocol: "$1", port: "$2"}
    type: COUNTER
  - pattern: 'Tomcat<type=ThreadPool, name="(\w+-\w+)-(.+)"><>(\w+):'
    name: tomcat_threadpool_$3
    labels: {protocol: "$1", port: "$2"}
    type: GAUGE
  - pattern: 'Tomcat<type=Manager, host=(.+), context=(.+)><>(sessionCounter|rejectedSessions|expiredSessions):'
    name: tomcat_session_$3_total
    labels: {context: "$2", host: "$1"}
    type: COUNTER
"#;

#[tokio::test]
async fn a_real_jmx_exporter_beside_our_own() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tomcat.yaml");
    std::fs::write(&config, TOMCAT).unwrap();
    let exporter = format!("127.0.0.1:{}", free_port());
    let agent = jar("io.prometheus.jmx:jmx_prometheus_javaagent:1.0.1");
    let options = format!(
        "-Xmx256m -javaagent:{}={exporter}:{}",
        agent.display(),
        config.display()
    );
    let arguments = ["--server.tomcat.threads.max=7"];
    let lab = Lab::with_options("watch-jmx", "tomcat", &options, &arguments);
    for _ in 0..3 {
        curl(&format!("{}/hello?sleep=0", lab.url));
    }
    let mut ours = open("jolokia", &join_jolokia(lab.pid), &[]);
    let beside = Beside::look(&mut ours, &exporter).await;
    let names = beside.compare(EntityKind::WebServer, |_| false);
    has(
        &names,
        &[
            "tomcat.request.count",
            "tomcat.request.duration.sum",
            "tomcat.error.count",
            "tomcat.network.io",
            "tomcat.thread.count",
            "tomcat.thread.busy.count",
            "tomcat.thread.limit",
            "tomcat.connection.count",
            "tomcat.session.created.count",
        ],
    );
    let threads = "http-nio-127.0.0.1-auto-1";
    let limit = |look: &Look| {
        let of = |key: &SeriesKey| key.attribute("tomcat.thread.pool.name") == Some(threads);
        let mut points = look.points();
        let found = points.find(|(key, _)| key.name == "tomcat.thread.limit" && of(key));
        found.map(|(_, value)| *value)
    };
    assert_eq!(limit(&beside.theirs), Some(7.0));
    assert_eq!(limit(&beside.after), Some(7.0));
    // Its least configuration writes beans under their own names; it reads a changed file anew.
    std::fs::write(
        &config,
        "includeObjectNames: [\"Tomcat:*\"]\nrules:\n  - pattern: \".*\"\n",
    )
    .unwrap();
    let plain = Beside::look(&mut ours, &exporter).await;
    assert!(curl(&format!("http://{exporter}/metrics")).contains("Tomcat_ThreadPool_maxThreads"));
    let same = plain.compare(EntityKind::WebServer, |_| false);
    assert!(
        names.iter().all(|name| same.contains(name)),
        "{names:?} {same:?}"
    );
    // The exporter tells of threads by state, of buffers and of what was allocated too.
    let left_out = |key: &SeriesKey| {
        ["jvm.thread.", "jvm.buffer.", "jvm.memory."]
            .iter()
            .any(|begin| key.name.starts_with(begin))
    };
    let names = beside.compare(EntityKind::Jvm, left_out);
    has(
        &names,
        &[
            "jvm.class.count",
            "jvm.class.loaded",
            "jvm.memory.used",
            "jvm.memory.committed",
        ],
    );
}
