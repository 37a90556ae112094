//! JVMs that sources are told of.

use super::said::Truth;

/// A collector: its name in beans, its action, its place in counters, how its log calls it.
pub(super) struct Gc {
    pub(super) name: &'static str,
    pub(super) action: &'static str,
    pub(super) index: u8,
    pub(super) logged: &'static str,
    pub(super) cause: &'static str,
}

/// A JVM with one of the kinds of heaps.
pub(super) struct Jvm {
    pub(super) counted_as: &'static str,
    /// Names of heap pools: the one in which objects are made first.
    pub(super) pools: &'static [&'static str],
    pub(super) gcs: &'static [Gc],
    /// The bean of its concurrent cycles.
    pub(super) cycles: Option<&'static str>,
}

pub(super) const G1: Jvm = Jvm {
    counted_as: "G1 stop-the-world phases",
    pools: &["G1 Eden Space", "G1 Survivor Space", "G1 Old Gen"],
    gcs: &[
        Gc {
            name: "G1 Young Generation",
            action: "end of minor GC",
            index: 0,
            logged: "Pause Young (Normal)",
            cause: "G1 Evacuation Pause",
        },
        Gc {
            name: "G1 Old Generation",
            action: "end of major GC",
            index: 1,
            logged: "Pause Full",
            cause: "System.gc()",
        },
        Gc {
            name: "G1 Concurrent GC",
            action: "end of concurrent GC pause",
            index: 2,
            logged: "Pause Remark",
            cause: "No GC",
        },
    ],
    cycles: None,
};

pub(super) const Z: Jvm = Jvm {
    counted_as: "Z concurrent cycle pauses",
    pools: &["ZHeap"],
    gcs: &[Gc {
        name: "ZGC Pauses",
        action: "end of GC pause",
        index: 2,
        logged: "Pause Mark Start",
        cause: "Proactive",
    }],
    cycles: Some("ZGC Cycles"),
};

pub(super) const METASPACE: &str = "Metaspace";
pub(super) const CLASS_SPACE: &str = "Compressed Class Space";

impl Jvm {
    pub(super) fn is_z(&self) -> bool {
        self.cycles.is_some()
    }

    /// Runs of a collector, and the length of each in microseconds.
    pub(super) fn runs(&self, truth: &Truth, gc: &Gc) -> (u64, u64) {
        (truth.n(gc.name) % 40 + 1, truth.n(gc.action) % 90_000 + 1)
    }

    pub(super) fn pause_s(&self, truth: &Truth, gc: &Gc) -> f64 {
        let (runs, each_us) = self.runs(truth, gc);
        (runs * each_us) as f64 / 1e6
    }

    /// All pools with their kinds.
    pub(super) fn all_pools(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let heap = self.pools.iter().map(|pool| (*pool, true));
        heap.chain([(METASPACE, false), (CLASS_SPACE, false)])
    }

    /// Old pools, G1's and Z's only one; and that of classes.
    fn is_limited(pool: &str) -> bool {
        !pool.starts_with("G1 E") && !pool.starts_with("G1 S") && pool != METASPACE
    }

    pub(super) fn max(truth: &Truth, pool: &str) -> i64 {
        match Self::is_limited(pool) {
            true => i64::try_from(truth.bytes(&format!("{pool} max"))).unwrap(),
            false => -1,
        }
    }

    pub(super) fn is_old(&self, pool: &str) -> bool {
        pool == "G1 Old Gen" || pool == "ZHeap"
    }
}

pub(super) fn used(truth: &Truth, pool: &str) -> u64 {
    truth.bytes(pool)
}

pub(super) fn committed(truth: &Truth, pool: &str) -> u64 {
    truth.bytes(&format!("{pool} committed"))
}

/// What was allocated: as much as the first pool holds, which was empty at the first look.
pub(super) fn allocated(truth: &Truth) -> u64 {
    used(truth, G1.pools[0])
}

pub(super) fn daemons(truth: &Truth) -> u64 {
    truth.n("threads") / 3
}

pub(super) fn state_threads(truth: &Truth) -> [(&'static str, u64); 2] {
    [
        ("runnable", truth.n("threads") / 4),
        ("blocked", truth.n("threads") / 5),
    ]
}

pub(super) fn classes(truth: &Truth) -> (u64, u64) {
    (truth.n("classes") + 2_000_000, truth.n("unloaded"))
}

pub(super) fn uptime_ms(truth: &Truth) -> u64 {
    truth.n("uptime")
}
