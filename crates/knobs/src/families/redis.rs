//! Redis and Valkey.

use crate::knob::{
    Condition, Family, Gives, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling,
};

const MANUAL: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/config/";
const MEMORY: &str = "https://redis.io/docs/latest/develop/reference/eviction/";
const DISK: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "redis",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("0", "")],
            places: &[KnobPlace::new(PlaceKind::Redis, "maxmemory").spelled(Spelling::RedisSize)],
            reads: &[ReadWay::RedisConfig("maxmemory")],
            source: MEMORY,
            ..Knob::bytes("redis.maxmemory", 1 << 20, 1 << 40).also(&["0"])
        },
        Knob {
            default: &[KnobDefault::new("noeviction", "")],
            gives: Some(Gives::Data),
            places: &[KnobPlace::new(PlaceKind::Redis, "maxmemory-policy")],
            reads: &[ReadWay::RedisConfig("maxmemory-policy")],
            source: MEMORY,
            ..Knob::choice(
                "redis.maxmemory-policy",
                &[
                    "noeviction",
                    "allkeys-lru",
                    "allkeys-lfu",
                    "allkeys-random",
                    "volatile-lru",
                    "volatile-lfu",
                    "volatile-random",
                    "volatile-ttl",
                ],
            )
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(PlaceKind::Redis, "appendonly").spelled(Spelling::YesNo)],
            reads: &[ReadWay::RedisConfig("appendonly")],
            source: DISK,
            ..Knob::switch("redis.appendonly")
        },
        Knob {
            default: &[KnobDefault::new("everysec", "")],
            gives: Some(Gives::Durability),
            conditions: &[Condition::When {
                knob: "redis.appendonly",
                is: &["on"],
            }],
            places: &[KnobPlace::new(PlaceKind::Redis, "appendfsync")],
            reads: &[ReadWay::RedisConfig("appendfsync")],
            source: DISK,
            ..Knob::choice("redis.appendfsync", &["always", "everysec", "no"])
        },
        Knob {
            default: &[KnobDefault::new("3600 1 300 100 60 10000", "7.0+")],
            gives: Some(Gives::Durability),
            places: &[KnobPlace::new(PlaceKind::Redis, "save")],
            reads: &[ReadWay::RedisConfig("save")],
            source: DISK,
            ..Knob::text("redis.save")
        },
        Knob {
            default: &[KnobDefault::new("1", "6.0+")],
            places: &[KnobPlace::new(PlaceKind::Redis, "io-threads")],
            reads: &[ReadWay::RedisConfig("io-threads")],
            source: MANUAL,
            ..Knob::counts("redis.io-threads", 1, 128)
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            conditions: &[Condition::Needs("Redis 6 to 7")],
            places: &[
                KnobPlace::new(PlaceKind::Redis, "io-threads-do-reads").spelled(Spelling::YesNo)
            ],
            reads: &[ReadWay::RedisConfig("io-threads-do-reads")],
            source: MANUAL,
            ..Knob::switch("redis.io-threads-do-reads")
        },
        Knob {
            default: &[
                KnobDefault::new("off", "Redis, Valkey < 8"),
                KnobDefault::new("on", "Valkey 8"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Redis, "lazyfree-lazy-eviction").spelled(Spelling::YesNo)
            ],
            reads: &[ReadWay::RedisConfig("lazyfree-lazy-eviction")],
            source: MANUAL,
            ..Knob::switch("redis.lazyfree-eviction")
        },
        Knob {
            default: &[
                KnobDefault::new("off", "Redis, Valkey < 8"),
                KnobDefault::new("on", "Valkey 8"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Redis, "lazyfree-lazy-expire").spelled(Spelling::YesNo)
            ],
            reads: &[ReadWay::RedisConfig("lazyfree-lazy-expire")],
            source: MANUAL,
            ..Knob::switch("redis.lazyfree-expire")
        },
        Knob {
            default: &[
                KnobDefault::new("off", "Redis, Valkey < 8"),
                KnobDefault::new("on", "Valkey 8"),
            ],
            places: &[KnobPlace::new(PlaceKind::Redis, "lazyfree-lazy-server-del")
                .spelled(Spelling::YesNo)],
            reads: &[ReadWay::RedisConfig("lazyfree-lazy-server-del")],
            source: MANUAL,
            ..Knob::switch("redis.lazyfree-server-del")
        },
        Knob {
            default: &[KnobDefault::new("511", "")],
            places: &[KnobPlace::new(PlaceKind::Redis, "tcp-backlog")],
            reads: &[ReadWay::Backlog, ReadWay::RedisConfig("tcp-backlog")],
            source: MANUAL,
            ..Knob::counts("redis.tcp-backlog", 16, 65_535)
        },
        Knob {
            default: &[KnobDefault::new("10000", "")],
            places: &[KnobPlace::new(PlaceKind::Redis, "maxclients")],
            reads: &[ReadWay::RedisConfig("maxclients")],
            source: MANUAL,
            ..Knob::counts("redis.maxclients", 10, 1_000_000)
        },
        Knob {
            default: &[KnobDefault::new("10", "")],
            places: &[KnobPlace::new(PlaceKind::Redis, "hz")],
            reads: &[ReadWay::RedisConfig("hz")],
            source: MANUAL,
            ..Knob::counts("redis.hz", 1, 500)
        },
    ],
};
