//! HTTP samplers against servers that remember what they were sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use plimsoll_jmeter::JMeterOptions;
use plimsoll_load::engine::Options;

use super::*;

/// A server whose responses are made by path; gives its port and the requests that came.
fn serve(
    respond: impl Fn(&str) -> String + Send + Sync + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (told, respond) = (Arc::clone(&requests), Arc::new(respond));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (told, respond) = (Arc::clone(&told), Arc::clone(&respond));
            std::thread::spawn(move || talk(stream.unwrap(), &told, &*respond));
        }
    });
    (port, requests)
}

fn talk(stream: TcpStream, told: &Mutex<Vec<String>>, respond: &dyn Fn(&str) -> String) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.trim().parse::<usize>().ok())?
        });
        let mut body = vec![0; length.unwrap_or(0)];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        told.lock().unwrap().push(head);
        if writer.write_all(respond(&path).as_bytes()).is_err() {
            return;
        }
    }
}

fn page(kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn http(name: &str, port: &str, path: &str, more: &[(&str, &str)]) -> Element {
    let own = [
        ("HTTPSampler.domain", "127.0.0.1"),
        ("HTTPSampler.port", port),
        ("HTTPSampler.path", path),
        ("HTTPSampler.method", "GET"),
        ("HTTPSampler.use_keepalive", "true"),
    ];
    let properties: Vec<_> = own.iter().chain(more).copied().collect();
    element("HTTPSamplerProxy", name, &properties)
}

fn headers(pairs: &[(&str, &str)]) -> Element {
    let header = |(name, value): &(&str, &str)| {
        let of = [("Header.name", *name), ("Header.value", *value)];
        ElementValue::Element(Box::new(element("Header", "", &of)))
    };
    let list = ElementValue::List(pairs.iter().map(header).collect());
    let mut manager = element("HeaderManager", "headers", &[]);
    let name = "HeaderManager.headers".to_owned();
    manager.properties.push((name, list));
    manager
}

/// The requests' paths, each with whether it says who asks.
fn said(requests: &Mutex<Vec<String>>) -> Vec<(String, bool)> {
    let requests = requests.lock().unwrap();
    let said = requests.iter().map(|head| {
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let lower = head.to_ascii_lowercase();
        (path, lower.contains("secret"))
    });
    said.collect()
}

#[test]
fn what_says_who_asks_stays_with_the_place_that_the_plan_names() {
    for client in ["HttpClient4", "Java"] {
        let (other, at_other) = serve(|path| match path {
            "/page" => page("text/html", "<img src=\"own.png\">"),
            _ => page("text/plain", "ok"),
        });
        let there = other.clone();
        let (own, at_own) = serve(move |path| match path {
            "/page" => page(
                "text/html",
                &format!("<img src=\"/own.png\"><img src=\"http://127.0.0.1:{there}/far.png\">"),
            ),
            "/gone" => format!(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{there}/page\r\nContent-Length: 0\r\n\r\n"
            ),
            _ => page("text/plain", "ok"),
        });
        let of_client = ("HTTPSampler.implementation", client);
        let embeds = ("HTTPSampler.image_parser", "true");
        let follows = ("HTTPSampler.follow_redirects", "true");
        let auto = ("HTTPSampler.auto_redirects", "true");
        let mut group = group(
            "g",
            1,
            1,
            vec![
                sample(http("page", &own, "/page", &[of_client, embeds])),
                sample(http("gone", &own, "/gone", &[of_client, embeds, follows])),
                sample(http("auto", &own, "/gone", &[of_client, auto])),
            ],
        );
        let secret = headers(&[("Authorization", "Bearer secret"), ("Cookie", "a=secret")]);
        group.body.scope.elements.push(secret);
        let mut plan = plan(vec![group]);
        plan.hosts = vec![format!("127.0.0.1:{other}")];
        let seen = run_plan(&plan);
        assert!(seen.rows().iter().all(|row| row.ok), "{:?}", seen.rows());
        let own = said(&at_own);
        assert!(own.iter().all(|(_, says)| *says), "{client}: {own:?}");
        let other = said(&at_other);
        assert!(other.len() >= 4, "{client}: {other:?}");
        assert!(!other.iter().any(|(_, says)| *says), "{client}: {other:?}");
    }
}

#[test]
fn a_slow_line_takes_the_time_of_its_bytes() {
    let (port, _) = serve(|_| page("text/plain", &"x".repeat(20_000)));
    let slow = JMeterOptions::default();
    slow.properties.set("httpclient.socket.http.cps", "100000");
    let plan = plan(vec![group(
        "g",
        1,
        1,
        vec![sample(http("slow", &port, "/", &[]))],
    )]);
    let options = Options {
        extension: Some(std::sync::Arc::new(slow)),
        ..options()
    };
    let rows = run_with(&plan, &options).0.rows();
    // At least three blocks of 8 KiB: no clock makes this shorter.
    assert!(rows[0].ok && rows[0].service_ms >= 240, "{rows:?}");
}
