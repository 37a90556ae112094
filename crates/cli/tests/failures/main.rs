//! What must not happen: a panic, a hang or a lost run, whatever the server, the plan or the
//! machine does.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod groups;
mod machine;
mod plans;
#[path = "../support/mod.rs"]
mod support;
mod verdicts;

use std::io::{Read, Write};
use std::time::Duration;

use support::http::{HttpServer, Response};
use support::raw::{RawServer, knows_no_name, read_head, read_to_end, refusing_url, reset};
use support::{Bench, Told};

/// Two users, five requests each, against a server.
fn run_against(url: &str) -> Told {
    run_with(url, "")
}

/// As `run_against`, against a server that never responds whole: with a short time-out. All others have more
/// time than they need on a busy machine.
fn run_until_timeout(url: &str) -> Told {
    run_within("400ms", url, "")
}

fn run_with(url: &str, more: &str) -> Told {
    run_within("20s", url, more)
}

fn run_within(timeout: &str, url: &str, more: &str) -> Told {
    let plan = format!(
        "target: {url}\nusers: 2\niterations: 5\ntimeout: {timeout}\nconnect-timeout: 1s\n\
         max-body: 64KB\nmax-head: 4KiB\n{more}steps:\n  - get: /x\n"
    );
    let told = Bench::new().plan(&plan, &[]);
    told.assert_readable();
    told
}

#[test]
fn a_server_that_refuses() {
    let told = run_against(&refusing_url());
    told.assert_code(3)
        .assert_all_errors_are("connection_refused");
    assert_eq!(told.summary()["verdict"], "error");
}

#[test]
fn a_server_that_accepts_and_resets() {
    let server = RawServer::start(|mut stream| {
        // One byte is read, so that the rest is unread when it is closed.
        stream.read_exact(&mut [0])?;
        reset(stream);
        Ok(())
    });
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("connection_reset");
}

#[test]
fn a_server_that_never_responds() {
    let server = RawServer::start(|mut stream| {
        read_to_end(&mut stream);
        Ok(())
    });
    run_until_timeout(&server.url())
        .assert_code(6)
        .assert_all_errors_are("read_timeout");
}

#[test]
fn a_server_that_closes_before_its_response() {
    let server = RawServer::start(|mut stream| read_head(&mut stream).map(drop));
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("connection_closed");
}

#[test]
fn a_server_that_closes_within_the_body() {
    let server = RawServer::responding("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("closed_in_body");
}

#[test]
fn a_server_that_closes_within_a_chunk() {
    let server =
        RawServer::responding("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe");
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("closed_in_body");
}

#[test]
fn a_server_that_sends_garbage() {
    for garbage in [
        &b"\x00\xff\x16\x03\x01 garbage\r\n\r\n"[..],
        b"220 mail.test ESMTP\r\n",
        b"\r\n\r\n\r\n\0",
    ] {
        let server = RawServer::responding(garbage);
        run_against(&server.url())
            .assert_code(6)
            .assert_all_errors_are("malformed_response");
    }
}

#[test]
fn a_server_with_a_wrong_content_length() {
    let server = RawServer::responding("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello");
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("malformed_response");
    // More than was announced: the response counts, the connection is not used again.
    let server = RawServer::start(|mut stream| {
        while !read_head(&mut stream)?.is_empty() {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello and more")?;
        }
        Ok(())
    });
    let told = run_against(&server.url());
    told.assert_code(0).assert_all_ok(10);
    assert_eq!(server.connections(), 10);
}

#[test]
fn a_server_with_endless_headers() {
    let server = RawServer::endless("HTTP/1.1 200 OK\r\n", "X-Again: and again\r\n");
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("header_limit");
    let server = RawServer::endless("HTTP/1.1 200 OK\r\nX-Long: ", "and on and on ");
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("header_limit");
}

#[test]
fn a_server_with_an_endless_body() {
    let server = RawServer::endless("HTTP/1.1 200 OK\r\n\r\n", "more and more ");
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("body_limit");
    let server = RawServer::endless(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "5\r\nhello\r\n",
    );
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("body_limit");
}

#[test]
fn a_server_with_endless_informational_responses() {
    let server = RawServer::endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("header_limit");
}

#[test]
fn a_server_that_drips() {
    let server = RawServer::start(|mut stream| {
        read_head(&mut stream)?;
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
        loop {
            stream.write_all(b"x")?;
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    run_until_timeout(&server.url())
        .assert_code(6)
        .assert_all_errors_are("read_timeout");
}

#[test]
fn a_response_that_is_not_compressed_as_it_says() {
    let server = HttpServer::start(|_| Response::ok("not gzip").with("Content-Encoding", "gzip"));
    let told = run_with(&server.url(), "check: {text: not}\n");
    told.assert_code(6).assert_all_errors_are("decoding");
}

#[test]
fn a_body_that_unpacks_without_end_is_bounded() {
    let packed = {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(&vec![0; 10_000_000]).unwrap();
        gzip.finish().unwrap()
    };
    assert!(packed.len() < 60_000);
    let server =
        HttpServer::start(move |_| Response::ok(packed.clone()).with("Content-Encoding", "gzip"));
    let told = run_with(&server.url(), "check: {text: hello}\n");
    told.assert_code(6);
    assert_eq!(told.total("errors"), 10);
}

#[test]
fn plain_http_on_an_https_address() {
    let server = HttpServer::hello();
    let url = server.url().replace("http:", "https:");
    run_against(&url)
        .assert_code(3)
        .assert_all_errors_are("tls_handshake");
}

#[test]
fn https_on_a_plain_http_address() {
    let server = RawServer::start(support::tls::serve(support::tls::config(&["localhost"])));
    let told = run_against(&server.url());
    // An alert is no HTTP; some TLS servers just close.
    assert_eq!(
        told.errors("malformed_response")
            + told.errors("connection_closed")
            + told.errors("connection_reset"),
        10,
        "{}",
        told.summary()["errors_by_kind"]
    );
}

#[test]
fn a_wrong_certificate() {
    let server = RawServer::start(support::tls::serve(support::tls::config(&["other.test"])));
    let url = format!("https://127.0.0.1:{}", server.port());
    run_against(&url)
        .assert_code(3)
        .assert_all_errors_are("tls_certificate");
    run_with(&url, "tls: {insecure: true}\n")
        .assert_code(0)
        .assert_all_ok(10);
}

#[test]
fn a_certificate_for_another_name() {
    let bench = Bench::new();
    let (config, pem) = support::tls::config_with_pem(&["shop.test"]);
    bench.write("ca.pem", pem);
    let server = RawServer::start(support::tls::serve(config));
    let plan = |host: &str| {
        format!(
            "target: https://{host}:{}\nusers: 1\niterations: 3\ntls: {{ca: ca.pem}}\n\
             dns: {{shop.test: 127.0.0.1, other.test: 127.0.0.1}}\nsteps: [{{get: /x}}]\n",
            server.port()
        )
    };
    bench
        .plan(&plan("shop.test"), &[])
        .assert_code(0)
        .assert_all_ok(3);
    let told = bench.plan(&plan("other.test"), &[]);
    told.assert_code(3)
        .assert_all_errors_are("tls_certificate")
        .assert_readable();
}

#[test]
fn a_name_that_does_not_resolve() {
    let servers = format!("dns-servers: [\"{}\"]\n", knows_no_name());
    let told = run_with("http://nowhere.invalid", &servers);
    told.assert_code(3).assert_all_errors_are("unknown_host");
}

#[test]
fn a_name_server_that_never_responds() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let servers = format!("dns-servers: [\"{}\"]\n", socket.local_addr().unwrap());
    let told = run_with("http://nowhere.invalid", &servers);
    told.assert_code(3);
    assert_eq!(told.total("errors"), told.total("samples"));
}

#[test]
fn redirects_that_never_end() {
    let server = HttpServer::start(|request| {
        let number: u64 = request.target[2..].parse().unwrap_or(0);
        Response::redirect(302, &format!("/r{}", number + 1))
    });
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("redirect_loop");
    assert_eq!(
        server.seen().len(),
        10 * 11,
        "a request and ten redirects each"
    );
}

#[test]
fn a_redirect_to_another_host() {
    let other = HttpServer::hello();
    let to = other.url();
    let server = HttpServer::start(move |_| Response::redirect(302, &to));
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("host_not_allowed");
    assert!(
        other.seen().is_empty(),
        "a host that nobody named was loaded"
    );
    let bench = Bench::new();
    let allowed = bench.plan(
        &format!(
            "target: {}\nusers: 1\niterations: 1\nsteps: [{{get: /x}}]\n",
            server.url()
        ),
        &["--allow-host", other.authority()],
    );
    allowed.assert_code(0).assert_all_ok(1);
}

#[test]
fn a_redirect_to_no_address() {
    let server = HttpServer::start(|_| Response::redirect(302, "http://[not an address"));
    run_against(&server.url())
        .assert_code(6)
        .assert_all_errors_are("malformed_response");
}

#[test]
fn a_server_that_refuses_ends_a_long_run() {
    for load in ["users: 2", "rate: 20/s"] {
        let plan = format!(
            "target: {}\n{load}\nduration: 1h\nsteps: [{{get: /}}]\n",
            refusing_url()
        );
        let told = Bench::new().plan(&plan, &[]);
        told.assert_code(3).assert_readable();
        assert!(!told.err.is_empty());
    }
}
