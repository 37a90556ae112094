//! A real PHP-FPM with pools of its own, beside what its processes and its slow requests are known
//! to be.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::stacks::{ToldStack, ToldStacks};
use plimsoll_watch::{Level, Look, Moment, Opened, around};
use support::mariadb::own_folder;
use support::postgres::as_nobody;
use support::{Served, free_port, look, look_err, open, try_open, value};

/// A server with a pool on TCP, whose status has a listener of its own, and one on a Unix socket.
struct PhpFpm {
    process: Child,
    port: u16,
    folder: tempfile::TempDir,
}

/// The newest that is installed.
fn program() -> String {
    let programs = std::fs::read_dir("/usr/sbin").unwrap();
    let paths = programs.map(|entry| entry.unwrap().path().display().to_string());
    let found = paths
        .filter(|path| path.starts_with("/usr/sbin/php-fpm"))
        .max();
    found.unwrap_or_else(|| panic!("PHP-FPM is not installed: run tools/setup.sh test"))
}

impl PhpFpm {
    fn start() -> Self {
        let folder = own_folder();
        let home = folder.path().display();
        let (port, status) = (free_port(), free_port());
        let main =
            format!("[global]\nerror_log = {home}/log\ndaemonize = no\ninclude = {home}/*.pool\n");
        let web = format!(
            "[web]\nlisten = 127.0.0.1:{port}\npm = static\npm.max_children = 2\n\
             pm.status_path = /fpm-status\npm.status_listen = 127.0.0.1:{status}\n\
             env[DB_PASSWORD] = hunter2\n"
        );
        let small = format!(
            "[small]\nlisten = {home}/$pool.sock\npm = ondemand\npm.max_children = 1\n\
             pm.status_path = /st\n"
        );
        let mute = format!("[mute]\nlisten = {home}/mute.sock\npm = static\npm.max_children = 1\n");
        for (name, text) in [
            ("main", &main),
            ("web.pool", &web),
            ("small.pool", &small),
            ("mute.pool", &mute),
            ("slow.php", &"<?php sleep(30); echo 'slow';".to_owned()),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let process = as_nobody(&program())
            .args(["-n", "-F", "-y", &format!("{home}/main")])
            .spawn()
            .unwrap();
        let mut server = Self {
            process,
            port,
            folder,
        };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() || !server.socket("mute").exists() {
            assert!(server.process.try_wait().unwrap().is_none(), "it ended");
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    fn socket(&self, pool: &str) -> PathBuf {
        self.folder.path().join(format!("{pool}.sock"))
    }

    /// A request that takes long.
    fn slow(&self, stream: impl Write) {
        self.ask(stream, "slow.php");
    }

    /// A request for a script.
    fn ask(&self, mut stream: impl Write, script: &str) {
        let script = self.folder.path().join(script).display().to_string();
        let mut params = Vec::new();
        for (name, value) in [
            ("SCRIPT_FILENAME", script.as_str()),
            ("REQUEST_METHOD", "GET"),
        ] {
            params.extend([name.len() as u8, value.len() as u8]);
            params.extend(name.bytes().chain(value.bytes()));
        }
        let record = |kind: u8, body: &[u8]| {
            let mut bytes = vec![1, kind, 0, 1, 0, body.len() as u8, 0, 0];
            bytes.extend(body);
            bytes
        };
        let begin = record(1, &[0, 1, 0, 0, 0, 0, 0, 0]);
        let request = [begin, record(4, &params), record(4, &[]), record(5, &[])].concat();
        stream.write_all(&request).unwrap();
    }
}

impl Drop for PhpFpm {
    fn drop(&mut self) {
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

fn has(look: &Look, name: &str) -> f64 {
    value(look, name, &[]).unwrap_or_else(|| {
        let points: Vec<_> = look.points().collect();
        panic!("no {name} in {points:?}")
    })
}

/// A request that computes for ever.
const BUSY: &str = "<?php\nfunction crunch($n) { $t = 0; for ($i = 0; $i < $n; $i++) { $t += $i * $i; } return $t; }\n\
    function page() { return crunch(20000); }\nwhile (true) { page(); }\n";

#[tokio::test]
async fn what_its_processes_compute_is_told_by_their_own_functions() {
    let server = PhpFpm::start();
    std::fs::write(server.folder.path().join("busy.php"), BUSY).unwrap();
    let requests: Vec<TcpStream> = (0..2)
        .map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap())
        .collect();
    for stream in &requests {
        server.ask(stream, "busy.php");
    }
    let mut source = open("process", &format!("pid:{}", server.process.id()), &[]);
    look(&mut source.collectors[0]).await;
    let mut captures = source.captures.iter_mut();
    let capture = captures.find(|one| one.kind() == "stacks").unwrap();
    capture.take(Moment::Start.into()).await.unwrap();
    let taken = capture.take(Moment::Steady.into()).await.unwrap();
    let text = std::str::from_utf8(&taken[0].bytes).unwrap();
    let told = ToldStacks::read(text).unwrap();
    assert_eq!(told.runtime.as_deref(), Some("PHP 8.2"));
    let computes = |stack: &&ToldStack| {
        let mut calls = told.calls(stack).map(|call| call.function.as_str());
        stack.state == "cpu" && calls.any(|call| call == "page")
    };
    let count: u64 = told
        .stacks
        .iter()
        .filter(computes)
        .map(|one| one.count)
        .sum();
    let share = count as f64 / told.samples as f64;
    assert!(share > 0.8, "{share} of {} samples: {text}", told.samples);
    let crunch = told.frames.iter().find(|frame| frame.function == "crunch");
    let file = crunch.and_then(|frame| frame.file.as_deref());
    assert!(
        file.is_some_and(|file| file.ends_with("busy.php")),
        "{crunch:?}"
    );
}

async fn look_until(source: &mut Opened, at: usize, holds: impl Fn(&Look) -> bool) -> Look {
    let began = Instant::now();
    loop {
        let seen = look(&mut source.collectors[at]).await;
        if holds(&seen) {
            return seen;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{seen:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// All pools of a master, in their order, with the first look at the master itself.
async fn pools(server: &PhpFpm) -> (Look, Opened) {
    let mut source = open("php-fpm", &format!("pid:{}", server.process.id()), &[]);
    let seen = look(&mut source.collectors[0]).await;
    let found = source.collectors[0].found();
    look(&mut source.collectors[0]).await;
    assert!(source.collectors[0].found().is_empty(), "found twice");
    (seen, found)
}

#[tokio::test]
async fn a_real_php_fpm() {
    let server = PhpFpm::start();
    let (seen, mut found) = pools(&server).await;
    let web = format!("php-fpm:{}", server.port);
    let fact = |thing: &str, name: &str| {
        let mut facts = seen.facts().iter();
        let found = facts.find(|fact| fact.entity.name == thing && fact.name == name);
        found.map(|fact| fact.value.as_str())
    };
    assert_eq!(fact(&web, "php_fpm.pm.max_children"), Some("2"));
    assert_eq!(fact(&web, "php_fpm.pm"), Some("static"));
    assert_eq!(fact("php-fpm:small.sock", "php_fpm.pm"), Some("ondemand"));
    assert!(
        seen.facts()
            .iter()
            .all(|fact| !fact.value.contains("hunter2"))
    );
    let limit = seen
        .points()
        .find(|(key, _)| key.entity.name == web)
        .unwrap();
    assert_eq!(
        (limit.0.name.as_ref(), limit.1),
        ("php_fpm.process.limit", 2.0)
    );
    let notes: Vec<_> = seen
        .notes()
        .iter()
        .map(|note| note.message.id.as_str())
        .collect();
    assert_eq!(notes, ["watch-php-fpm-no-status-path"]);
    assert_eq!(seen.notes()[0].entity.name, "php-fpm:mute.sock");

    // In the order of their names: small, web.
    assert_eq!(found.collectors.len(), 2);
    let small = look(&mut found.collectors[0]).await;
    assert_eq!(
        has(&small, "php_fpm.process.active.count"),
        1.0,
        "this very request"
    );
    assert_eq!(
        value(&small, "php_fpm.queue.size", &[]),
        None,
        "nobody knows"
    );
    let idle = look(&mut found.collectors[1]).await;
    assert_eq!(has(&idle, "php_fpm.process.count"), 2.0);
    assert_eq!(has(&idle, "php_fpm.queue.size"), 0.0);
    assert!(has(&idle, "php_fpm.queue.limit") > 0.0);
    let pool = idle.facts().iter().find(|fact| fact.name == "php_fpm.pool");
    assert_eq!(pool.unwrap().value, "web");
    loaded(&server, &mut found).await;
}

/// As many slow requests as there are processes, and more.
async fn loaded(server: &PhpFpm, found: &mut Opened) {
    let connected = [0; 5].map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap());
    for stream in &connected {
        server.slow(stream);
    }
    let busy = look_until(found, 1, |seen| {
        has(seen, "php_fpm.process.active.count") == 2.0 && has(seen, "php_fpm.queue.size") >= 3.0
    })
    .await;
    assert_eq!(has(&busy, "php_fpm.process.idle.count"), 0.0);
    assert!(has(&busy, "php_fpm.connection.accepted") >= 2.0);

    // Whose status waits like any other request says so, and so does who is asked by name.
    let small = std::os::unix::net::UnixStream::connect(server.socket("small")).unwrap();
    server.slow(&small);
    let path = server.socket("small").display().to_string();
    let mut named = open("php-fpm", &path, &[("status-path", "/st"), ("name", "s")]);
    let settings = look(&mut named.collectors[0]).await;
    assert!(settings.facts().iter().all(|fact| fact.entity.name == "s"));
    assert_eq!(has(&settings, "php_fpm.process.limit"), 1.0);
    let began = Instant::now();
    loop {
        let mut seen = Look::at(1);
        match found.collectors[0].collect(&mut seen).await {
            Err(busy) if busy.message.id == "watch-php-fpm-busy" => break,
            other => assert!(began.elapsed() < Duration::from_secs(60), "{other:?}"),
        }
    }
    assert_eq!(
        look_err(&mut named.collectors[1]).await,
        "watch-php-fpm-busy"
    );
}

#[tokio::test]
async fn it_is_found_and_asked_by_its_address() {
    let server = PhpFpm::start();
    let target = format!("127.0.0.1:{}", server.port);
    let specs = around(&target, Level::Observe).specs;
    let spec = specs.iter().find(|spec| spec.source == "php-fpm").unwrap();
    assert_eq!(spec.address, format!("pid:{}", server.process.id()));

    let mut named = open("php-fpm", &target, &[("status-path", "/fpm-status")]);
    let settings = look(&mut named.collectors[0]).await;
    assert_eq!(has(&settings, "php_fpm.process.limit"), 2.0);
    let seen = look(&mut named.collectors[1]).await;
    assert_eq!(has(&seen, "php_fpm.process.count"), 2.0);
    // At the usual path there is nothing.
    let mut wrong = open("php-fpm", &target, &[]);
    assert_eq!(
        look_err(&mut wrong.collectors[1]).await,
        "watch-php-fpm-no-status"
    );

    let json =
        "{\"pool\":\"www\",\"active processes\":3,\"listen queue\":1,\"listen queue len\":9}";
    let page = Served::new(&[("/status?json", json)]);
    let mut behind = open("php-fpm", &format!("http://{}", page.address), &[]);
    let seen = look(&mut behind.collectors[0]).await;
    assert_eq!(has(&seen, "php_fpm.process.active.count"), 3.0);
    assert_eq!(has(&seen, "php_fpm.queue.size"), 1.0);
}

#[tokio::test]
async fn what_is_no_server() {
    let says = |bytes: &'static [u8]| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 1024]);
                while stream.write_all(bytes).is_ok() {}
            }
        });
        address
    };
    for address in [
        format!("127.0.0.1:{}", free_port()),
        "/nowhere/s".to_owned(),
        says(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        // A page without end.
        says(b"\x01\x06\0\x01\0\x02\0\0ab"),
    ] {
        let mut source = open("php-fpm", &address, &[]);
        let id = look_err(&mut source.collectors[1]).await;
        assert_eq!(id, "watch-server-unreachable", "{address}");
    }
    let mut gone = open("php-fpm", "pid:1", &[]);
    let seen = look(&mut gone.collectors[0]).await;
    assert_eq!(seen.notes()[0].message.id, "watch-php-fpm-no-process");
    // Who only calls itself so is read with its own rights, and connected to only where it listens.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("conf").display().to_string();
    std::fs::write(&file, "[a]\nlisten = 127.0.0.1:22\npm.status_path = /x\n").unwrap();
    let title = format!("php-fpm: master process ({file})");
    let mut fake = Command::new("bash")
        .args(["-c", "exec -a \"$0\" sleep 60", &title])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut source = open("php-fpm", &format!("pid:{}", fake.id()), &[]);
    let began = Instant::now();
    // Until it has its name.
    while look(&mut source.collectors[0]).await.facts().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(source.collectors[0].found().is_empty());
    let _ = fake.kill();
    let _ = fake.wait();
    assert_eq!(
        try_open("php-fpm", "http://", &[]).err().as_deref(),
        Some("watch-url-wrong")
    );
}
