//! Runtimes beside the JVM.

use crate::knob::{Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay};

const GO: &str = "https://pkg.go.dev/runtime#hdr-Environment_Variables";
const NODE: &str = "https://nodejs.org/api/cli.html";
const GUNICORN: &str = "https://docs.gunicorn.org/en/stable/settings.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "runtime",
    knobs: &[
        Knob {
            default: &[KnobDefault::derived("go-cpus")],
            places: &[KnobPlace::new(PlaceKind::Environment, "GOMAXPROCS")],
            reads: &[ReadWay::Environment("GOMAXPROCS")],
            source: GO,
            ..Knob::counts("runtime.go.maxprocs", 1, 256)
        },
        Knob {
            default: &[KnobDefault::new("100", "")],
            places: &[KnobPlace::new(PlaceKind::Environment, "GOGC")],
            reads: &[ReadWay::Environment("GOGC")],
            source: GO,
            ..Knob::counts("runtime.go.gc", 10, 2_000).also(&["off"])
        },
        Knob {
            default: &[KnobDefault::new("4", "")],
            places: &[KnobPlace::new(PlaceKind::Environment, "UV_THREADPOOL_SIZE")],
            reads: &[ReadWay::Environment("UV_THREADPOOL_SIZE")],
            source: NODE,
            ..Knob::counts("runtime.node.threads", 1, 1 << 10)
        },
        Knob {
            default: &[KnobDefault::derived("memory")],
            places: &[KnobPlace::new(PlaceKind::Argument, "--max-old-space-size")],
            reads: &[ReadWay::Argument("--max-old-space-size")],
            source: NODE,
            ..Knob::counts("runtime.node.heap", 64, 64 << 10)
        },
        Knob {
            default: &[KnobDefault::new("1", "")],
            places: &[
                KnobPlace::new(PlaceKind::Argument, "--workers"),
                KnobPlace::new(PlaceKind::Environment, "WEB_CONCURRENCY"),
                KnobPlace::new(PlaceKind::Python, "workers"),
            ],
            reads: &[
                ReadWay::Argument("--workers"),
                ReadWay::Environment("WEB_CONCURRENCY"),
            ],
            source: GUNICORN,
            ..Knob::counts("runtime.gunicorn.workers", 1, 256)
        },
        Knob {
            default: &[KnobDefault::new("1", "")],
            places: &[
                KnobPlace::new(PlaceKind::Argument, "--threads"),
                KnobPlace::new(PlaceKind::Python, "threads"),
            ],
            reads: &[ReadWay::Argument("--threads")],
            source: GUNICORN,
            ..Knob::counts("runtime.gunicorn.threads", 1, 256)
        },
    ],
};
