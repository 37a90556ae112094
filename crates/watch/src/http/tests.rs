//! Against servers that behave and servers that do not, on ports of their own.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::source::Spec;

/// Serves each connection by `serve` on a thread; gives `host:port` and how many came.
fn server(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            let serve = Arc::clone(&serve);
            std::thread::spawn(move || serve(stream.unwrap()));
        }
    });
    (address, count)
}

/// One request's head; none: the client is gone.
fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return None,
        }
    }
    Some(String::from_utf8(head).unwrap())
}

fn spec(address: &str, options: &[(&str, &str)]) -> Spec {
    Spec {
        source: "prometheus".to_owned(),
        address: address.to_owned(),
        options: options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        ..Spec::default()
    }
}

fn client(address: &str, options: &[(&str, &str)]) -> OriginClient {
    OriginClient::new(EndpointAccess::of(&spec(address, options), "/metrics").unwrap())
}

async fn failure(client: &mut OriginClient) -> String {
    client.get("", "*/*").await.unwrap_err().message.id
}

#[tokio::test]
async fn one_connection_serves_all_requests() {
    let (address, connections) = server(|mut stream| {
        while let Some(head) = head(&mut stream) {
            let line = head.lines().next().unwrap();
            let length = line.len();
            let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{line}");
            stream.write_all(response.as_bytes()).unwrap();
        }
    });
    let mut client = client(&address, &[]);
    let base = client.get("", "*/*").await.unwrap();
    assert_eq!(base.text(), "GET /metrics HTTP/1.1");
    let below = client.get("a/b?tag=x%3Ay", "*/*").await.unwrap();
    assert_eq!(below.text(), "GET /metrics/a/b?tag=x%3Ay HTTP/1.1");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_made_anew() {
    let (address, connections) = server(|mut stream| {
        head(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    let mut client = client(&address, &[]);
    for _ in 0..3 {
        assert_eq!(client.get("", "*/*").await.unwrap().text(), "ok");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn endless_slow_and_senseless_responses_end() {
    let (endless, _) = server(|mut stream| {
        head(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let limit = Duration::from_secs(20);
    let mut endless = client(&endless, &[]).limited(limit, 100_000);
    assert_eq!(failure(&mut endless).await, "watch-http-too-long");

    let (head_only, _) = server(|mut stream| {
        head(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
        let _ = stream.read(&mut [0]);
    });
    let limit = Duration::from_millis(50);
    let mut slow = client(&head_only, &[]).limited(limit, 100);
    assert_eq!(failure(&mut slow).await, "watch-http-slow");

    for garbage in [
        &b"SSH-2.0-x\r\n\r\n"[..],
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx",
    ] {
        let (garbage, _) = server(move |mut stream| {
            head(&mut stream);
            let _ = stream.write_all(garbage);
        });
        assert_eq!(
            failure(&mut client(&garbage, &[])).await,
            "watch-http-unreachable"
        );
    }

    let gone = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut gone = client(&gone.to_string(), &[]);
    assert_eq!(failure(&mut gone).await, "watch-http-unreachable");
}

#[tokio::test]
async fn who_asks_is_told_and_never_shown() {
    let (address, _) = server(|mut stream| {
        while let Some(head) = head(&mut stream) {
            let status = match head.contains("authorization: Basic bWU6cyBlY3JldA==\r\n")
                || head.contains("authorization: Bearer s ecret\r\n")
            {
                true => "200 OK",
                false => "401 Unauthorized",
            };
            let response = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(response.as_bytes()).unwrap();
        }
    });
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "s ecret\n").unwrap();
    let file = file.path().to_str().unwrap();
    let mut nobody = client(&address, &[]);
    assert_eq!(failure(&mut nobody).await, "watch-http-denied");
    let with_password = client(&address, &[("user", "me"), ("password-file", file)]);
    let with_token = client(&address, &[("token-file", file)]);
    let in_url = client(&format!("http://me:s%20ecret@{address}"), &[]);
    for mut client in [with_password, with_token, in_url] {
        assert!(!client.shown().contains("ecret"), "{}", client.shown());
        assert_eq!(client.get("", "*/*").await.unwrap().status, 200);
    }
    let unset = spec(
        &address,
        &[("user", "me"), ("password-env", "PLIMSOLL_NOT_SET")],
    );
    let error = EndpointAccess::of(&unset, "/").err().unwrap();
    assert_eq!(error.message.id, "watch-secret-not-set");
    let wrong = EndpointAccess::of(&spec("ftp://me:ecret@h/", &[]), "/")
        .err()
        .unwrap();
    assert!(!wrong.to_string().contains("ecret"), "{wrong}");
}

#[tokio::test]
async fn certificates_are_checked_unless_told_otherwise() {
    let key = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let ca = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(ca.path(), key.cert.pem()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let private = rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![key.cert.der().clone()], private.unwrap())
        .unwrap();
    let config = Arc::new(config);
    let (address, _) = server(move |mut stream| {
        let mut tls = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut tls = rustls::Stream::new(&mut tls, &mut stream);
        if tls.read(&mut [0; 4096]).is_ok() {
            let _ = tls.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    let url = format!("https://{address}/");
    let ca = ca.path().to_str().unwrap();
    for options in [[("ca-file", ca)], [("insecure", "true")]] {
        let response = client(&url, &options).get("", "*/*").await;
        assert_eq!(response.unwrap().text(), "ok");
    }
    let error = client(&url, &[]).get("", "*/*").await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    let no_ca = spec(&url, &[("ca-file", "/nowhere.pem")]);
    assert!(EndpointAccess::of(&no_ca, "/").is_err());
}
