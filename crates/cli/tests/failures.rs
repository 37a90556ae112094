//! What must not happen: a panic, a hang or a lost run, whatever the server, the plan or the
//! machine does.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{Read, Write};
use std::time::Duration;

use support::http::{Answer, HttpServer};
use support::raw::{RawServer, knows_no_name, read_head, read_to_end, refusing_url, reset};
use support::{Bench, Told};

/// Two users, ten requests each, against a server; time-outs are short.
fn run_against(url: &str) -> Told {
    run_with(url, "")
}

fn run_with(url: &str, more: &str) -> Told {
    let plan = format!(
        "target: {url}\nusers: 2\niterations: 5\ntimeout: 400ms\nconnect-timeout: 1s\n\
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
        .assert_code(0)
        .assert_all_errors_are("connection_reset");
}

#[test]
fn a_server_that_never_answers() {
    let server = RawServer::start(|mut stream| {
        read_to_end(&mut stream);
        Ok(())
    });
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("read_timeout");
}

#[test]
fn a_server_that_closes_before_answering() {
    let server = RawServer::start(|mut stream| read_head(&mut stream).map(drop));
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("connection_closed");
}

#[test]
fn a_server_that_closes_within_the_body() {
    let server = RawServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("closed_in_body");
}

#[test]
fn a_server_that_closes_within_a_chunk() {
    let server =
        RawServer::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe");
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("closed_in_body");
}

#[test]
fn a_server_that_answers_garbage() {
    for garbage in [
        &b"\x00\xff\x16\x03\x01 garbage\r\n\r\n"[..],
        b"220 mail.test ESMTP\r\n",
        b"\r\n\r\n\r\n\0",
    ] {
        let server = RawServer::answering(garbage);
        run_against(&server.url())
            .assert_code(0)
            .assert_all_errors_are("malformed_answer");
    }
}

#[test]
fn a_server_with_a_wrong_content_length() {
    let server = RawServer::answering("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello");
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("malformed_answer");
    // More than was announced: the answer counts, the connection is not used again.
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
        .assert_code(0)
        .assert_all_errors_are("header_limit");
    let server = RawServer::endless("HTTP/1.1 200 OK\r\nX-Long: ", "and on and on ");
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("header_limit");
}

#[test]
fn a_server_with_an_endless_body() {
    let server = RawServer::endless("HTTP/1.1 200 OK\r\n\r\n", "more and more ");
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("body_limit");
    let server = RawServer::endless(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "5\r\nhello\r\n",
    );
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("body_limit");
}

#[test]
fn a_server_with_endless_informational_answers() {
    let server = RawServer::endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    run_against(&server.url())
        .assert_code(0)
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
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("read_timeout");
}

#[test]
fn an_answer_that_is_not_compressed_as_it_says() {
    let server = HttpServer::start(|_| Answer::ok("not gzip").with("Content-Encoding", "gzip"));
    let told = run_with(&server.url(), "check: {text: not}\n");
    told.assert_code(0).assert_all_errors_are("decoding");
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
        HttpServer::start(move |_| Answer::ok(packed.clone()).with("Content-Encoding", "gzip"));
    let told = run_with(&server.url(), "check: {text: hello}\n");
    told.assert_code(0);
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
        told.errors("malformed_answer")
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
fn a_name_server_that_never_answers() {
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
        Answer::redirect(302, &format!("/r{}", number + 1))
    });
    run_against(&server.url())
        .assert_code(0)
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
    let server = HttpServer::start(move |_| Answer::redirect(302, &to));
    run_against(&server.url())
        .assert_code(0)
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
    let server = HttpServer::start(|_| Answer::redirect(302, "http://[not an address"));
    run_against(&server.url())
        .assert_code(0)
        .assert_all_errors_are("malformed_answer");
}

#[test]
fn file_descriptors_run_out() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(300));
        Answer::ok("hello")
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 100\niterations: 2\nsteps: [{{get: /x}}]\n",
        server.url()
    );
    bench.write("plan.yaml", plan);
    let told = bench.shell(
        "ulimit -n 64 && exec \"$PLIMSOLL\" run plan.yaml --quiet --summary-json summary.json",
    );
    told.assert_code(4)
        .assert_all_errors_are("out_of_file_descriptors")
        .assert_readable();
    let summary = told.summary();
    assert_eq!(summary["generator"]["limited"], true);
    let reasons = summary["generator"]["reasons"].to_string();
    assert!(reasons.contains("fds"), "{reasons}");
    assert!(
        told.total("samples") > told.total("errors"),
        "some had a descriptor"
    );
}

#[test]
fn the_disk_is_full() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(5));
        Answer::ok("hello")
    });
    let bench = Bench::new();
    bench.write(
        "plan.yaml",
        format!(
            "target: {}\nusers: 2\nduration: 3s\nsteps: [{{get: /x}}]\n",
            server.url()
        ),
    );
    // No file may grow beyond 24 KiB; the signal that this brings is ignored, as a disk
    // that is full brings none.
    let told = bench.shell(
        "trap '' XFSZ; ulimit -f 48; \"$PLIMSOLL\" run plan.yaml --quiet --summary-json summary.json; exit $?",
    );
    told.assert_code(0);
    assert!(told.total("samples") > 0 && told.total("errors") == 0);
    assert!(!told.err.trim().is_empty(), "the user is told");
}

#[test]
fn files_that_cannot_be_written() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    bench.write(
        "plan.yaml",
        format!(
            "target: {}\nusers: 1\niterations: 3\nsteps: [{{get: /x}}]\n",
            server.url()
        ),
    );
    let told = bench.call(&[
        "run",
        "plan.yaml",
        "--quiet",
        "--jtl",
        "/dev/full",
        "--summary-json",
        "summary.json",
    ]);
    told.assert_code(0).assert_all_ok(3).assert_readable();
    assert!(told.err.contains("/dev/full"), "{told:?}");
    // A folder for runs that cannot be made: the run goes on, in memory.
    let told = bench.call(&[
        "run",
        "plan.yaml",
        "--quiet",
        "--out",
        "/dev/null/runs",
        "--summary-json",
        "summary.json",
    ]);
    told.assert_code(0).assert_all_ok(3);
    assert!(told.err.contains("/dev/null/runs"), "{told:?}");
    let told = bench.call(&["run", "plan.yaml", "--quiet", "--summary-json", "/dev/full"]);
    assert!(told.err.contains("/dev/full"), "{told:?}");
    assert_ne!(told.code, Some(0));
}

#[test]
fn a_plan_that_cannot_be_read() {
    let bench = Bench::new();
    for plan in ["missing.yaml", "/", "latin1.yaml"] {
        bench.write("latin1.yaml", b"name: caf\xe9\n");
        let told = bench.call(&["run", plan]);
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains(plan), "{told:?}");
    }
    assert!(support::runs_in(bench.dir.path()).is_empty());
}

#[test]
fn a_wrong_plan_lists_every_mistake() {
    let bench = Bench::new();
    bench.write(
        "plan.yaml",
        "target: http://127.0.0.1:1\nusers: many\nduration: 5 parsecs\nsteps:\n  - gett: /x\n  - get: /${nobody}\n",
    );
    let told = bench.call(&["run", "plan.yaml"]);
    assert_eq!(told.code, Some(2), "{told:?}");
    for place in ["plan.yaml:2:8", "plan.yaml:3:11", "plan.yaml:5:5"] {
        assert!(told.err.contains(place), "{place}: {}", told.err);
    }
    assert!(
        told.err.contains("parsecs") && told.err.contains("gett"),
        "{}",
        told.err
    );
    bench.write(
        "plan.yaml",
        "target: http://127.0.0.1:1\nsteps:\n  - get: /${nobody}\n  - get: /${somebody}\n",
    );
    let told = bench.call(&["run", "plan.yaml"]);
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(
        told.err.contains("nobody") && told.err.contains("somebody"),
        "{}",
        told.err
    );
}

#[test]
fn missing_files() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = |more: &str| format!("target: {}\nusers: 1\niterations: 2\n{more}", server.url());
    let told = bench.plan(
        &plan("data: users.csv\nsteps: [{get: \"/${user}\"}]\n"),
        &[],
    );
    assert_eq!(told.code, Some(2), "{told:?}");
    assert!(told.err.contains("users.csv"), "{}", told.err);
    bench.write("users.csv", "user,password\n");
    let told = bench.plan(
        &plan("data: users.csv\nsteps: [{get: \"/${user}\"}]\n"),
        &[],
    );
    assert_eq!(told.code, Some(2), "{told:?}");
    for body in ["file: body.bin", "multipart: {a: {file: body.bin}}"] {
        let told = bench.plan(&plan(&format!("steps:\n  - post: /x\n    {body}\n")), &[]);
        assert_eq!(told.code, Some(2), "{told:?}");
        assert!(told.err.contains("body.bin"), "{}", told.err);
    }
    for tls in ["ca: ca.pem", "certificate: me.pem, key: me.key"] {
        let told = bench.plan(
            &plan(&format!(
                "tls: {{{tls}}}\nsteps: [{{get: \"https://127.0.0.1:1/\"}}]\n"
            )),
            &[],
        );
        assert_eq!(told.code, Some(2), "{told:?}");
    }
    assert!(
        server.seen().is_empty(),
        "a plan whose files are missing was run"
    );
}

#[test]
fn a_variable_without_a_value_is_not_sent() {
    let server = HttpServer::start(|_| Answer::ok("{}"));
    let told = Bench::new().steps(
        &server.url(),
        "  - if: ${user()} > 5\n    then: [{set: {token: abc}}]\n  - get: /a?t=${token}\n  - get: /b\n",
    );
    told.assert_code(0).assert_all_errors_are("script_failed");
    assert_eq!(server.targets(), ["/b"]);
}

/// Steps that never wait must keep neither other users nor the end of the run from their turn.
#[test]
fn steps_that_send_nothing_do_not_hang() {
    let server = HttpServer::hello();
    let unset = "set: {a: \"${token}\"}";
    for steps in [
        "js: \"vars.x = 1\"",
        "if: \"nobody.knows == 1\"\n            then: [{get: /x}]",
        unset,
        "get: \"/${token}\"",
        "get: \"http://other.test/\"",
        "repeat: 1000000000\n            steps: [{set: {a: b}}]",
        "while: \"${user()} > 0\"\n            at-most: 1000000000\n            steps: [{js: \"1\"}]",
    ] {
        let plan = format!(
            "target: {}
variables: {{x: \"\", a: \"\"}}
hosts: [127.0.0.1]
scenarios:
    busy:
        users: 2
        duration: 1s
        steps:
          - {steps}
          - if: ${{user()}} > 5
            then: [{{set: {{token: abc}}}}]
    other:
        users: 1
        iterations: 20
        steps: [{{get: /hello}}]
",
            server.url()
        );
        let bench = Bench::new();
        let told = bench.plan(&plan, &["--threads", "1", "--seed", "1"]);
        assert!(matches!(told.code, Some(0 | 4)), "{steps}: {told:?}");
        let hello = support::count(&told.label("GET /hello"), "samples");
        assert_eq!(hello, 20, "{steps}");
    }
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

/// So few that not even the load threads can begin: that is no run that passed.
#[test]
fn hardly_any_file_descriptors() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nusers: 4\niterations: 5\nsteps: [{{get: /x}}]\n",
        server.url()
    );
    bench.write("plan.yaml", plan);
    for descriptors in [5, 8, 10, 12, 14, 16, 18, 20, 22, 26] {
        let told = bench.shell(&format!(
            "ulimit -n {descriptors} && exec \"$PLIMSOLL\" run plan.yaml --quiet --threads 2 \
             --summary-json summary.json"
        ));
        if told.code == Some(0) {
            told.assert_all_ok(20);
        } else {
            assert!(
                !told.err.is_empty() || told.total("errors") > 0,
                "{descriptors}: {told:?}"
            );
        }
    }
}
