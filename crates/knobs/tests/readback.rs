//! What a target shows beside what was written, by a sight that is made up.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, SystemTime};

use plimsoll_knobs::formats::command::set_argument;
use plimsoll_knobs::readback::{
    Backlog, NginxFilesSeen, NotSeen, Readback, Sight, WorkerSeen, read_back,
};
use plimsoll_knobs::{Address, Knob, find, named};

/// A target that shows one text for whatever is asked.
struct Shows(&'static str);

impl Sight for Shows {
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

fn knob(id: &str) -> &'static Knob {
    find(id).unwrap()
}

fn is(id: &str, wanted: &str, shows: &'static str) -> &'static str {
    let knob = knob(id);
    let wanted = knob.read(wanted, plimsoll_knobs::Spelling::Plain);
    match read_back(knob, &wanted, None, &mut Shows(shows)) {
        Readback::Confirmed { .. } => "confirmed",
        Readback::Differs { .. } => "differs",
        Readback::NotVisible { .. } => "not visible",
    }
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

#[test]
fn words_that_become_numbers_are_not_called_another_value() {
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
