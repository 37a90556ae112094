//! Backend listeners against servers of our own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use super::*;
use crate::evaluated::EvaluatedValue;
use crate::listeners::{ListenerClock, SampleEvent};
use crate::result::SampleResult;

fn surroundings() -> Surroundings {
    let surroundings = Surroundings {
        clock: ListenerClock::new(Arc::new(|| 1_800_000_000_000)),
        ..Surroundings::default()
    };
    surroundings.threads.active.store(3, Ordering::Relaxed);
    surroundings.threads.started.store(4, Ordering::Relaxed);
    surroundings.threads.finished.store(1, Ordering::Relaxed);
    surroundings
}

fn element(class: &str, arguments: &[(&str, &str)]) -> Evaluated {
    let text = |value: &str| EvaluatedValue::Text(value.to_owned());
    let argument = |(name, value): &(&str, &str)| {
        EvaluatedValue::Element(Evaluated {
            class: "Argument".to_owned(),
            name: (*name).to_owned(),
            properties: vec![
                ("Argument.name".to_owned(), text(name)),
                ("Argument.value".to_owned(), text(value)),
            ],
        })
    };
    let list = EvaluatedValue::List(arguments.iter().map(argument).collect());
    let arguments = Evaluated {
        class: "Arguments".to_owned(),
        properties: vec![("Arguments.arguments".to_owned(), list)],
        ..Evaluated::default()
    };
    Evaluated {
        class: "BackendListener".to_owned(),
        properties: vec![
            ("classname".to_owned(), text(class)),
            ("arguments".to_owned(), EvaluatedValue::Element(arguments)),
        ],
        ..Evaluated::default()
    }
}

fn events() -> Vec<SampleEvent> {
    let sample = |label: &str, elapsed_ms, code: &str| {
        let result = SampleResult {
            elapsed_ms,
            success: code == "200",
            code: code.to_owned(),
            message: "Said, so".to_owned(),
            received_bytes: 100,
            sent_bytes: 10,
            thread_name: "g 1-1".to_owned(),
            start_unix_ms: 1_799_999_999_000,
            ..SampleResult::new(label)
        };
        SampleEvent {
            result: Arc::new(result),
            group: "g".into(),
            variables: [].into(),
            transaction: false,
            told_before: None,
        }
    };
    vec![
        sample("home page", 10, "200"),
        sample("home page", 20, "200"),
        sample("other", 30, "500"),
    ]
}

fn told(mut listener: Box<dyn Listener>) -> Vec<Message> {
    for event in events() {
        listener.sample(&event);
    }
    listener.end()
}

#[test]
fn graphite_gets_lines() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    let got = thread::spawn(move || {
        let mut text = String::new();
        server
            .accept()
            .unwrap()
            .0
            .read_to_string(&mut text)
            .unwrap();
        text
    });
    let element = element(
        CLIENTS[0],
        &[
            (
                "graphiteMetricsSender",
                "org.apache.jmeter.visualizers.backend.graphite.TextGraphiteMetricsSender",
            ),
            ("graphiteHost", "127.0.0.1"),
            ("graphitePort", &port),
            ("rootMetricsPrefix", "j."),
            ("summaryOnly", "false"),
            ("samplersList", "home.*"),
            ("useRegexpForSamplersList", "true"),
            ("percentiles", "90;99.9"),
        ],
    );
    let listener = make(&element, &surroundings()).unwrap().unwrap();
    assert!(told(listener).is_empty());
    let got = got.join().unwrap();
    let expected = "\
        j.all.ok.count 2 1800000000\nj.all.ko.count 1 1800000000\nj.all.a.count 3 1800000000\n\
        j.all.h.count 3 1800000000\nj.all.sb.bytes 30 1800000000\n\
        j.all.rb.bytes 300 1800000000\nj.all.ok.min 10.0 1800000000\n\
        j.all.ok.max 20.0 1800000000\nj.all.ok.avg 15.0 1800000000\n\
        j.all.ok.pct90 20.0 1800000000\nj.all.ok.pct99_9 20.0 1800000000\n\
        j.all.ko.min 30.0 1800000000\nj.all.ko.max 30.0 1800000000\n\
        j.all.ko.avg 30.0 1800000000\nj.all.ko.pct90 30.0 1800000000\n\
        j.all.ko.pct99_9 30.0 1800000000\nj.all.a.min 10.0 1800000000\n\
        j.all.a.max 30.0 1800000000\nj.all.a.avg 20.0 1800000000\n\
        j.all.a.pct90 30.0 1800000000\nj.all.a.pct99_9 30.0 1800000000\n";
    assert_eq!(got.get(..expected.len()), Some(expected), "{got}");
    assert!(
        got.contains("\nj.home-page.ok.count 2 1800000000\n"),
        "{got}"
    );
    assert!(!got.contains("other"), "{got}");
    let users = "j.test.minAT 3 1800000000\nj.test.maxAT 3 1800000000\n\
        j.test.meanAT 3 1800000000\nj.test.startedT 4 1800000000\nj.test.endedT 1 1800000000\n";
    assert!(got.ends_with(users), "{got}");
}

/// A server that answers `answers` POSTs with 204 and gives their heads and bodies.
fn http_server(responses: usize) -> (String, thread::JoinHandle<Vec<(String, String)>>) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let got = thread::spawn(move || {
        let (stream, _) = server.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        let mut got = Vec::new();
        for _ in 0..responses {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
            }
            let lower = head.to_lowercase();
            let length = lower.split("content-length: ").nth(1).unwrap();
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            writer
                .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
                .unwrap();
            got.push((head, String::from_utf8(body).unwrap()));
        }
        got
    });
    (address, got)
}

#[test]
fn influx_gets_numbers_and_events() {
    let (address, got) = http_server(2);
    let url = format!("http://{address}/write?db=x");
    let element = element(
        CLIENTS[1],
        &[
            ("influxdbUrl", &url),
            ("influxdbToken", "secret"),
            ("application", "my app"),
            ("measurement", "jm"),
            ("summaryOnly", "false"),
            ("samplersRegex", "page|other"),
            ("percentiles", "50;x"),
            ("testTitle", "The \"test\""),
            ("eventTags", "a"),
            ("TAG_place", "here, there"),
        ],
    );
    let mut listener = make(&element, &surroundings()).unwrap().unwrap();
    listener.tick(1_800_000_000_000);
    assert!(told(listener).is_empty());
    let got = got.join().unwrap();
    assert!(
        got[0].0.starts_with("POST /write?db=x HTTP/1.1\r\n"),
        "{}",
        got[0].0
    );
    assert!(
        got[0]
            .0
            .to_lowercase()
            .contains("authorization: token secret\r\n")
    );
    let tags = r",application=my\ app";
    let place = r",place=here\,\ there";
    let at = " 1800000000000000000\n";
    let first = format!(
        "events{tags},title=ApacheJMeter{place},tags=a text=\"The \\\"test\\\" started\"{at}\
         jm{tags},transaction=internal{place} minAT=0,maxAT=0,meanAT=0,startedT=4,endedT=1{at}"
    );
    assert_eq!(got[0].1, first);
    let numbers = "avg=15.0,min=10.0,max=20.0,hit=3,sb=30,rb=300,pct50.0=20.0";
    let home = "count=2,avg=15.0,min=10.0,max=20.0,hit=2,sb=20,rb=200,pct50.0=15.0";
    let other = "count=1,avg=30.0,min=30.0,max=30.0,hit=1,sb=10,rb=100,pct50.0=30.0";
    let second = format!(
        "events{tags},title=ApacheJMeter{place},tags=a text=\"The \\\"test\\\" ended\"{at}\
         jm{tags},transaction=all,statut=all{place} count=3,countError=1,{numbers}{at}\
         jm{tags},transaction=home\\ page,statut=all{place} {home}{at}\
         jm{tags},transaction=home\\ page,statut=ok{place} {home}{at}\
         jm{tags},transaction=other,statut=all{place} {other}{at}\
         jm{tags},transaction=other,statut=ko{place} {other}{at}\
         jm{tags},transaction=other,responseCode=500,responseMessage=Said\\,\\ so{place} count=1{at}\
         jm{tags},transaction=internal{place} minAT=3,maxAT=3,meanAT=3,startedT=4,endedT=1{at}"
    );
    assert_eq!(got[1].1, second);
}

#[test]
fn the_raw_client_sends_each_sample() {
    let (address, got) = http_server(1);
    let url = format!("http://{address}/write?db=x");
    let element = element(CLIENTS[2], &[("influxdbUrl", &url)]);
    let listener = make(&element, &surroundings()).unwrap().unwrap();
    assert!(told(listener).is_empty());
    let body = &got.join().unwrap()[0].1;
    let first = "jmeter,status=ok,transaction=home\\ page,threadName=g1-1 \
        duration=10,ttfb=0,connectTime=0 1799999999000000000\n";
    assert!(body.starts_with(first), "{body}");
    assert!(
        body.contains("jmeter,status=ko,transaction=other,"),
        "{body}"
    );
}

#[test]
fn what_cannot_be_sent_is_told() {
    // A port that nobody listens to: bound, and let go.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let element = element(
        CLIENTS[0],
        &[
            ("graphiteHost", "127.0.0.1"),
            ("graphitePort", &port.to_string()),
        ],
    );
    let listener = make(&element, &surroundings()).unwrap().unwrap();
    let told = told(listener);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].id, "jmeter-backend-lost");
}

#[test]
fn unknown_classes_and_hosts_are_refused() {
    let refused = |class: &str, arguments: &[(&str, &str)]| {
        let made = make(&element(class, arguments), &surroundings());
        made.err().map(|message| message.id)
    };
    let cases = [
        ("com.example.Client", vec![], "jmeter-backend-class"),
        (
            CLIENTS[0],
            vec![("graphiteHost", "example.org")],
            "jmeter-backend-host",
        ),
        (
            CLIENTS[1],
            vec![("influxdbUrl", "http://example.org/write")],
            "jmeter-backend-host",
        ),
        (
            CLIENTS[1],
            vec![("influxdbUrl", "somewhere")],
            "jmeter-backend-address",
        ),
        (
            CLIENTS[1],
            vec![
                ("influxdbUrl", "http://127.0.0.1:1/"),
                ("samplersRegex", "("),
            ],
            "jmeter-backend-filter",
        ),
        (
            CLIENTS[0],
            vec![("graphiteMetricsSender", "a.PickleGraphiteMetricsSender")],
            "jmeter-backend-class",
        ),
    ];
    for (class, arguments, id) in cases {
        assert_eq!(
            refused(class, &arguments).as_deref(),
            Some(id),
            "{class} {arguments:?}"
        );
    }
}

#[test]
fn nothing_is_sent_to_where_a_server_redirects() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/write", server.local_addr().unwrap());
    let elsewhere = other.local_addr().unwrap();
    let redirects = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        if let Some((_, rest)) = head.to_lowercase().split_once("content-length: ") {
            length = rest.split("\r\n").next().unwrap().parse().unwrap();
        }
        reader.read_exact(&mut vec![0; length]).unwrap();
        let response = format!(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{elsewhere}/\r\n\
             Content-Length: 0\r\n\r\n"
        );
        stream.write_all(response.as_bytes()).unwrap();
    });
    let element = element(CLIENTS[2], &[("influxdbUrl", &url)]);
    let told = told(make(&element, &surroundings()).unwrap().unwrap());
    redirects.join().unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].id, "jmeter-backend-lost");
    assert!(other.accept().is_err(), "it was connected to");
}
