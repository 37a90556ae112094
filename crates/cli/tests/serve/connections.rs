//! Many connections and slow ones: each address has its places, and who has none is told so.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::client::Served;
use crate::common::folder;

/// Places of one address.
const PLACES: usize = 128;

fn connected(served: &Served) -> TcpStream {
    let stream = TcpStream::connect(&served.host).unwrap();
    let within = Some(Duration::from_secs(60));
    stream.set_read_timeout(within).unwrap();
    stream
}

/// The status that an address is served with.
fn status_from(address: &str, served: &Served) -> String {
    let url = format!("http://{}/api/v1/meta", served.host);
    let told = Command::new("curl")
        .args(["-s", "-o", "/dev/null", "-w", "%{http_code}"])
        .args(["--interface", address, &url])
        .output();
    String::from_utf8(told.unwrap().stdout).unwrap()
}

#[test]
fn one_address_does_not_take_the_places_of_others() {
    let dir = folder();
    let served = Served::start(dir.path());
    // A viewer's stream is one of them.
    let viewer = served.watch_at("/monitor/live", "");
    let mut all: Vec<TcpStream> = (1..200).map(|_| connected(&served)).collect();
    for stream in &mut all[PLACES - 1..] {
        let mut told = String::new();
        stream.read_to_string(&mut told).unwrap();
        let (head, body) = told
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("{told}"));
        assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
        assert!(head.contains("application/problem+json"), "{head}");
        let problem: Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["type"], "/problems/too-many", "{problem}");
        assert!(
            problem["detail"].as_str().unwrap().contains("128"),
            "{problem}"
        );
    }
    assert_eq!(status_from("127.0.0.1", &served), "503");
    assert_eq!(
        status_from("127.0.0.2", &served),
        "200",
        "others are served"
    );
    // Those that have a place are served in it.
    write!(
        all[5],
        "GET /api/v1/meta HTTP/1.0\r\nHost: {}\r\n\r\n",
        served.host
    )
    .unwrap();
    let mut told = String::new();
    all[5].read_to_string(&mut told).unwrap();
    assert!(
        told.starts_with("HTTP/1.1 200 ") || told.starts_with("HTTP/1.0 200 "),
        "{told}"
    );
    // Whose connection ends makes room.
    drop((all, viewer));
    while status_from("127.0.0.1", &served) != "200" {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn who_sends_a_byte_now_and_then_holds_nobody_up() {
    let dir = folder();
    let served = Served::start(dir.path());
    let mut slow: Vec<TcpStream> = (0..60).map(|_| connected(&served)).collect();
    let head = format!(
        "POST /api/v1/runs HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n",
        served.host
    );
    for (at, stream) in slow.iter_mut().enumerate() {
        // Some are in their heads, some in their bodies.
        let sent = [&head[..15], &head][at % 2];
        stream.write_all(sent.as_bytes()).unwrap();
    }
    for _ in 0..20 {
        for stream in &mut slow {
            stream.write_all(b"x").unwrap();
        }
        assert!(served.get("/meta").is_object());
    }
}
