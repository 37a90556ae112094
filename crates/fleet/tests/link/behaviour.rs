//! What both forms of the link do alike.

use std::time::Duration;

use bytes::Bytes;
use plimsoll_fleet::link::local::{Faults, Hub};
use plimsoll_fleet::{JournalEntry, Link, LinkError, Subscription};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::{self, LONGEST_WAIT, Server};

#[tokio::test]
async fn the_local_link() {
    let hub = Hub::new();
    let (one, other) = (hub.link(), hub.link());
    messages(&one, &other).await;
    requests(&one, &other).await;
    journal(&one, &other).await;
    objects(&one, &other).await;
}

#[tokio::test]
async fn the_link_over_nats() {
    for binary in support::binaries() {
        let server = Server::start(&binary);
        let one = support::link(&[server.url()]).await;
        let other = support::link(&[server.url()]).await;
        messages(&one, &other).await;
        requests(&one, &other).await;
        journal(&one, &other).await;
        objects(&one, &other).await;
    }
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

pub async fn next<T>(from: &mut mpsc::Receiver<T>) -> T {
    timeout(LONGEST_WAIT, from.recv())
        .await
        .expect("nothing came")
        .expect("it ended")
}

async fn heard(subscription: &mut Subscription) -> (String, Bytes) {
    let message = next(subscription).await;
    (message.subject, message.payload)
}

async fn messages(one: &dyn Link, other: &dyn Link) {
    let mut exact = one.subscribe("a.b").await.unwrap();
    let mut any = one.subscribe("a.*").await.unwrap();
    let mut all = one.subscribe("a.>").await.unwrap();
    for (subject, text) in [("a.b.c", "1"), ("x.b", "2"), ("a.c", "3"), ("a.b", "4")] {
        other.publish(subject, bytes(text)).await.unwrap();
    }
    assert_eq!(heard(&mut all).await, ("a.b.c".to_owned(), bytes("1")));
    assert_eq!(heard(&mut all).await, ("a.c".to_owned(), bytes("3")));
    assert_eq!(heard(&mut all).await, ("a.b".to_owned(), bytes("4")));
    assert_eq!(heard(&mut any).await, ("a.c".to_owned(), bytes("3")));
    assert_eq!(heard(&mut any).await, ("a.b".to_owned(), bytes("4")));
    assert_eq!(heard(&mut exact).await, ("a.b".to_owned(), bytes("4")));
    for wrong in ["", "a b", "a..b", "a.*"] {
        assert!(
            other.publish(wrong, Bytes::new()).await.is_err(),
            "{wrong:?}"
        );
    }
}

async fn requests(one: &dyn Link, other: &dyn Link) {
    let mut questions = one.subscribe("ask").await.unwrap();
    let asked = other.request("ask", bytes("?"), LONGEST_WAIT);
    let responded = async {
        let question = next(&mut questions).await;
        assert_eq!(question.payload, bytes("?"));
        one.publish(&question.reply.unwrap(), bytes("!"))
            .await
            .unwrap();
    };
    let (response, ()) = tokio::join!(asked, responded);
    assert_eq!(response.unwrap(), bytes("!"));
    let wait = Duration::from_millis(200);
    let silent = other.request("ask", bytes("?"), wait).await.unwrap_err();
    assert!(
        matches!(silent, LinkError::TimedOut { waited, .. } if waited == wait),
        "{silent}"
    );
    drop(questions);
    // The end of a subscription is told to the server in its own time.
    loop {
        match other.request("ask", bytes("?"), wait).await.unwrap_err() {
            LinkError::Nobody { subject } => break assert_eq!(subject, "ask"),
            LinkError::TimedOut { .. } => {}
            error => panic!("{error}"),
        }
    }
}

async fn entry(entries: &mut mpsc::Receiver<JournalEntry>) -> (u64, String, u64) {
    let entry = next(entries).await;
    assert_eq!(
        entry.payload,
        bytes(&format!("{}-{}", entry.writer, entry.number))
    );
    (entry.place, entry.writer, entry.number)
}

async fn journal(one: &dyn Link, other: &dyn Link) {
    one.make_run("run-1").await.unwrap();
    one.make_run("run-1").await.unwrap();
    let writer = other.journal("run-1").await.unwrap();
    let append = async |name: &str, number: u64| {
        writer
            .append(name, number, bytes(&format!("{name}-{number}")))
            .await
            .unwrap();
    };
    for number in 1..=3 {
        append("w1", number).await;
        append("w2", number).await;
        append("w1", number).await;
    }
    let expected: Vec<(u64, String, u64)> = (0..6)
        .map(|index| (index + 1, format!("w{}", index % 2 + 1), index / 2 + 1))
        .collect();

    let first = one.journal("run-1").await.unwrap();
    let mut entries = first.read().await.unwrap();
    for wanted in &expected {
        assert_eq!(entry(&mut entries).await, *wanted);
    }
    first.acknowledge(&[1, 2]).await.unwrap();
    first.acknowledge(&[4, 6]).await.unwrap();
    append("w3", 1).await;
    assert_eq!(entry(&mut entries).await, (7, "w3".to_owned(), 1));
    drop(entries);
    drop(first);

    // Another reader: what was not acknowledged, in order, then what is new.
    let second = one.journal("run-1").await.unwrap();
    let mut entries = second.read().await.unwrap();
    assert_eq!(entry(&mut entries).await, expected[2]);
    assert_eq!(entry(&mut entries).await, expected[4]);
    assert_eq!(entry(&mut entries).await, (7, "w3".to_owned(), 1));
    append("w3", 2).await;
    assert_eq!(entry(&mut entries).await, (8, "w3".to_owned(), 2));
    second.acknowledge(&[8, 3, 5, 7]).await.unwrap();
    second.acknowledge(&[8, 1]).await.unwrap();
    append("w3", 3).await;
    assert_eq!(entry(&mut entries).await, (9, "w3".to_owned(), 3));

    one.remove_run("run-1").await.unwrap();
    one.remove_run("run-1").await.unwrap();
    assert_eq!(timeout(LONGEST_WAIT, entries.recv()).await.unwrap(), None);
    let gone = one
        .journal("run-1")
        .await
        .unwrap()
        .read()
        .await
        .unwrap_err();
    assert!(matches!(gone, LinkError::Missing { .. }), "{gone}");
    assert!(one.make_run("a.b").await.is_err());
}

async fn objects(one: &dyn Link, other: &dyn Link) {
    let missing = other
        .objects("run-2")
        .await
        .unwrap()
        .get("bundle")
        .await
        .unwrap_err();
    assert!(matches!(missing, LinkError::Missing { .. }), "{missing}");
    one.make_run("run-2").await.unwrap();
    let (put, get) = (
        one.objects("run-2").await.unwrap(),
        other.objects("run-2").await.unwrap(),
    );
    // More than one message of NATS holds.
    let large: Bytes = (0..3_000_000_u32)
        .map(|index| (index % 251) as u8)
        .collect();
    for contents in [large, Bytes::new(), bytes("again")] {
        put.put("bundle", contents.clone()).await.unwrap();
        assert_eq!(get.get("bundle").await.unwrap(), contents);
    }
    assert!(put.put("a/b", Bytes::new()).await.is_err());
    one.remove_run("run-2").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_local_link_can_be_broken() {
    let hub = Hub::new();
    let (one, other) = (hub.link(), hub.link());
    let mut heard = one.subscribe("x").await.unwrap();
    one.cut(true);
    other.publish("x", bytes("lost")).await.unwrap();
    let wait = Duration::from_secs(5);
    let silent = other.request("x", bytes("lost"), wait).await.unwrap_err();
    assert!(matches!(silent, LinkError::TimedOut { .. }), "{silent}");
    one.publish("x", bytes("no way")).await.unwrap_err();
    one.cut(false);
    other.set_faults(Faults {
        double_one_in: 2.try_into().ok(),
        ..Faults::default()
    });
    for text in ["1", "2", "3", "4"] {
        other.publish("x", bytes(text)).await.unwrap();
    }
    let mut texts = String::new();
    for _ in 0..6 {
        texts += std::str::from_utf8(&next(&mut heard).await.payload).unwrap();
    }
    // What was published before counts, too.
    assert!(matches!(texts.as_str(), "112334" | "122344"), "{texts}");
    other.set_faults(Faults {
        lose_one_in: 1.try_into().ok(),
        ..Faults::default()
    });
    other.publish("x", bytes("lost")).await.unwrap();
    other.set_faults(Faults {
        delay: Duration::from_secs(3),
        ..Faults::default()
    });
    let sent = tokio::time::Instant::now();
    other.publish("x", bytes("late")).await.unwrap();
    assert_eq!(next(&mut heard).await.payload, bytes("late"));
    assert!(
        sent.elapsed() >= Duration::from_secs(3),
        "{:?}",
        sent.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_local_append_waits_for_its_way() {
    let hub = Hub::new();
    let (one, other) = (hub.link(), hub.link());
    one.make_run("r").await.unwrap();
    let (read, written) = (
        one.journal("r").await.unwrap(),
        other.journal("r").await.unwrap(),
    );
    let mut entries = read.read().await.unwrap();
    other.cut(true);
    let cut = tokio::time::Instant::now();
    let (appended, ()) = tokio::join!(written.append("w", 1, bytes("w-1")), async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        other.cut(false);
    });
    appended.unwrap();
    assert!(cut.elapsed() >= Duration::from_secs(10));
    assert_eq!(entry(&mut entries).await, (1, "w".to_owned(), 1));
}
