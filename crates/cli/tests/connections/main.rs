//! How a server is reached: proxies, tunnels, sockets, addresses, names; how long connections
//! last.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bodies;
mod ends;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use support::Bench;
use support::http::{HttpServer, Response};
use support::raw::{RawServer, read_head};

fn one(target: &str, settings: &str, steps: &str) -> String {
    format!("target: {target}\nusers: 1\niterations: 1\n{settings}\nsteps:\n{steps}")
}

#[test]
fn a_plain_http_proxy_gets_whole_addresses() {
    let proxy = HttpServer::hello();
    let plan = one(
        "http://shop.test:8080",
        &format!("proxy: \"http://anna:secret@{}\"", proxy.authority()),
        "  - get: /x\n",
    );
    Bench::new()
        .plan(&plan, &[])
        .assert_code(0)
        .assert_all_ok(1);
    let request = proxy.seen().remove(0);
    assert_eq!(request.target, "http://shop.test:8080/x");
    assert_eq!(request.header("host"), Some("shop.test:8080"));
    assert!(
        request
            .header("proxy-authorization")
            .unwrap()
            .starts_with("Basic ")
    );
}

/// A proxy that tunnels to one port; without credentials it refuses.
fn tunnel(to: u16) -> RawServer {
    RawServer::start(move |mut client| {
        let head = read_head(&mut client)?;
        if !head.starts_with("CONNECT shop.test:443 HTTP/1.1\r\n")
            || !head.contains("Proxy-Authorization: Basic ")
        {
            return client.write_all(b"HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n");
        }
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
        let mut server = TcpStream::connect(("127.0.0.1", to))?;
        let (mut back, mut forth) = (server.try_clone()?, client.try_clone()?);
        std::thread::spawn(move || std::io::copy(&mut back, &mut forth));
        std::io::copy(&mut client, &mut server).map(drop)
    })
}

#[test]
fn https_goes_through_a_tunnel() {
    let tls = RawServer::start(support::tls::serve(support::tls::config(&["shop.test"])));
    let proxy = tunnel(tls.port());
    let plan = |login: &str| {
        one(
            "https://shop.test",
            &format!(
                "tls: {{insecure: true}}\nproxy: \"http://{login}127.0.0.1:{}\"",
                proxy.port()
            ),
            "  - {get: /x, check: {text: hello}}\n  - {get: /y}\n",
        )
    };
    Bench::new()
        .plan(&plan("anna:secret@"), &[])
        .assert_code(0)
        .assert_all_ok(2);
    assert_eq!(proxy.connections(), 1, "a tunnel is kept");
    Bench::new()
        .plan(&plan(""), &[])
        .assert_code(3)
        .assert_all_errors_are("proxy");
}

#[test]
fn a_proxy_that_is_not_there() {
    let gone = support::raw::refusing_url();
    let plan = one(
        "http://shop.test",
        &format!("proxy: \"{gone}\""),
        "  - get: /x\n",
    );
    Bench::new()
        .plan(&plan, &[])
        .assert_code(3)
        .assert_all_errors_are("proxy");
}

#[test]
fn unix_sockets() {
    let bench = Bench::new();
    let path = bench.path("web.sock");
    let server = HttpServer::unix(&path);
    let plan = one(
        "http://shop.test",
        &format!("unix-socket: {}", path.display()),
        "  - get: /x\n  - get: /y\n",
    );
    bench.plan(&plan, &[]).assert_code(0).assert_all_ok(2);
    assert_eq!(server.targets(), ["/x", "/y"]);
    assert_eq!(server.seen()[0].header("host"), Some("shop.test"));
    let plan = one(
        "http://shop.test",
        "unix-socket: /nowhere/web.sock",
        "  - get: /x\n",
    );
    let told = bench.plan(&plan, &[]);
    told.assert_code(3);
    assert_eq!(told.total("errors"), 1);
}

#[test]
fn source_addresses_are_taken_in_turn() {
    let server = HttpServer::hello();
    let plan = format!(
        "target: {}\nusers: 4\niterations: 1\nsource-addresses: [127.0.0.2, 127.0.0.3]\nsteps: [{{get: /}}]\n",
        server.url()
    );
    Bench::new()
        .plan(&plan, &["--threads", "2"])
        .assert_code(0)
        .assert_all_ok(4);
    let mut from: Vec<String> = server
        .seen()
        .iter()
        .map(|r| r.from.unwrap().ip().to_string())
        .collect();
    from.sort();
    assert_eq!(from, ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3"]);
}

#[test]
fn names_resolved_by_the_plan() {
    let server = HttpServer::at("127.0.0.9:0", |_| Response::ok("hello"));
    let plan = one(
        &format!("http://shop.test:{}", server.port()),
        "dns: {shop.test: 127.0.0.9}",
        "  - get: /\n",
    );
    Bench::new()
        .plan(&plan, &[])
        .assert_code(0)
        .assert_all_ok(1);
    let host = format!("shop.test:{}", server.port());
    assert_eq!(server.seen()[0].header("host"), Some(&*host));
    // The first address that takes the connection is used.
    let plan = one(
        &format!("http://shop.test:{}", server.port()),
        "dns: {shop.test: [127.0.0.8, 127.0.0.9]}",
        "  - get: /\n",
    );
    Bench::new()
        .plan(&plan, &[])
        .assert_code(0)
        .assert_all_ok(1);
}

#[test]
fn ipv6() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        eprintln!("skipped: this machine has no ::1");
        return;
    }
    let server = HttpServer::at("[::1]:0", |_| Response::ok("hello"));
    Bench::new()
        .steps(&server.url(), "  - get: /x\n")
        .assert_code(0)
        .assert_all_ok(1);
    assert_eq!(server.seen()[0].header("host"), Some(server.authority()));
}

#[test]
fn connections_kept_shared_and_closed() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(2));
        Response::ok("hello")
    });
    let connections = |settings: &str, threads: &str| {
        let begin = server.seen().len();
        let plan = format!(
            "target: {}\nusers: 4\niterations: 5\n{settings}\nsteps: [{{get: /}}]\n",
            server.url()
        );
        Bench::new()
            .plan(&plan, &["--threads", threads])
            .assert_code(0)
            .assert_all_ok(20);
        let seen = &server.seen()[begin..];
        let closing = seen
            .iter()
            .filter(|request| request.header("connection") == Some("close"))
            .count();
        let used: BTreeSet<usize> = seen.iter().map(|request| request.connection).collect();
        (used.len(), closing)
    };
    assert_eq!(connections("", "2"), (4, 0));
    assert_eq!(connections("keep-alive: false", "2"), (20, 20));
    assert_eq!(connections("same-user: false", "2"), (20, 0));
    let (shared, _) = connections(
        "share-connections: true\npauses: [{throughput: \"6000\"}]",
        "1",
    );
    assert!((1..=4).contains(&shared), "{shared}");
}

#[test]
fn a_connection_that_the_server_closed_meanwhile_is_not_used() {
    let server = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    });
    let plan = format!(
        "target: {}\nusers: 1\niterations: 5\nsteps: [{{get: /}}, {{think: 50ms}}]\n",
        server.url()
    );
    Bench::new()
        .plan(&plan, &[])
        .assert_code(0)
        .assert_all_ok(5);
    assert_eq!(server.connections(), 5);
}

#[test]
fn a_client_certificate_is_shown_to_a_server_that_wants_one() {
    let (config, [server_pem, client_pem, client_key]) =
        support::tls::config_for_known_client(&["shop.test"]);
    let server = RawServer::start(support::tls::serve(config));
    let bench = Bench::new();
    bench.write("ca.pem", server_pem);
    bench.write("me.pem", client_pem);
    bench.write("me.key", client_key);
    let target = format!("https://shop.test:{}", server.port());
    let plan = |tls: &str| {
        let settings = format!("tls: {{{tls}}}\ndns: {{shop.test: 127.0.0.1}}");
        one(&target, &settings, "  - get: /x\n")
    };
    bench
        .plan(&plan("ca: ca.pem, certificate: me.pem, key: me.key"), &[])
        .assert_code(0)
        .assert_all_ok(1);
    // Without it the server ends the handshake, in TLS 1.3 only after the client's part.
    let told = bench.plan(&plan("ca: ca.pem"), &[]);
    assert_eq!(told.summary()["total"]["errors"], 1, "{told:?}");
}
