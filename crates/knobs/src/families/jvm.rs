//! Options of the JVM (HotSpot).

use crate::knob::{Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const MANUAL: &str = "https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html";
const GC: &str = "https://docs.oracle.com/en/java/javase/17/gctuning/";

/// Java 8 takes a number without a point for no percentage, and does not start.
const PERCENT: KnobPlace =
    KnobPlace::new(PlaceKind::Jvm, "-XX:MaxRAMPercentage").spelled(Spelling::Decimal);

/// HotSpot aligns a heap and its parts to pages of its cards, and G1 to its regions: a power of two, some 2,048 of which
/// make a heap, of 1 to 32 MiB.
const fn heap_step(bytes: f64) -> f64 {
    (bytes / 1_024.0).clamp((2 << 20) as f64, (32 << 20) as f64)
}

/// A heap is aligned upwards (`GCArguments::initialize_heap_flags_and_sizes`).
const fn heap_size(bytes: f64) -> [f64; 2] {
    [bytes, bytes + heap_step(bytes)]
}

/// The young generation is aligned downwards (`GenArguments`).
const fn young_size(bytes: f64) -> [f64; 2] {
    [bytes - heap_step(bytes), bytes]
}

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "jvm",
    knobs: &[
        Knob {
            default: &[KnobDefault::derived("quarter")],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-Xmx").spelled(Spelling::Size)],
            reads: &[ReadWay::JvmFlag("MaxHeapSize"), ReadWay::Argument("-Xmx")],
            source: MANUAL,
            ..Knob::bytes("jvm.heap.max", 16 << 20, 1 << 40).rounded(heap_size)
        },
        Knob {
            default: &[KnobDefault::derived("sixty-fourth")],
            conditions: &[Condition::AtMost {
                knob: "jvm.heap.max",
                refuses: true,
            }],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-Xms").spelled(Spelling::Size)],
            reads: &[
                ReadWay::JvmFlag("InitialHeapSize"),
                ReadWay::Argument("-Xms"),
            ],
            source: MANUAL,
            ..Knob::bytes("jvm.heap.min", 8 << 20, 1 << 40).rounded(heap_size)
        },
        Knob {
            default: &[KnobDefault::new("25", "Java 10+, 8u191+")],
            conditions: &[Condition::Without("jvm.heap.max")],
            places: &[PERCENT],
            reads: &[
                ReadWay::JvmFlag("MaxRAMPercentage"),
                ReadWay::Argument("-XX:MaxRAMPercentage"),
            ],
            source: MANUAL,
            ..Knob::percent("jvm.heap.max-percent", 5, 90).parts()
        },
        Knob {
            default: &[KnobDefault::derived("collector")],
            conditions: &[Condition::AtMost {
                knob: "jvm.heap.max",
                refuses: false,
            }],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-Xmn").spelled(Spelling::Size)],
            reads: &[ReadWay::JvmFlag("MaxNewSize"), ReadWay::Argument("-Xmn")],
            source: MANUAL,
            ..Knob::bytes("jvm.young", 4 << 20, 512 << 30).rounded(young_size)
        },
        Knob {
            default: &[
                KnobDefault::new("G1", "Java 9+, ≥ 2 CPU / 1792 MiB"),
                KnobDefault::new("Serial", "Java 9+, < 2 CPU / 1792 MiB"),
                KnobDefault::new("Parallel", "Java 8"),
            ],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-XX:+Use*GC")],
            reads: &[
                ReadWay::JvmFlag("collector"),
                ReadWay::Argument("-XX:+Use*GC"),
            ],
            source: GC,
            ..Knob::choice(
                "jvm.collector",
                &["Serial", "Parallel", "G1", "Z", "Shenandoah"],
            )
        },
        Knob {
            default: &[KnobDefault::derived("gc-threads")],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-XX:ParallelGCThreads")],
            reads: &[
                ReadWay::JvmFlag("ParallelGCThreads"),
                ReadWay::Argument("-XX:ParallelGCThreads"),
            ],
            source: MANUAL,
            ..Knob::counts("jvm.gc.parallel-threads", 1, 256)
        },
        Knob {
            default: &[KnobDefault::derived("gc-concurrent")],
            conditions: &[
                Condition::When {
                    knob: "jvm.collector",
                    is: &["G1", "Z", "Shenandoah"],
                },
                Condition::AtMost {
                    knob: "jvm.gc.parallel-threads",
                    refuses: true,
                },
            ],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-XX:ConcGCThreads")],
            reads: &[
                ReadWay::JvmFlag("ConcGCThreads"),
                ReadWay::Argument("-XX:ConcGCThreads"),
            ],
            source: MANUAL,
            ..Knob::counts("jvm.gc.concurrent-threads", 1, 64)
        },
        Knob {
            default: &[KnobDefault::new("200", "G1")],
            conditions: &[Condition::When {
                knob: "jvm.collector",
                is: &["G1", "Parallel"],
            }],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-XX:MaxGCPauseMillis")],
            reads: &[
                ReadWay::JvmFlag("MaxGCPauseMillis"),
                ReadWay::Argument("-XX:MaxGCPauseMillis"),
            ],
            source: MANUAL,
            ..Knob::counts("jvm.gc.pause-target", 5, 5_000)
        },
        Knob {
            default: &[KnobDefault::derived("no-limit")],
            places: &[
                KnobPlace::new(PlaceKind::Jvm, "-XX:MaxMetaspaceSize").spelled(Spelling::Size)
            ],
            reads: &[
                ReadWay::JvmFlag("MaxMetaspaceSize"),
                ReadWay::Argument("-XX:MaxMetaspaceSize"),
            ],
            source: MANUAL,
            ..Knob::bytes("jvm.metaspace.max", 32 << 20, 4 << 30)
        },
        Knob {
            default: &[KnobDefault::derived("heap")],
            places: &[
                KnobPlace::new(PlaceKind::Jvm, "-XX:MaxDirectMemorySize").spelled(Spelling::Size)
            ],
            reads: &[
                ReadWay::JvmFlag("MaxDirectMemorySize"),
                ReadWay::Argument("-XX:MaxDirectMemorySize"),
            ],
            source: MANUAL,
            ..Knob::bytes("jvm.direct-memory", 1 << 20, 32 << 30)
        },
        Knob {
            default: &[KnobDefault::derived("cgroup-cpus")],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-XX:ActiveProcessorCount")],
            reads: &[
                ReadWay::JvmFlag("ActiveProcessorCount"),
                ReadWay::Argument("-XX:ActiveProcessorCount"),
            ],
            source: MANUAL,
            ..Knob::counts("jvm.cpus", 1, 256)
        },
        Knob {
            default: &[KnobDefault::new("1m", "Linux x64")],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-Xss").spelled(Spelling::Size)],
            reads: &[ReadWay::Argument("-Xss")],
            source: MANUAL,
            ..Knob::bytes("jvm.thread-stack", 128 << 10, 8 << 20)
        },
        Knob {
            default: &[KnobDefault::new("240m", "tiered")],
            places: &[
                KnobPlace::new(PlaceKind::Jvm, "-XX:ReservedCodeCacheSize").spelled(Spelling::Size)
            ],
            reads: &[
                ReadWay::JvmFlag("ReservedCodeCacheSize"),
                ReadWay::Argument("-XX:ReservedCodeCacheSize"),
            ],
            source: MANUAL,
            ..Knob::bytes("jvm.code-cache", 4 << 20, 1 << 30)
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-XX:+AlwaysPreTouch")],
            reads: &[
                ReadWay::JvmFlag("AlwaysPreTouch"),
                ReadWay::Argument("-XX:+AlwaysPreTouch"),
            ],
            source: MANUAL,
            ..Knob::switch("jvm.always-pre-touch")
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[KnobPlace::new(
                PlaceKind::Jvm,
                "-XX:+UseStringDeduplication",
            )],
            reads: &[
                ReadWay::JvmFlag("UseStringDeduplication"),
                ReadWay::Argument("-XX:+UseStringDeduplication"),
            ],
            source: MANUAL,
            ..Knob::switch("jvm.string-deduplication")
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[KnobPlace::new(PlaceKind::Jvm, "-XX:+DisableExplicitGC")],
            reads: &[
                ReadWay::JvmFlag("DisableExplicitGC"),
                ReadWay::Argument("-XX:+DisableExplicitGC"),
            ],
            source: MANUAL,
            ..Knob::switch("jvm.disable-explicit-gc")
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[KnobPlace::new(
                PlaceKind::Jvm,
                "-XX:+UseTransparentHugePages",
            )],
            reads: &[
                ReadWay::JvmFlag("UseTransparentHugePages"),
                ReadWay::Argument("-XX:+UseTransparentHugePages"),
            ],
            source: MANUAL,
            ..Knob::switch("jvm.transparent-huge-pages")
        },
        Knob {
            default: &[KnobDefault::derived("cpus-less-one")],
            places: &[KnobPlace::new(
                PlaceKind::SystemProperty,
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism",
            )],
            reads: &[ReadWay::Argument(
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism",
            )],
            source: MANUAL,
            ..Knob::counts("jvm.fork-join.parallelism", 1, 256)
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[
                KnobPlace::new(PlaceKind::SystemProperty, "-Dsun.net.httpserver.nodelay")
                    .spelled(Spelling::TrueFalse),
            ],
            reads: &[ReadWay::Argument("-Dsun.net.httpserver.nodelay")],
            source: MANUAL,
            ..Knob::switch("jvm.httpserver.nodelay")
        },
    ],
};
