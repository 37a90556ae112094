//! Pools of Redis’ clients in Spring Boot.

use crate::knob::{Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const MANUAL: &str =
    "https://docs.spring.io/spring-boot/appendix/application-properties/index.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "redis-client",
    knobs: &[
        Knob {
            default: &[KnobDefault::derived("commons-pool")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.lettuce.pool.enabled")
                    .spelled(Spelling::TrueFalse),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.lettuce.pool.enabled")
                    .spelled(Spelling::TrueFalse),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.lettuce.pool.enabled"),
                ReadWay::Actuator("spring.redis.lettuce.pool.enabled"),
            ],
            source: MANUAL,
            ..Knob::switch("redis-client.lettuce.enabled")
        },
        Knob {
            default: &[KnobDefault::new("8", "")],
            places: &[
                KnobPlace::new(
                    PlaceKind::Spring,
                    "spring.data.redis.lettuce.pool.max-active",
                ),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.lettuce.pool.max-active"),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.lettuce.pool.max-active"),
                ReadWay::Actuator("spring.redis.lettuce.pool.max-active"),
            ],
            source: MANUAL,
            ..Knob::counts("redis-client.lettuce.max-active", 1, 1_000).also(&["-1"])
        },
        Knob {
            default: &[KnobDefault::new("8", "")],
            conditions: &[Condition::AtMost {
                knob: "redis-client.lettuce.max-active",
                refuses: false,
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.lettuce.pool.max-idle"),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.lettuce.pool.max-idle"),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.lettuce.pool.max-idle"),
                ReadWay::Actuator("spring.redis.lettuce.pool.max-idle"),
            ],
            source: MANUAL,
            ..Knob::counts("redis-client.lettuce.max-idle", 0, 1_000).also(&["-1"])
        },
        Knob {
            default: &[KnobDefault::new("0", "")],
            conditions: &[Condition::AtMost {
                knob: "redis-client.lettuce.max-active",
                refuses: false,
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.lettuce.pool.min-idle"),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.lettuce.pool.min-idle"),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.lettuce.pool.min-idle"),
                ReadWay::Actuator("spring.redis.lettuce.pool.min-idle"),
            ],
            source: MANUAL,
            ..Knob::counts("redis-client.lettuce.min-idle", 0, 1_000)
        },
        Knob {
            default: &[KnobDefault::new("-1", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.lettuce.pool.max-wait")
                    .spelled(Spelling::Duration),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.lettuce.pool.max-wait")
                    .spelled(Spelling::Duration),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.lettuce.pool.max-wait"),
                ReadWay::Actuator("spring.redis.lettuce.pool.max-wait"),
            ],
            source: MANUAL,
            ..Knob::millis("redis-client.lettuce.max-wait", 1, 120_000).also(&["-1"])
        },
        Knob {
            default: &[KnobDefault::derived("commons-pool")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.jedis.pool.enabled")
                    .spelled(Spelling::TrueFalse),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.jedis.pool.enabled")
                    .spelled(Spelling::TrueFalse),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.jedis.pool.enabled"),
                ReadWay::Actuator("spring.redis.jedis.pool.enabled"),
            ],
            source: MANUAL,
            ..Knob::switch("redis-client.jedis.enabled")
        },
        Knob {
            default: &[KnobDefault::new("8", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.jedis.pool.max-active"),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.jedis.pool.max-active"),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.jedis.pool.max-active"),
                ReadWay::Actuator("spring.redis.jedis.pool.max-active"),
            ],
            source: MANUAL,
            ..Knob::counts("redis-client.jedis.max-active", 1, 1_000).also(&["-1"])
        },
        Knob {
            default: &[KnobDefault::new("8", "")],
            conditions: &[Condition::AtMost {
                knob: "redis-client.jedis.max-active",
                refuses: false,
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.jedis.pool.max-idle"),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.jedis.pool.max-idle"),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.jedis.pool.max-idle"),
                ReadWay::Actuator("spring.redis.jedis.pool.max-idle"),
            ],
            source: MANUAL,
            ..Knob::counts("redis-client.jedis.max-idle", 0, 1_000).also(&["-1"])
        },
        Knob {
            default: &[KnobDefault::new("0", "")],
            conditions: &[Condition::AtMost {
                knob: "redis-client.jedis.max-active",
                refuses: false,
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.jedis.pool.min-idle"),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.jedis.pool.min-idle"),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.jedis.pool.min-idle"),
                ReadWay::Actuator("spring.redis.jedis.pool.min-idle"),
            ],
            source: MANUAL,
            ..Knob::counts("redis-client.jedis.min-idle", 0, 1_000)
        },
        Knob {
            default: &[KnobDefault::new("-1", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.data.redis.jedis.pool.max-wait")
                    .spelled(Spelling::Duration),
                KnobPlace::new(PlaceKind::Spring, "spring.redis.jedis.pool.max-wait")
                    .spelled(Spelling::Duration),
            ],
            reads: &[
                ReadWay::Actuator("spring.data.redis.jedis.pool.max-wait"),
                ReadWay::Actuator("spring.redis.jedis.pool.max-wait"),
            ],
            source: MANUAL,
            ..Knob::millis("redis-client.jedis.max-wait", 1, 120_000).also(&["-1"])
        },
    ],
};
