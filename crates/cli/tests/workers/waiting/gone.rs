//! Workers that die while they get ready: noticed within seconds, replaced or named.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use bytes::Bytes;
use plimsoll_fleet::bundle::WorkerKey;
use plimsoll_fleet::wire::Announce;
use plimsoll_fleet::worker::{Engine, PreparedRun, WorkerSettings, serve};
use plimsoll_text::Message;
use tokio::sync::{oneshot, watch};

use crate::fleet::Fleet;
use crate::nats;
use crate::support::eventually;
use crate::support::http::{HttpServer, Response};

/// Far less than a worker may take to get ready.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn a_worker_that_is_killed_in_setup_is_named() {
    let over = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&over);
    let target = HttpServer::start(move |request| {
        while request.path() == "/setup" && !held.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        Response::ok("hello")
    });
    let mut fleet = Fleet::before(&["w1", "w2", "w3"], target);
    let url = fleet.target.url();
    let plan = format!(
        "target: {url}\nusers: 2\niterations: 1\nsetup:\n  - get: /setup\nsteps:\n  - get: /hello\n"
    );
    // Those with most CPUs come first, then it goes by the name: setup is on w1.
    let run = fleet.begin(&plan, &["--workers", "2"]);
    eventually("setup", || !fleet.target.seen().is_empty());
    let (worker, _) = fleet.workers.remove(0);
    worker.signal("KILL");
    let killed = Instant::now();
    let told = run.end();
    assert!(killed.elapsed() < SOON, "{told:?}");
    assert_eq!(told.code, Some(2), "{told:?}");
    let says = "Worker w1 is gone";
    assert!(told.err.contains(says), "{told:?}");
    // Setup has begun: it is not done again behind somebody's back.
    assert_eq!(fleet.target.targets(), ["/setup"]);
    over.store(true, Ordering::Relaxed);
    worker.end();
    // The other one is free.
    let told = fleet.begin(&fleet.plan("users: 2\niterations: 2"), &["--workers", "2"]);
    told.end().assert_code(0).assert_all_ok(4);
    fleet.end();
}

/// A worker that is taken first and never gets ready.
struct Stuck {
    announce: Announce,
    begun: mpsc::Sender<()>,
    never: Mutex<mpsc::Receiver<()>>,
}

impl Engine for Stuck {
    fn announce(&self) -> Announce {
        self.announce.clone()
    }

    fn now_ns(&self) -> u64 {
        plimsoll_load::clock::boottime_ns()
    }

    fn to_unix_ns(&self) -> i64 {
        0
    }

    fn prepare(&self, _: &str, _: Bytes, _: &str) -> Result<Arc<dyn PreparedRun>, Message> {
        self.begun.send(()).unwrap();
        let _ = self.never.lock().unwrap().recv();
        Err(Message::new("fleet-not-ready"))
    }
}

#[test]
fn a_worker_that_dies_while_it_gets_ready_is_replaced() {
    let fleet = Fleet::start(&["w2"]);
    let (begun, getting_ready) = mpsc::channel();
    let (end, never) = mpsc::channel();
    let stuck = Stuck {
        announce: Announce {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cores: 1000.0,
            public_key: WorkerKey::new().public().to_string(),
            ..Announce::default()
        },
        begun,
        never: Mutex::new(never),
    };
    let (kill, killed) = oneshot::channel::<()>();
    let (urls, folder) = (fleet.urls(), fleet.bench.path(""));
    let worker = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let link = Arc::new(nats::link(&urls).await);
            let settings = WorkerSettings {
                name: "w1".to_owned(),
                instance: "w1-life".to_owned(),
                labels: std::collections::BTreeMap::new(),
                folder,
            };
            let (_end, ending) = watch::channel(false);
            let tell = |_: &Message| {};
            tokio::select! {
                served = serve(link, Arc::new(stuck), settings, ending, &tell) => served.unwrap(),
                _ = killed => {}
            }
        });
        // Its connection is closed, as that of a process that was killed.
        runtime.shutdown_background();
    });
    fleet.wait_for(2);
    let plan = fleet.plan("users: 1\niterations: 5");
    let run = fleet.begin(&plan, &["--workers", "1"]);
    getting_ready.recv_timeout(SOON).unwrap();
    kill.send(()).unwrap();
    worker.join().unwrap();
    let killed = Instant::now();
    let told = run.end();
    assert!(killed.elapsed() < SOON, "{told:?}");
    told.assert_code(0).assert_all_ok(5);
    let says = "Worker w1 is gone";
    assert!(told.err.contains(says), "{told:?}");
    drop(end);
    fleet.end();
}
