//! `plimsoll agent` as a process of its own, asked by a controller over a link that breaks.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use common::proxy::Proxy;
use common::{Agent, folder, plimsoll, plimsoll_with};
use plimsoll_watch::watcher::WallClock;
use plimsoll_watch::{Seen, Spec, Watcher, WatcherOptions};

/// A controller that watches through a proxy.
struct Watching {
    watcher: Watcher,
    seen: Vec<Seen>,
}

impl Watching {
    fn start(address: SocketAddr) -> Self {
        let spec = Spec::parse(&format!("agent={address}")).unwrap();
        let open = move || spec.open().unwrap();
        Self {
            watcher: Watcher::start(open, WatcherOptions::default()).unwrap(),
            seen: Vec::new(),
        }
    }

    fn until(&mut self, wanted: impl Fn(&[Seen]) -> bool) {
        let began = Instant::now();
        while !wanted(&self.seen) {
            assert!(began.elapsed() < Duration::from_secs(90), "{:?}", self.seen);
            std::thread::sleep(Duration::from_millis(10));
            self.seen.extend(self.watcher.drain());
        }
    }
}

/// Times of the looks at the agent's host.
fn times(seen: &[Seen]) -> Vec<u64> {
    let parts = seen.iter().filter_map(|seen| match seen {
        Seen::Points(parts) => Some(parts),
        _ => None,
    });
    let of_host = parts.flatten().filter(|part| {
        let mut keys = part.points.iter();
        keys.any(|(key, _)| key.name == "system.cpu.run_queue")
    });
    of_host.map(|part| part.at_unix_ns).collect()
}

fn fails(seen: &[Seen]) -> bool {
    let mut states = seen.iter().filter_map(|seen| match seen {
        Seen::Source { trouble, .. } => Some(trouble.is_some()),
        _ => None,
    });
    states.next_back().unwrap_or(false)
}

fn notes(seen: &[Seen]) -> Vec<&str> {
    let notes = seen.iter().filter_map(|seen| match seen {
        Seen::Note(_, note) => Some(note.message.id.as_str()),
        _ => None,
    });
    notes.collect()
}

#[test]
fn a_link_that_is_cut_and_comes_back_loses_nothing() {
    let agent = Agent::start(&[]);
    let proxy = Proxy::start(agent.address);
    let mut watching = Watching::start(proxy.address);
    watching.until(|seen| times(seen).len() > 1);
    proxy.lead(None);
    watching.until(fails);
    // The agent looks once a second, and nobody can ask it.
    let cut_at = WallClock::start().unix_ns();
    let mut beside = Watching::start(agent.address);
    beside.until(|seen| times(seen).iter().filter(|at| **at > cut_at).count() > 2);
    let back_at = WallClock::start().unix_ns();
    proxy.lead(Some(agent.address));
    watching.until(|seen| times(seen).iter().any(|at| *at > back_at));
    let between = times(&watching.seen);
    let between = between.iter().filter(|at| **at > cut_at && **at < back_at);
    assert!(between.count() > 0, "{:?}", watching.seen);
    assert!(
        !notes(&watching.seen).contains(&"agent-lost"),
        "{:?}",
        watching.seen
    );
    assert!(
        !notes(&watching.seen).contains(&"agent-anew"),
        "{:?}",
        watching.seen
    );
}

#[test]
fn an_agent_that_is_killed_and_started_again_is_watched_anew() {
    let mut agent = Agent::start(&[]);
    let proxy = Proxy::start(agent.address);
    let mut watching = Watching::start(proxy.address);
    watching.until(|seen| times(seen).len() > 1);
    agent.kill();
    watching.until(fails);
    let restarted = Agent::start(&[]);
    let back_at = WallClock::start().unix_ns();
    proxy.lead(Some(restarted.address));
    watching.until(|seen| {
        times(seen).iter().any(|at| *at > back_at) && notes(seen).contains(&"agent-anew")
    });
    assert!(!fails(&watching.seen), "{:?}", watching.seen);
}

#[test]
fn watch_shows_an_agent_and_says_when_there_is_none() {
    let agent = Agent::start(&[]);
    let dir = folder();
    let source = format!("agent={}", agent.address);
    let shown = plimsoll(&dir, &["watch", "--once", "--watch", &source]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains("run queue"), "{shown:?}");
    assert!(shown.out.contains("agent's CPU"), "{shown:?}");

    let line = plimsoll(&dir, &["watch", "--once", "--json", "--watch", &source]);
    let value: serde_json::Value = serde_json::from_str(&line.out).unwrap();
    common::json::assert_valid(&dir, "watch", &value);
    let series = value["series"].as_array().unwrap();
    assert!(
        series
            .iter()
            .any(|series| series["name"] == "plimsoll.agent.cpu.time")
    );

    drop(agent);
    let gone = plimsoll(&dir, &["watch", "--once", "--watch", &source]);
    assert_eq!(gone.code, 3, "{gone:?}");
    assert!(gone.out.contains("cannot be reached"), "{gone:?}");
}

#[test]
fn mistakes_on_the_command_line_say_what_to_do() {
    let dir = folder();
    let told = |args: &[&str]| {
        let told = plimsoll_with(&dir, args, &[("PLIMSOLL_AGENT_TOKEN", "short")]);
        assert_eq!(told.code, 2, "{told:?}");
        told.err
    };
    assert!(told(&["agent", "--listen", "0.0.0.0:0"]).contains("--token-file"));
    assert!(told(&["agent", "--token-file", "nowhere"]).contains("nowhere"));
    assert!(told(&["agent", "--watch", "nothing"]).contains("host"));
    assert!(told(&["watch", "--watch", "agent=web1"]).contains("tls://web1"));
    assert!(told(&["watch", "--watch", "agent=tls://web1"]).contains("fingerprint"));
}
