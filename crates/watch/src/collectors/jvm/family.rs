//! What the counters of each garbage collector mean: the names that the JVM's management
//! beans have for its pools and collectors.

use super::perf_data::PerfData;

/// A garbage collector's way of dividing the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CollectorFamily {
    Serial,
    Parallel,
    Cms,
    G1,
    Z,
    ZGenerational,
    Shenandoah,
    Other,
}

/// A pool: its name and its spaces in the counters (`generation.N.space.M`).
#[derive(Debug)]
pub(crate) struct MemoryPool {
    pub(crate) name: &'static str,
    pub(crate) generation: u8,
    pub(crate) spaces: &'static [u8],
    /// Whether the pool's own maximum is a limit (G1's young pools have none).
    pub(crate) limited: bool,
    /// Whether what is left after a collection is telling.
    pub(crate) long_lived: bool,
}

/// A collector in the counters: index, name, what ends when it has run.
#[derive(Debug)]
pub(crate) struct Gc {
    pub(crate) index: u8,
    pub(crate) name: &'static str,
    pub(crate) action: &'static str,
}

/// What the management beans call the end of a young collection.
pub(crate) const MINOR: &str = "end of minor GC";
/// What they call the end of a full collection.
pub(crate) const MAJOR: &str = "end of major GC";
/// What they call the end of a pause of a concurrent collector.
pub(crate) const PAUSE: &str = "end of GC pause";

/// What ends when a collector of that name has run, if its runs are pauses of the application.
pub(crate) fn action_of(name: &str) -> Option<&'static str> {
    match name {
        "Copy" | "PS Scavenge" | "ParNew" | "G1 Young Generation" => Some(MINOR),
        "MarkSweepCompact" | "PS MarkSweep" | "G1 Old Generation" => Some(MAJOR),
        "ConcurrentMarkSweep" | "G1 Concurrent GC" => Some(PAUSE),
        _ => name.ends_with(" Pauses").then_some(PAUSE),
    }
}

/// Whether a collector's bean counts each of its pauses: CMS's counts a cycle as one.
pub(crate) fn counts_pauses(name: &str) -> bool {
    !is_cycle(name) && name != "ConcurrentMarkSweep"
}

/// Whether a collector's bean is of concurrent cycles, in which the application goes on.
pub(crate) fn is_cycle(name: &str) -> bool {
    CYCLES.contains(&name)
}

/// The beans of concurrent cycles: of ZGC (until JDK 14, from 15, generational) and Shenandoah.
pub(crate) const CYCLES: [&str; 5] = [
    "ZGC",
    "ZGC Cycles",
    "ZGC Minor Cycles",
    "ZGC Major Cycles",
    "Shenandoah Cycles",
];

/// Pools in which objects are allocated.
pub(crate) const ALLOCATED_IN: [&str; 7] = [
    "Eden Space",
    "PS Eden Space",
    "Par Eden Space",
    "G1 Eden Space",
    "ZHeap",
    "ZGC Young Generation",
    "Shenandoah",
];

const fn pool(name: &'static str, generation: u8, spaces: &'static [u8]) -> MemoryPool {
    MemoryPool {
        name,
        generation,
        spaces,
        limited: true,
        long_lived: generation == 1,
    }
}

const fn unlimited(name: &'static str, generation: u8, spaces: &'static [u8]) -> MemoryPool {
    MemoryPool {
        limited: false,
        ..pool(name, generation, spaces)
    }
}

const fn gc(index: u8, name: &'static str, action: &'static str) -> Gc {
    Gc {
        index,
        name,
        action,
    }
}

static SERIAL: [MemoryPool; 3] = [
    pool("Eden Space", 0, &[0]),
    pool("Survivor Space", 0, &[1, 2]),
    pool("Tenured Gen", 1, &[0]),
];
static PARALLEL: [MemoryPool; 3] = [
    pool("PS Eden Space", 0, &[0]),
    pool("PS Survivor Space", 0, &[1, 2]),
    pool("PS Old Gen", 1, &[0]),
];
static CMS: [MemoryPool; 3] = [
    pool("Par Eden Space", 0, &[0]),
    pool("Par Survivor Space", 0, &[1, 2]),
    pool("CMS Old Gen", 1, &[0]),
];
static G1: [MemoryPool; 3] = [
    unlimited("G1 Eden Space", 0, &[0]),
    unlimited("G1 Survivor Space", 0, &[1, 2]),
    pool("G1 Old Gen", 1, &[0]),
];
static Z: [MemoryPool; 1] = [pool("ZHeap", 1, &[0])];
static Z_GENERATIONAL: [MemoryPool; 2] = [
    pool("ZGC Young Generation", 0, &[0]),
    pool("ZGC Old Generation", 1, &[0]),
];
static SHENANDOAH: [MemoryPool; 1] = [pool("Shenandoah", 1, &[0])];

impl CollectorFamily {
    /// Which one these counters are of.
    pub(crate) fn of(data: &PerfData) -> Self {
        let name = |index: u8| data.text(&format!("sun.gc.collector.{index}.name"));
        for name in [name(0), name(1), name(2)].into_iter().flatten() {
            let known = [
                ("G1", Self::G1),
                ("Par", Self::Parallel),
                ("PS", Self::Parallel),
                ("CMS", Self::Cms),
                ("Serial", Self::Serial),
                ("ZGC m", Self::ZGenerational),
                ("Z", Self::Z),
                ("Shenandoah", Self::Shenandoah),
            ];
            let policy = data.text("sun.gc.policy.name").unwrap_or_default();
            if policy.ends_with(":CMS") {
                return Self::Cms;
            }
            if policy == "Copy:MSC" {
                return Self::Serial;
            }
            if let Some((_, family)) = known.iter().find(|(start, _)| name.starts_with(start)) {
                return *family;
            }
        }
        Self::Other
    }

    /// Its name, as in the option that chooses it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Serial => "Serial",
            Self::Parallel => "Parallel",
            Self::Cms => "ConcMarkSweep",
            Self::G1 => "G1",
            Self::Z => "Z",
            Self::ZGenerational => "Z (generational)",
            Self::Shenandoah => "Shenandoah",
            Self::Other => "?",
        }
    }

    /// Its pools on the heap.
    pub(crate) fn pools(self) -> &'static [MemoryPool] {
        match self {
            Self::Serial => &SERIAL,
            Self::Parallel => &PARALLEL,
            Self::Cms => &CMS,
            Self::G1 => &G1,
            Self::Z => &Z,
            Self::ZGenerational => &Z_GENERATIONAL,
            Self::Shenandoah => &SHENANDOAH,
            Self::Other => &[],
        }
    }

    /// Its collectors. Shenandoah's counters mix pauses with concurrent work, so they are
    /// left out; CMS counts its two pauses a cycle and its full collections as one.
    pub(crate) fn collectors(self) -> &'static [Gc] {
        static SERIAL: [Gc; 2] = [gc(0, "Copy", MINOR), gc(1, "MarkSweepCompact", MAJOR)];
        static PARALLEL: [Gc; 2] = [gc(0, "PS Scavenge", MINOR), gc(1, "PS MarkSweep", MAJOR)];
        static CMS: [Gc; 2] = [gc(0, "ParNew", MINOR), gc(1, "ConcurrentMarkSweep", PAUSE)];
        static G1: [Gc; 3] = [
            gc(0, "G1 Young Generation", MINOR),
            gc(1, "G1 Old Generation", MAJOR),
            gc(2, "G1 Concurrent GC", PAUSE),
        ];
        static Z: [Gc; 1] = [gc(2, "ZGC Pauses", PAUSE)];
        static Z_GENERATIONAL: [Gc; 2] = [
            gc(0, "ZGC Minor Pauses", PAUSE),
            gc(2, "ZGC Major Pauses", PAUSE),
        ];
        match self {
            Self::Serial => &SERIAL,
            Self::Parallel => &PARALLEL,
            Self::Cms => &CMS,
            Self::G1 => &G1,
            Self::Z => &Z,
            Self::ZGenerational => &Z_GENERATIONAL,
            Self::Shenandoah | Self::Other => &[],
        }
    }

    /// The longest that the heap may become, bytes (`-Xmx`).
    pub(crate) fn heap_limit(self, data: &PerfData) -> Option<i64> {
        let generation = |n: u8| data.long(&format!("sun.gc.generation.{n}.maxCapacity"));
        match self {
            Self::Serial | Self::Parallel | Self::Cms => generation(0)?.checked_add(generation(1)?),
            Self::G1 => generation(1).map(unpadded),
            _ => generation(1),
        }
    }

    /// A size without the 8 bytes that G1 adds to each, so that none is zero.
    pub(crate) fn size(self, bytes: i64) -> i64 {
        if self == Self::G1 {
            unpadded(bytes)
        } else {
            bytes
        }
    }
}

fn unpadded(bytes: i64) -> i64 {
    bytes & !0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_beans_say_the_same_of_a_collector() {
        use CollectorFamily::{Cms, G1, Parallel, Serial, Z, ZGenerational};
        for family in [Cms, G1, Parallel, Serial, Z, ZGenerational] {
            for gc in family.collectors() {
                assert_eq!(action_of(gc.name), Some(gc.action), "{}", gc.name);
                assert!(!is_cycle(gc.name));
            }
            let mut first = family.pools().first().into_iter();
            assert!(first.all(|pool| ALLOCATED_IN.contains(&pool.name)));
        }
        assert!(CYCLES.iter().all(|name| action_of(name).is_none()));
        assert!(counts_pauses("Shenandoah Pauses") && !counts_pauses("ConcurrentMarkSweep"));
    }
}
