//! Settings that were written, read back from real servers: nothing is taken on trust.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_knobs::readback::{Readback, read_back, read_back_key};
use plimsoll_knobs::{Address, Format, find};
use plimsoll_watch::Spec;
use plimsoll_watch::settings::TargetSight;
use support::mariadb::MariaDb;
use support::postgres::Postgres;
use support::{Lab, Process, free_port, program};

fn spec(source: &str, address: &str, options: &[(&str, &str)]) -> Spec {
    let options = options
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Spec {
        source: source.to_owned(),
        address: address.to_owned(),
        options: options.collect(),
        ..Spec::default()
    }
}

fn sight() -> TargetSight {
    TargetSight::new().unwrap()
}

fn put(file: &mut Vec<u8>, format: Format, id: &str, value: &str) {
    let knob = find(id).unwrap();
    let (place, address) = knob.place_in(format).unwrap();
    *file = knob
        .put(format, file, place, &address, &knob.value(value).unwrap())
        .unwrap();
}

fn seen(sight: &mut TargetSight, id: &str, wanted: &str) -> Readback {
    let knob = find(id).unwrap();
    read_back(knob, &knob.value(wanted).unwrap(), None, sight)
}

fn confirmed(sight: &mut TargetSight, values: &[(&str, &str)]) {
    for (id, wanted) in values {
        let read = seen(sight, id, wanted);
        assert!(
            matches!(read, Readback::Confirmed { .. }),
            "{id} {wanted}: {read:?}"
        );
    }
}

fn differs(sight: &mut TargetSight, id: &str, wanted: &str, instead: &str) {
    match seen(sight, id, wanted) {
        Readback::Differs { has, .. } => assert_eq!(has, instead, "{id}"),
        other => panic!("{id}: {other:?}"),
    }
}

/// Keys that no knob has: those that have arrived, and one that has not.
fn keys(
    sight: &mut TargetSight,
    format: Format,
    arrived: &[(&str, &str)],
    (key, wanted, instead): (&str, &str, &str),
) {
    for (key, wanted) in arrived {
        let read = read_back_key(format, &Address::new(*key), wanted, sight);
        assert!(
            matches!(read, Readback::Confirmed { .. }),
            "{key} {wanted}: {read:?}"
        );
    }
    match read_back_key(format, &Address::new(key), wanted, sight) {
        Readback::Differs { has, .. } => assert_eq!(has, instead, "{key}"),
        other => panic!("{key}: {other:?}"),
    }
}

#[test]
fn redis_has_what_its_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let mut file = format!(
        "# 配置\nport {port}\nbind 127.0.0.1\ndir {}\n",
        folder.path().display()
    )
    .into_bytes();
    let values = [
        ("redis.maxmemory", "64m"),
        ("redis.maxmemory-policy", "allkeys-lfu"),
        ("redis.appendonly", "on"),
        ("redis.appendfsync", "no"),
        ("redis.save", "100 1 10 1000"),
        ("redis.io-threads", "2"),
        ("redis.io-threads-do-reads", "on"),
        ("redis.lazyfree-eviction", "on"),
        ("redis.lazyfree-expire", "on"),
        ("redis.lazyfree-server-del", "on"),
        ("redis.tcp-backlog", "128"),
        ("redis.maxclients", "500"),
        ("redis.hz", "50"),
    ];
    for (id, value) in values {
        put(&mut file, Format::RedisConf, id, value);
    }
    let path = folder.path().join("redis.conf");
    std::fs::write(&path, file).unwrap();
    let redis = Process::start("redis-server", port, &[path.to_str().unwrap()]);
    let source = spec("redis", &redis.address(), &[]);
    let mut sight = sight().with(&source).unwrap().of_process(redis.pid());
    confirmed(&mut sight, &values);
    differs(&mut sight, "redis.hz", "20", "50");
    differs(&mut sight, "redis.maxmemory", "128m", "67108864");
    let own = [("maxmemory", "64mb"), ("lfu-decay-time", "1")];
    let other = ("lfu-decay-time", "7", "1");
    keys(&mut sight, Format::RedisConf, &own, other);
    // Without its protocol nothing shows it but the kernel its queue.
    let mut only_process = TargetSight::new().unwrap().of_process(redis.pid());
    assert!(matches!(
        seen(&mut only_process, "redis.hz", "50"),
        Readback::NotVisible { .. }
    ));
    confirmed(&mut only_process, &[("redis.tcp-backlog", "128")]);
}

#[test]
fn mariadb_and_postgres_have_what_they_were_started_with() {
    let mariadb = MariaDb::start();
    mariadb.wait_until_up();
    mariadb.sql(
        "set global sync_binlog = 7; set global innodb_flush_log_at_trx_commit = 2; \
        set global tx_isolation = 'READ-COMMITTED'; set global sort_buffer_size = 1048576",
    );
    let source = spec("mysql", &mariadb.socket(), &[("user", "root")]);
    let mut sight = sight().with(&source).unwrap();
    confirmed(
        &mut sight,
        &[
            ("mysql.buffer-pool-size", "32m"),
            ("mysql.sync-binlog", "7"),
            ("mysql.flush-log-at-trx-commit", "2"),
            ("mysql.sort-buffer-size", "1m"),
            ("mysql.skip-name-resolve", "off"),
            ("mysql.isolation", "read-committed"),
        ],
    );
    differs(&mut sight, "mysql.buffer-pool-size", "64m", "33554432");
    let own = [
        ("[mysqld] sort-buffer-size", "1M"),
        ("[server] low_priority_updates", "off"),
    ];
    let other = ("[mysqld] sync_binlog", "70", "7");
    keys(&mut sight, Format::MyCnf, &own, other);
    // A variable of another server: MariaDB has none of that name.
    assert!(matches!(
        seen(&mut sight, "mysql.redo-log-capacity", "200m"),
        Readback::NotVisible { .. }
    ));

    let postgres = Postgres::start();
    postgres.wait_until_up();
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, support::postgres::PASSWORD).unwrap();
    let options = [
        ("user", "app"),
        ("password-file", password.to_str().unwrap()),
    ];
    let source = spec("postgresql", &postgres.address(), &options);
    let mut sight = TargetSight::new().unwrap().with(&source).unwrap();
    confirmed(
        &mut sight,
        &[
            ("postgres.shared-buffers", "16m"),
            ("postgres.work-mem", "64k"),
            ("postgres.max-connections", "37"),
            ("postgres.synchronous-commit", "on"),
            ("postgres.isolation", "read committed"),
            ("postgres.fsync", "on"),
        ],
    );
    differs(&mut sight, "postgres.work-mem", "8m", "64kB");
    let own = [("deadlock_timeout", "1000ms"), ("jit_above_cost", "100000")];
    let other = ("deadlock_timeout", "5s", "1s");
    keys(&mut sight, Format::PostgresConf, &own, other);
}

struct Nginx {
    process: Child,
    path: std::path::PathBuf,
}

impl Nginx {
    fn start(folder: &Path, file: &[u8]) -> Self {
        let path = folder.join("nginx.conf");
        std::fs::write(&path, file).unwrap();
        let mut command = Command::new(program("nginx"));
        command.arg("-p").arg(folder).arg("-c").arg(&path);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self {
            process: command.spawn().unwrap(),
            path,
        }
    }

    fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &pid])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.signal("-TERM");
        let _ = self.process.wait();
    }
}

/// Asks again until it is so: reloads take a moment that nobody can know.
fn soon(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nginx_has_read_what_is_on_disk_only_after_its_reload() {
    let folder = tempfile::tempdir().unwrap();
    let (home, port) = (folder.path().display(), free_port());
    std::fs::create_dir(folder.path().join("conf.d")).unwrap();
    let upstream = folder.path().join("conf.d/app.conf");
    std::fs::write(&upstream, "upstream app {\n    server 127.0.0.1:9;\n}\n").unwrap();
    let mut file = format!(
        "daemon off; pid {home}/pid; error_log {home}/e.log;\nworker_processes 1;\nevents {{}}\nhttp {{\n\
         access_log {home}/a.log;\ninclude conf.d/*.conf;\nserver {{ listen 127.0.0.1:{port} backlog=64; }}\n}}\n"
    )
    .into_bytes();
    put(
        &mut file,
        Format::Nginx,
        "nginx.worker-rlimit-nofile",
        "512",
    );
    let nginx = Nginx::start(folder.path(), &file);
    let mut sight = sight().of_process(nginx.process.id());
    soon("nginx is up", || {
        matches!(
            seen(&mut sight, "nginx.worker-processes", "1"),
            Readback::Confirmed { .. }
        )
    });
    confirmed(
        &mut sight,
        &[
            ("nginx.backlog", "64"),
            ("nginx.worker-rlimit-nofile", "512"),
        ],
    );

    let values = [
        ("nginx.worker-processes", "3"),
        ("nginx.worker-connections", "2000"),
        ("nginx.worker-rlimit-nofile", "4096"),
        ("nginx.gzip", "on"),
        ("nginx.keepalive-timeout", "20s"),
        ("nginx.access-log", "off"),
        ("nginx.sendfile", "on"),
    ];
    for (id, value) in values {
        put(&mut file, Format::Nginx, id, value);
    }
    let keepalive = find("nginx.upstream.keepalive").unwrap();
    let (place, address) = keepalive.place_in(Format::Nginx).unwrap();
    let wanted = keepalive.value("32").unwrap();
    let included = std::fs::read(&upstream).unwrap();
    let included = keepalive
        .put(Format::Nginx, &included, place, &address, &wanted)
        .unwrap();
    plimsoll_knobs::write::replace(&upstream, &included).unwrap();
    plimsoll_knobs::write::replace(&nginx.path, &file).unwrap();

    // On disk, but the workers are older than that: not confirmed, and where the kernel shows it, not so.
    for id in ["nginx.worker-connections", "nginx.gzip"] {
        let value = values.iter().find(|(known, _)| *known == id).unwrap().1;
        let read = seen(&mut sight, id, value);
        assert!(
            matches!(read, Readback::NotVisible { .. }),
            "{id}: {read:?}"
        );
    }
    differs(&mut sight, "nginx.worker-processes", "3", "1");
    differs(&mut sight, "nginx.worker-rlimit-nofile", "4096", "512");

    nginx.signal("-HUP");
    // While old workers go and new ones come, some of each are there.
    soon("the reload is done", || {
        values
            .iter()
            .all(|(id, wanted)| matches!(seen(&mut sight, id, wanted), Readback::Confirmed { .. }))
    });
    confirmed(&mut sight, &values);
    let named = Address::new("http > upstream app > keepalive");
    let read = read_back(keepalive, &wanted, Some(&named), &mut sight);
    assert!(matches!(read, Readback::Confirmed { .. }), "{read:?}");
    differs(&mut sight, "nginx.gzip", "off", "on");
    // It is in no file.
    differs(&mut sight, "nginx.tcp-nopush", "on", "");
    let own = [("http > include", "conf.d/*.conf")];
    let other = ("http > client_body_buffer_size", "64k", "");
    keys(&mut sight, Format::Nginx, &own, other);
}

#[test]
fn a_service_has_what_it_was_started_with() {
    let options = "-Xmx256m -XX:+UseSerialGC -XX:MaxMetaspaceSize=200m -XX:TieredStopAtLevel=1";
    let lab = Lab::with_options(
        "settings",
        "tomcat",
        options,
        &[
            "--server.tomcat.threads.max=23",
            "--server.tomcat.accept-count=41",
            "--server.tomcat.keep-alive-timeout=15s",
            "--server.compression.enabled=true",
            "--server.compression.min-response-size=4KB",
            "--logging.level.org.apache=ERROR",
            "--shop.batch-size=40",
        ],
    );
    let source = spec("actuator", &lab.management, &[]);
    let mut sight = sight().with(&source).unwrap().of_process(lab.pid);
    confirmed(
        &mut sight,
        &[
            ("tomcat.threads.max", "23"),
            ("tomcat.accept-count", "41"),
            ("tomcat.keep-alive-timeout", "15s"),
            ("tomcat.compression", "on"),
            ("tomcat.compression-min-size", "4k"),
            ("tomcat.max-connections", "8192"),
            ("jvm.heap.max", "256m"),
            ("jvm.collector", "serial"),
            ("jvm.metaspace.max", "200m"),
            ("jvm.string-deduplication", "off"),
        ],
    );
    differs(&mut sight, "tomcat.threads.max", "200", "23");
    let own = [
        ("server.tomcat.keep-alive-timeout", "15s"),
        ("logging.level.org.apache.catalina", "error"),
        ("shop.batch-size", "40"),
    ];
    let other = ("logging.level.org.apache", "DEBUG", "ERROR");
    keys(&mut sight, Format::SpringProperties, &own, other);
    differs(&mut sight, "jvm.collector", "g1", "Serial");
    differs(&mut sight, "jvm.heap.max", "512m", "268435456");
    // Without the actuator and a way to ask it, the process's arguments still show the JVM's options.
    let mut by_kernel = TargetSight::new().unwrap().of_process(lab.pid);
    assert!(matches!(
        seen(&mut by_kernel, "tomcat.threads.max", "23"),
        Readback::NotVisible { .. }
    ));
}

/// This test's own process stands for a component: what the kernel shows of it.
#[test]
fn the_kernel_shows_limits_and_its_own_settings() {
    let somaxconn = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let mut sight = sight().of_process(std::process::id());
    let read = seen(&mut sight, "kernel.somaxconn", "128");
    let is_128 = somaxconn.trim() == "128";
    assert_eq!(
        matches!(read, Readback::Confirmed { .. }),
        is_128,
        "{read:?}"
    );
    assert!(matches!(
        read,
        Readback::Confirmed { .. } | Readback::Differs { .. }
    ));
    let own = [("net.core.somaxconn", somaxconn.trim())];
    let other = ("net/core/somaxconn", "1", somaxconn.as_str());
    keys(&mut sight, Format::Sysctl, &own, other);
    let limit = Command::new("sh")
        .args(["-c", "ulimit -n"])
        .output()
        .unwrap();
    let limit = String::from_utf8(limit.stdout).unwrap();
    differs(&mut sight, "kernel.open-files", "257", limit.trim());
    let unknown = seen(&mut sight, "mysql.buffer-pool-size", "1g");
    assert!(
        matches!(unknown, Readback::NotVisible { .. }),
        "{unknown:?}"
    );
}
