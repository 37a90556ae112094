#![allow(clippy::unwrap_used, clippy::expect_used)]
use std::io::Write;
use std::path::Path;

use plimsoll_text::{Lang, render};
use proptest::prelude::*;

use super::*;

/// Follows a log to which this text is written while it is watched.
fn follow(text: &str) -> Look {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gc.log");
    let mut file = std::fs::File::create(&path).unwrap();
    let mut log = GcLog::new(GcLogPlace::Path(path), "here".to_owned(), None);
    log.look(&mut Look::at(NOW)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let mut look = Look::at(NOW);
    log.look(&mut look).unwrap();
    look
}

/// In 2033: after all dates in the logs.
const NOW: u64 = 2_000_000_000_000_000_000;

fn recorded(name: &str) -> Look {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/gc")
        .join(name);
    follow(&std::fs::read_to_string(path).unwrap())
}

/// All values of a series in order.
fn values(look: &Look, name: &str, attributes: &[&str]) -> Vec<f64> {
    let points = look.points().filter(|(key, _)| {
        let own: Vec<_> = key
            .attributes
            .iter()
            .map(|(_, value)| value.as_str())
            .collect();
        key.name == name && own == attributes
    });
    points.map(|(_, value)| *value).collect()
}

fn value(look: &Look, name: &str, attributes: &[&str]) -> f64 {
    *values(look, name, attributes)
        .last()
        .unwrap_or_else(|| panic!("no {name} {attributes:?}"))
}

fn events(look: &Look) -> Vec<String> {
    look.notes()
        .iter()
        .map(|note| render(Lang::En, &note.message))
        .collect()
}

#[track_caller]
fn near(seen: f64, expected: f64) {
    assert!((seen - expected).abs() < 1e-9, "{seen} {expected}");
}

const MIB: f64 = 1_048_576.0;
const MINOR: &str = "end of minor GC";
const MAJOR: &str = "end of major GC";
const PAUSE: &str = "end of GC pause";
const CYCLE: &str = "end of GC cycle";

#[test]
fn g1_of_jdk_17() {
    let look = recorded("jdk17-g1.log");
    let evacuation = [MINOR, "G1 Evacuation Pause"];
    near(value(&look, "jvm.gc.pause.count", &evacuation), 3.0);
    near(value(&look, "jvm.gc.pause.time", &evacuation), 0.006_115);
    near(value(&look, "jvm.gc.pause.count", &[PAUSE]), 2.0);
    near(value(&look, "jvm.gc.pause.time", &[PAUSE]), 0.000_743);
    near(value(&look, "jvm.gc.concurrent.time", &[]), 0.006_277);
    // 49→31 | 31→15 | 15→15 | 34→16 | 17→15: 19 and 1 MiB between them.
    near(value(&look, "jvm.memory.allocated", &[]), 20.0 * MIB);
    // The last line is read at the beginning of a second: all others are of the one before.
    let of = |name| values(&look, name, &[]);
    assert_eq!(of("jvm.gc.heap.before"), [34.0 * MIB, 17.0 * MIB]);
    assert_eq!(of("jvm.gc.heap.after"), [16.0 * MIB, 15.0 * MIB]);
    near(of("jvm.gc.pause.max")[0], 0.002_225);
    near(of("jvm.gc.pause.max")[1], 0.002_201);
    assert_eq!(events(&look), Vec::<String>::new());
}

#[test]
fn full_collections_are_events() {
    let look = recorded("jdk17-serial.log");
    near(
        value(&look, "jvm.gc.pause.count", &[MINOR, "Allocation Failure"]),
        3.0,
    );
    near(
        value(&look, "jvm.gc.pause.count", &[MAJOR, "Allocation Failure"]),
        1.0,
    );
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "Allocation Failure"]),
        0.005_575,
    );
    assert_eq!(
        events(&look),
        ["Full GC (Allocation Failure): 0.006 s, heap 59 → 15 MiB."]
    );
    let look = recorded("jdk17-parallel.log");
    near(
        value(&look, "jvm.gc.pause.count", &[MAJOR, "Ergonomics"]),
        1.0,
    );
    assert_eq!(events(&look).len(), 1);
}

#[test]
fn a_full_collection_within_a_young_one_counts_once() {
    let look = follow(
        "[1.0s][info][gc] GC(3) Pause Young (Allocation Failure) 20M->10M(64M) 2.0ms\n\
         [2.0s][info][gc] GC(5) Pause Full (Allocation Failure) 30M->12M(64M) 30.0ms\n\
         [2.0s][info][gc] GC(4) Pause Young (Allocation Failure) 31M->12M(64M) 35.0ms\n",
    );
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "Allocation Failure"]),
        0.030,
    );
    near(
        value(&look, "jvm.gc.pause.time", &[MINOR, "Allocation Failure"]),
        0.007,
    );
    near(value(&look, "jvm.memory.allocated", &[]), 21.0 * MIB);
}

#[test]
fn concurrent_collectors_have_cycles_and_short_pauses() {
    let look = recorded("jdk17-z.log");
    near(
        value(&look, "jvm.gc.cause.count", &[CYCLE, "Allocation Rate"]),
        2.0,
    );
    near(value(&look, "jvm.gc.pause.count", &[PAUSE]), 6.0);
    near(value(&look, "jvm.gc.pause.time", &[PAUSE]), 0.000_101);
    assert!(
        look.facts()
            .iter()
            .any(|fact| fact.name == "jvm.gc" && fact.value == "Z")
    );
    let look = recorded("jdk25-z.log");
    near(
        value(&look, "jvm.gc.cause.count", &[CYCLE, "Allocation Rate"]),
        2.0,
    );
    near(value(&look, "jvm.memory.allocated", &[]), 22.0 * MIB);
    near(value(&look, "jvm.gc.heap.after", &[]), 26.0 * MIB);
    let look = recorded("jdk25-shenandoah.log");
    near(value(&look, "jvm.gc.pause.count", &[PAUSE]), 8.0);
    assert!(value(&look, "jvm.gc.concurrent.time", &[]) > 0.0);
    let look = follow("[1.5s][info][gc] Allocation Stall (worker-1) 250.000ms\n");
    near(value(&look, "jvm.gc.stall.time", &[]), 0.25);
    near(value(&look, "jvm.gc.stall.count", &[]), 1.0);
}

#[test]
fn decorations_may_be_any() {
    let at = 1_795_313_045_678_000_000;
    for decorations in [
        "[2026-11-22T03:04:05.678+0100][1.5s]",
        "[1795313045678ms][gc          ]",
        "[2026-11-22T03:04:05.678+0100][host][12][34][info][gc]",
    ] {
        let look = follow(&format!(
            "{decorations} GC(0) Pause Young (Normal) (G1 Preventive Collection) 6M->1M(64M) 2.5ms\n"
        ));
        near(
            value(
                &look,
                "jvm.gc.pause.count",
                &[MINOR, "G1 Preventive Collection"],
            ),
            1.0,
        );
        let parts = look.into_parts().0;
        assert_eq!(parts[1].at_unix_ns, at, "{decorations}");
    }
    for line in [
        "GC(0) Pause Full (System.gc()) 6M->1M(64M) 2,5ms",
        "[1500ms] GC(0) Pause Full (System.gc()) 6M->1M(64M) 2.5ms",
        "[1500000000ns][info ][gc] GC(0) Pause Full (System.gc()) 6M->1M(64M) 2.5ms",
    ] {
        let look = follow(&format!("{line}\n"));
        near(
            value(&look, "jvm.gc.pause.time", &[MAJOR, "System.gc()"]),
            0.0025,
        );
    }
}

#[test]
fn uptimes_are_moments_as_far_apart() {
    let look = follow(
        "[10.0s][info][gc] GC(1) Pause Full (System.gc()) 6M->1M(64M) 2.5ms\n\
         [12.5s][info][gc] GC(2) Pause Full (System.gc()) 6M->1M(64M) 2.5ms\n",
    );
    let at: Vec<_> = look
        .notes()
        .iter()
        .map(|note| note.at_unix_ns.unwrap())
        .collect();
    // The last line is placed at the moment it was read, the first as long before it.
    assert_eq!(at, [NOW - 2_500_000_000, NOW]);
}

#[test]
fn parallel_of_jdk_8() {
    let look = recorded("jdk8-parallel.log");
    near(
        value(&look, "jvm.gc.pause.count", &[MINOR, "Allocation Failure"]),
        2.0,
    );
    near(
        value(&look, "jvm.gc.pause.time", &[MINOR, "Allocation Failure"]),
        0.016,
    );
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "Ergonomics"]),
        0.05,
    );
    near(value(&look, "jvm.memory.allocated", &[]), 33_280.0 * 1024.0);
    let note = &look.notes()[0];
    // 10:20:31.210 at +0800
    assert_eq!(note.at_unix_ns, Some(1_709_605_231_210_000_000));
    assert_eq!(
        events(&look),
        ["Full GC (Ergonomics): 0.050 s, heap 20 → 12 MiB."]
    );
    let look = recorded("jdk8-simple.log");
    near(
        value(&look, "jvm.gc.pause.count", &[MINOR, "Allocation Failure"]),
        1.0,
    );
    near(value(&look, "jvm.gc.pause.count", &[MINOR]), 1.0);
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "System.gc()"]),
        0.02,
    );
    let look = recorded("jdk8-serial.log");
    near(
        value(&look, "jvm.gc.pause.time", &[MINOR, "Allocation Failure"]),
        0.0045,
    );
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "Allocation Failure"]),
        0.0236,
    );
    near(value(&look, "jvm.gc.heap.after", &[]), 9000.0 * 1024.0);
}

#[test]
fn cms() {
    let look = recorded("jdk8-cms.log");
    near(
        value(&look, "jvm.gc.pause.count", &[MINOR, "Allocation Failure"]),
        1.0,
    );
    near(value(&look, "jvm.gc.pause.count", &[PAUSE]), 2.0);
    near(value(&look, "jvm.gc.pause.time", &[PAUSE]), 0.0121);
    near(value(&look, "jvm.gc.concurrent.time", &[]), 0.04);
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "Allocation Failure"]),
        0.4,
    );
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "System.gc()"]),
        0.11,
    );
    assert_eq!(
        events(&look),
        [
            "Garbage collection in trouble (concurrent mode failure): 0.400 s.",
            "Full GC (System.gc()): 0.110 s, heap 68 → 9 MiB."
        ]
    );
}

#[test]
fn g1_of_jdk_8() {
    let look = recorded("jdk8-g1.log");
    let evacuation = [MINOR, "G1 Evacuation Pause"];
    near(value(&look, "jvm.gc.pause.count", &evacuation), 2.0);
    near(value(&look, "jvm.gc.pause.time", &evacuation), 0.0067);
    near(
        value(
            &look,
            "jvm.gc.pause.count",
            &[MINOR, "G1 Humongous Allocation"],
        ),
        1.0,
    );
    near(value(&look, "jvm.gc.pause.count", &[PAUSE]), 2.0);
    near(value(&look, "jvm.gc.concurrent.time", &[]), 0.002);
    near(
        value(&look, "jvm.gc.pause.time", &[MAJOR, "Allocation Failure"]),
        0.1,
    );
    // 14→3 | 90→80 | 81→79 | 120→40 | 60→30
    near(
        value(&look, "jvm.memory.allocated", &[]),
        (87.0 + 1.0 + 41.0 + 20.0) * MIB,
    );
    assert_eq!(events(&look).len(), 2);
}

#[test]
fn nothing_is_seen_of_what_was_written_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gc.log");
    let line = "[1.0s][info][gc] GC(3) Pause Full (System.gc()) 20M->10M(64M) 2.0ms\n";
    std::fs::write(&path, format!("[0.1s][info][gc] Using Parallel\n{line}")).unwrap();
    let mut log = GcLog::new(GcLogPlace::Path(path), "here".to_owned(), None);
    let mut look = Look::at(NOW);
    log.look(&mut look).unwrap();
    assert!(look.notes().is_empty());
    assert!(look.facts().iter().any(|fact| fact.value == "Parallel"));
    near(value(&look, "jvm.memory.allocated", &[]), 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn lines_never_panic(
        lines in proptest::collection::vec(
            prop_oneof![
                "\\PC{0,80}",
                "\\[[0-9.:a-z,]{0,12}\\]\\[gc *\\] ?GC\\([0-9]{1,3}\\) (Pause|Concurrent) [A-Za-z (.)]{0,30} [0-9]{1,4}[KMG]?->[0-9]{0,4}[MKB](\\([0-9%]{1,4}M?\\))? [0-9.,]{1,8}m?s",
                "([0-9.T:+-]{0,30}: )?\\[(Full )?GC [ (a-zA-Z)]{0,20}[\\[\\]0-9KM>(),.: -]{0,60}( secs\\])?",
            ],
            0..12,
        ),
    ) {
        follow(&lines.join("\n"));
    }
}

#[test]
fn a_jvm_that_writes_on_after_a_restart_is_told_when_it_does() {
    let s = |seconds: u64| seconds * 1_000_000_000;
    let stamp = |uptime_s: u64| GcStamp {
        uptime_ns: Some(s(uptime_s)),
        ..GcStamp::default()
    };
    let mut clock = GcLogClock::default();
    let mut at = |uptime_s: u64, now_s: u64| {
        clock.learn(stamp(uptime_s), s(now_s));
        clock.moment(stamp(uptime_s), s(now_s))
    };
    assert_eq!(at(500, 10_000), s(10_000));
    // Read a little later than it was written.
    assert_eq!(at(510, 10_012), s(10_010));
    // Another one, whose lines are seconds old.
    assert_eq!(at(3, 10_020), s(10_020));
    assert_eq!(at(9, 10_026), s(10_026));
}
