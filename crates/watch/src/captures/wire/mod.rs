//! Requests between processes, told from the headers of their packets and from looks at the sockets
//! that have none, for a few seconds: nobody is asked and nothing is held up.

mod datagrams;
mod held;
mod owners;
mod rings;
mod unix;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;
use plimsoll_wire::{SeenPacket, Wire, WireLimits, WireReport};

use crate::capture::{Artifact, Asked, Capture, Level, Moment, PROFILE_LASTS};
use crate::clock::now_unix_ns;
use crate::collector::{Pending, Trouble};
use crate::watcher::costs::thread_cpu;
use owners::SocketOwners;
use rings::Rings;

/// Sockets are looked at before and after, and looking may begin anew.
const LIMIT: Duration = Duration::from_secs(25);
/// Packets are waited for so long.
const PATIENCE: Duration = Duration::from_millis(50);
/// So much of a CPU reading takes at most; beyond it fewer connections are followed.
const MAX_CPU: f64 = 0.2;
/// What was taken is judged so often.
const JUDGE_EVERY: Duration = Duration::from_millis(200);
/// A stretch is so long at least, also where it had to begin anew; but all together no longer than
/// [`MAX_LASTS`].
const LEAST_LASTS: Duration = Duration::from_millis(1_500);
const MAX_LASTS: Duration = Duration::from_secs(6);

/// Reads the headers of a host's packets.
pub(crate) struct WireCapture {
    entity: Arc<Entity>,
    /// Why there are no packets: it is told once, since it will not change.
    refused: Option<Option<Trouble>>,
}

impl WireCapture {
    pub(crate) fn new(entity: Arc<Entity>) -> Self {
        Self {
            entity,
            refused: None,
        }
    }

    async fn now(&mut self) -> Result<Vec<Artifact>, Trouble> {
        let at_unix_ns = now_unix_ns();
        // Otherwise it was ended with the watcher.
        let Ok(read) = tokio::task::spawn_blocking(listen).await else {
            return Ok(Vec::new());
        };
        let report = read.map_err(|error| {
            Trouble::new(Message::new("watch-wire-failed").with("reason", error.to_string()))
        })?;
        if let Some(reason) = &report.packets_refused {
            let message = Message::new("watch-wire-refused").with("reason", reason.as_str());
            let told = || Some(Trouble::new(message));
            self.refused.get_or_insert_with(told);
            if report.hops.is_empty() {
                return Ok(Vec::new());
            }
        }
        let bytes = serde_json::to_vec_pretty(&report).unwrap_or_default();
        let entity = Arc::clone(&self.entity);
        Ok(vec![Artifact::json(entity, "wire", at_unix_ns, bytes)])
    }
}

/// A time in nanoseconds.
fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Reads packets for a few seconds, and looks at sockets that have none; at these alone where packets are
/// refused.
fn listen() -> std::io::Result<WireReport> {
    let mut owners = SocketOwners::default();
    owners.look();
    let rings = Rings::open(&owners);
    let from_ns = now_unix_ns();
    let until_ns = Arc::new(AtomicU64::new(from_ns + nanos(PROFILE_LASTS)));
    let ends = Arc::clone(&until_ns);
    let unix = std::thread::spawn(move || unix::sample(&ends));
    let new = Wire::new(from_ns, owners.ports(), WireLimits::default());
    let ends = Arc::clone(&until_ns);
    let owners = std::thread::spawn(move || owners.follow(&ends));
    let mut read = match rings {
        Ok(rings) => PacketReader::new(rings, new, from_ns).read(&until_ns)?,
        Err(error) => ReadPackets {
            wire: new,
            lacks: WireReport {
                packets_refused: Some(error.to_string()),
                ..WireReport::default()
            },
        },
    };
    // A thread that panicked knows nobody.
    let owners = owners.join().unwrap_or_default();
    let sampled = unix.join().ok();
    let (hops, sampling) = sampled.map_or((Vec::new(), None), |(hops, cost)| (hops, Some(cost)));
    hops.into_iter().for_each(|hop| read.wire.sampled(hop));
    let report = read.wire.finish(until_ns.load(Ordering::Relaxed), &owners);
    Ok(WireReport {
        sampling,
        packets_dropped: read.lacks.packets_dropped,
        packets_refused: read.lacks.packets_refused,
        began_again: read.lacks.began_again,
        spaces: read.lacks.spaces,
        // With some packets lost, so are calls.
        slowest: report.slowest.filter(|_| read.lacks.packets_dropped == 0),
        ..report
    })
}

/// What was read, and what the report of it must say beside.
struct ReadPackets {
    wire: Wire,
    lacks: WireReport,
}

/// Reads the packets of a stretch.
struct PacketReader {
    rings: Rings,
    wire: Wire,
    from_ns: u64,
    budget: Budget,
    /// Packets that were dropped before the stretch began.
    dropped: u64,
    began_again: u64,
}

impl PacketReader {
    fn new(rings: Rings, wire: Wire, from_ns: u64) -> Self {
        Self {
            rings,
            wire,
            from_ns,
            budget: Budget::new(),
            dropped: 0,
            began_again: 0,
        }
    }

    /// Reads until that moment; it is moved if looking has to begin anew.
    fn read(mut self, until_ns: &AtomicU64) -> std::io::Result<ReadPackets> {
        let began_ns = self.from_ns;
        let delay_ns = nanos(self.rings.delay());
        while now_unix_ns() < until_ns.load(Ordering::Relaxed) + delay_ns {
            let (cpu, within) = (thread_cpu(), self.from_ns..until_ns.load(Ordering::Relaxed));
            let wire = &mut self.wire;
            self.rings.read(PATIENCE, |packet| {
                let at_ns = match &packet {
                    SeenPacket::Segment(packet) => packet.at_ns,
                    SeenPacket::Datagram(packet) => packet.at_ns,
                };
                if within.contains(&at_ns) {
                    wire.seen(&packet);
                }
            })?;
            self.budget.cpu += thread_cpu().saturating_sub(cpu);
            let before = self.wire.share();
            if self.budget.is_exceeded(&mut self.rings) {
                self.wire.halve();
            }
            if self.wire.share() != before {
                // Where the kernel does not take it, the wire leaves the others out itself.
                let _ = self.rings.set_share(self.wire.share());
            }
            if self.budget.dropped > self.dropped {
                self.begin_anew(began_ns, until_ns);
            }
        }
        let lacks = WireReport {
            packets_dropped: self.rings.dropped().saturating_sub(self.dropped),
            began_again: self.began_again,
            spaces: self.rings.spaces(),
            ..WireReport::default()
        };
        Ok(ReadPackets {
            wire: self.wire,
            lacks,
        })
    }

    /// Packets were lost: what was counted so far is too little. The stretch begins now, unless there is no
    /// time left for it; then the report says how many were lost.
    fn begin_anew(&mut self, began_ns: u64, until_ns: &AtomicU64) {
        let now_ns = now_unix_ns();
        let (last_ns, least_ns) = (began_ns + nanos(MAX_LASTS), now_ns + nanos(LEAST_LASTS));
        if least_ns > last_ns {
            return;
        }
        self.wire.begin_anew(now_ns);
        (self.from_ns, self.dropped) = (now_ns, self.budget.dropped);
        self.began_again += 1;
        until_ns.fetch_max(least_ns, Ordering::Relaxed);
    }
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
    fn is_exceeded(&mut self, rings: &mut Rings) -> bool {
        let passed = self.judged.elapsed();
        if passed < JUDGE_EVERY {
            return false;
        }
        let dropped = rings.dropped();
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

    fn lacking(&mut self) -> Option<Trouble> {
        self.refused.as_mut()?.take()
    }
}
