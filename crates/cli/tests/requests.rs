//! What a server gets, and what is made of its responses.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::Write;

use base64::Engine as _;
use md5::{Digest as _, Md5};
use support::http::{HttpServer, Request, Response};
use support::raw::{RawServer, read_head};
use support::{Bench, Told};

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

#[test]
fn redirects_are_parts_of_their_request() {
    let server = HttpServer::start(|request| match request.path() {
        "/a" => Response::redirect(302, "/b?x=1").with("Set-Cookie", "seen=a; Path=/"),
        "/b" => Response::redirect(307, "c"),
        "/post" => Response::redirect(303, "/c"),
        "/keep" => Response::redirect(308, "/c"),
        _ => Response::ok(format!(
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
    let server = HttpServer::start(move |_| Response::redirect(302, &to));
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
        Some(true) => Response::ok("welcome"),
        _ => Response::new(401, "").with(
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
        Response::ok(packed(coding)).with("Content-Encoding", coding)
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
        "/204" => Response::new(204, ""),
        _ => Response::ok("a body that HEAD does not bring"),
    });
    steps(
        &server,
        "  - head: /x\n  - {get: /204}\n  - head: /y\n  - {get: /z, check: {text: a body}}\n",
    )
    .assert_code(0)
    .assert_all_ok(4);
    assert!(server.seen().iter().all(|request| request.connection == 0));
}
