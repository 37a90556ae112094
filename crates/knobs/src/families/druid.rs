//! Alibaba Druid.

use crate::knob::{Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const MANUAL: &str = "https://github.com/alibaba/druid/wiki/DruidDataSource%E9%85%8D%E7%BD%AE%E5%B1%9E%E6%80%A7%E5%88%97%E8%A1%A8";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "druid",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("8", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.druid.max-active",
            )],
            reads: &[ReadWay::Actuator("spring.datasource.druid.max-active")],
            source: MANUAL,
            ..Knob::counts("druid.max-active", 1, 1_000)
        },
        Knob {
            default: &[KnobDefault::new("0", "")],
            conditions: &[Condition::AtMost {
                knob: "druid.max-active",
                refuses: true,
            }],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.druid.initial-size",
            )],
            reads: &[ReadWay::Actuator("spring.datasource.druid.initial-size")],
            source: MANUAL,
            ..Knob::counts("druid.initial-size", 0, 1_000)
        },
        Knob {
            default: &[KnobDefault::new("0", "")],
            conditions: &[Condition::AtMost {
                knob: "druid.max-active",
                refuses: true,
            }],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.druid.min-idle",
            )],
            reads: &[ReadWay::Actuator("spring.datasource.druid.min-idle")],
            source: MANUAL,
            ..Knob::counts("druid.min-idle", 0, 1_000)
        },
        Knob {
            default: &[KnobDefault::new("-1", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.druid.max-wait",
            )],
            reads: &[ReadWay::Actuator("spring.datasource.druid.max-wait")],
            source: MANUAL,
            ..Knob::millis("druid.max-wait", 100, 120_000).also(&["-1"])
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.druid.pool-prepared-statements",
            )
            .spelled(Spelling::TrueFalse)],
            reads: &[ReadWay::Actuator(
                "spring.datasource.druid.pool-prepared-statements",
            )],
            source: MANUAL,
            ..Knob::switch("druid.pool-prepared-statements")
        },
        Knob {
            default: &[KnobDefault::new("off", "Druid 1.0.6+")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.datasource.druid.test-on-borrow")
                    .spelled(Spelling::TrueFalse),
            ],
            reads: &[ReadWay::Actuator("spring.datasource.druid.test-on-borrow")],
            source: MANUAL,
            ..Knob::switch("druid.test-on-borrow")
        },
    ],
};
