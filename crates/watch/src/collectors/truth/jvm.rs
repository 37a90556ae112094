//! A JVM by its counters, its GC log, its beans, and two kinds of exporters.

use std::fmt::Write;

use plimsoll_stats::series::{Entity, EntityKind};
use serde_json::{Value, json};

use super::{Said, Shown, Truth, compare, entities, jvm_exporters as exporters};
use crate::collector::{Collector, Look};
use crate::collectors::jolokia;
use crate::collectors::jvm::counters::Counters;
use crate::collectors::jvm::gc_log::{GcLog, Place};
use crate::collectors::jvm::perf_data::{PerfData, testing};

/// In 2033.
const NOW_NS: u64 = 2_000_000_000_000_000_000;

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

const G1: Jvm = Jvm {
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

const Z: Jvm = Jvm {
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

const METASPACE: &str = "Metaspace";
const CLASS_SPACE: &str = "Compressed Class Space";

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

    fn is_old(&self, pool: &str) -> bool {
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

/// The counters, at a look.
fn counters(jvm: &Jvm, truth: &Truth, first: bool) -> Vec<u8> {
    let signed = |value: u64| i64::try_from(value).unwrap();
    let mut longs: Vec<(String, i64)> = vec![("sun.os.hrt.frequency".to_owned(), 1_000_000_000)];
    let mut add = |name: String, value: u64| longs.push((name, signed(value)));
    let spaces = [(0, 0), (0, 2), (1, 0)];
    let places = if jvm.is_z() {
        &spaces[2..]
    } else {
        &spaces[..]
    };
    for (pool, (generation, space)) in jvm.pools.iter().zip(places) {
        let at = format!("sun.gc.generation.{generation}.space.{space}");
        let now = match first {
            true if jvm.is_old(pool) => used(truth, pool) + 1,
            true => 0,
            false => used(truth, pool),
        };
        add(format!("{at}.used"), now);
        add(format!("{at}.capacity"), committed(truth, pool));
        add(
            format!("{at}.maxCapacity"),
            truth.bytes(&format!("{pool} max")),
        );
    }
    for (pool, name) in [
        (METASPACE, "metaspace"),
        (CLASS_SPACE, "compressedclassspace"),
    ] {
        add(format!("sun.gc.{name}.used"), used(truth, pool));
        add(format!("sun.gc.{name}.capacity"), committed(truth, pool));
        add(
            format!("sun.gc.{name}.maxCapacity"),
            truth.bytes(&format!("{pool} max")),
        );
    }
    for gc in jvm.gcs {
        let (runs, each_us) = jvm.runs(truth, gc);
        add(format!("sun.gc.collector.{}.invocations", gc.index), runs);
        add(
            format!("sun.gc.collector.{}.time", gc.index),
            runs * each_us * 1_000,
        );
    }
    let (loaded, unloaded) = classes(truth);
    for (name, value) in [
        ("java.threads.live", truth.n("threads")),
        ("java.threads.daemon", daemons(truth)),
        ("java.threads.livePeak", truth.n("peak")),
        ("java.threads.started", truth.n("started")),
        ("java.cls.loadedClasses", loaded - 7),
        ("java.cls.sharedLoadedClasses", 7),
        ("java.cls.unloadedClasses", unloaded),
        ("java.cls.sharedUnloadedClasses", 0),
        ("java.ci.totalTime", truth.n("compiled ms") * 1_000_000),
        (
            "sun.rt.createVmBeginTime",
            NOW_NS / 1_000_000 - uptime_ms(truth),
        ),
    ] {
        add(name.to_owned(), value);
    }
    let longs: Vec<_> = longs
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    testing::file(
        &longs,
        &[("sun.gc.collector.0.name", jvm.counted_as)],
        false,
    )
}

fn by_counters(jvm: &Jvm, truth: &Truth) -> Said {
    let entity = Entity::new(EntityKind::Jvm, "j", "h");
    let mut all = Counters::default();
    let mut last = Look::at(NOW_NS);
    for first in [true, false] {
        last = Look::at(NOW_NS);
        let data = PerfData::of(&counters(jvm, truth, first)).unwrap();
        all.look(&entity, &data, false, &mut last);
    }
    Said::new("hsperfdata", &last)
}

/// What the log tells: pauses, then two between which something was allocated.
fn log(jvm: &Jvm, truth: &Truth) -> String {
    let (kib, mut id) = (1024, 0);
    let (left, more) = (truth.n("left"), allocated(truth) / kib);
    let mut text = String::new();
    let mut heap = format!("{left}K->{left}K(9999999K)");
    for gc in jvm.gcs {
        let (runs, each_us) = jvm.runs(truth, gc);
        for _ in 0..runs {
            let (logged, ms) = (gc.logged, each_us as f64 / 1e3);
            let cause = match gc.cause {
                "No GC" => String::new(),
                cause => format!(" ({cause})"),
            };
            if jvm.is_z() {
                let _ = writeln!(
                    text,
                    "[1.000s][info][gc,phases   ] GC({id}) {logged} {ms:.3}ms"
                );
            } else {
                let _ = writeln!(
                    text,
                    "[1.000s][info][gc          ] GC({id}) {logged}{cause} {heap} {ms:.3}ms"
                );
                // Between the first two.
                if id == 0 {
                    heap = format!("{}K->{left}K(9999999K)", left + more);
                } else {
                    heap = format!("{left}K->{left}K(9999999K)");
                }
            }
            id += 2;
        }
    }
    if jvm.is_z() {
        let ms = truth.n("cycles ms");
        let _ = writeln!(
            text,
            "[1.000s][info][gc,phases   ] GC({id}) Concurrent Mark {ms}.000ms"
        );
    }
    text
}

fn by_log(jvm: &Jvm, truth: &Truth) -> Said {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gc.log");
    std::fs::write(&path, "").unwrap();
    let mut log_of = GcLog::new(Place::Path(path.clone()), "h".to_owned(), None);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut look = Look::at(NOW_NS);
    runtime.block_on(log_of.collect(&mut look)).unwrap();
    std::fs::write(&path, log(jvm, truth)).unwrap();
    let mut look = Look::at(NOW_NS);
    runtime.block_on(log_of.collect(&mut look)).unwrap();
    Said::new("gc log", &look)
}

/// The beans of a pattern.
fn beans(jvm: &Jvm, truth: &Truth, pattern: &str) -> Option<Value> {
    let (loaded, unloaded) = classes(truth);
    Some(match pattern {
        "java.lang:type=MemoryPool,name=*" => {
            let all = jvm.all_pools().map(|(pool, heap)| {
                let usage = json!({"used": used(truth, pool), "committed": committed(truth, pool),
                    "max": Jvm::max(truth, pool)});
                let kind = if heap { "HEAP" } else { "NON_HEAP" };
                let mut bean = json!({"Type": kind, "Usage": usage});
                if heap {
                    bean["CollectionUsage"] = json!({"used": used(truth, pool)});
                }
                (format!("java.lang:name={pool},type=MemoryPool"), bean)
            });
            all.collect()
        }
        "java.lang:type=GarbageCollector,name=*" => {
            let pauses = jvm.gcs.iter().map(|gc| {
                let (runs, each_us) = jvm.runs(truth, gc);
                (gc.name, runs, (runs * each_us) as f64 / 1e3)
            });
            let cycles = jvm
                .cycles
                .map(|name| (name, 3, truth.n("cycles ms") as f64));
            let all = pauses.chain(cycles).map(|(name, count, ms)| {
                let bean = json!({"CollectionCount": count, "CollectionTime": ms});
                (format!("java.lang:name={name},type=GarbageCollector"), bean)
            });
            all.collect()
        }
        "java.nio:type=BufferPool,name=*" => json!({"java.nio:name=direct,type=BufferPool": {
            "MemoryUsed": truth.bytes("buffers"), "TotalCapacity": truth.bytes("capacity"),
            "Count": truth.n("buffers count")}}),
        "java.lang:type=Threading" => json!({"ThreadCount": truth.n("threads"),
            "DaemonThreadCount": daemons(truth), "PeakThreadCount": truth.n("peak"),
            "TotalStartedThreadCount": truth.n("started")}),
        "java.lang:type=ClassLoading" => json!({"LoadedClassCount": loaded - unloaded,
            "TotalLoadedClassCount": loaded, "UnloadedClassCount": unloaded}),
        "java.lang:type=OperatingSystem" => json!({"ProcessCpuTime": truth.n("cpu ms") * 1_000_000,
            "ProcessCpuLoad": truth.n("load") as f64 / 1e6, "AvailableProcessors": truth.n("cpus")}),
        "java.lang:type=Compilation" => json!({"TotalCompilationTime": truth.n("compiled ms")}),
        "java.lang:type=Runtime" => json!({"Uptime": uptime_ms(truth)}),
        _ => return None,
    })
}

fn by_beans(jvm: &Jvm, truth: &Truth) -> Said {
    let look = jolokia::said_of(&mut entities(), |pattern| beans(jvm, truth, pattern));
    Said::new("jolokia", &look)
}

pub(super) fn compare_all(truth: &Truth, shown: &mut Shown) {
    for jvm in [&G1, &Z] {
        let all = [
            by_counters(jvm, truth),
            by_log(jvm, truth),
            by_beans(jvm, truth),
            exporters::by_micrometer(jvm, truth),
            exporters::by_jmx_exporter(jvm, truth, false),
            exporters::by_jmx_exporter(jvm, truth, true),
        ];
        compare(&all, shown);
    }
}
