//! The same JVM by Micrometer and by the JMX exporter.

use super::jvm_model::{
    Jvm, allocated, classes, committed, daemons, state_threads, uptime_ms, used,
};
use super::meters::{Meter, by_meters};
use super::said::{Page, Said, Truth};

fn meters_of_memory(jvm: &Jvm, truth: &Truth) -> Vec<Meter> {
    let mut all = Vec::new();
    for (pool, heap) in jvm.all_pools() {
        let area = if heap { "heap" } else { "nonheap" };
        for (name, bytes) in [
            ("jvm.memory.used", used(truth, pool) as f64),
            ("jvm.memory.committed", committed(truth, pool) as f64),
            ("jvm.memory.max", Jvm::max(truth, pool) as f64),
        ] {
            all.push(
                Meter::level(name, "bytes", bytes)
                    .of("area", area)
                    .of("id", pool),
            );
        }
    }
    if !jvm.is_z() {
        let bytes = allocated(truth) as f64;
        all.push(Meter::count("jvm.gc.memory.allocated", "bytes", bytes));
    }
    all
}

fn meters_of_gc(jvm: &Jvm, truth: &Truth) -> Vec<Meter> {
    let timed = |name, gc: &str, action: &str, cause: &str, count: u64, seconds: f64| {
        let timer = Meter::timer(name, count as f64, seconds).longest(0.5);
        timer.of("action", action).of("cause", cause).of("gc", gc)
    };
    let concurrent = "jvm.gc.concurrent.phase.time";
    let pauses = jvm.gcs.iter().map(|gc| {
        let name = match gc.cause {
            "No GC" => concurrent,
            _ => "jvm.gc.pause",
        };
        let (runs, pause_s) = (jvm.runs(truth, gc).0, jvm.pause_s(truth, gc));
        timed(name, gc.name, gc.action, gc.cause, runs, pause_s)
    });
    let cycles = jvm.cycles.map(|cycles| {
        let seconds = truth.f("cycles ms") / 1e3;
        timed(
            concurrent,
            cycles,
            "end of GC cycle",
            "Proactive",
            3,
            seconds,
        )
    });
    pauses.chain(cycles).collect()
}

fn meters(jvm: &Jvm, truth: &Truth) -> Vec<Meter> {
    let mut all = meters_of_memory(jvm, truth);
    all.extend(meters_of_gc(jvm, truth));
    for (state, threads) in state_threads(truth) {
        let meter = Meter::level("jvm.threads.states", "threads", threads as f64);
        all.push(meter.of("state", state));
    }
    for (name, unit, value) in [
        (
            "jvm.buffer.memory.used",
            "bytes",
            truth.bytes("buffers") as f64,
        ),
        (
            "jvm.buffer.total.capacity",
            "bytes",
            truth.bytes("capacity") as f64,
        ),
        ("jvm.buffer.count", "buffers", truth.f("buffers count")),
    ] {
        all.push(Meter::level(name, unit, value).of("id", "direct"));
    }
    let (loaded, unloaded) = classes(truth);
    let there = (loaded - unloaded) as f64;
    let compiled = Meter::count("jvm.compilation.time", "ms", truth.f("compiled ms"));
    all.extend([
        Meter::level("jvm.threads.live", "threads", truth.f("threads")),
        Meter::level("jvm.threads.daemon", "threads", daemons(truth) as f64),
        Meter::level("jvm.threads.peak", "threads", truth.f("peak")),
        Meter::count("jvm.threads.started", "threads", truth.f("started")),
        Meter::level("jvm.classes.loaded", "classes", there),
        Meter::count("jvm.classes.loaded.count", "classes", loaded as f64),
        Meter::count("jvm.classes.unloaded", "classes", unloaded as f64),
        compiled.of("compiler", "x"),
        Meter::count("process.cpu.time", "ns", truth.f("cpu ms") * 1e6),
        Meter::level("process.cpu.usage", "", truth.f("load") / 1e6),
        Meter::level("system.cpu.count", "", truth.f("cpus")),
        Meter::level("process.uptime", "seconds", uptime_ms(truth) as f64 / 1e3),
    ]);
    all
}

pub(super) fn by_micrometer(jvm: &Jvm, truth: &Truth) -> Said {
    by_meters("micrometer", &meters(jvm, truth))
}

/// By the JMX exporter, new names or old ones.
pub(super) fn by_jmx_exporter(jvm: &Jvm, truth: &Truth, old: bool) -> Said {
    let mut page = Page::default();
    say_memory(&mut page, jvm, truth, old);
    say_gc(&mut page, jvm, truth);
    for (state, threads) in state_threads(truth) {
        let of = format!("state=\"{}\"", state.to_uppercase());
        page.say("jvm_threads_state", &of, threads as f64);
    }
    let (loaded, unloaded) = classes(truth);
    let classes_there = match old {
        true => "jvm_classes_loaded",
        false => "jvm_classes_currently_loaded",
    };
    for (name, value) in [
        ("jvm_threads_current", truth.n("threads")),
        ("jvm_threads_daemon", daemons(truth)),
        ("jvm_threads_peak", truth.n("peak")),
        ("jvm_threads_started_total", truth.n("started")),
        (classes_there, loaded - unloaded),
        ("jvm_classes_loaded_total", loaded),
        ("jvm_classes_unloaded_total", unloaded),
    ] {
        page.say(name, "", value as f64);
    }
    let compiled_s = truth.f("compiled ms") / 1e3;
    page.say("jvm_compilation_time_seconds_total", "", compiled_s);
    page.of("jmx exporter")
}

fn say_memory(page: &mut Page, jvm: &Jvm, truth: &Truth, old: bool) {
    for (pool, heap) in jvm.all_pools() {
        let of = format!("pool=\"{pool}\"");
        let named = |what: &str| match old {
            true => format!("jvm_memory_pool_bytes_{what}"),
            false => format!("jvm_memory_pool_{what}_bytes"),
        };
        let used = used(truth, pool) as f64;
        page.say(&named("used"), &of, used);
        page.say(&named("committed"), &of, committed(truth, pool) as f64);
        page.say(&named("max"), &of, Jvm::max(truth, pool) as f64);
        if heap {
            page.say("jvm_memory_pool_collection_used_bytes", &of, used);
        }
        // What is moved there, or code and classes, is not allocated on the heap.
        let made = match pool == jvm.pools[0] {
            true => allocated(truth),
            false => truth.bytes("moved"),
        };
        if !jvm.is_z() {
            page.say("jvm_memory_pool_allocated_bytes_total", &of, made as f64);
        }
    }
    for (what, value) in [
        ("used_bytes", truth.bytes("buffers")),
        ("capacity_bytes", truth.bytes("capacity")),
        ("used_buffers", truth.n("buffers count")),
    ] {
        let name = format!("jvm_buffer_pool_{what}");
        page.say(&name, "pool=\"direct\"", value as f64);
    }
}

fn say_gc(page: &mut Page, jvm: &Jvm, truth: &Truth) {
    let pauses = jvm.gcs.iter();
    let pauses = pauses.map(|gc| (gc.name, jvm.runs(truth, gc).0, jvm.pause_s(truth, gc)));
    let cycles = jvm.cycles.map(|name| (name, 3, truth.f("cycles ms") / 1e3));
    for (name, runs, seconds) in pauses.chain(cycles) {
        let of = format!("gc=\"{name}\"");
        page.say("jvm_gc_collection_seconds_count", &of, runs as f64);
        page.say("jvm_gc_collection_seconds_sum", &of, seconds);
    }
}
