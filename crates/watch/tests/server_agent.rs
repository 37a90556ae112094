//! ServerAgent's protocol, spoken by a server of the test as perfmon-agent 2.2.2 speaks it: `test`, `interval`, `metrics`,
//! `exit`, a line each, and lines of values with a tab behind each. (The agent itself is heard by the differential test of
//! JMeter's plugins, `plugin_perfmon`.)
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::mpsc::{Receiver, channel};

use plimsoll_watch::{Look, Opened, Spec};

/// Serves one client by TCP; gives the port and what it is told.
fn agent(values: &'static str) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, hears) = channel();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            respond(&stream, &line, values);
            if told.send(line).is_err() {
                break;
            }
        }
    });
    (port, hears)
}

fn respond(mut stream: &TcpStream, line: &str, values: &str) {
    match line.split(':').next().unwrap() {
        "test" => stream.write_all(b"Yep\n").unwrap(),
        "metrics" => stream.write_all(values.as_bytes()).unwrap(),
        _ => {}
    }
}

fn spec(port: u16, options: &[(&str, &str)]) -> Spec {
    let mut spec = Spec::parse(&format!("server-agent=127.0.0.1:{port}")).unwrap();
    let options = options
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    spec.options = options.collect();
    spec
}

/// What one look sees, by label, or why it sees nothing; and what it says is missing.
fn seen(opened: &mut Opened) -> (Result<BTreeMap<String, f64>, String>, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut look = Look::at(0);
    let collected = runtime.block_on(async {
        let collected = opened.collectors[0].collect(&mut look).await;
        opened.collectors[0].leave().await.unwrap();
        collected
    });
    let points = look
        .points()
        .map(|(key, value)| (key.attributes[0].1.clone(), *value));
    let points: BTreeMap<String, f64> = points.collect();
    let collected = collected
        .map(|()| points)
        .map_err(|trouble| trouble.to_string());
    (collected, look.notes().len())
}

const METRICS: &str = "CPU:combined\nMemory:label=used:used\nEXEC:/bin/echo:x\nTCP:estab";

#[test]
fn metrics_are_asked_for_and_their_values_seen() {
    let (port, told) = agent("12.5\t1048576\tno number\t\t\n13.5\t1048577\t7\t3\t\n");
    let mut opened = spec(port, &[("metrics", METRICS), ("interval", "2")])
        .open()
        .unwrap();
    let (points, missing) = seen(&mut opened);
    let expected = [
        ("127.0.0.1 CPU combined", 13.5),
        ("127.0.0.1 EXEC /bin/echo:x", 7.0),
        ("127.0.0.1 Memory used", 1_048_577.0),
        ("127.0.0.1 TCP estab", 3.0),
    ];
    let expected = expected.map(|(label, value)| (label.to_owned(), value));
    assert_eq!(points.unwrap(), BTreeMap::from(expected));
    assert_eq!(
        missing, 1,
        "what is no number is told of; what is empty is not known yet"
    );
    let told: Vec<String> = told.iter().collect();
    assert_eq!(
        told,
        [
            "test",
            "interval:2",
            "metrics:cpu:combined\tmemory:used\texec:/bin/echo:x\ttcp:estab\t",
            "exit"
        ]
    );
}

#[test]
fn udp_is_tried_where_there_is_no_tcp() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let (told, hears) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 1500];
        while let Ok((count, from)) = socket.recv_from(&mut bytes) {
            let line = String::from_utf8_lossy(&bytes[..count])
                .trim_end_matches('\n')
                .to_owned();
            let response: &[u8] = match line.split(':').next().unwrap() {
                "test" => b"Yep\n",
                "metrics" => b"1.5\t\n",
                _ => b"",
            };
            if !response.is_empty() {
                socket.send_to(response, from).unwrap();
            }
            let ends = line == "exit";
            told.send(line).unwrap();
            if ends {
                break;
            }
        }
    });
    let without = &mut spec(port, &[("metrics", "CPU")]).open().unwrap();
    assert!(seen(without).0.unwrap_err().contains("cannot be reached"));
    let with = &mut spec(port, &[("metrics", "CPU"), ("udp", "true")])
        .open()
        .unwrap();
    assert_eq!(seen(with).0.unwrap()["127.0.0.1 CPU"], 1.5);
    let told: Vec<String> = hears.iter().collect();
    assert_eq!(told, ["test", "interval:1", "metrics:cpu:\t", "exit"]);
}

#[test]
fn what_is_no_agent_is_told_of() {
    let greets = |greeting: &'static [u8]| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(greeting);
            // Until the client goes.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
        seen(&mut spec(port, &[]).open().unwrap()).0.unwrap_err()
    };
    assert!(greets(b"HTTP/1.1 400 Bad Request\r\n\r\n").contains("this is not ServerAgent"));
    let endless = &[b'x'; 2 << 20];
    assert!(greets(endless).contains("a line without an end"));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for options in [[("interval", "0")], [("interval", "x")], [("color", "red")]] {
        assert!(spec(1, &options).check().is_err(), "{options:?}");
    }
    assert!(
        Spec::parse("server-agent=/a/socket")
            .unwrap()
            .check()
            .is_err()
    );
}
