//! What a target shows beside what was written, by a sight that is made up.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, SystemTime};

use plimsoll_knobs::formats::command::set_argument;
use plimsoll_knobs::readback::{
    Backlog, NginxFilesSeen, NotSeen, Readback, Sight, WorkerSeen, read_back, read_back_key,
};
use plimsoll_knobs::{Address, Format, Knob, find, named};
use serde_json::{Value, json};

/// A target that shows one text for whatever is asked.
struct Shows(&'static str);

impl Sight for Shows {
    fn redis_config(&mut self, _: &str) -> Result<String, NotSeen> {
        Ok(self.0.to_owned())
    }

    fn jvm_flag(&mut self, _: &str) -> Result<String, NotSeen> {
        Ok(self.0.to_owned())
    }

    fn database_variable(&mut self, _: &str) -> Result<String, NotSeen> {
        Ok(self.0.to_owned())
    }

    fn kernel_file(&mut self, _: &str) -> Result<String, NotSeen> {
        Ok(self.0.to_owned())
    }

    fn workers(&mut self) -> Result<Vec<WorkerSeen>, NotSeen> {
        let worker = WorkerSeen {
            began: SystemTime::now(),
            open_files: 1_024,
        };
        Ok(vec![worker; 4])
    }

    fn nginx_files(&mut self) -> Result<NginxFilesSeen, NotSeen> {
        Ok(NginxFilesSeen {
            files: vec![("nginx.conf".to_owned(), self.0.to_owned())],
            changed: SystemTime::now() - Duration::from_secs(60),
        })
    }

    fn backlogs(&mut self) -> Result<Vec<Backlog>, NotSeen> {
        let of = |text: &str| Backlog {
            address: "127.0.0.1:8080".to_owned(),
            limit: text.parse().unwrap(),
        };
        Ok(self.0.split(' ').map(of).collect())
    }
}

/// A service of Spring whose actuator shows one text for whatever is asked.
struct Spring(&'static str);

impl Sight for Spring {
    fn actuator(&mut self, page: &str) -> Result<Value, NotSeen> {
        if page.starts_with("loggers/") {
            return Ok(json!({"configuredLevel": null, "effectiveLevel": self.0}));
        }
        Ok(json!({"property": {"source": "file", "value": self.0}}))
    }
}

/// A service whose actuator has these pages; it listens with such a backlog.
struct Service {
    pages: Vec<(&'static str, Value)>,
    backlog: Option<u64>,
}

impl Service {
    /// One that shows its beans, and in its environment what was written.
    fn of_beans(beans: Value, written: &'static str) -> Self {
        let beans = json!({"contexts": {"app": {"beans": beans}}});
        let property = json!({"property": {"source": "file", "value": written}});
        Self {
            pages: vec![("configprops", beans), ("env/", property)],
            backlog: None,
        }
    }

    fn with(mut self, page: &'static str, value: &str) -> Self {
        let value: f64 = value.parse().unwrap();
        let page_of =
            json!({"measurements": [{"statistic": "VALUE", "value": value}], "availableTags": []});
        self.pages.push((page, page_of));
        self
    }
}

impl Sight for Service {
    fn actuator(&mut self, page: &str) -> Result<Value, NotSeen> {
        let found = self.pages.iter().find(|(name, _)| page.starts_with(name));
        found.map_or_else(|| Err(NotSeen::hidden(page)), |(_, page)| Ok(page.clone()))
    }

    fn backlogs(&mut self) -> Result<Vec<Backlog>, NotSeen> {
        let limit = self.backlog.ok_or(NotSeen::NoWay)?;
        Ok(vec![Backlog {
            address: "127.0.0.1:8080".to_owned(),
            limit,
        }])
    }
}

fn service_is(id: &str, wanted: &str, mut service: Service) -> &'static str {
    let knob = knob(id);
    let wanted = knob.read(wanted, plimsoll_knobs::Spelling::Plain);
    word(&read_back(knob, &wanted, None, &mut service))
}

fn knob(id: &str) -> &'static Knob {
    find(id).unwrap()
}

fn word(read: &Readback) -> &'static str {
    match read {
        Readback::Confirmed { .. } => "confirmed",
        Readback::Differs { .. } => "differs",
        Readback::NotVisible { .. } => "not visible",
    }
}

fn is(id: &str, wanted: &str, shows: &'static str) -> &'static str {
    let knob = knob(id);
    let wanted = knob.read(wanted, plimsoll_knobs::Spelling::Plain);
    word(&read_back(knob, &wanted, None, &mut Shows(shows)))
}

/// The same of a key that a study names itself.
fn key_is(format: Format, key: &str, wanted: &str, shows: &'static str) -> &'static str {
    let address = Address::new(key);
    word(&match format {
        Format::SpringYaml => read_back_key(format, &address, wanted, &mut Spring(shows)),
        _ => read_back_key(format, &address, wanted, &mut Shows(shows)),
    })
}

#[test]
fn what_a_server_makes_of_a_number_is_that_number() {
    // HotSpot aligns heaps, G1 to regions of up to 32 MiB.
    assert_eq!(is("jvm.heap.max", "513m", "538968064"), "confirmed");
    assert_eq!(is("jvm.heap.max", "20001m", "20988297216"), "confirmed");
    assert_eq!(is("jvm.heap.max", "512m", "1073741824"), "differs");
    // Chunks of 128 MiB, in eight instances from 1 GiB on.
    assert_eq!(
        is("mysql.buffer-pool-size", "600m", "671088640"),
        "confirmed"
    );
    assert_eq!(
        is("mysql.buffer-pool-size", "1500m", "2147483648"),
        "confirmed"
    );
    assert_eq!(is("mysql.buffer-pool-size", "600m", "134217728"), "differs");
    assert_eq!(is("postgres.shared-buffers", "131k", "128kB"), "confirmed");
    assert_eq!(is("postgres.shared-buffers", "160k", "128kB"), "differs");
    // Other numbers are taken as they are.
    assert_eq!(is("mysql.max-connections", "151", "150"), "differs");
}

/// What no server makes of a number: less than it, where it rounds upwards, and more where it does so downwards.
#[test]
fn a_server_rounds_one_way() {
    let mib = |number: f64| (number * 1_048_576.0).to_string();
    for (id, upwards) in [
        ("mysql.buffer-pool-size", true),
        ("jvm.heap.max", true),
        ("jvm.heap.min", true),
        ("jvm.young", false),
    ] {
        for wanted in [64.0, 513.0, 1_500.0, 2_048.0, 9_000.0] {
            let (near, far) = if upwards {
                (0.5, 4_096.0)
            } else {
                (-0.5, -4_096.0)
            };
            for (has, expected) in [
                (wanted, "confirmed"),
                (wanted + near, "confirmed"),
                (wanted - near, "differs"),
                (wanted + far, "differs"),
            ] {
                let shows: &'static str = Box::leak(mib(has).into_boxed_str());
                assert_eq!(
                    is(id, &format!("{wanted}m"), shows),
                    expected,
                    "{id} {wanted} {has}"
                );
            }
        }
    }
    assert_eq!(is("mysql.buffer-pool-size", "2g", "1610612736"), "differs");
    // Parts of a MiB are no part of the option.
    assert_eq!(
        is("mysql.buffer-pool-size", "600500k", "614465536"),
        "confirmed"
    );
    assert_eq!(
        is("mysql.join-buffer-size", "200001", "199936"),
        "confirmed"
    );
    assert_eq!(is("mysql.join-buffer-size", "200001", "200064"), "differs");
    assert_eq!(is("postgres.max-wal-size", "1025m", "1GB"), "differs");
}

/// Spring Boot up to 2.2 has other names: what is written under the newer one is in its environment, and no bean is
/// made of it.
#[test]
fn a_property_that_no_bean_reads_is_not_confirmed() {
    let old =
        || json!({"server": {"prefix": "server", "properties": {"tomcat": {"maxThreads": 200}}}});
    let new = || json!({"server": {"prefix": "server", "properties": {"tomcat": {"threads": {"max": 64}}}}});
    let threads = "tomcat.threads.max";
    assert_eq!(
        service_is(threads, "64", Service::of_beans(old(), "64")),
        "differs"
    );
    assert_eq!(
        service_is(threads, "64", Service::of_beans(new(), "64")),
        "confirmed"
    );
    // A service with a pool of its own: no bean is at that prefix.
    let pool = "hikari.maximum-pool-size";
    let own = || Service::of_beans(old(), "64");
    assert_eq!(service_is(pool, "64", own()), "not visible");
    let meter = "metrics/hikaricp.connections.max";
    assert_eq!(service_is(pool, "64", own().with(meter, "10")), "differs");
    assert_eq!(service_is(pool, "64", own().with(meter, "64")), "confirmed");
    // A bean that does not show it may have been made of it.
    let unread =
        json!({"pool": {"prefix": "spring.datasource.hikari", "properties": {"error": "no"}}});
    let unread = || Service::of_beans(unread.clone(), "64");
    assert_eq!(service_is(pool, "64", unread()), "confirmed");
    assert_eq!(
        service_is(pool, "64", unread().with(meter, "10")),
        "differs"
    );
    // Some properties need no bean.
    let threads = "spring.virtual-threads";
    assert_eq!(
        service_is(threads, "on", Service::of_beans(old(), "true")),
        "confirmed"
    );
    // Where no beans are shown, the environment is all there is.
    let mut env = Service::of_beans(json!({}), "64");
    env.pages.remove(0);
    assert_eq!(service_is(pool, "64", env), "confirmed");
}

/// What Tomcat asked for is in its bean; what the kernel made of it is what holds.
#[test]
fn ways_are_asked_in_their_order() {
    let beans =
        json!({"server": {"prefix": "server", "properties": {"tomcat": {"acceptCount": 10000}}}});
    let service = |backlog| Service {
        backlog,
        ..Service::of_beans(beans.clone(), "10000")
    };
    let backlog = "tomcat.accept-count";
    assert_eq!(service_is(backlog, "10000", service(Some(4096))), "differs");
    assert_eq!(
        service_is(backlog, "10000", service(Some(10_000))),
        "confirmed"
    );
    assert_eq!(service_is(backlog, "10000", service(None)), "confirmed");
}

#[test]
fn a_further_word_of_a_directive_is_not_the_knobs() {
    let file = "http { keepalive_timeout 65s 60s; server { listen 80; } }";
    assert_eq!(is("nginx.keepalive-timeout", "65s", file), "confirmed");
    assert_eq!(is("nginx.keepalive-timeout", "60s", file), "differs");
    let buffers = "http { proxy_buffers 16 8k; }";
    assert_eq!(is("nginx.proxy-buffers", "16 8k", buffers), "confirmed");
}

#[test]
fn words_that_become_numbers_are_not_called_another_value() {
    for (id, shown) in [
        ("postgres.wal-buffers", "4MB"),
        ("mysql.back-log", "151"),
        ("php-fpm.backlog", "4096"),
    ] {
        assert_eq!(is(id, "-1", shown), "not visible", "{id}");
    }
    // No limit is no number that a program chooses.
    let service = |shown| {
        let beans =
            json!({"a": {"prefix": "server", "properties": {"tomcat": {"processorCache": shown}}}});
        Service::of_beans(beans, "-1")
    };
    assert_eq!(
        service_is("tomcat.processor-cache", "-1", service(200)),
        "differs"
    );
    assert_eq!(
        service_is("tomcat.processor-cache", "-1", service(-1)),
        "confirmed"
    );
    assert_eq!(is("redis.maxmemory", "0", "67108864"), "differs");
    assert_eq!(is("nginx.worker-processes", "auto", ""), "not visible");
    assert_eq!(is("nginx.worker-processes", "4", ""), "confirmed");
    assert_eq!(is("nginx.worker-processes", "2", ""), "differs");
    assert_eq!(
        is("kernel.port-range", "10000 65000", "10000\t65000\n"),
        "confirmed"
    );
    assert_eq!(
        is("kernel.port-range", "10000 65000", "32768\t60999\n"),
        "differs"
    );
}

#[test]
fn what_holds_in_a_part_alone_is_not_confirmed() {
    let alone = "http { proxy_buffering off; server { listen 80; } }";
    assert_eq!(is("nginx.proxy-buffering", "off", alone), "confirmed");
    let within = "http { proxy_buffering off; server { location / { proxy_buffering on; } } }";
    assert_eq!(is("nginx.proxy-buffering", "off", within), "not visible");
    let comment = "http { proxy_buffering off; # proxy_buffering on;\n server { listen 80; } }";
    assert_eq!(is("nginx.proxy-buffering", "off", comment), "confirmed");
    // A port for shutdown, with a queue of its own.
    assert_eq!(is("mysql.back-log", "300", "300"), "confirmed");
    assert_eq!(is("tomcat.accept-count", "300", "300 300"), "confirmed");
    assert_eq!(is("tomcat.accept-count", "300", "300 1"), "not visible");
}

#[test]
fn settings_are_known_in_any_spelling_of_their_server() {
    for spelled in [
        "innodb_flush_log_at_trx_commit",
        "innodb-flush-log-at-trx-commit",
        "INNODB_FLUSH_LOG_AT_TRX_COMMIT",
    ] {
        let (knob, _) = named(spelled).unwrap();
        assert!(knob.gives.is_some(), "{spelled}");
    }
    assert!(named("sync-binlog").is_some());
}

#[test]
fn options_of_node_stand_before_its_script() {
    let with = |command: &str| {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let option = Address::new("--max-old-space-size");
        set_argument(&words, &option, "4096").unwrap().join(" ")
    };
    assert_eq!(
        with("node server.js --port 80"),
        "node --max-old-space-size=4096 server.js --port 80"
    );
    assert_eq!(
        with("/usr/bin/node -r ./hook.js server.js"),
        "/usr/bin/node --max-old-space-size=4096 -r ./hook.js server.js"
    );
    assert_eq!(
        with("node --max-old-space-size=512 server.js"),
        "node --max-old-space-size=4096 server.js"
    );
    // Of another program it is one of its own.
    assert_eq!(
        with("gunicorn app"),
        "gunicorn app --max-old-space-size=4096"
    );
}

#[test]
fn keys_without_a_knob_are_read_back_by_their_format() {
    use Format::{
        EnvFile, Ini, JvmOptions, MyCnf, Nginx, PostgresConf, RedisConf, SpringYaml, Sysctl,
    };
    for (format, key, wanted, shows, expected) in [
        (SpringYaml, "shop.batch-size", "40", "40", "confirmed"),
        (SpringYaml, "shop.batch-size", "40", "20", "differs"),
        (SpringYaml, "shop.limit", "100000", "60000", "differs"),
        (SpringYaml, "shop.wait", "15s", "15s", "confirmed"),
        (SpringYaml, "shop.password", "x", "******", "not visible"),
        (
            SpringYaml,
            "logging.level.com.example",
            "warn",
            "WARN",
            "confirmed",
        ),
        (
            SpringYaml,
            "logging.level.com.example",
            "WARN",
            "DEBUG",
            "differs",
        ),
        (SpringYaml, "a path/../of nobody", "1", "1", "not visible"),
        // Sizes are rounded by some servers, counts by none.
        (
            MyCnf,
            "[mysqld] key_buffer_size",
            "20M",
            "20971520",
            "confirmed",
        ),
        (
            MyCnf,
            "[mysqld] tmp-table-size",
            "20000000",
            "19999744",
            "confirmed",
        ),
        (
            MyCnf,
            "[mysqld] key_buffer_size",
            "64M",
            "33554432",
            "differs",
        ),
        (
            MyCnf,
            "[mysqld] key_buffer_size",
            "64M",
            "134217728",
            "differs",
        ),
        (
            MyCnf,
            "[mysqld] innodb_log_buffer_size",
            "100M",
            "117440512",
            "not visible",
        ),
        (MyCnf, "[mariadb-10.11] back_log", "70", "71", "differs"),
        (MyCnf, "[mariadb-dump] back_log", "70", "71", "not visible"),
        (
            MyCnf,
            "[mysqldump] max_allowed_packet",
            "20M",
            "20971520",
            "not visible",
        ),
        (MyCnf, "[mysqld] skip_name_resolve", "1", "ON", "confirmed"),
        (MyCnf, "[mysqld] skip_name_resolve", "1", "OFF", "differs"),
        // Servers have words of their own.
        (
            MyCnf,
            "[mysqld] concurrent_insert",
            "2",
            "ALWAYS",
            "not visible",
        ),
        (MyCnf, "[mysqld] sql_mode", "B,A", "A,B", "not visible"),
        (PostgresConf, "wal_compression", "on", "pglz", "not visible"),
        (PostgresConf, "work_mem", "8MB", "4MB", "differs"),
        (
            PostgresConf,
            "effective_cache_size",
            "64MB",
            "65536kB",
            "confirmed",
        ),
        // In pages of 8 kB, which nothing here says.
        (
            PostgresConf,
            "effective_cache_size",
            "8192",
            "64MB",
            "not visible",
        ),
        (
            PostgresConf,
            "deadlock_timeout",
            "2s",
            "2000ms",
            "confirmed",
        ),
        (PostgresConf, "deadlock_timeout", "2s", "1s", "differs"),
        (RedisConf, "tcp-keepalive", "60", "300", "differs"),
        (RedisConf, "maxmemory", "64mb", "67108864", "confirmed"),
        (RedisConf, "maxmemory", "64m", "67108864", "differs"),
        (
            RedisConf,
            "notify-keyspace-events",
            "Ex",
            "xE",
            "not visible",
        ),
        (
            Sysctl,
            "net.ipv4.tcp_rmem",
            "4096 131072 6291456",
            "4096\t131072\t6291456\n",
            "confirmed",
        ),
        (
            Sysctl,
            "net.ipv4.tcp_rmem",
            "4096 131072 6291456",
            "4096\t87380\t6291456\n",
            "not visible",
        ),
        (Sysctl, "net.core.rmem_max", "425984", "212992\n", "differs"),
        (
            Nginx,
            "http > client_body_buffer_size",
            "64k",
            "http { client_body_buffer_size 64k; }",
            "confirmed",
        ),
        (
            Nginx,
            "http > client_body_buffer_size",
            "64k",
            "http { sendfile on; }",
            "differs",
        ),
        (JvmOptions, "-XX:MaxInlineLevel", "20", "20", "confirmed"),
        (
            JvmOptions,
            "-XX:+UseStringDeduplication",
            "on",
            "true",
            "confirmed",
        ),
        (JvmOptions, "-Xmx", "512m", "536870912", "confirmed"),
        (JvmOptions, "-Xmx", "512m", "268435456", "differs"),
        (JvmOptions, "-Dshop.mode", "fast", "fast", "not visible"),
        (EnvFile, "WORKERS", "4", "4", "not visible"),
        (Ini, "[pool] size", "4", "4", "not visible"),
    ] {
        let read = key_is(format, key, wanted, shows);
        assert_eq!(read, expected, "{} {key}: {wanted}, {shows}", format.name());
    }
}
