//! What makes load on a simulated worker: each share sends a request each 10 ms while it has its
//! lease.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use plimsoll_stats::{Histogram, IntervalSet, LabelId, LabelInfo, LabelKind};
use plimsoll_text::Message;
use tokio::time::{Instant, sleep_until};

use super::clock::{S, since_ns};
use crate::testing::sample;
use crate::wire::{Announce, Change, ReportEnd, ReportSecond};
use crate::worker::{Engine, PreparedRun, Running, ShareTold, Task};

/// Requests of a share in a second.
pub const PER_S: u64 = 100;

/// How long the load lasts, s.
pub const LOAD_S: u64 = 70;

/// The engine of a simulated worker.
#[derive(Clone)]
pub struct SimEngine {
    pub begun: Instant,
    /// What its clock read when the world began.
    pub clock_ns: u64,
    /// Counts the requests of all.
    pub target: Arc<AtomicU64>,
    /// Counts setups.
    pub setups: Arc<AtomicU64>,
}

impl Engine for SimEngine {
    fn announce(&self) -> Announce {
        Announce {
            version: "1".to_owned(),
            ..Announce::default()
        }
    }

    fn now_ns(&self) -> u64 {
        self.clock_ns + since_ns(self.begun)
    }

    fn to_unix_ns(&self) -> i64 {
        0
    }

    fn prepare(&self, _: &str, _: Bytes, _: &str) -> Result<Arc<dyn PreparedRun>, Message> {
        Ok(Arc::new(self.clone()))
    }
}

impl PreparedRun for SimEngine {
    fn set_up(&self, keys: &[String]) -> Result<Vec<String>, Message> {
        self.setups.fetch_add(1, Ordering::Relaxed);
        Ok(keys.to_vec())
    }

    fn begin(&self, task: Task) -> Result<Arc<dyn Running>, Message> {
        let work = Arc::new(Work::default());
        for change in &task.changes {
            work.add(change);
        }
        tokio::spawn(share(self.clone(), Arc::clone(&work), task));
        Ok(work)
    }

    fn tear_down(&self, _: Option<String>) -> Result<(), Message> {
        Ok(())
    }
}

/// Work on a share.
#[derive(Default)]
struct Work {
    until_ns: AtomicU64,
    stopped: AtomicBool,
    started: AtomicU64,
    /// Requests of a tick, and from when on the run's clock.
    per_tick: Mutex<Vec<(u64, u64)>>,
}

impl Work {
    fn add(&self, change: &Change) {
        let mut known = self.per_tick.lock().unwrap();
        known.push((change.at_ns, change.what.parse().unwrap()));
    }

    fn per_tick(&self, at_ns: u64) -> u64 {
        let known = self.per_tick.lock().unwrap();
        let last = known.iter().rev().find(|(from_ns, _)| *from_ns <= at_ns);
        last.map_or(1, |(_, requests)| *requests)
    }
}

impl Running for Work {
    fn renew(&self, until_ns: u64) {
        self.until_ns.store(until_ns, Ordering::Relaxed);
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn cut_off(&self) {
        self.stop();
    }

    fn change(&self, change: &Change) -> Result<(), Message> {
        self.add(change);
        Ok(())
    }

    fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }
}

async fn share(engine: SimEngine, work: Arc<Work>, task: Task) {
    let from_ns = task.from_ns.unwrap_or(0);
    let tell = |told| {
        // Whoever was killed hears nothing.
        let _ = task.out.send((task.assignment, told));
    };
    let mut stopped_ns = None;
    for second in from_ns / S..LOAD_S {
        let mut sent = 0;
        for tick in 0..PER_S {
            let at_ns = second * S + tick * (S / PER_S);
            let due_ns = task.zero_ns + at_ns;
            let due = engine.begun + Duration::from_nanos(due_ns - engine.clock_ns);
            sleep_until(due).await;
            if work.stopped.load(Ordering::Relaxed) {
                stopped_ns = Some(at_ns);
                break;
            }
            if at_ns >= from_ns && due_ns < work.until_ns.load(Ordering::Relaxed) {
                let requests = work.per_tick(at_ns);
                work.started.fetch_add(requests, Ordering::Relaxed);
                engine.target.fetch_add(requests, Ordering::Relaxed);
                sent += requests;
            }
        }
        tell(ShareTold::Second(Box::new(report(second, sent))));
        if stopped_ns.is_some() {
            break;
        }
    }
    let end_ns = stopped_ns.unwrap_or(LOAD_S * S);
    tell(ShareTold::End(ReportEnd {
        load_end_ns: end_ns,
        end_ns,
        stopped: stopped_ns.is_some(),
        threads: 1,
        ..ReportEnd::default()
    }));
}

/// What a share says of a second with so many requests.
fn report(second: u64, sent: u64) -> ReportSecond {
    let mut set = IntervalSet::default();
    for _ in 0..sent {
        set.record(&sample(0, 1_000_000));
    }
    let mut report = ReportSecond {
        second,
        labels: vec![LabelInfo {
            id: LabelId(0),
            name: "get".to_owned(),
            kind: LabelKind::Request,
            parent: None,
        }],
        ..ReportSecond::default()
    };
    report.measured(&set, &Histogram::new(), &Histogram::new());
    report
}
