//! Bodies of any size arrive byte by byte as they were sent, in both directions, by every
//! version of TLS and without; curl says what is right.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use md5::Digest as _;
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, SupportedProtocolVersion};

use super::support::http::Request;
use super::support::nginx::{Nginx, free_port};
use super::support::raw::RawServer;
use super::support::tls::{Tls, make, serve_as};
use super::support::{Bench, Told};

/// Around the sizes of records and of what is read at once.
const SIZES: [usize; 9] = [
    0, 1, 16_383, 16_384, 16_385, 32_768, 33_792, 102_400, 1_048_576,
];

/// Far more than all buffers on the way hold.
const LARGE: usize = 50 << 20;

/// Text that differs everywhere: numbered copies of a piece without a pattern.
fn text(bytes: usize) -> Vec<u8> {
    let mut state: u32 = 1;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + (state >> 24) as u8 % 26
    };
    let piece: Vec<u8> = (0..bytes.min(65_000)).map(|_| letter()).collect();
    let mut text = Vec::with_capacity(bytes + piece.len());
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.extend(format!("{number:08}").bytes());
        text.extend(&piece);
    }
    text.truncate(bytes);
    text
}

fn md5(bytes: &[u8]) -> String {
    let digest = md5::Md5::digest(bytes);
    digest.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

fn run(bench: &Bench, target: &str, more: &str, steps: &str) -> Told {
    let plan = format!(
        "target: {target}\nusers: 1\niterations: 1\ntls: {{insecure: true}}\n{more}\nsteps:\n{steps}"
    );
    bench.plan(&plan, &[])
}

/// What curl gets; none where it is not installed.
fn curl(args: &[&str]) -> Option<std::process::Output> {
    let mut command = Command::new("curl");
    command.args(["-sk", "--noproxy", "*"]).args(args);
    command.stdin(Stdio::null()).output().ok()
}

/// Servers of TLS's two versions with small and large records, and one without TLS.
fn servers(dir: &Path, ports: &[u16]) -> String {
    let made = make(&["localhost"], &[&TLS13]);
    std::fs::write(dir.join("cert.pem"), made.certificate).unwrap();
    std::fs::write(dir.join("key.pem"), made.key).unwrap();
    let dir = dir.display();
    let kinds = [
        "",
        "ssl_protocols TLSv1.2; ssl_buffer_size 1k;",
        "ssl_protocols TLSv1.2; ssl_buffer_size 64k;",
        "ssl_protocols TLSv1.3; ssl_buffer_size 1k;",
        "ssl_protocols TLSv1.3; ssl_buffer_size 64k;",
    ];
    let server = |(kind, port): (&&str, &u16)| {
        let ssl = if kind.is_empty() { "" } else { "ssl" };
        format!(
            "server {{ listen 127.0.0.1:{port} {ssl}; {kind} root {dir}; keepalive_requests 9;\n\
             ssl_certificate {dir}/cert.pem; ssl_certificate_key {dir}/key.pem; }}\n"
        )
    };
    kinds.iter().zip(ports).map(server).collect()
}

#[test]
fn bodies_of_nginx_are_those_that_curl_gets() {
    let ports: Vec<u16> = (0..5).map(|_| free_port()).collect();
    let Some(nginx) = Nginx::start_with(|dir| servers(dir, &ports)) else {
        return;
    };
    let url = |port: &u16, size: usize| {
        let scheme = if *port == ports[0] { "http" } else { "https" };
        format!("{scheme}://localhost:{port}/{size}")
    };
    let last = &ports[4];
    for size in SIZES.into_iter().chain([LARGE]) {
        std::fs::write(nginx.dir().join(size.to_string()), text(size)).unwrap();
    }
    let mut files: Vec<(String, usize)> = Vec::new();
    for port in &ports {
        files.extend(SIZES.map(|size| (url(port, size), size)));
    }
    let heard = RawServer::start(serve_as(config_of(&TLS13), |request, tls| {
        let right = request
            .target
            .split_once("?md5=")
            .is_some_and(|(path, sum)| {
                let size = path.trim_start_matches('/').parse().unwrap_or(usize::MAX);
                sum == md5(&text(size))
            });
        respond(tls, if right { "200 Right" } else { "500 Wrong" }, b"")
    }));
    let mut steps = String::new();
    for (url, size) in &files {
        writeln!(
            steps,
            "  - {{get: '{url}', save: {{body: body}}, check: {{size: {size}}}}}\n  \
             - {{get: 'https://localhost:{}/{size}?md5=${{md5(${{body}})}}'}}",
            heard.port()
        )
        .unwrap();
    }
    writeln!(
        steps,
        "  - {{get: '{}', check: {{size: {LARGE}}}}}",
        url(last, LARGE)
    )
    .unwrap();
    let told = run(&Bench::new(), "http://localhost", "", &steps);
    told.assert_code(0)
        .assert_all_ok(2 * files.len() as u64 + 1);
    for (url, size) in files {
        if let Some(got) = curl(&[&url]) {
            assert!(got.status.success() && got.stdout == text(size), "{url}");
        }
    }
}

fn config_of(version: &'static SupportedProtocolVersion) -> Arc<ServerConfig> {
    make(&["localhost"], &[version]).config
}

fn respond(tls: &mut Tls, status: &str, body: &[u8]) -> io::Result<bool> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
    tls.get_mut().write_all(&[head.as_bytes(), body].concat())?;
    Ok(true)
}

/// Writes in small pieces, each a record, or two of which TLS makes one.
fn write_slowly(out: &mut impl io::Write, body: &[u8]) -> io::Result<()> {
    for (at, piece) in body.chunks(body.len() / 40 + 1).enumerate() {
        out.write_all(piece)?;
        if at % 4 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(())
}

/// Reads a request's body, slowly if it is to.
fn body_of(request: &Request, tls: &mut Tls, slowly: bool) -> io::Result<Vec<u8>> {
    let mut left: u64 = request.header("content-length").unwrap().parse().unwrap();
    let mut body = Vec::new();
    while left > 0 {
        left -= tls
            .by_ref()
            .take(left.min(64 << 10))
            .read_to_end(&mut body)? as u64;
        if slowly {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(body)
}

/// Responses by the first word of the path, with a text of the length that is the second.
fn awkward(request: &Request, tls: &mut Tls) -> io::Result<bool> {
    let mut words = request.target.trim_start_matches('/').split('/');
    let kind = words.next().unwrap_or_default();
    let size: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let body = text(size);
    match kind {
        "slow" => {
            let out = tls.get_mut();
            write!(out, "HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n")?;
            write_slowly(out, &body)?;
            // Messages of TLS's own behind a response are none of HTTP's.
            let _ = out.conn.refresh_traffic_keys();
            out.flush()?;
            Ok(true)
        }
        "chunked" => {
            let out = tls.get_mut();
            out.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            for chunk in body.chunks(size / 3 + 1) {
                write!(out, "{:x}\r\n", chunk.len())?;
                out.write_all(chunk)?;
                out.write_all(b"\r\n")?;
            }
            out.write_all(b"0\r\n\r\n")?;
            Ok(true)
        }
        "until-close" | "until-cut" => {
            let out = tls.get_mut();
            out.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            write_slowly(out, &body)?;
            if kind == "until-close" {
                out.conn.send_close_notify();
            }
            out.flush()?;
            Ok(false)
        }
        "cut" | "cut-chunk" => {
            let framing = match kind {
                "cut" => format!("Content-Length: {}\r\n\r\n", size + 1),
                _ => format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", size + 1),
            };
            let out = tls.get_mut();
            write!(out, "HTTP/1.1 200 OK\r\n{framing}")?;
            out.write_all(&body)?;
            out.flush()?;
            Ok(false)
        }
        "goodbye" => {
            let _ = respond(tls, "200 OK", &body)?;
            tls.get_mut().conn.send_close_notify();
            tls.get_mut().flush()?;
            Ok(false)
        }
        "md5" => {
            let sum = words.next().unwrap_or_default();
            let right = sum == md5(&body);
            respond(tls, if right { "200 Right" } else { "500 Wrong" }, b"")
        }
        "up" | "up-slow" => {
            let right = body_of(request, tls, kind == "up-slow")? == body;
            respond(tls, if right { "200 Right" } else { "500 Wrong" }, b"")
        }
        "echo" => {
            // Reads on only when what it gave back was taken.
            let mut left: usize = request.header("content-length").unwrap().parse().unwrap();
            write!(
                tls.get_mut(),
                "HTTP/1.1 200 OK\r\nContent-Length: {left}\r\n\r\n"
            )?;
            let mut piece = vec![0; 64 << 10];
            while left > 0 {
                let most = left.min(piece.len());
                let read = tls.read(&mut piece[..most])?;
                tls.get_mut().write_all(&piece[..read])?;
                left -= read;
            }
            Ok(true)
        }
        // Wants no more than the head.
        _ => respond(tls, "413 Too much", &body).map(|_| false),
    }
}

/// Steps that save a body and ask the server whether it is right.
fn asked(kind: &str, size: usize) -> String {
    format!(
        "  - {{get: /{kind}/{size}, save: {{body: body}}, check: {{size: {size}}}}}\n  \
         - {{get: '/md5/{size}/${{md5(${{body}})}}'}}\n"
    )
}

#[test]
fn responses_of_awkward_servers() {
    for version in [&TLS12, &TLS13] {
        let server = RawServer::start(serve_as(config_of(version), awkward));
        let target = format!("https://localhost:{}", server.port());
        let kept = |kind: &str| SIZES.map(|size| asked(kind, size)).concat();
        let told = run(
            &Bench::new(),
            &target,
            "",
            &(kept("slow") + &kept("chunked")),
        );
        told.assert_code(0).assert_all_ok(4 * SIZES.len() as u64);
        assert_eq!(server.connections(), 1, "connections are kept");
        assert_eq!(told.total("resent"), 0);
        // A body without a length also ends without TLS's goodbye, as for curl.
        let closing = kept("until-close") + &kept("until-cut") + &asked("goodbye", 20_000);
        let told = run(&Bench::new(), &target, "", &closing);
        told.assert_code(0)
            .assert_all_ok(4 * SIZES.len() as u64 + 2);
        if let Some(got) = curl(&[&format!("{target}/until-cut/1000")]) {
            assert!(got.status.success() && got.stdout == text(1_000));
        }

        let cut =
            |size: usize| format!("  - {{get: /cut/{size}}}\n  - {{get: /cut-chunk/{size}}}\n");
        let told = run(&Bench::new(), &target, "", &SIZES.map(cut).concat());
        told.assert_all_errors_are("closed_in_body");
        assert_eq!(told.total("errors"), 2 * SIZES.len() as u64);
        assert_ne!(told.code, Some(3), "it was reached: {told:?}");
        if let Some(got) = curl(&[&format!("{target}/cut/1000")]) {
            assert_eq!(got.status.code(), Some(18), "curl says so, too");
        }
    }
}

#[test]
fn uploads_of_any_size() {
    let bench = Bench::new();
    for size in SIZES.into_iter().chain([LARGE]) {
        bench.write(&size.to_string(), text(size));
    }
    let large = bench.path(&LARGE.to_string()).display().to_string();
    for version in [&TLS12, &TLS13] {
        let server = RawServer::start(serve_as(config_of(version), awkward));
        let target = format!("https://localhost:{}", server.port());
        let up = |kind: &str, size: usize| format!("  - {{put: /{kind}/{size}, file: '{size}'}}\n");
        let mut steps = SIZES
            .map(|size| up("up", size) + &up("up-slow", size))
            .concat();
        for size in SIZES {
            write!(
                steps,
                "  - {{put: /echo/0, file: '{size}', save: {{body: body}}, check: {{size: {size}}}}}\n  \
                 - {{get: '/md5/{size}/${{md5(${{body}})}}'}}\n"
            )
            .unwrap();
        }
        steps += &up("up", LARGE);
        writeln!(
            steps,
            "  - {{put: /echo/0, file: '{LARGE}', check: {{size: {LARGE}}}}}"
        )
        .unwrap();
        // Whoever wants no more says why, and is heard.
        writeln!(
            steps,
            "  - {{put: /early/9, file: '{LARGE}', check: {{status: 413}}}}"
        )
        .unwrap();
        let told = run(&bench, &target, "", &steps);
        told.assert_code(0)
            .assert_all_ok(4 * SIZES.len() as u64 + 3);
        if let Some(got) = curl(&["-T", &large, "-f", &format!("{target}/up/{LARGE}")]) {
            assert!(got.status.success(), "{got:?}");
        }
    }
}
