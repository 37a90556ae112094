//! The same JVM by Micrometer and by the JMX exporter.

use std::fmt::Write;

use serde_json::json;

use super::jvm::{Jvm, allocated, classes, committed, daemons, state_threads, uptime_ms, used};
use super::{Said, Truth, exposed};
use crate::collectors::actuator;

/// Meters of Micrometer: name, tags, base unit, values by statistic.
pub(super) type Meter = (
    &'static str,
    Vec<(&'static str, String)>,
    &'static str,
    Vec<(&'static str, f64)>,
);

fn meters(jvm: &Jvm, truth: &Truth) -> Vec<Meter> {
    let (loaded, unloaded) = classes(truth);
    let value = |value: f64| vec![("VALUE", value)];
    let count = |value: u64| vec![("COUNT", value as f64)];
    let mut all: Vec<Meter> = Vec::new();
    for (pool, heap) in jvm.all_pools() {
        let area = if heap { "heap" } else { "nonheap" };
        let tags = || vec![("area", area.to_owned()), ("id", pool.to_owned())];
        let max = Jvm::max(truth, pool) as f64;
        all.push((
            "jvm.memory.used",
            tags(),
            "bytes",
            value(used(truth, pool) as f64),
        ));
        all.push((
            "jvm.memory.committed",
            tags(),
            "bytes",
            value(committed(truth, pool) as f64),
        ));
        all.push(("jvm.memory.max", tags(), "bytes", value(max)));
    }
    let timed = |name, gc: &str, action: &str, cause: &str, count: u64, seconds: f64| {
        let tags = [("action", action), ("cause", cause), ("gc", gc)];
        let tags = tags.map(|(tag, value)| (tag, value.to_owned())).to_vec();
        let values = vec![
            ("COUNT", count as f64),
            ("TOTAL_TIME", seconds),
            ("MAX", 0.5),
        ];
        (name, tags, "seconds", values)
    };
    for gc in jvm.gcs {
        let name = match gc.cause {
            "No GC" => "jvm.gc.concurrent.phase.time",
            _ => "jvm.gc.pause",
        };
        let (runs, pause_s) = (jvm.runs(truth, gc).0, jvm.pause_s(truth, gc));
        all.push(timed(name, gc.name, gc.action, gc.cause, runs, pause_s));
    }
    if let Some(cycles) = jvm.cycles {
        let seconds = truth.n("cycles ms") as f64 / 1e3;
        let name = "jvm.gc.concurrent.phase.time";
        all.push(timed(
            name,
            cycles,
            "end of GC cycle",
            "Proactive",
            3,
            seconds,
        ));
    } else {
        all.push((
            "jvm.gc.memory.allocated",
            vec![],
            "bytes",
            count(allocated(truth)),
        ));
    }
    for (state, threads) in state_threads(truth) {
        let tags = vec![("state", state.to_owned())];
        all.push(("jvm.threads.states", tags, "threads", value(threads as f64)));
    }
    let direct = || vec![("id", "direct".to_owned())];
    let plain = |what: &str| value(truth.n(what) as f64);
    all.extend([
        ("jvm.threads.live", vec![], "threads", plain("threads")),
        (
            "jvm.threads.daemon",
            vec![],
            "threads",
            value(daemons(truth) as f64),
        ),
        ("jvm.threads.peak", vec![], "threads", plain("peak")),
        (
            "jvm.threads.started",
            vec![],
            "threads",
            count(truth.n("started")),
        ),
        (
            "jvm.classes.loaded",
            vec![],
            "classes",
            value((loaded - unloaded) as f64),
        ),
        ("jvm.classes.loaded.count", vec![], "classes", count(loaded)),
        ("jvm.classes.unloaded", vec![], "classes", count(unloaded)),
        (
            "jvm.buffer.memory.used",
            direct(),
            "bytes",
            value(truth.bytes("buffers") as f64),
        ),
        (
            "jvm.buffer.total.capacity",
            direct(),
            "bytes",
            value(truth.bytes("capacity") as f64),
        ),
        (
            "jvm.buffer.count",
            direct(),
            "buffers",
            plain("buffers count"),
        ),
        (
            "jvm.compilation.time",
            vec![("compiler", "x".to_owned())],
            "ms",
            count(truth.n("compiled ms")),
        ),
        (
            "process.cpu.time",
            vec![],
            "ns",
            count(truth.n("cpu ms") * 1_000_000),
        ),
        (
            "process.cpu.usage",
            vec![],
            "",
            value(truth.n("load") as f64 / 1e6),
        ),
        ("system.cpu.count", vec![], "", plain("cpus")),
        (
            "process.uptime",
            vec![],
            "seconds",
            value(uptime_ms(truth) as f64 / 1e3),
        ),
    ]);
    all
}

pub(super) fn by_micrometer(jvm: &Jvm, truth: &Truth) -> Said {
    by_meters("micrometer", &meters(jvm, truth))
}

/// By the actuator's meters one by one, which are written as Micrometer's registry does.
pub(super) fn by_meters(source: &'static str, meters: &[Meter]) -> Said {
    let mut text = String::new();
    for (name, tags, unit, values) in meters {
        let tags: Vec<_> = tags
            .iter()
            .map(|(tag, value)| (*tag, value.as_str()))
            .collect();
        let values = values.iter();
        let measurements =
            values.map(|(statistic, value)| json!({"statistic": statistic, "value": value}));
        let response = json!({"baseUnit": unit, "availableTags": [],
            "measurements": measurements.collect::<Vec<_>>()});
        text.push_str(&actuator::meters::as_text(name, &tags, &response));
    }
    exposed(source, &text)
}

/// By the JMX exporter, new names or old ones.
pub(super) fn by_jmx_exporter(jvm: &Jvm, truth: &Truth, old: bool) -> Said {
    let mut text = String::new();
    let mut say = |name: &str, labels: &str, value: f64| {
        let _ = writeln!(text, "{name}{{{labels}}} {value}");
    };
    let (loaded, unloaded) = classes(truth);
    for (pool, heap) in jvm.all_pools() {
        let of = format!("pool=\"{pool}\"");
        let named = |what: &str| match old {
            true => format!("jvm_memory_pool_bytes_{what}"),
            false => format!("jvm_memory_pool_{what}_bytes"),
        };
        say(&named("used"), &of, used(truth, pool) as f64);
        say(&named("committed"), &of, committed(truth, pool) as f64);
        say(&named("max"), &of, Jvm::max(truth, pool) as f64);
        if heap {
            say(
                "jvm_memory_pool_collection_used_bytes",
                &of,
                used(truth, pool) as f64,
            );
        }
        // What is moved there, or code and classes, is not allocated on the heap.
        let made = match pool == jvm.pools[0] {
            true => allocated(truth),
            false => truth.bytes("moved"),
        };
        if !jvm.is_z() {
            say("jvm_memory_pool_allocated_bytes_total", &of, made as f64);
        }
    }
    for gc in jvm.gcs {
        let of = format!("gc=\"{}\"", gc.name);
        say(
            "jvm_gc_collection_seconds_count",
            &of,
            jvm.runs(truth, gc).0 as f64,
        );
        say("jvm_gc_collection_seconds_sum", &of, jvm.pause_s(truth, gc));
    }
    if let Some(cycles) = jvm.cycles {
        let of = format!("gc=\"{cycles}\"");
        say("jvm_gc_collection_seconds_count", &of, 3.0);
        say(
            "jvm_gc_collection_seconds_sum",
            &of,
            truth.n("cycles ms") as f64 / 1e3,
        );
    }
    for (state, threads) in state_threads(truth) {
        let of = format!("state=\"{}\"", state.to_uppercase());
        say("jvm_threads_state", &of, threads as f64);
    }
    for (name, value) in [
        ("jvm_threads_current", truth.n("threads")),
        ("jvm_threads_daemon", daemons(truth)),
        ("jvm_threads_peak", truth.n("peak")),
        ("jvm_threads_started_total", truth.n("started")),
        (
            if old {
                "jvm_classes_loaded"
            } else {
                "jvm_classes_currently_loaded"
            },
            loaded - unloaded,
        ),
        ("jvm_classes_loaded_total", loaded),
        ("jvm_classes_unloaded_total", unloaded),
    ] {
        say(name, "", value as f64);
    }
    let direct = "pool=\"direct\"";
    say(
        "jvm_buffer_pool_used_bytes",
        direct,
        truth.bytes("buffers") as f64,
    );
    say(
        "jvm_buffer_pool_capacity_bytes",
        direct,
        truth.bytes("capacity") as f64,
    );
    say(
        "jvm_buffer_pool_used_buffers",
        direct,
        truth.n("buffers count") as f64,
    );
    say(
        "jvm_compilation_time_seconds_total",
        "",
        truth.n("compiled ms") as f64 / 1e3,
    );
    exposed("jmx exporter", &text)
}
