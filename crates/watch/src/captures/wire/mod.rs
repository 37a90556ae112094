//! Requests between processes, told from the headers of their packets and from looks at the sockets
//! that have none, for a few seconds: nobody is asked and nothing is held up.

mod held;
mod owners;
mod unix;

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;
use plimsoll_wire::{Ring, Share, Wire, WireLimits, WireReport};

use crate::capture::{Artifact, Asked, Capture, Level, Moment, PROFILE_LASTS};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::watcher::costs::thread_cpu;
use owners::SocketOwners;

/// Sockets are looked at before and after.
const LIMIT: Duration = Duration::from_secs(20);
/// Packets are waited for so long.
const PATIENCE: Duration = Duration::from_millis(50);
/// So much of a CPU reading takes at most; beyond it fewer connections are followed.
const MAX_CPU: f64 = 0.2;
/// What was taken is judged so often.
const JUDGE_EVERY: Duration = Duration::from_millis(200);

/// Reads the headers of a host's packets.
pub(crate) struct WireCapture {
    entity: Arc<Entity>,
    /// Why there are none is told once: it will not change.
    refused: bool,
}

impl WireCapture {
    pub(crate) fn new(entity: Arc<Entity>) -> Self {
        Self {
            entity,
            refused: false,
        }
    }

    async fn now(&mut self) -> Result<Vec<Artifact>, Trouble> {
        if self.refused {
            return Ok(Vec::new());
        }
        let at_unix_ns = now_unix_ns();
        // Otherwise it was ended with the watcher.
        let Ok(read) = tokio::task::spawn_blocking(listen).await else {
            return Ok(Vec::new());
        };
        let report = read.map_err(|error| {
            self.refused = true;
            Trouble::new(Message::new("watch-wire-refused").with("reason", error.to_string()))
        })?;
        let bytes = serde_json::to_vec_pretty(&report).unwrap_or_default();
        let entity = Arc::clone(&self.entity);
        Ok(vec![Artifact::json(entity, "wire", at_unix_ns, bytes)])
    }
}

/// Reads packets for a few seconds.
fn listen() -> std::io::Result<WireReport> {
    let mut ring = Ring::open(Share::ALL)?;
    let mut owners = SocketOwners::default();
    owners.look();
    let from_ns = now_unix_ns();
    let until_ns = from_ns + u64::try_from(PROFILE_LASTS.as_nanos()).unwrap_or(u64::MAX);
    let mut wire = Wire::new(from_ns, owners.ports(), WireLimits::default());
    let (began, mut budget) = (Instant::now(), Budget::new());
    let unix = std::thread::spawn(move || unix::sample(until_ns));
    let owners = std::thread::spawn(move || owners.follow(until_ns));
    while began.elapsed() < PROFILE_LASTS + ring.delay() {
        let cpu = thread_cpu();
        ring.read(PATIENCE, |packet| {
            if (from_ns..until_ns).contains(&packet.at_ns) {
                wire.packet(packet);
            }
        })?;
        budget.cpu += thread_cpu().saturating_sub(cpu);
        let before = wire.share();
        if budget.is_exceeded(&mut ring) {
            wire.halve();
        }
        if wire.share() != before {
            ring.set_share(wire.share())?;
        }
    }
    // A thread that panicked knows nobody.
    let owners = owners.join().unwrap_or_default();
    let sampled = unix.join().ok();
    let (hops, sampling) = sampled.map_or((Vec::new(), None), |(hops, cost)| (hops, Some(cost)));
    hops.into_iter().for_each(|hop| wire.sampled(hop));
    let mut report = wire.finish(until_ns, &owners);
    report.sampling = sampling;
    report.packets_dropped = ring.counts().dropped;
    Ok(report)
}

/// What reading may take of the CPU and of the ring.
struct Budget {
    judged: Instant,
    /// CPU time since then.
    cpu: Duration,
    dropped: u64,
}

impl Budget {
    fn new() -> Self {
        Self {
            judged: Instant::now(),
            cpu: Duration::ZERO,
            dropped: 0,
        }
    }

    /// Whether more was taken since the last time than may be, or packets were dropped.
    fn is_exceeded(&mut self, ring: &mut Ring) -> bool {
        let passed = self.judged.elapsed();
        if passed < JUDGE_EVERY {
            return false;
        }
        let dropped = ring.counts().dropped;
        let took = self.cpu.as_secs_f64() / passed.as_secs_f64();
        let exceeded = took > MAX_CPU || dropped > self.dropped;
        (self.judged, self.cpu, self.dropped) = (Instant::now(), Duration::ZERO, dropped);
        exceeded
    }
}

impl Capture for WireCapture {
    fn kind(&self) -> &'static str {
        "wire"
    }

    fn entity(&self) -> Arc<Entity> {
        Arc::clone(&self.entity)
    }

    fn level(&self) -> Level {
        Level::Capture
    }

    fn at(&self, moment: Moment) -> bool {
        matches!(
            moment,
            Moment::Steady | Moment::Knee | Moment::Worst | Moment::Request
        )
    }

    fn is_aside(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }

    fn take(&mut self, _: Asked) -> Pending<'_, Vec<Artifact>> {
        Box::pin(self.now())
    }
}
