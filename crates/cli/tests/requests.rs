//! What a server gets, and what is made of its answers.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use base64::Engine as _;
use md5::{Digest as _, Md5};
use support::http::{Answer, HttpServer, Request};
use support::raw::{RawServer, read_head};
use support::{Bench, Told, count};

fn steps(server: &HttpServer, steps: &str) -> Told {
    Bench::new().steps(&server.url(), steps)
}

/// A plan of one user and one iteration with more settings.
fn settings(server: &HttpServer, settings: &str, steps: &str) -> Told {
    Bench::new().plan(&one(&server.url(), settings, steps), &[])
}

fn one(target: &str, settings: &str, steps: &str) -> String {
    format!("target: {target}\nusers: 1\niterations: 1\n{settings}\nsteps:\n{steps}")
}

fn shop(request: &Request) -> Answer {
    let cookie = request.header("cookie").unwrap_or_default();
    let token = request.header("authorization").unwrap_or_default();
    match request.path() {
        "/login" => {
            let user = request
                .text()
                .split(['=', '&'])
                .nth(1)
                .unwrap_or_default()
                .to_owned();
            Answer::ok(format!("{{\"token\": \"t-{user}\", \"items\": [7, 8, 9]}}"))
                .with("Set-Cookie", format!("sid={user}; Path=/; HttpOnly"))
                .with("Set-Cookie", "theme=dark; Path=/cart")
        }
        "/cart" if cookie.contains("sid=") && cookie.contains("theme=dark") => {
            Answer::ok("in the cart")
        }
        "/order" if token == format!("Bearer t-{}", cookie.trim_start_matches("sid=")) => {
            Answer::new(201, "ordered")
        }
        "/logout" => Answer::ok("").with("Set-Cookie", "sid=; Path=/; Max-Age=0"),
        _ => Answer::new(403, format!("cookie {cookie:?}, authorization {token:?}")),
    }
}

const SESSION: &str = "  - post: /login
    form: {user: \"${user}\", password: \"${password}\"}
    save: {token: $.token, last: {json: '$.items[*]', which: 3}}
    check: {status: 200, json: {'$.items[*]': {count: 3}}}
  - transaction: buy
    steps:
      - post: /cart
        json: {item: !raw \"${last}\", note: \"a \\\"quoted\\\" note\"}
        check: {text: in the cart}
      - think: 10ms
      - get: /order
        auth: {bearer: \"${token}\"}
        check: {status: 201, text: ordered}
  - get: /logout
  - {get: /order, any-status: true, check: {status: 403}}
";

#[test]
fn a_session_keeps_cookies_and_tokens() {
    let server = HttpServer::start(shop);
    let bench = Bench::new();
    bench.write("users.csv", "user,password\nanna,a&b\nbert,c=d\ncleo,e f\n");
    let plan = format!(
        "target: {}\nusers: 3\niterations: 4\ndata: users.csv\nsteps:\n{SESSION}",
        server.url()
    );
    let told = bench.plan(&plan, &["--threads", "2"]);
    told.assert_code(0).assert_all_ok(3 * 4 * 5);
    assert_eq!(count(&told.label("buy"), "samples"), 12);
    let bodies: BTreeSet<String> = server
        .seen()
        .iter()
        .filter(|r| r.target == "/login")
        .map(Request::text)
        .collect();
    let wanted = [
        "user=anna&password=a%26b",
        "user=bert&password=c%3Dd",
        "user=cleo&password=e+f",
    ];
    assert!(bodies.iter().eq(wanted), "{bodies:?}");
    let cart = server
        .seen()
        .into_iter()
        .find(|r| r.target == "/cart")
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&cart.body).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"item": 9, "note": "a \"quoted\" note"})
    );
    assert!(
        cart.header("content-type")
            .unwrap()
            .starts_with("application/json")
    );
}

#[test]
fn users_do_not_share_cookies_and_new_users_have_none() {
    let server = HttpServer::start(|request| match request.header("cookie") {
        None => Answer::ok("first").with("Set-Cookie", format!("n={}; Path=/", request.connection)),
        Some(_) => Answer::ok("again"),
    });
    let firsts = |more: &str| {
        let begin = server.seen().len();
        let plan = format!(
            "target: {}\nusers: 3\niterations: 4\n{more}\nsteps: [{{get: /}}]\n",
            server.url()
        );
        Bench::new()
            .plan(&plan, &[])
            .assert_code(0)
            .assert_all_ok(12);
        server.seen()[begin..]
            .iter()
            .filter(|request| request.header("cookie").is_none())
            .count()
    };
    assert_eq!(firsts(""), 3);
    assert_eq!(firsts("same-user: false"), 12);
    assert_eq!(firsts("cookies: off"), 12);
    assert_eq!(firsts("cookies: clear-each-iteration"), 12);
}

#[test]
fn redirects_are_parts_of_their_request() {
    let server = HttpServer::start(|request| match request.path() {
        "/a" => Answer::redirect(302, "/b?x=1").with("Set-Cookie", "seen=a; Path=/"),
        "/b" => Answer::redirect(307, "c"),
        "/post" => Answer::redirect(303, "/c"),
        "/keep" => Answer::redirect(308, "/c"),
        _ => Answer::ok(format!(
            "{} {} {:?}",
            request.method,
            request.text(),
            request.header("cookie")
        )),
    });
    let told = steps(&server, "  - {get: /a, check: {text: [GET, seen=a]}}\n");
    told.assert_code(0).assert_all_ok(1);
    assert_eq!(server.targets(), ["/a", "/b?x=1", "/c"]);
    let labels = told.summary()["labels"].as_array().unwrap().len();
    assert!(labels >= 4, "the hops are listed apart: {labels}");
    steps(&server, "  - {post: /post, body: x, check: {text: GET}}\n").assert_all_ok(1);
    steps(
        &server,
        "  - {post: /keep, body: kept, check: {text: POST kept}}\n",
    )
    .assert_all_ok(1);
    let told = steps(
        &server,
        "  - {get: /a, redirects: false, check: {status: 302, header: {Location: {contains: /b}}}}\n",
    );
    told.assert_all_ok(1);
    // All hops of a request use one connection.
    let seen = server.seen();
    assert_eq!(seen[0].connection, seen[2].connection);
}

#[test]
fn credentials_do_not_follow_to_another_origin() {
    let other = HttpServer::hello();
    let to = format!("{}/x", other.url());
    let server = HttpServer::start(move |_| Answer::redirect(302, &to));
    for auth in [
        "auth: {basic: {user: anna, password: secret}}",
        "auth: {bearer: secret}",
        "headers: {Authorization: secret}",
    ] {
        let plan = one(&server.url(), auth, "  - get: /\n");
        Bench::new()
            .plan(&plan, &["--allow-host", other.authority()])
            .assert_all_ok(1);
    }
    assert!(
        server
            .seen()
            .iter()
            .all(|request| request.header("authorization").is_some())
    );
    assert!(
        other
            .seen()
            .iter()
            .all(|request| request.header("authorization").is_none()),
        "{:?}",
        other.seen()
    );
}

#[test]
fn basic_authentication() {
    let server = HttpServer::hello();
    settings(
        &server,
        "auth: {basic: {user: Aladdin, password: \"open sesame\"}}",
        "  - get: /\n",
    )
    .assert_all_ok(1);
    let sent = server.seen()[0].header("authorization").unwrap().to_owned();
    let text = base64::engine::general_purpose::STANDARD
        .decode(sent.strip_prefix("Basic ").unwrap())
        .unwrap();
    assert_eq!(text, b"Aladdin:open sesame");
}

fn md5(text: &str) -> String {
    Md5::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The value of a parameter of a Digest header.
fn parameter<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let parts = header.strip_prefix("Digest ")?.split(", ");
    let mut pairs = parts.filter_map(|part| part.split_once('='));
    pairs
        .find(|(other, _)| *other == name)
        .map(|(_, value)| value.trim_matches('"'))
}

/// Checks a Digest header by RFC 7616, as a server does.
fn digest_is_right(request: &Request) -> Option<bool> {
    let header = request.header("authorization")?;
    let get = |name| parameter(header, name);
    let secret = md5(&format!("{}:shop:secret", get("username")?));
    let what = md5(&format!("{}:{}", request.method, get("uri")?));
    let (nonce, nc, cnonce) = (get("nonce")?, get("nc")?, get("cnonce")?);
    let wanted = md5(&format!("{secret}:{nonce}:{nc}:{cnonce}:auth:{what}"));
    Some(wanted == get("response")? && get("uri")? == request.target && nonce == "n1")
}

#[test]
fn digest_authentication() {
    let server = HttpServer::start(|request| match digest_is_right(request) {
        Some(true) => Answer::ok("welcome"),
        _ => Answer::new(401, "").with(
            "WWW-Authenticate",
            "Digest realm=\"shop\", nonce=\"n1\", qop=\"auth\", algorithm=MD5",
        ),
    });
    let told = Bench::new().plan(
        &format!(
            "target: {}\nusers: 2\niterations: 3\nauth: {{digest: {{user: anna, password: secret}}}}\n\
             steps: [{{get: \"/a?b=c\", check: {{text: welcome}}}}]\n",
            server.url()
        ),
        &[],
    );
    told.assert_code(0).assert_all_ok(6);
    let challenged = server
        .seen()
        .iter()
        .filter(|r| r.header("authorization").is_none())
        .count();
    assert_eq!(challenged, 2, "a user is challenged once");
    let told = settings(
        &server,
        "auth: {digest: {user: anna, password: wrong}}",
        "  - get: /\n",
    );
    assert_eq!(told.total("errors"), 1);
}

#[test]
fn compressed_bodies_are_checked_decoded() {
    fn packed(coding: &str) -> Vec<u8> {
        use flate2::Compression;
        use flate2::write::{GzEncoder, ZlibEncoder};
        match coding {
            "gzip" => {
                let mut to = GzEncoder::new(Vec::new(), Compression::best());
                to.write_all(b"hello").unwrap();
                to.finish().unwrap()
            }
            "deflate" => {
                let mut to = ZlibEncoder::new(Vec::new(), Compression::best());
                to.write_all(b"hello").unwrap();
                to.finish().unwrap()
            }
            // Stored, not compressed: what these formats say of "hello" by their definitions.
            "br" => b"\x0b\x02\x80hello\x03".to_vec(),
            "zstd" => b"\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello".to_vec(),
            _ => b"hello".to_vec(),
        }
    }
    let server = HttpServer::start(|request| {
        let coding = &request.path()[1..];
        assert!(request.header("accept-encoding").unwrap().contains(coding));
        Answer::ok(packed(coding)).with("Content-Encoding", coding)
    });
    let requests: String = ["gzip", "deflate", "br", "zstd"]
        .map(|coding| format!("  - {{get: /{coding}, check: {{text: hello, size: 5}}}}\n"))
        .concat();
    settings(&server, "compression: true", &requests)
        .assert_code(0)
        .assert_all_ok(4);
}

#[test]
fn multipart_uploads() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    bench.write("photo.bin", b"\0\xff--binary\r\n\r\n");
    let plan = one(
        &server.url(),
        "",
        "  - post: /upload\n    multipart:\n      title: \"Grüße ${user()}\"\n      photo: {file: photo.bin, content-type: image/png}\n",
    );
    bench.plan(&plan, &[]).assert_code(0).assert_all_ok(1);
    let request = server.seen().remove(0);
    let boundary = request
        .header("content-type")
        .unwrap()
        .strip_prefix("multipart/form-data; boundary=")
        .unwrap()
        .to_owned();
    let body = request.body.as_slice();
    let parts: Vec<&[u8]> = split(body, format!("--{boundary}").as_bytes());
    assert_eq!(parts.len(), 4, "nothing, two parts, the end");
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    assert!(
        text(parts[1]).contains("name=\"title\"")
            && text(parts[1]).ends_with("\r\n\r\nGrüße 1\r\n")
    );
    assert!(
        text(parts[2]).contains("filename=\"photo.bin\"") && text(parts[2]).contains("image/png")
    );
    assert!(parts[2].ends_with(b"\r\n\r\n\0\xff--binary\r\n\r\n\r\n"));
    assert_eq!(parts[3], b"--\r\n");
}

fn split<'b>(bytes: &'b [u8], at: &[u8]) -> Vec<&'b [u8]> {
    let mut parts = vec![];
    let mut begin = 0;
    let mut i = 0;
    while i + at.len() <= bytes.len() {
        if &bytes[i..i + at.len()] == at {
            parts.push(&bytes[begin..i]);
            i += at.len();
            begin = i;
        } else {
            i += 1;
        }
    }
    parts.push(&bytes[begin..]);
    parts
}

#[test]
fn bodies_of_all_kinds() {
    let server = HttpServer::hello();
    let bench = Bench::new();
    bench.write("body.xml", "<a/>");
    let requests = "  - {post: /text, body: \"n=${user()}\", content-type: text/plain}
  - {put: /file, file: body.xml, content-type: application/xml}
  - {post: /none}
  - {patch: /form, form: {a: 1, b: \"x y\"}}
  - {delete: /gone}
  - {options: /o}
  - request: {method: PROPFIND, url: \"/dav?x=1#part\"}
  - {get: \"/q?a=1\", query: {b: \"ü &=\", c: \"${user()}\"}}
";
    bench
        .plan(
            &one(
                &server.url(),
                "headers: {X-A: \"${user()}\", User-Agent: me}",
                requests,
            ),
            &[],
        )
        .assert_code(0)
        .assert_all_ok(8);
    let seen = server.seen();
    let line =
        |request: &Request| format!("{} {} {}", request.method, request.target, request.text());
    let lines: Vec<String> = seen.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "POST /text n=1",
            "PUT /file <a/>",
            "POST /none ",
            "PATCH /form a=1&b=x+y",
            "DELETE /gone ",
            "OPTIONS /o ",
            "PROPFIND /dav?x=1 ",
            "GET /q?a=1&b=%C3%BC+%26%3D&c=1 "
        ]
    );
    assert_eq!(seen[2].header("content-length"), Some("0"));
    assert_eq!(seen[1].header("content-type"), Some("application/xml"));
    for request in &seen {
        assert_eq!(
            (request.header("x-a"), request.header("user-agent")),
            (Some("1"), Some("me"))
        );
        assert_eq!(request.header("host"), Some(server.authority()));
        assert_eq!(request.connection, 0, "one user, one connection");
    }
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
fn names_answered_by_the_plan() {
    let server = HttpServer::at("127.0.0.9:0", |_| Answer::ok("hello"));
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
    let server = HttpServer::at("[::1]:0", |_| Answer::ok("hello"));
    steps(&server, "  - get: /x\n")
        .assert_code(0)
        .assert_all_ok(1);
    assert_eq!(server.seen()[0].header("host"), Some(server.authority()));
}

#[test]
fn connections_kept_shared_and_closed() {
    let server = HttpServer::start(|_| {
        std::thread::sleep(Duration::from_millis(2));
        Answer::ok("hello")
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
fn a_body_waits_for_continue() {
    let server = HttpServer::hello();
    let told = steps(
        &server,
        "  - {post: /up, headers: {Expect: 100-continue}, body: waiting}\n",
    );
    told.assert_code(0).assert_all_ok(1);
    assert_eq!(server.seen()[0].text(), "waiting");
    // A server that refuses at once never gets the body.
    let refusing = RawServer::start(|mut stream| {
        let head = read_head(&mut stream)?;
        assert!(head.contains("Expect: 100-continue"));
        stream.write_all(b"HTTP/1.1 417 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
        let mut rest = Vec::new();
        std::io::Read::read_to_end(&mut stream, &mut rest)?;
        assert!(rest.is_empty(), "the body came all the same");
        Ok(())
    });
    let told = Bench::new().steps(
        &refusing.url(),
        "  - {post: /up, headers: {Expect: 100-continue}, body: waiting, check: {status: 417}}\n",
    );
    told.assert_code(0).assert_all_ok(1);
    assert!(told.total("sent_bytes") < 300);
    // One that does not know of it gets the body after a while.
    let ignorant = RawServer::start(|mut stream| {
        let head = read_head(&mut stream)?;
        let mut body = [0; 7];
        std::io::Read::read_exact(&mut stream, &mut body)?;
        assert_eq!((&body, head.is_empty()), (b"waiting", false));
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    });
    Bench::new()
        .steps(
            &ignorant.url(),
            "  - {post: /up, headers: {Expect: 100-continue}, body: waiting}\n",
        )
        .assert_all_ok(1);
}

#[test]
fn head_204_and_304_have_no_body() {
    let server = HttpServer::start(|request| match request.path() {
        "/204" => Answer::new(204, ""),
        _ => Answer::ok("a body that HEAD does not bring"),
    });
    steps(
        &server,
        "  - head: /x\n  - {get: /204}\n  - head: /y\n  - {get: /z, check: {text: a body}}\n",
    )
    .assert_code(0)
    .assert_all_ok(4);
    assert!(server.seen().iter().all(|request| request.connection == 0));
}

#[test]
fn transactions_hold_their_requests() {
    let server = HttpServer::start(|request| match request.path() {
        "/bad" => Answer::new(500, ""),
        _ => {
            std::thread::sleep(Duration::from_millis(20));
            Answer::ok("")
        }
    });
    let told = steps(
        &server,
        "  - transaction: good\n    steps: [{get: /a}, {think: 1s}, {get: /b}]\n\
         \x20 - transaction: with pauses\n    include-pauses: true\n    steps: [{get: /a}, {think: 1s}]\n\
         \x20 - transaction: broken\n    steps: [{get: /a}, {get: /bad}]\n\
         \x20 - transaction: parent\n    as-parent: true\n    steps: [{get: /c}, {get: /d}]\n",
    );
    told.assert_code(0);
    // Two requests each of the first three but one, and the parent itself.
    assert_eq!((told.total("samples"), told.total("errors")), (6, 1));
    let max = |label: &str| {
        told.label(label)["service_time_ms"]["max"]
            .as_f64()
            .unwrap()
    };
    assert!(max("good") >= 40.0 * 0.999 && max("with pauses") >= 1020.0 * 0.999);
    assert!(max("parent") >= 40.0 * 0.999);
    assert!(max("good") < max("with pauses"), "the pause does not count");
    assert_eq!(count(&told.label("broken"), "errors"), 1);
    assert_eq!(count(&told.label("parent"), "samples"), 1);
}

#[test]
fn the_sample_log_is_jmeters() {
    let server = HttpServer::start(|request| match request.path() {
        "/bad" => Answer::new(503, "down"),
        "/page" => Answer::ok("a, \"page\"").with("Content-Type", "text/html"),
        _ => Answer::redirect(302, "/page"),
    });
    let bench = Bench::new();
    let plan = format!(
        "name: log\ntarget: {}\nscenarios:\n  shop: {{users: 1, iterations: 2, steps: [{{get: /page, label: \"a, b\"}}, {{get: /go}}, {{get: /bad}}, {{get: /page, label: checked, check: {{text: nothing}}}}]}}\n",
        server.url()
    );
    bench.plan(&plan, &["--jtl", "log.jtl"]).assert_code(0);
    let text = bench.read("log.jtl");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let names = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";
    assert_eq!(text.lines().next(), Some(names));
    let headers = rows.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 8);
    let labels: Vec<&str> = rows.iter().map(|row| &row[at("label")]).collect();
    assert_eq!(labels[..4], ["a, b", "GET /go", "GET /bad", "checked"]);
    let codes: Vec<&str> = rows.iter().map(|row| &row[at("responseCode")]).collect();
    assert_eq!(codes[..4], ["200", "200", "503", "200"]);
    let success: Vec<&str> = rows.iter().map(|row| &row[at("success")]).collect();
    assert_eq!(success[..4], ["true", "true", "false", "false"]);
    assert!(
        rows[3][at("failureMessage")].contains("nothing"),
        "{:?}",
        rows[3]
    );
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    for row in &rows {
        let stamp: u128 = row[at("timeStamp")].parse().unwrap();
        assert!(stamp <= now && stamp + 120_000 > now);
        let number = |name: &str| row[at(name)].parse::<u64>().unwrap();
        assert!(
            number("Latency") <= number("elapsed")
                && number("bytes") > 0
                && number("sentBytes") > 0
        );
        assert_eq!((number("grpThreads"), number("allThreads")), (1, 1));
        assert_eq!(&row[at("threadName")], "shop 1-1");
        assert!(row[at("URL")].starts_with("http://127.0.0.1:"));
    }
}

#[test]
fn setup_and_teardown_run_once_and_setup_hands_on_what_it_saved() {
    let server = HttpServer::start(|request| match request.path() {
        "/setup" => Answer::ok("{\"token\": \"T1\"}"),
        _ => Answer::ok(""),
    });
    let bench = Bench::new();
    let plan = format!(
        "target: {}\nvariables: {{mine: \"${{uuid()}}\"}}\nusers: 4\niterations: 2\n\
         setup:\n  - {{get: /setup, save: {{token: $.token}}}}\nteardown:\n  - get: /down/${{token}}\n\
         steps:\n  - get: /${{token}}/${{mine}}\n",
        server.url()
    );
    let told = bench.plan(&plan, &["--threads", "2"]);
    told.assert_code(0).assert_all_ok(8);
    let targets = server.targets();
    assert_eq!(targets.len(), 10);
    assert_eq!(
        (targets[0].as_str(), targets[9].as_str()),
        ("/setup", "/down/T1")
    );
    let own: BTreeSet<&str> = targets[1..9]
        .iter()
        .map(|t| t.strip_prefix("/T1/").unwrap())
        .collect();
    assert_eq!(own.len(), 4, "each user has its own value: {own:?}");
}

#[test]
fn a_setup_that_fails_ends_the_run_before_the_load() {
    let server = HttpServer::start(|_| Answer::new(500, ""));
    let plan = format!(
        "target: {}\nusers: 1\niterations: 1\nsetup: [{{get: /setup}}]\nsteps: [{{get: /load}}]\n",
        server.url()
    );
    let told = Bench::new().plan(&plan, &[]);
    assert_eq!(server.targets(), ["/setup"]);
    assert_ne!(told.code, Some(0));
    assert_eq!(told.total("samples"), 0);
    assert!(!told.err.is_empty());
    told.assert_readable();
}

#[test]
fn loops_over_values_of_an_answer() {
    let server = HttpServer::start(|request| match request.path() {
        "/list" => Answer::ok("<a href='/1'>x</a><a href='/2'>y</a><a href='/3'>z</a>"),
        "/json" => Answer::ok("{\"ids\": [4, 5]}"),
        _ => Answer::ok(""),
    });
    settings(
        &server,
        "variables: {n: \"\"}",
        "  - {get: /list, save: {link: {css: a, attribute: href, which: all}}}\n\
         \x20 - {for-each: to, in-matches: link, steps: [{get: \"${to}\"}]}\n\
         \x20 - {get: /json, save: {ids: $.ids}}\n\
         \x20 - {for-each: id, in-json: \"${ids}\", steps: [{get: \"/${id}\"}]}\n\
         \x20 - {js: \"vars.n = 6\"}\n  - {get: \"/${= vars.n * 2 }\"}\n\
         \x20 - {while: \"${n} < 8\", steps: [{get: \"/w${n}\"}, {js: \"vars.n = Number(vars.n) + 1\"}]}\n",
    )
    .assert_code(0);
    assert_eq!(
        server.targets(),
        [
            "/list", "/1", "/2", "/3", "/json", "/4", "/5", "/12", "/w6", "/w7"
        ]
    );
}
