//! HikariCP.

use crate::knob::{Condition, Family, Gives, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay};

const MANUAL: &str = "https://github.com/brettwooldridge/HikariCP#gear-configuration-knobs-baby";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "hikari",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("10", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.hikari.maximum-pool-size",
            )],
            reads: &[
                ReadWay::Actuator("spring.datasource.hikari.maximum-pool-size"),
                ReadWay::Meter("hikaricp.connections.max"),
            ],
            source: MANUAL,
            ..Knob::counts("hikari.maximum-pool-size", 1, 1_000)
        },
        Knob {
            default: &[KnobDefault::derived("as-pool")],
            conditions: &[Condition::AtMost {
                knob: "hikari.maximum-pool-size",
                refuses: false,
            }],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.hikari.minimum-idle",
            )],
            reads: &[
                ReadWay::Actuator("spring.datasource.hikari.minimum-idle"),
                ReadWay::Meter("hikaricp.connections.min"),
            ],
            source: MANUAL,
            ..Knob::counts("hikari.minimum-idle", 0, 1_000)
        },
        Knob {
            default: &[KnobDefault::new("30s", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.hikari.connection-timeout",
            )],
            reads: &[ReadWay::Actuator(
                "spring.datasource.hikari.connection-timeout",
            )],
            source: MANUAL,
            ..Knob::millis("hikari.connection-timeout", 250, 120_000)
        },
        Knob {
            default: &[KnobDefault::new("600s", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.hikari.idle-timeout",
            )],
            reads: &[ReadWay::Actuator("spring.datasource.hikari.idle-timeout")],
            source: MANUAL,
            ..Knob::millis("hikari.idle-timeout", 10_000, 3_600_000).also(&["0"])
        },
        Knob {
            default: &[KnobDefault::new("1800s", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.hikari.max-lifetime",
            )],
            reads: &[ReadWay::Actuator("spring.datasource.hikari.max-lifetime")],
            source: MANUAL,
            ..Knob::millis("hikari.max-lifetime", 30_000, 84375 << 10).also(&["0"])
        },
        Knob {
            default: &[KnobDefault::derived("database")],
            gives: Some(Gives::Isolation),
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.hikari.transaction-isolation",
            )],
            reads: &[ReadWay::Actuator(
                "spring.datasource.hikari.transaction-isolation",
            )],
            source: MANUAL,
            ..Knob::choice(
                "hikari.transaction-isolation",
                &[
                    "TRANSACTION_READ_UNCOMMITTED",
                    "TRANSACTION_READ_COMMITTED",
                    "TRANSACTION_REPEATABLE_READ",
                    "TRANSACTION_SERIALIZABLE",
                ],
            )
        },
        Knob {
            default: &[
                KnobDefault::new("120s", "HikariCP 6.2+"),
                KnobDefault::new("0", "< 6.2"),
            ],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.datasource.hikari.keepalive-time",
            )],
            reads: &[ReadWay::Actuator("spring.datasource.hikari.keepalive-time")],
            source: MANUAL,
            ..Knob::millis("hikari.keepalive-time", 30_000, 3_600_000).also(&["0"])
        },
    ],
};
