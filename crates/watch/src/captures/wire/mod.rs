//! Requests between processes, told from the headers of their packets and from looks at the sockets
//! that have none, for a few seconds: nobody is asked and nothing is held up.

mod datagrams;
mod held;
mod owners;
mod rings;
mod stretch;
mod unix;

use std::collections::BTreeSet;
use std::sync::Arc;
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
use stretch::{Stretch, nanos};
use unix::{UnixLook, UnixSeen};

/// Sockets are looked at before and after, and looking may begin anew.
const LIMIT: Duration = Duration::from_secs(25);
/// Packets are waited for so long.
const PATIENCE: Duration = Duration::from_millis(50);
/// So much of a CPU reading takes at most; beyond it fewer connections are followed.
const MAX_CPU: f64 = 0.2;
/// What was taken is judged so often.
const JUDGE_EVERY: Duration = Duration::from_millis(200);

/// Reads the headers of a host's packets.
pub(crate) struct WireCapture {
    entity: Arc<Entity>,
    /// Why there are no packets, or no calls at sockets: each is told once, since it will not change.
    lacking: Option<Trouble>,
    told: BTreeSet<String>,
}

impl WireCapture {
    pub(crate) fn new(entity: Arc<Entity>) -> Self {
        Self {
            entity,
            lacking: None,
            told: BTreeSet::new(),
        }
    }

    fn lacks(&mut self, message: Message) {
        if self.told.insert(message.id.clone()) {
            self.lacking = Some(Trouble::new(message));
        }
    }

    async fn now(&mut self) -> Result<Vec<Artifact>, Trouble> {
        let at_unix_ns = now_unix_ns();
        // Otherwise it was ended with the watcher.
        let Ok(read) = tokio::task::spawn_blocking(listen).await else {
            return Ok(Vec::new());
        };
        let seen = read.map_err(|error| {
            Trouble::new(Message::new("watch-wire-failed").with("reason", error.to_string()))
        })?;
        let report = seen.report;
        if let Some(reason) = &report.packets_refused {
            self.lacks(Message::new("watch-wire-refused").with("reason", reason.as_str()));
            if report.hops.is_empty() {
                return Ok(Vec::new());
            }
        }
        // Where nobody uses such sockets nothing is lacking.
        if let (None, Some(refusal)) = (&report.packets_refused, seen.sampled_since)
            && report.hops.iter().any(|hop| hop.sampled)
        {
            self.lacks(refusal);
        }
        let bytes = serde_json::to_vec_pretty(&report).unwrap_or_default();
        let entity = Arc::clone(&self.entity);
        Ok(vec![Artifact::json(entity, "wire", at_unix_ns, bytes)])
    }
}

/// What was seen, and why hops by sockets of the file system are sampled, if they are.
struct SeenWire {
    report: WireReport,
    sampled_since: Option<Message>,
}

/// Reads packets for a few seconds, and looks at sockets that have none; at these alone where packets are
/// refused.
fn listen() -> std::io::Result<SeenWire> {
    let mut owners = SocketOwners::default();
    owners.look();
    let unix = UnixLook::open();
    let rings = Rings::open(&owners);
    let stretch = Arc::new(Stretch::new(PROFILE_LASTS));
    let same = Arc::clone(&stretch);
    let unix = std::thread::spawn(move || unix.look(&same));
    let new = Wire::new(stretch.begins_ns(), owners.ports(), WireLimits::default());
    let same = Arc::clone(&stretch);
    let owners = std::thread::spawn(move || owners.follow(&same));
    let mut read = match rings {
        Ok(rings) => PacketReader::new(rings, new, stretch.begins_ns()).read(&stretch)?,
        Err(error) => ReadPackets::refused(new, &error),
    };
    // A thread that panicked knows nobody.
    let owners = owners.join().unwrap_or_default();
    let unix: UnixSeen = unix.join().unwrap_or_default();
    if read.lacks.packets_refused.is_some() {
        read.wire.begin_anew(stretch.begins_ns());
    }
    read.wire.called(unix.called);
    unix.sampled
        .into_iter()
        .for_each(|hop| read.wire.sampled(hop));
    let report = read.wire.finish(stretch.until_ns(), &owners);
    // With some of either lost, so are calls.
    let lost = read.lacks.packets_dropped + unix.calls.map_or(0, |calls| calls.lost);
    let report = WireReport {
        calls: unix.calls,
        calls_refused: unix.refused.as_ref().map(unix::reason),
        sampling: unix.sampling,
        packets_dropped: read.lacks.packets_dropped,
        packets_refused: read.lacks.packets_refused,
        began_again: stretch.began_again(),
        spaces: read.lacks.spaces,
        slowest: report.slowest.filter(|_| lost == 0),
        ..report
    };
    Ok(SeenWire {
        report,
        sampled_since: unix.refused.as_ref().map(unix::told),
    })
}

/// What was read, and what the report of it must say beside.
struct ReadPackets {
    wire: Wire,
    lacks: WireReport,
}

impl ReadPackets {
    fn refused(wire: Wire, error: &std::io::Error) -> Self {
        let lacks = WireReport {
            packets_refused: Some(error.to_string()),
            ..WireReport::default()
        };
        Self { wire, lacks }
    }
}

/// Reads the packets of a stretch.
struct PacketReader {
    rings: Rings,
    wire: Wire,
    from_ns: u64,
    budget: Budget,
    /// Packets that were dropped before the stretch began.
    dropped: u64,
}

impl PacketReader {
    fn new(rings: Rings, wire: Wire, from_ns: u64) -> Self {
        Self {
            rings,
            wire,
            from_ns,
            budget: Budget::new(),
            dropped: 0,
        }
    }

    /// Reads for a stretch; it begins anew if anything is lost.
    fn read(mut self, stretch: &Stretch) -> std::io::Result<ReadPackets> {
        let delay_ns = nanos(self.rings.delay());
        while now_unix_ns() < stretch.until_ns() + delay_ns {
            if stretch.begins_ns() > self.from_ns {
                self.begin_anew(stretch.begins_ns());
            }
            let (cpu, within) = (thread_cpu(), self.from_ns..stretch.until_ns());
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
                stretch.begin_anew();
            }
        }
        let lacks = WireReport {
            packets_dropped: self.rings.dropped().saturating_sub(self.dropped),
            spaces: self.rings.spaces(),
            ..WireReport::default()
        };
        Ok(ReadPackets {
            wire: self.wire,
            lacks,
        })
    }

    fn begin_anew(&mut self, from_ns: u64) {
        self.wire.begin_anew(from_ns);
        (self.from_ns, self.dropped) = (from_ns, self.budget.dropped);
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
        self.lacking.take()
    }
}
