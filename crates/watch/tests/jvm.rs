//! Real JVMs, with what is seen of them compared to what the JDK's own tools say.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod jvms;

use std::time::{Duration, Instant};

use jvms::{Subject, jdk, jdks, tool};
use plimsoll_watch::{Collector, Look, Spec, Trouble};

/// Looks once, without a watcher.
fn look(collector: &mut dyn Collector) -> (Look, Result<(), Trouble>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let mut look = Look::at(u64::try_from(now.as_nanos()).unwrap());
    let result = runtime.block_on(collector.collect(&mut look));
    (look, result)
}

fn open(address: &str) -> Box<dyn Collector> {
    let spec = Spec::parse(&format!("jvm={address}")).unwrap();
    spec.open().unwrap().collectors.remove(0)
}

fn value(look: &Look, name: &str, attribute: &str) -> f64 {
    let found = look.points().find(|(key, _)| {
        key.name == name
            && (attribute.is_empty() || key.attributes.iter().any(|(_, v)| v == attribute))
    });
    found.unwrap_or_else(|| panic!("no {name} {attribute}")).1
}

/// What `jstat OPTION PID` says, by column.
fn jstat(bin: &std::path::Path, option: &str, pid: &str) -> impl Fn(&str) -> f64 + use<> {
    let text = tool(bin, "jstat", &[option, pid]);
    move |column| {
        let mut lines = text.lines().map(str::split_whitespace);
        let at = lines.next().unwrap().position(|name| name == column);
        let at = at.unwrap_or_else(|| panic!("{column} in {text}"));
        lines.next().unwrap().nth(at).unwrap().parse().unwrap()
    }
}

fn fact<'a>(look: &'a Look, name: &str) -> &'a str {
    let found = look.facts().iter().find(|fact| fact.name == name);
    &found.unwrap_or_else(|| panic!("no {name}")).value
}

/// Looks until two looks and what the tool said between them agree: the JVM goes on.
fn steady<T>(collector: &mut dyn Collector, mut between: impl FnMut() -> T) -> (Look, T) {
    let pools = |look: &Look| {
        let used = look
            .points()
            .filter(|(key, _)| key.name == "jvm.memory.used");
        used.map(|(_, value)| *value).collect::<Vec<_>>()
    };
    let began = Instant::now();
    loop {
        let (before, result) = look(collector);
        result.unwrap();
        let said = between();
        let (after, _) = look(collector);
        if pools(&before) == pools(&after) {
            return (before, said);
        }
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn memory_collections_and_classes_are_those_of_jstat() {
    let collectors = [
        (
            "Serial",
            "Eden Space",
            "Survivor Space",
            "Tenured Gen",
            "Copy",
            "MarkSweepCompact",
        ),
        (
            "Parallel",
            "PS Eden Space",
            "PS Survivor Space",
            "PS Old Gen",
            "PS Scavenge",
            "PS MarkSweep",
        ),
        (
            "G1",
            "G1 Eden Space",
            "G1 Survivor Space",
            "G1 Old Gen",
            "G1 Young Generation",
            "G1 Old Generation",
        ),
    ];
    // Each collector on one of the JDKs: starting the tools takes most of the time.
    for ((gc, eden, survivor, old, young_gc, full_gc), bin) in
        collectors.into_iter().zip(jdks().iter().cycle())
    {
        let option = format!("-XX:+Use{gc}GC");
        let mut subject = Subject::start(bin, &[&option, "-Xmx64m"]);
        subject.tell("keep 10");
        subject.tell("allocate 100");
        subject.tell("full");
        let mut collector = open(&format!("pid:{}", subject.pid()));
        let first = look(collector.as_mut()).0;
        assert_eq!(fact(&first, "jvm.heap.max"), (64 << 20).to_string());
        let pid = subject.pid();
        let (seen, said) = steady(collector.as_mut(), || jstat(bin, "-gc", &pid));
        let near = |name: &str, attribute: &str, expected: f64, grain: f64| {
            let seen = value(&seen, name, attribute);
            assert!(
                (seen - expected).abs() <= grain,
                "{gc} {name} {attribute}: {seen} {expected}"
            );
        };
        // jstat rounds to 0.1 KiB.
        let kib = |column: &str| said(column) * 1024.0;
        near("jvm.memory.used", eden, kib("EU"), 103.0);
        near("jvm.memory.used", survivor, kib("S0U") + kib("S1U"), 103.0);
        near("jvm.memory.used", old, kib("OU"), 103.0);
        near("jvm.memory.committed", old, kib("OC"), 103.0);
        near("jvm.memory.used", "Metaspace", kib("MU"), 103.0);
        near("jvm.gc.pause.count", young_gc, said("YGC"), 0.0);
        near("jvm.gc.pause.count", full_gc, said("FGC"), 0.0);
        near("jvm.gc.pause.time", young_gc, said("YGCT"), 0.001);
        near("jvm.gc.pause.time", full_gc, said("FGCT"), 0.001);
    }
}

#[test]
fn classes_are_those_of_jstat() {
    let subject = Subject::start(jdk(), &[]);
    let mut collector = open(&format!("pid:{}", subject.pid()));
    let class = jstat(jdk(), "-class", &subject.pid());
    let (seen, _) = look(collector.as_mut());
    assert_eq!(value(&seen, "jvm.class.loaded", ""), class("Loaded"));
    assert_eq!(value(&seen, "jvm.class.unloaded", ""), class("Unloaded"));
    let count = class("Loaded") - class("Unloaded");
    assert_eq!(value(&seen, "jvm.class.count", ""), count);
}

#[test]
fn concurrent_collectors_have_their_heap() {
    for bin in jdks() {
        for (gc, pools) in [
            ("Z", &["ZHeap", "ZGC Old Generation"][..]),
            ("Shenandoah", &["Shenandoah"][..]),
        ] {
            let option = format!("-XX:+Use{gc}GC");
            let mut subject = Subject::start(bin, &[&option, "-Xmx64m"]);
            subject.tell("keep 20");
            subject.tell("full");
            let mut collector = open(&format!("pid:{}", subject.pid()));
            let (seen, _) = look(collector.as_mut());
            let used: f64 = seen
                .points()
                .filter(|(key, _)| key.name == "jvm.memory.used")
                .filter(|(key, _)| key.attribute("jvm.memory.type") == Some("heap"))
                .inspect(|(key, _)| {
                    let pool = key.attribute("jvm.memory.pool.name").unwrap();
                    assert!(
                        pools.contains(&pool) || pool == "ZGC Young Generation",
                        "{pool}"
                    );
                })
                .map(|(_, value)| value)
                .sum();
            assert!((20e6..=67_108_864.0).contains(&used), "{gc} {used}");
            assert_eq!(fact(&seen, "jvm.heap.max"), (64 << 20).to_string());
        }
    }
}

#[test]
fn what_happens_between_looks_is_seen() {
    let options = ["-XX:+UseSerialGC", "-Xmx64m", "-Dapp.password=hunter2"];
    let mut subject = Subject::start(jdk(), &options);
    let mut collector = open(&subject.port.to_string());
    assert_eq!(collector.about(), format!("jvm {}", subject.port));
    let (first, result) = look(collector.as_mut());
    result.unwrap();
    let (key, _) = first.points().next().unwrap();
    assert_eq!(key.entity.name, format!("java[{}]", subject.port));
    assert!(fact(&first, "process.command_line").contains("-Dapp.password=***"));
    assert!(!format!("{:?}", first.facts()).contains("hunter2"));
    assert_eq!(fact(&first, "jvm.gc"), "Serial");

    subject.tell("contend 3");
    subject.tell("allocate 200");
    subject.tell("keep 10");
    subject.tell("full");
    let (second, _) = look(collector.as_mut());
    let more = |name: &str, attribute: &str| {
        value(&second, name, attribute) - value(&first, name, attribute)
    };
    assert_eq!(more("jvm.thread.count", "true"), 7.0);
    assert!(more("jvm.thread.started", "") >= 7.0);
    assert_eq!(more("jvm.gc.pause.count", "end of major GC"), 1.0);
    assert!(more("jvm.gc.pause.time", "end of major GC") > 0.0);
    let allocated = more("jvm.memory.allocated", "");
    assert!((150e6..=300e6).contains(&allocated), "{allocated}");
    assert!(more("jvm.uptime", "") > 0.0);
    let after = value(&second, "jvm.memory.used_after_last_gc", "Tenured Gen");
    assert!((10e6..20e6).contains(&after), "{after}");
    let note = &second.notes()[0];
    assert_eq!(note.message.id, "watch-jvm-full-gc");
    let text = plimsoll_text::render(plimsoll_text::Lang::En, &note.message);
    assert!(
        text.contains("Full GC") && text.contains("System.gc()"),
        "{text}"
    );
    let at = note.at_unix_ns.unwrap();
    assert!(at > first.moment_unix_ns() && at < second.moment_unix_ns());
}

#[test]
fn a_gc_log_tells_the_same_as_the_counters_and_more() {
    let folder = tempfile::tempdir().unwrap();
    for (bin, gc) in jdks().iter().zip(["Parallel", "G1"].iter().cycle()) {
        let log = format!(
            "-Xlog:gc*:file={}/gc-%p.log:uptime,tags:filecount=3,filesize=16k",
            folder.path().display()
        );
        let mut subject = Subject::start(bin, &[&format!("-XX:+Use{gc}GC"), "-Xmx64m", &log]);
        let address = format!("pid:{}", subject.pid());
        let mut counters = open(&address);
        let mut log = Spec::parse(&format!("gc-log={address}"))
            .unwrap()
            .open()
            .unwrap();
        let log = log.collectors[0].as_mut();
        let mut look_at_both = || {
            let (of_log, result) = look(log);
            result.unwrap();
            (look(counters.as_mut()).0, of_log)
        };
        let (counted_before, of_log) = look_at_both();
        assert_eq!(value(&of_log, "jvm.memory.allocated", ""), 0.0);
        let mut pauses = 0.0;
        for _ in 0..8 {
            subject.tell("allocate 100");
            look_at_both();
        }
        subject.tell("full");
        let (counted, of_log) = look_at_both();
        let of_counters = |attribute: &str| {
            value(&counted, "jvm.gc.pause.count", attribute)
                - value(&counted_before, "jvm.gc.pause.count", attribute)
        };
        for (key, value) in of_log.points() {
            if key.name == "jvm.gc.pause.count"
                && key.attribute("jvm.gc.action") == Some("end of minor GC")
            {
                pauses += value;
            }
        }
        assert_eq!(pauses, of_counters("end of minor GC"), "{gc}");
        assert!(pauses > 10.0, "{pauses}");
        let full = value(&of_log, "jvm.gc.pause.count", "System.gc()");
        assert_eq!(full, of_counters("end of major GC"));
        let allocated = value(&of_log, "jvm.memory.allocated", "");
        assert!((700e6..900e6).contains(&allocated), "{allocated}");
        let rotated = format!("{}/gc-{}.log.0", folder.path().display(), subject.pid());
        assert!(std::path::Path::new(&rotated).exists(), "no rotation");
        let full = of_log.notes().last().unwrap();
        assert_eq!(full.message.id, "watch-jvm-full-gc-heap");
    }
}

#[test]
fn a_jvm_without_a_gc_log_is_told_how_to_have_one() {
    let subject = Subject::start(jdk(), &[]);
    let spec = Spec::parse(&format!("jvm=pid:{}", subject.pid())).unwrap();
    let mut opened = spec.open().unwrap();
    let (seen, result) = look(opened.collectors[1].as_mut());
    result.unwrap();
    assert_eq!(seen.notes()[0].message.id, "watch-jvm-no-gc-log");
    assert_eq!(
        seen.notes()[0].entity.name,
        format!("java[{}]", subject.port)
    );
}

#[test]
fn a_jvm_that_ends_is_told_of_and_so_is_the_next_one_on_its_port() {
    let mut subject = Subject::start(jdk(), &[]);
    let mut by_pid = open(&format!("pid:{}", subject.pid()));
    let mut by_port = open(&subject.port.to_string());
    look(by_pid.as_mut()).1.unwrap();
    let (before, result) = look(by_port.as_mut());
    result.unwrap();
    subject.child.kill().unwrap();
    subject.child.wait().unwrap();
    let gone = |collector: &mut dyn Collector| look(collector).1.unwrap_err().message.id;
    assert_eq!(gone(by_pid.as_mut()), "watch-jvm-no-process");
    assert_eq!(gone(by_port.as_mut()), "watch-jvm-no-listener");
    let port = format!("-Dsubject.port={}", subject.port);
    let again = Subject::start(jdk(), &[&port]);
    let (after, result) = look(by_port.as_mut());
    result.unwrap();
    assert_eq!(after.notes()[0].message.id, "watch-jvm-restarted");
    assert_eq!(fact(&after, "process.pid"), again.pid());
    let entity = |look: &Look| look.points().next().unwrap().0.entity.clone();
    assert_eq!(entity(&before), entity(&after));
}

#[test]
fn a_process_that_is_no_jvm_and_a_jvm_without_counters_are_told_apart() {
    let trouble = |pid: String| look(open(&format!("pid:{pid}")).as_mut()).1.unwrap_err();
    let own = trouble(std::process::id().to_string());
    assert_eq!(own.message.id, "watch-jvm-no-counters");
    let silent = Subject::start(jdk(), &["-XX:-UsePerfData"]);
    let silent = trouble(silent.pid());
    assert_eq!(silent.message.id, "watch-jvm-counters-off");
}
