//! Pools of Redis’ clients in Spring Boot.

use crate::knob::{Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const MANUAL: &str =
    "https://docs.spring.io/spring-boot/appendix/application-properties/index.html";

/// A setting of a client's pool under the name it has since Spring Boot 3 and the one before.
macro_rules! pool {
    ($knob:expr, $client:literal, $name:literal, $spelling:expr) => {
        Knob {
            places: &[
                KnobPlace::new(
                    PlaceKind::Spring,
                    concat!("spring.data.redis.", $client, ".pool.", $name),
                )
                .spelled($spelling),
                KnobPlace::new(
                    PlaceKind::Spring,
                    concat!("spring.redis.", $client, ".pool.", $name),
                )
                .spelled($spelling),
            ],
            reads: &[
                ReadWay::Actuator(concat!("spring.data.redis.", $client, ".pool.", $name)),
                ReadWay::Actuator(concat!("spring.redis.", $client, ".pool.", $name)),
            ],
            source: MANUAL,
            ..$knob
        }
    };
}

/// The pool's settings of each client.
macro_rules! pools {
    ($($client:literal),*) => { &[$(
        Knob {
            default: &[KnobDefault::derived("commons-pool")],
            ..pool!(
                Knob::switch(concat!("redis-client.", $client, ".enabled")),
                $client, "enabled", Spelling::TrueFalse
            )
        },
        Knob {
            default: &[KnobDefault::new("8", "")],
            ..pool!(
                Knob::counts(concat!("redis-client.", $client, ".max-active"), 1, 1_000).also(&["-1"]),
                $client, "max-active", Spelling::Plain
            )
        },
        Knob {
            default: &[KnobDefault::new("8", "")],
            conditions: &[Condition::AtMost {
                knob: concat!("redis-client.", $client, ".max-active"),
                refuses: false,
            }],
            ..pool!(
                Knob::counts(concat!("redis-client.", $client, ".max-idle"), 0, 1_000).also(&["-1"]),
                $client, "max-idle", Spelling::Plain
            )
        },
        Knob {
            default: &[KnobDefault::new("0", "")],
            conditions: &[Condition::AtMost {
                knob: concat!("redis-client.", $client, ".max-active"),
                refuses: false,
            }],
            ..pool!(
                Knob::counts(concat!("redis-client.", $client, ".min-idle"), 0, 1_000),
                $client, "min-idle", Spelling::Plain
            )
        },
        Knob {
            default: &[KnobDefault::new("-1", "")],
            ..pool!(
                Knob::millis(concat!("redis-client.", $client, ".max-wait"), 1, 120_000).also(&["-1"]),
                $client, "max-wait", Spelling::Duration
            )
        },
    )*] };
}

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "redis-client",
    knobs: pools!["lettuce", "jedis"],
};
