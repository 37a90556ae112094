//! A real Go program with `net/http/pprof`: where its goroutines wait, held against what the program was made to do.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll_watch::stacks::{ToldStack, ToldStacks};
use plimsoll_watch::{Level, Moment, around};
use support::{Served, free_port, open, try_open};

/// Twelve goroutines want a lock that one holds while it sleeps; five want a place in a channel of two that others
/// hold in a call; seven wait for a response; one computes.
const SHOP: &str = r#"package main

import (
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"sync"
	"time"
)

var lock sync.Mutex
var places = make(chan struct{}, 2)

func take() {
	lock.Lock()
	hold()
	lock.Unlock()
}

func hold() { time.Sleep(time.Hour) }

func enter(silent string) {
	places <- struct{}{}
	ask(silent)
	<-places
}

func ask(silent string) { http.Get("http://" + silent) }

func compute() { for n := 0; ; n++ { _ = n * n } }

func main() {
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	go func() { for { c, _ := listener.Accept(); defer c.Close() } }()
	silent := listener.Addr().String()
	for n := 0; n < 13; n++ { go take() }
	for n := 0; n < 7; n++ { go enter(silent) }
	for n := 0; n < 7; n++ { go ask(silent) }
	go compute()
	http.ListenAndServe("127.0.0.1:" + os.Args[1], nil)
}
"#;

/// The program, ended with the test.
struct Shop {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Shop {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("main.go"), SHOP).unwrap();
        let module = "module example.org/shop\n\ngo 1.21\n";
        std::fs::write(folder.path().join("go.mod"), module).unwrap();
        let built = Command::new("/usr/local/go/bin/go")
            .current_dir(folder.path())
            .env("CGO_ENABLED", "0")
            .args(["build", "-o", "shop", "."])
            .status();
        assert!(built.unwrap().success());
        let port = free_port();
        let process = Command::new(folder.path().join("shop"))
            .arg(port.to_string())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "not up");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self {
            process,
            port,
            _folder: folder,
        }
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}/debug/pprof", self.port)
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn told(address: &str) -> ToldStacks {
    let mut source = open("pprof", address, &[("name", "shop[1]")]);
    let artifacts = source.captures[0]
        .take(Moment::Steady.into())
        .await
        .unwrap();
    assert_eq!(artifacts.len(), 1);
    assert_eq!(artifacts[0].kind, "goroutines");
    ToldStacks::read(std::str::from_utf8(&artifacts[0].bytes).unwrap()).unwrap()
}

/// Goroutines, on average, in a state whose innermost own function is that one.
fn mean(told: &ToldStacks, state: &str, function: &str) -> f64 {
    let own = |stack: &&ToldStack| {
        let mut calls = told.calls(stack).filter(|call| call.library.is_none());
        calls.next().is_some_and(|call| call.function == function)
    };
    let stacks = told.stacks.iter().filter(|stack| stack.state == state);
    let count: u64 = stacks.filter(own).map(|stack| stack.count).sum();
    count as f64 / f64::from(told.looks)
}

#[tokio::test]
async fn goroutines_are_told_where_they_wait() {
    let shop = Shop::start();
    let began = Instant::now();
    // They begin one after the other.
    let told = loop {
        let told = told(&shop.address()).await;
        if mean(&told, "futex", "main.take") == 12.0 && mean(&told, "read", "main.ask") == 9.0 {
            break told;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{:#?}",
            told.stacks
        );
    };
    assert!(told.looks > 1);
    assert_eq!(mean(&told, "sleep", "main.hold"), 1.0);
    assert_eq!(mean(&told, "futex", "main.enter"), 5.0);
    assert_eq!(mean(&told, "running", "main.compute"), 1.0);
    let schema = include_str!("../../../schema/stacks.schema.json");
    let schema = serde_json::from_str(schema).unwrap();
    let checker = jsonschema::draft202012::new(&schema).unwrap();
    let json = serde_json::to_value(&told).unwrap();
    let wrong: Vec<String> = checker.iter_errors(&json).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    // It is found by itself where captures are allowed, and not asked elsewhere.
    let found = |level| around(&format!("127.0.0.1:{}", shop.port), level).specs;
    let is_pprof = |spec: &plimsoll_watch::Spec| spec.source == "pprof";
    assert!(found(Level::Capture).iter().any(is_pprof));
    assert!(!found(Level::Observe).iter().any(is_pprof));
}

#[tokio::test]
async fn what_is_no_pprof_is_told() {
    let served = Served::new(&[("/debug/pprof/goroutine", "hello")]);
    let mut wrong = open("pprof", &served.address, &[]);
    let error = wrong.captures[0].take(Moment::Steady.into()).await;
    assert_eq!(error.unwrap_err().message.id, "watch-pprof-none");
    let gone = format!("http://127.0.0.1:{}", free_port());
    let mut gone = open("pprof", &gone, &[]);
    let error = gone.captures[0].take(Moment::Steady.into()).await;
    assert_eq!(error.unwrap_err().message.id, "watch-http-unreachable");
    let unknown = try_open("pprof", "http://h:1", &[("max-series", "1")]);
    assert_eq!(unknown.err().unwrap(), "watch-unknown-option");
    let spec = plimsoll_watch::Spec {
        source: "pprof".to_owned(),
        address: "http://h:1".to_owned(),
        ..plimsoll_watch::Spec::default()
    };
    assert_eq!(spec.open().err().unwrap().0.id, "watch-pprof-level");
}
