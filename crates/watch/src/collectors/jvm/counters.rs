//! From the JVM's counters to series.

use std::collections::HashMap;
use std::sync::Arc;

use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use super::family::{CollectorFamily, Gc, MAJOR, MemoryPool};
use super::perf_data::PerfData;
use crate::collector::Look;
use crate::names::SeriesName;
use crate::names::jvm as names;

/// What is remembered from look to look.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    family: Option<CollectorFamily>,
    /// Use of each pool at the look before, and after its last collection.
    used: HashMap<&'static str, (i64, Option<i64>)>,
    /// Runs of each collector at the look before.
    runs: HashMap<&'static str, i64>,
    allocated: Allocated,
}

/// Allocation, estimated from how the first pool of the young generation fills.
#[derive(Debug, Default)]
struct Allocated {
    bytes: f64,
    before: Option<(i64, i64)>,
}

impl Counters {
    /// Whether nothing was looked at yet.
    pub(crate) fn is_new(&self) -> bool {
        self.family.is_none()
    }

    /// Says what the counters hold. Where the GC log is read, what it knows better is left
    /// to it.
    pub(crate) fn look(
        &mut self,
        entity: &Arc<Entity>,
        data: &PerfData,
        gc_log: bool,
        look: &mut Look,
    ) {
        let family = *self.family.get_or_insert_with(|| {
            let family = CollectorFamily::of(data);
            look.fact(entity, "jvm.gc", family.name());
            if let Some(limit) = family.heap_limit(data) {
                look.fact(entity, "jvm.heap.max", limit.to_string());
            }
            family
        });
        let hz = data
            .number("sun.os.hrt.frequency")
            .filter(|hz| *hz > 0.0)
            .unwrap_or(1e9);
        let full = self.collections(entity, data, family, hz, gc_log, look);
        for pool in family.pools() {
            self.pool(entity, data, family, pool, full, look);
        }
        if !gc_log && let Some(eden) = family.pools().first().filter(|pool| !pool.long_lived) {
            let runs = self.runs.values().copied().fold(0, i64::saturating_add);
            if let Some(bytes) = self.allocated.look(data, eden, runs) {
                look.value(entity, &names::MEMORY_ALLOCATED, &[], bytes);
            }
        }
        non_heap(entity, data, look);
        runtime(entity, data, hz, look);
    }

    /// Pauses of each collector; whether the whole heap was collected since the look before.
    fn collections(
        &mut self,
        entity: &Arc<Entity>,
        data: &PerfData,
        family: CollectorFamily,
        hz: f64,
        gc_log: bool,
        look: &mut Look,
    ) -> bool {
        let mut full = false;
        for gc in family.collectors() {
            let counter = |name: &str| data.long(&format!("sun.gc.collector.{}.{name}", gc.index));
            let (Some(runs), Some(time)) = (counter("invocations"), counter("time")) else {
                continue;
            };
            let attributes = [("jvm.gc.action", gc.action), ("jvm.gc.name", gc.name)];
            look.value(entity, &names::GC_PAUSE_COUNT, &attributes, float(runs));
            look.value(entity, &names::GC_PAUSE_TIME, &attributes, float(time) / hz);
            let before = self.runs.insert(gc.name, runs);
            let more = before.map_or(0, |before| runs.saturating_sub(before));
            if gc.action == MAJOR && more > 0 {
                full = true;
                if !gc_log {
                    full_gc(entity, data, gc, more, hz, look);
                }
            }
        }
        full
    }

    fn pool(
        &mut self,
        entity: &Arc<Entity>,
        data: &PerfData,
        family: CollectorFamily,
        pool: &MemoryPool,
        full: bool,
        look: &mut Look,
    ) {
        let sizes = |name: &'static str| {
            pool.spaces.iter().filter_map(move |space| {
                data.long(&format!(
                    "sun.gc.generation.{}.space.{space}.{name}",
                    pool.generation
                ))
            })
        };
        let attributes = [
            ("jvm.memory.pool.name", pool.name),
            ("jvm.memory.type", "heap"),
        ];
        let mut say = |metric: &SeriesName, value: i64| {
            look.value(entity, metric, &attributes, float(value));
        };
        // One of the survivor spaces is always empty; the beans show the other one.
        let Some(used) = sizes("used").reduce(i64::saturating_add) else {
            return;
        };
        say(&names::MEMORY_USED, used);
        if let Some(committed) = sizes("capacity").max() {
            say(&names::MEMORY_COMMITTED, family.size(committed));
        }
        if let Some(limit) = sizes("maxCapacity").max().filter(|_| pool.limited) {
            say(&names::MEMORY_LIMIT, family.size(limit));
        }
        if !pool.long_lived {
            return;
        }
        let before = self.used.get(pool.name);
        // Only a collection makes it fall.
        let collected = before.is_some_and(|(before, _)| full || used < *before);
        let after = if collected {
            Some(used)
        } else {
            before.and_then(|(_, after)| *after)
        };
        self.used.insert(pool.name, (used, after));
        if let Some(after) = after {
            say(&names::MEMORY_USED_AFTER_LAST_GC, after);
        }
    }
}

impl Allocated {
    /// What was allocated since the first look.
    fn look(&mut self, data: &PerfData, eden: &MemoryPool, runs: i64) -> Option<f64> {
        let space = |name: &str| {
            data.long(&format!(
                "sun.gc.generation.{}.space.0.{name}",
                eden.generation
            ))
        };
        let (used, capacity) = (space("used")?, space("capacity")?);
        if let Some((before, runs_before)) = self.before.replace((used, runs)) {
            // The numbers are the JVM's word.
            let (used, before, capacity) = (float(used), float(before), float(capacity));
            let more = match runs.saturating_sub(runs_before) {
                0 => used - before,
                n => (capacity - before).max(0.0) + float(n.saturating_sub(1)) * capacity + used,
            };
            self.bytes += more.max(0.0);
        }
        Some(self.bytes)
    }
}

/// Tells of full collections since the look before, at the time of the last one.
fn full_gc(entity: &Arc<Entity>, data: &PerfData, gc: &Gc, count: i64, hz: f64, look: &mut Look) {
    let counter = |index: u8, name: &str| {
        data.number(&format!("sun.gc.collector.{index}.{name}"))
            .map(|ticks| ticks / hz)
    };
    let (Some(began), Some(ended)) = (
        counter(gc.index, "lastEntryTime"),
        counter(gc.index, "lastExitTime"),
    ) else {
        return;
    };
    // The cause is that of the last collection of any kind.
    let last = (0..3).all(|index| counter(index, "lastEntryTime").is_none_or(|at| at <= began));
    let cause = data.text("sun.gc.lastCause").filter(|_| last);
    let cause = cause.unwrap_or_else(|| "?".to_owned());
    let message = Message::new("watch-jvm-full-gc")
        .with("count", count)
        .with("seconds", format!("{:.3}", (ended - began).max(0.0)))
        .with("asked", asked_for(&cause))
        .with("cause", cause);
    match unix_ns(data, began) {
        Some(at) => look.event_at(entity, at, message),
        None => look.event(entity, message),
    }
}

/// Whether somebody had the heap collected to look at it, by the cause that a JVM gives (HotSpot, `gcCause.cpp`).
pub(crate) fn asked_for(cause: &str) -> &'static str {
    let looks = ["Heap Inspection", "Heap Dump"];
    match looks.iter().any(|begins| cause.starts_with(begins)) {
        true => "inspection",
        false => "no",
    }
}

/// The wall clock at that many seconds after the JVM's start.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn unix_ns(data: &PerfData, seconds: f64) -> Option<u64> {
    let began_ms = u64::try_from(data.long("sun.rt.createVmBeginTime")?).ok()?;
    let since = std::time::Duration::try_from_secs_f64(seconds).ok()?;
    let since = u64::try_from(since.as_nanos()).ok()?;
    began_ms.checked_mul(1_000_000)?.checked_add(since)
}

fn non_heap(entity: &Arc<Entity>, data: &PerfData, look: &mut Look) {
    let pools = [
        ("Metaspace", "metaspace", false),
        ("Compressed Class Space", "compressedclassspace", true),
    ];
    for (pool, counter, limited) in pools {
        let size = |name: &str| data.number(&format!("sun.gc.{counter}.{name}"));
        let attributes = [
            ("jvm.memory.pool.name", pool),
            ("jvm.memory.type", "non_heap"),
        ];
        let mut say = |metric: &SeriesName, value: Option<f64>| {
            look.value(entity, metric, &attributes, value.unwrap_or(f64::NAN));
        };
        say(&names::MEMORY_USED, size("used"));
        say(&names::MEMORY_COMMITTED, size("capacity"));
        if limited {
            say(&names::MEMORY_LIMIT, size("maxCapacity"));
        }
    }
}

/// Threads, classes, safepoints, the compiler.
fn runtime(entity: &Arc<Entity>, data: &PerfData, hz: f64, look: &mut Look) {
    let number = |name: &str| data.number(name).unwrap_or(f64::NAN);
    let seconds = |name: &str| number(name) / hz;
    let (live, daemon) = (number("java.threads.live"), number("java.threads.daemon"));
    for (attribute, value) in [("false", live - daemon), ("true", daemon)] {
        let attributes = [("jvm.thread.daemon", attribute)];
        look.value(entity, &names::THREAD_COUNT, &attributes, value);
    }
    // A JVM started without class sharing has no counters of it.
    let shared = |name: &str| data.number(name).unwrap_or(0.0);
    let loaded = number("java.cls.loadedClasses") + shared("java.cls.sharedLoadedClasses");
    let unloaded = number("java.cls.unloadedClasses") + shared("java.cls.sharedUnloadedClasses");
    let values = [
        (&names::THREAD_PEAK, number("java.threads.livePeak")),
        (&names::THREAD_STARTED, number("java.threads.started")),
        (&names::CLASS_LOADED, loaded),
        (&names::CLASS_UNLOADED, unloaded),
        (&names::CLASS_COUNT, loaded - unloaded),
        (&names::COMPILATION_TIME, seconds("java.ci.totalTime")),
        (&names::COMPILATION_COUNT, number("sun.ci.totalCompiles")),
        (&names::COMPILATION_CODE, number("sun.ci.nmethodCodeSize")),
        (
            &names::COMPILATION_INVALIDATED,
            number("sun.ci.totalInvalidates"),
        ),
        (&names::SAFEPOINT_COUNT, number("sun.rt.safepoints")),
        (&names::SAFEPOINT_TIME, seconds("sun.rt.safepointTime")),
        (
            &names::SAFEPOINT_SYNC_TIME,
            seconds("sun.rt.safepointSyncTime"),
        ),
        (
            &names::MONITOR_CONTENDED,
            number("sun.rt._sync_ContendedLockAttempts"),
        ),
        (&names::MONITOR_PARKED, number("sun.rt._sync_Parks")),
        (
            &names::GC_CPU_TIME,
            number("sun.threads.total_gc_cpu_time") / 1e9,
        ),
    ];
    for (metric, value) in values {
        look.value(entity, metric, &[], value);
    }
    if let Some(began_ms) = data.number("sun.rt.createVmBeginTime") {
        #[allow(clippy::cast_precision_loss)]
        let now_ms = look.moment_unix_ns() as f64 / 1e6;
        look.value(entity, &names::UPTIME, &[], (now_ms - began_ms) / 1e3);
    }
}

#[allow(clippy::cast_precision_loss)]
fn float(value: i64) -> f64 {
    value as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;
    use proptest::prelude::*;

    use super::super::perf_data::testing;
    use super::*;

    /// A number that a JVM, or who calls itself one, may write.
    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![
            any::<i64>(),
            Just(i64::MAX),
            Just(i64::MIN),
            Just(0),
            0..1_000_i64
        ]
    }

    proptest! {
        #[test]
        fn any_numbers_are_taken(
            looks in proptest::collection::vec(proptest::collection::vec(number(), 40), 1..4),
            collector in prop_oneof![
                Just("G1 x"), Just("PS x"), Just("Serial"), Just("ZGC minor"), Just("CMS"), Just("?"),
            ],
        ) {
            let entity = Entity::new(EntityKind::Jvm, "j", "h");
            let mut names = Vec::new();
            for n in 0..3 {
                names.extend(["invocations", "time", "lastEntryTime", "lastExitTime"]
                    .map(|name| format!("sun.gc.collector.{n}.{name}")));
                for generation in 0..2 {
                    names.extend(["used", "capacity", "maxCapacity"]
                        .map(|name| format!("sun.gc.generation.{generation}.space.{n}.{name}")));
                }
            }
            names.extend(["sun.gc.generation.0.maxCapacity", "sun.gc.generation.1.maxCapacity",
                "sun.os.hrt.frequency", "sun.rt.createVmBeginTime", "java.threads.live",
                "java.cls.loadedClasses"].map(str::to_owned));
            let mut counters = Counters::default();
            for numbers in looks {
                let longs: Vec<_> = names.iter().map(String::as_str).zip(numbers).collect();
                let bytes = testing::file(&longs, &[("sun.gc.collector.0.name", collector)], false);
                let data = PerfData::of(&bytes).unwrap();
                counters.look(&entity, &data, false, &mut Look::at(1));
            }
        }
    }
}
