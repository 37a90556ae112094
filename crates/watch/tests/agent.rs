//! The agent and its client, in one process: sources, clocks, levels, limits, garbage.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use plimsoll_text::Message;
use plimsoll_watch::agent::wire::{self, AgentRefusal, AgentRequest, AgentResponse};
use plimsoll_watch::agent::{Agent, AgentOptions, AgentStopper, AgentToken};
use plimsoll_watch::watcher::WallClock;
use plimsoll_watch::{Level, Moment, Seen, Spec, Watcher, WatcherOptions};

/// An agent on a thread of the test; dropped, it ends.
struct Running {
    address: SocketAddr,
    fingerprint: Option<String>,
    stopper: AgentStopper,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start(change: impl FnOnce(&mut AgentOptions)) -> Self {
        let mut options = options();
        change(&mut options);
        let agent = Agent::bind(options).unwrap();
        let stopper = agent.stopper();
        let address = agent.address();
        let fingerprint = agent.fingerprint().map(|print| print.to_string());
        let thread = std::thread::spawn(move || {
            agent.run(|_: &Message| {}).unwrap();
        });
        Self {
            address,
            fingerprint,
            stopper,
            thread: Some(thread),
        }
    }

    fn spec(&self) -> Spec {
        Spec {
            source: "agent".to_owned(),
            address: self.address.to_string(),
            host: Some("web1".to_owned()),
            ..Spec::default()
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        let _ = self.thread.take().map(|thread| thread.join());
    }
}

fn options() -> AgentOptions {
    AgentOptions {
        listen: "127.0.0.1:0".parse().unwrap(),
        tls: false,
        state: PathBuf::from("/nonexistent"),
        token: None,
        level: Level::Observe,
        remote_sources: false,
        sources: vec![Spec::parse("host").unwrap()],
        clock: WallClock::start(),
        tuner: None,
    }
}

/// A controller that watches.
struct Watching {
    watcher: Watcher,
    seen: Vec<Seen>,
}

impl Watching {
    fn start(spec: Spec) -> Self {
        let open = move || spec.open().unwrap();
        let watcher = Watcher::start(open, WatcherOptions::default()).unwrap();
        Self {
            watcher,
            seen: Vec::new(),
        }
    }

    fn until(&mut self, wanted: impl Fn(&[Seen]) -> bool) {
        let began = Instant::now();
        while !wanted(&self.seen) {
            assert!(began.elapsed() < Duration::from_secs(60), "{:?}", self.seen);
            std::thread::sleep(Duration::from_millis(5));
            self.seen.extend(self.watcher.drain());
        }
    }
}

/// Times and values of a series of the host `web1`.
fn points(seen: &[Seen], name: &str) -> Vec<(u64, f64)> {
    let mut found = Vec::new();
    for seen in seen {
        let Seen::Points(parts) = seen else { continue };
        for part in parts {
            let of = |entity: &plimsoll_stats::series::Entity| entity.host == "web1";
            let values = part.points.iter();
            found.extend(
                values
                    .filter(|(key, _)| key.name == name && of(&key.entity))
                    .map(|(_, value)| (part.at_unix_ns, *value)),
            );
        }
    }
    found
}

/// Ids of what was said: notes, and troubles with their reasons.
fn said(seen: &[Seen]) -> Vec<String> {
    let said = seen.iter().filter_map(|seen| match seen {
        Seen::Note(_, note) => Some(note.message.id.clone()),
        Seen::Source {
            trouble: Some(trouble),
            ..
        } => Some(plimsoll_text::render(plimsoll_text::Lang::En, trouble)),
        _ => None,
    });
    said.collect()
}

#[test]
fn what_an_agent_sees_arrives_on_this_clock() {
    let hour_ns = 3_600_000_000_000;
    let agent = Running::start(|options| options.clock = options.clock.shifted(hour_ns));
    let before = WallClock::start().unix_ns();
    let mut watching = Watching::start(agent.spec());
    watching.until(|seen| {
        points(seen, "system.cpu.run_queue").len() > 1
            && points(seen, "plimsoll.agent.cpu.time").len() > 1
            && said(seen).contains(&"agent-clock-off".to_owned())
    });
    let now = WallClock::start().unix_ns();
    let seen = &watching.seen;
    for (at, value) in points(seen, "system.cpu.run_queue") {
        // A minute is far less than the hour that the clocks differ by.
        assert!(
            at > before - 60_000_000_000 && at < now + 60_000_000_000,
            "{at} {now}"
        );
        assert!(value >= 1.0);
    }
    let offset = points(seen, "plimsoll.clock.offset")[0].1;
    let error = points(seen, "plimsoll.clock.error")[0].1;
    assert!((offset - 3_600.0).abs() <= error + 1e-3, "{offset} {error}");
    assert!(error < 60.0, "{error}");
}

#[test]
fn an_agent_with_tls_and_token_is_watched_and_others_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (right, wrong) = (
        file("right", "0123456789abcdef\n"),
        file("wrong", "0123456789abcdeF"),
    );
    let token = AgentToken::from_file(right.as_ref()).unwrap();
    let agent = Running::start(|options| {
        options.tls = true;
        options.token = Some(token);
        options.state = dir.path().join("state");
    });
    let print = agent.fingerprint.clone().unwrap();
    let spec = |print: &str, token: &str| {
        let mut spec = agent.spec();
        spec.address = format!("tls://{}", spec.address);
        spec.options
            .insert("fingerprint".to_owned(), print.to_owned());
        spec.options
            .insert("token-file".to_owned(), token.to_owned());
        spec
    };
    let mut watching = Watching::start(spec(&print, &right));
    watching.until(|seen| !points(seen, "system.cpu.run_queue").is_empty());

    let mut refused = Watching::start(spec(&print, &wrong));
    refused.until(|seen| !said(seen).is_empty());
    assert!(
        said(&refused.seen)[0].contains("token is wrong"),
        "{:?}",
        refused.seen
    );

    let other = format!("sha256:{}", "0".repeat(64));
    let mut refused = Watching::start(spec(&other, &right));
    refused.until(|seen| !said(seen).is_empty());
    assert!(
        said(&refused.seen)[0].contains("presents a certificate other than"),
        "{:?}",
        refused.seen
    );

    let mut plain = agent.spec();
    plain.options.insert("token-file".to_owned(), right);
    let mut refused = Watching::start(plain);
    refused.until(|seen| !said(seen).is_empty());
    assert!(
        said(&refused.seen)[0].contains("tls://"),
        "{:?}",
        refused.seen
    );
    assert!(points(&refused.seen, "system.cpu.run_queue").is_empty());
}

#[test]
fn beyond_loopback_an_agent_wants_a_long_token() {
    let beyond = |token: Option<&str>| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        std::fs::write(&path, token.unwrap_or("-")).unwrap();
        Agent::bind(AgentOptions {
            listen: "0.0.0.0:0".parse().unwrap(),
            state: dir.path().to_owned(),
            token: token.map(|_| AgentToken::from_file(&path).unwrap()),
            ..options()
        })
        .map(|agent| agent.fingerprint().is_some())
    };
    assert!(
        beyond(None)
            .unwrap_err()
            .to_string()
            .contains("PLIMSOLL_AGENT_TOKEN")
    );
    assert!(beyond(Some("short")).is_err());
    assert!(beyond(Some("0123456789abcdef")).unwrap());
}

/// A connection that speaks the protocol by hand.
struct Hand(TcpStream);

impl Hand {
    fn connect(agent: &Running) -> Self {
        let stream = TcpStream::connect(agent.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Self(stream)
    }

    fn greeted(agent: &Running) -> Self {
        let mut hand = Self::connect(agent);
        let hello = AgentRequest::Hello {
            version: wire::VERSION,
            token: None,
        };
        assert!(matches!(
            hand.ask(&hello),
            Some(AgentResponse::Hello { .. })
        ));
        hand
    }

    fn ask(&mut self, request: &AgentRequest) -> Option<AgentResponse> {
        let frame = wire::encode(request, &[]).unwrap();
        // It may be closed already.
        let _ = self.0.write_all(&frame);
        self.response()
    }

    /// The next response; none when the agent has closed the connection.
    fn response(&mut self) -> Option<AgentResponse> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).ok()?;
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut body).unwrap();
        Some(wire::decode(&body).unwrap().0)
    }

    fn refused(&mut self, request: &AgentRequest) -> AgentRefusal {
        match self.ask(request) {
            Some(AgentResponse::Refused { why, .. }) => why,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn whatever_comes_is_refused_and_the_agent_goes_on() {
    let agent = Running::start(|_| {});
    let valid = wire::encode(&AgentRequest::Clock, &[]).unwrap();
    let garbage: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\n\r\n",
        &[0xff; 64],
        &[0, 0, 0, 0],
        &[0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff],
        &[0, 0, 0, 8, 0, 0, 0, 4, b'n', b'u', b'l', b'l'],
        &valid,
    ];
    for bytes in garbage {
        let mut hand = Hand::connect(&agent);
        hand.0.write_all(bytes).unwrap();
        // A refusal or the end, but nothing else.
        match hand.response() {
            None => {}
            Some(AgentResponse::Refused { why, .. }) => assert_eq!(why, AgentRefusal::Request),
            other => panic!("{other:?}"),
        }
    }
    // Cut off in the midst.
    for cut in 0..valid.len() {
        let mut hand = Hand::greeted(&agent);
        hand.0.write_all(&valid[..cut]).unwrap();
        hand.0.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(hand.response(), None, "{cut}");
    }
    let mut hand = Hand::greeted(&agent);
    let again = AgentRequest::Hello {
        version: wire::VERSION,
        token: None,
    };
    assert_eq!(hand.refused(&again), AgentRefusal::Request);
    let look = AgentRequest::Look {
        session: "../../etc/passwd".to_owned(),
        after: u64::MAX,
        keys: u32::MAX,
    };
    assert_eq!(hand.refused(&look), AgentRefusal::Session);
    let mut hand = Hand::connect(&agent);
    let old = AgentRequest::Hello {
        version: 0,
        token: None,
    };
    assert_eq!(hand.refused(&old), AgentRefusal::Version);
    assert!(matches!(
        Hand::greeted(&agent).ask(&AgentRequest::Clock),
        Some(AgentResponse::Clock(_))
    ));
}

#[test]
fn a_peer_that_takes_nothing_holds_up_nobody() {
    let agent = Running::start(|_| {});
    let mut slow = Hand::greeted(&agent);
    slow.0
        .set_write_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let clock = wire::encode(&AgentRequest::Clock, &[])
        .unwrap()
        .repeat(1_000);
    // Until both directions are full.
    while slow.0.write_all(&clock).is_ok() {}
    let mut other = Hand::greeted(&agent);
    for _ in 0..10 {
        assert!(matches!(
            other.ask(&AgentRequest::Clock),
            Some(AgentResponse::Clock(_))
        ));
    }
}

#[test]
fn sources_that_are_not_allowed_are_named_and_the_others_are_watched() {
    let agent = Running::start(|_| {});
    let mut spec = agent.spec();
    let sources = "host host=192.0.2.1:80 host=/etc/shadow";
    spec.options
        .insert("sources".to_owned(), sources.to_owned());
    spec.level = Level::Capture;
    let mut watching = Watching::start(spec);
    watching.until(|seen| !points(seen, "system.cpu.run_queue").is_empty());
    let said = said(&watching.seen);
    for id in ["agent-source-remote", "agent-source-address", "agent-level"] {
        assert_eq!(
            said.iter().filter(|said| *said == id).count(),
            1,
            "{id}: {said:?}"
        );
    }
    watching.watcher.capture(Moment::End);
    let rest = watching.watcher.finish();
    // The host has nothing to capture: no capture and no trouble.
    assert!(self::said(&rest).is_empty(), "{rest:?}");
}

#[test]
fn controllers_that_leave_leave_no_session_behind() {
    let agent = Running::start(|_| {});
    // More than there is room for at a time.
    for _ in 0..10 {
        let mut watching = Watching::start(agent.spec());
        watching.until(|seen| !points(seen, "system.cpu.run_queue").is_empty());
        assert!(said(&watching.seen).is_empty(), "{:?}", watching.seen);
        watching.watcher.finish();
    }
}

#[test]
fn a_session_that_was_ended_is_not_there_any_more() {
    let agent = Running::start(|_| {});
    let mut hand = Hand::greeted(&agent);
    let watch = AgentRequest::Watch {
        sources: Vec::new(),
        host: None,
        level: Level::Observe,
    };
    let Some(AgentResponse::Watching { session, .. }) = hand.ask(&watch) else {
        panic!("no session");
    };
    let look = AgentRequest::Look {
        session: session.clone(),
        after: 0,
        keys: 0,
    };
    assert!(matches!(
        hand.ask(&look),
        Some(AgentResponse::Looked { .. })
    ));
    let end = AgentRequest::End { session };
    assert_eq!(hand.ask(&end), Some(AgentResponse::Ended));
    assert_eq!(hand.refused(&look), AgentRefusal::Session);
    assert_eq!(hand.refused(&end), AgentRefusal::Session);
}

#[test]
fn there_is_room_for_so_many_connections_and_no_more() {
    let agent = Running::start(|_| {});
    let mut hands: Vec<_> = (0..16).map(|_| Hand::greeted(&agent)).collect();
    let hello = AgentRequest::Hello {
        version: wire::VERSION,
        token: None,
    };
    let mut late = Hand::connect(&agent);
    assert_eq!(late.refused(&hello), AgentRefusal::Busy);
    assert_eq!(late.response(), None);
    drop(hands.pop());
    let began = Instant::now();
    loop {
        let mut hand = Hand::connect(&agent);
        if matches!(hand.ask(&hello), Some(AgentResponse::Hello { .. })) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}

/// Connections without end that are silent or send a byte now and then, from several addresses.
struct Siege {
    over: Arc<AtomicBool>,
    opened: Arc<AtomicUsize>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Siege {
    /// Connections that are held open at a time.
    const HELD: usize = 300;

    fn begin(agent: SocketAddr) -> Self {
        let (over, opened) = (Arc::default(), Arc::default());
        let siege = Self {
            over: Arc::clone(&over),
            opened: Arc::clone(&opened),
            thread: Some(std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = { runtime }.enable_all().build().unwrap();
                runtime.block_on(Self::go_on(agent, &over, &opened));
            })),
        };
        let began = Instant::now();
        while siege.opened.load(Ordering::Relaxed) < 2 * Self::HELD {
            assert!(began.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
        siege
    }

    async fn go_on(agent: SocketAddr, over: &AtomicBool, opened: &AtomicUsize) {
        let mut held = VecDeque::new();
        while !over.load(Ordering::Relaxed) {
            let n = opened.fetch_add(1, Ordering::Relaxed);
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            let from = format!("127.0.0.{}:0", 2 + n % 6);
            socket.bind(from.parse().unwrap()).unwrap();
            // A full queue of the port is a part of it.
            if let Ok(Ok(stream)) =
                tokio::time::timeout(Duration::from_millis(100), socket.connect(agent)).await
            {
                held.push_back((stream, 0));
            }
            if held.len() > Self::HELD {
                held.pop_front();
            }
            if n.is_multiple_of(50) {
                // A frame that is as long as a stranger's may be, byte by byte.
                for (stream, sent) in held.iter_mut().step_by(2) {
                    let byte = [0, 0, 0x0f, 0xff].get(*sent).copied().unwrap_or(b' ');
                    *sent += stream.try_write(&[byte]).unwrap_or(0);
                }
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

impl Drop for Siege {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(|thread| thread.join());
    }
}

#[test]
fn slow_and_silent_connections_lock_nobody_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    std::fs::write(&path, "0123456789abcdef").unwrap();
    for tls in [false, true] {
        let agent = Running::start(|options| {
            options.tls = tls;
            options.token = Some(AgentToken::from_file(&path).unwrap());
            options.state = dir.path().join("state");
        });
        let mut spec = agent.spec();
        let token = path.display().to_string();
        spec.options.insert("token-file".to_owned(), token);
        if let Some(print) = &agent.fingerprint {
            spec.address = format!("tls://{}", spec.address);
            spec.options.insert("fingerprint".to_owned(), print.clone());
        }
        let siege = Siege::begin(agent.address);
        let mut watching = Watching::start(spec);
        watching.until(|seen| !points(seen, "system.cpu.run_queue").is_empty());
        // Who is in stays in.
        let at = siege.opened.load(Ordering::Relaxed);
        let seen = points(&watching.seen, "system.cpu.run_queue").len();
        watching.until(|now| {
            siege.opened.load(Ordering::Relaxed) > at + Siege::HELD
                && points(now, "system.cpu.run_queue").len() > seen + 1
        });
    }
}
