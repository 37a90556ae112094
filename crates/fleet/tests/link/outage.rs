//! Servers that die and come back, while entries are appended and read.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plimsoll_fleet::link::nats::NatsLink;
use plimsoll_fleet::{JournalEntry, Link, LinkError, LinkJournal};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::behaviour::next;
use crate::support::{self, Cluster, LONGEST_WAIT, Server};

const WRITERS: u64 = 3;

/// Writers that append one entry after another until they have appended so many.
async fn write(urls: &[String], run: &'static str, each: u64) -> Vec<JoinHandle<()>> {
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let link = support::link(urls).await;
        writers.push(tokio::spawn(async move {
            let journal = link.journal(run).await.unwrap();
            let name = format!("w{writer}");
            for number in 1..=each {
                let payload = Bytes::from(format!("{name}-{number}"));
                journal.append(&name, number, payload).await.unwrap();
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }));
    }
    writers
}

/// What came, checked as it comes: places grow, each writer's numbers are 1, 2, 3 …
#[derive(Default)]
struct Got {
    place: u64,
    numbers: HashMap<String, u64>,
    total: u64,
}

impl Got {
    fn add(&mut self, entry: &JournalEntry) {
        assert!(
            entry.place > self.place,
            "{} after {}",
            entry.place,
            self.place
        );
        self.place = entry.place;
        let number = self.numbers.entry(entry.writer.clone()).or_default();
        assert_eq!(entry.number, *number + 1, "of {}", entry.writer);
        *number = entry.number;
        assert_eq!(entry.payload, format!("{}-{}", entry.writer, entry.number));
        self.total += 1;
    }

    /// Reads so many in all; acknowledges every other one at once.
    async fn read(
        &mut self,
        journal: &Arc<dyn LinkJournal>,
        entries: &mut mpsc::Receiver<JournalEntry>,
        total: u64,
    ) {
        while self.total < total {
            let entry = next(entries).await;
            self.add(&entry);
            if self.total.is_multiple_of(2) {
                journal.acknowledge(&[entry.place]).await.unwrap();
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_restarts_costs_nothing() {
    for binary in support::binaries() {
        let mut server = Server::start(&binary);
        let urls = [server.url()];
        let link = support::link(&urls).await;
        link.make_run("r").await.unwrap();
        let journal = link.journal("r").await.unwrap();
        let mut entries = journal.read().await.unwrap();
        let writers = write(&urls, "r", 300).await;
        let mut got = Got::default();
        got.read(&journal, &mut entries, 200).await;
        server.stop();
        server.again();
        got.read(&journal, &mut entries, 500).await;
        server.kill();
        server.again();
        got.read(&journal, &mut entries, 300 * WRITERS).await;
        for writer in writers {
            writer.await.unwrap();
        }
        link.remove_run("r").await.unwrap();
        assert_eq!(entries.recv().await, None, "there was more");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_whose_leader_is_killed_costs_nothing() {
    for binary in support::binaries() {
        let mut cluster = Cluster::start(&binary);
        let urls = cluster.urls();
        let link = support::link(&urls).await;
        link.make_run("r").await.unwrap();
        let copies = cluster.servers[0]
            .monitored("jsz?accounts=true&streams=true&config=true")
            .unwrap();
        assert!(
            copies.to_string().contains("\"num_replicas\":3"),
            "{copies}"
        );
        let journal = link.journal("r").await.unwrap();
        let mut entries = journal.read().await.unwrap();
        let writers = write(&urls, "r", 300).await;
        let mut got = Got::default();
        got.read(&journal, &mut entries, 300).await;
        let leader = tokio::task::block_in_place(|| {
            let mut leader = None;
            support::wait_for("the stream has a leader", || {
                leader = cluster.leader_of("plimsoll_journal_r");
                leader.is_some()
            });
            leader.unwrap()
        });
        cluster.servers[leader].kill();
        got.read(&journal, &mut entries, 300 * WRITERS).await;
        for writer in writers {
            writer.await.unwrap();
        }
        link.remove_run("r").await.unwrap();
        assert_eq!(entries.recv().await, None, "there was more");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_waits_for_the_server_to_be_back() {
    for binary in support::binaries() {
        let mut server = Server::start(&binary);
        let (asks, responses) = (
            support::link(&[server.url()]).await,
            support::link(&[server.url()]).await,
        );
        let mut questions = responses.subscribe("q").await.unwrap();
        server.stop();
        let failed = until_broken(&asks).await;
        assert!(matches!(failed, LinkError::Failed { .. }), "{failed}");
        let short = asks
            .request("q", Bytes::new(), Duration::from_millis(300))
            .await
            .unwrap_err();
        assert!(matches!(short, LinkError::TimedOut { .. }), "{short}");
        let asked = asks.clone();
        let response = tokio::spawn(async move {
            loop {
                // The other side may be back later than this one.
                match asked.request("q", Bytes::from("?"), LONGEST_WAIT).await {
                    Err(LinkError::Nobody { .. }) => {
                        tokio::time::sleep(Duration::from_millis(50)).await
                    }
                    response => break response,
                }
            }
        });
        server.again();
        // A question is asked again if its connection breaks meanwhile: each gets its response.
        let responding = async {
            loop {
                let question = next(&mut questions).await;
                let reply = question.reply.unwrap();
                responses.publish(&reply, Bytes::from("!")).await.unwrap();
            }
        };
        let response = tokio::select! {
            response = response => response,
            () = responding => unreachable!("it answers for ever"),
        };
        assert_eq!(response.unwrap().unwrap(), "!");
    }
}

/// What publishing says once the client has noticed that its server is gone.
async fn until_broken(link: &NatsLink) -> LinkError {
    loop {
        if let Err(error) = link.publish("x", Bytes::new()).await {
            return error;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn patience_ends() {
    let binary = support::binaries().remove(0);
    let mut server = Server::start(&binary);
    let mut options = support::options(&[server.url()]);
    options.patience = Duration::from_secs(1);
    let link = NatsLink::connect(&options).await.unwrap();
    link.make_run("r").await.unwrap();
    let journal = link.journal("r").await.unwrap();
    server.kill();
    let error = journal.append("w", 1, Bytes::new()).await.unwrap_err();
    assert!(
        matches!(error, LinkError::TimedOut { .. } | LinkError::Failed { .. }),
        "{error}"
    );
    server.again();
    // The same link goes on.
    support::wait_for("the server is there", || server.monitored("varz").is_some());
    loop {
        match journal.append("w", 1, Bytes::new()).await {
            Ok(()) => break,
            Err(LinkError::TimedOut { .. } | LinkError::Failed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
