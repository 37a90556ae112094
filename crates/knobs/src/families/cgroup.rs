//! Limits of the component’s cgroup (version 2).

use crate::knob::{Applies, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay};

const MANUAL: &str = "https://docs.kernel.org/admin-guide/cgroup-v2.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "cgroup",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("max 100000", "")],
            applies: Applies::AtOnce,
            places: &[KnobPlace::new(PlaceKind::ValueFile, "cpu.max")],
            reads: &[ReadWay::CgroupFile("cpu.max")],
            source: MANUAL,
            ..Knob::text("cgroup.cpu-max")
        },
        Knob {
            default: &[KnobDefault::new("100", "")],
            applies: Applies::AtOnce,
            places: &[KnobPlace::new(PlaceKind::ValueFile, "cpu.weight")],
            reads: &[ReadWay::CgroupFile("cpu.weight")],
            source: MANUAL,
            ..Knob::counts("cgroup.cpu-weight", 1, 10_000)
        },
        Knob {
            default: &[KnobDefault::new("max", "")],
            applies: Applies::AtOnce,
            places: &[KnobPlace::new(PlaceKind::ValueFile, "memory.max")],
            reads: &[ReadWay::CgroupFile("memory.max")],
            source: MANUAL,
            ..Knob::bytes("cgroup.memory-max", 16 << 20, 1 << 40).also(&["max"])
        },
        Knob {
            default: &[KnobDefault::new("max", "")],
            applies: Applies::AtOnce,
            places: &[KnobPlace::new(PlaceKind::ValueFile, "memory.high")],
            reads: &[ReadWay::CgroupFile("memory.high")],
            source: MANUAL,
            ..Knob::bytes("cgroup.memory-high", 16 << 20, 1 << 40).also(&["max"])
        },
    ],
};
