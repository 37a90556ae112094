//! A JVM by its counters, its GC log, its beans, and two kinds of exporters.

use std::fmt::Write;

use plimsoll_stats::series::{Entity, EntityKind};
use serde_json::{Value, json};

use super::jvm_exporters as exporters;
use super::jvm_model::{
    CLASS_SPACE, G1, Jvm, METASPACE, Z, allocated, classes, committed, daemons, uptime_ms, used,
};
use super::said::{Said, Shown, Truth, compare, entities};
use crate::collector::{Collector, Look};
use crate::collectors::jolokia;
use crate::collectors::jvm::counters::Counters;
use crate::collectors::jvm::gc_log::{GcLog, GcLogPlace};
use crate::collectors::jvm::perf_data::{PerfData, testing};

/// In 2033.
const NOW_NS: u64 = 2_000_000_000_000_000_000;

/// The counters, at a look.
fn counters(jvm: &Jvm, truth: &Truth, first: bool) -> Vec<u8> {
    let mut counts = vec![("sun.os.hrt.frequency".to_owned(), 1_000_000_000)];
    counts.extend(counts_of_memory(jvm, truth, first));
    for gc in jvm.gcs {
        let (at, (runs, each_us)) = (gc.index, jvm.runs(truth, gc));
        counts.push((format!("sun.gc.collector.{at}.invocations"), runs));
        counts.push((
            format!("sun.gc.collector.{at}.time"),
            runs * each_us * 1_000,
        ));
    }
    let (loaded, unloaded) = classes(truth);
    let began_ms = NOW_NS / 1_000_000 - uptime_ms(truth);
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
        ("sun.rt.createVmBeginTime", began_ms),
    ] {
        counts.push((name.to_owned(), value));
    }
    let longs: Vec<_> = counts
        .iter()
        .map(|(name, value)| (name.as_str(), i64::try_from(*value).unwrap()))
        .collect();
    testing::file(
        &longs,
        &[("sun.gc.collector.0.name", jvm.counted_as)],
        false,
    )
}

/// The counters of the heap's spaces and of those of classes.
fn counts_of_memory(jvm: &Jvm, truth: &Truth, first: bool) -> Vec<(String, u64)> {
    let spaces = [(0, 0), (0, 2), (1, 0)];
    let places = if jvm.is_z() {
        &spaces[2..]
    } else {
        &spaces[..]
    };
    let heap = jvm.pools.iter().zip(places);
    let heap = heap.map(|(pool, (generation, space))| {
        let now = match first {
            true if jvm.is_old(pool) => used(truth, pool) + 1,
            true => 0,
            false => used(truth, pool),
        };
        (*pool, format!("generation.{generation}.space.{space}"), now)
    });
    let classes = [
        (METASPACE, "metaspace"),
        (CLASS_SPACE, "compressedclassspace"),
    ];
    let classes = classes.map(|(pool, place)| (pool, place.to_owned(), used(truth, pool)));
    let counts = heap.chain(classes).flat_map(|(pool, place, now)| {
        let max = truth.bytes(&format!("{pool} max"));
        [
            (format!("sun.gc.{place}.used"), now),
            (format!("sun.gc.{place}.capacity"), committed(truth, pool)),
            (format!("sun.gc.{place}.maxCapacity"), max),
        ]
    });
    counts.collect()
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
    let mut log_of = GcLog::new(GcLogPlace::Path(path.clone()), "h".to_owned(), None);
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
