//! Jetty, alone (`start.d`) or in Spring Boot.

use crate::knob::{Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const MANUAL: &str = "https://jetty.org/docs/jetty/12/operations-guide/modules/standard.html";
const BOOT: &str = "https://docs.spring.io/spring-boot/appendix/application-properties/index.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "jetty",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("200", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.jetty.threads.max"),
                KnobPlace::new(PlaceKind::Spring, "server.jetty.max-threads"),
                KnobPlace::new(PlaceKind::Properties, "jetty.threadPool.maxThreads"),
            ],
            reads: &[
                ReadWay::Actuator("server.jetty.threads.max"),
                ReadWay::Actuator("server.jetty.max-threads"),
                ReadWay::Meter("jetty.threads.config.max"),
            ],
            source: MANUAL,
            ..Knob::counts("jetty.threads.max", 4, 2_000)
        },
        Knob {
            default: &[
                KnobDefault::new("8", "Spring Boot"),
                KnobDefault::new("10", "Jetty 9+"),
            ],
            conditions: &[Condition::AtMost {
                knob: "jetty.threads.max",
                refuses: true,
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.jetty.threads.min"),
                KnobPlace::new(PlaceKind::Spring, "server.jetty.min-threads"),
                KnobPlace::new(PlaceKind::Properties, "jetty.threadPool.minThreads"),
            ],
            reads: &[
                ReadWay::Actuator("server.jetty.threads.min"),
                ReadWay::Actuator("server.jetty.min-threads"),
                ReadWay::Meter("jetty.threads.config.min"),
            ],
            source: MANUAL,
            ..Knob::counts("jetty.threads.min", 1, 2_000)
        },
        Knob {
            // `jetty-http.xml` (https://github.com/jetty/jetty.project/issues/5306).
            default: &[
                KnobDefault::new("1", "Jetty 10+"),
                KnobDefault::new("-1", "Jetty 9, Spring Boot"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.jetty.threads.acceptors"),
                KnobPlace::new(PlaceKind::Spring, "server.jetty.acceptors"),
                KnobPlace::new(PlaceKind::Properties, "jetty.http.acceptors"),
            ],
            reads: &[
                ReadWay::Actuator("server.jetty.threads.acceptors"),
                ReadWay::Actuator("server.jetty.acceptors"),
            ],
            source: MANUAL,
            ..Knob::counts("jetty.threads.acceptors", 1, 16).automatic(&["-1"])
        },
        Knob {
            default: &[KnobDefault::new("-1", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.jetty.threads.selectors"),
                KnobPlace::new(PlaceKind::Spring, "server.jetty.selectors"),
                KnobPlace::new(PlaceKind::Properties, "jetty.http.selectors"),
            ],
            reads: &[
                ReadWay::Actuator("server.jetty.threads.selectors"),
                ReadWay::Actuator("server.jetty.selectors"),
            ],
            source: MANUAL,
            ..Knob::counts("jetty.threads.selectors", 1, 64).automatic(&["-1"])
        },
        Knob {
            default: &[KnobDefault::derived("no-limit")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "server.jetty.threads.max-queue-capacity",
            )],
            reads: &[ReadWay::Actuator("server.jetty.threads.max-queue-capacity")],
            source: BOOT,
            ..Knob::counts("jetty.max-queue-capacity", 10, 100_000)
        },
        Knob {
            default: &[KnobDefault::new("0", "the system’s own")],
            places: &[KnobPlace::new(
                PlaceKind::Properties,
                "jetty.http.acceptQueueSize",
            )],
            reads: &[ReadWay::Backlog],
            source: MANUAL,
            ..Knob::counts("jetty.accept-queue", 1, 65_535)
        },
        Knob {
            default: &[KnobDefault::new("30s", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.jetty.connection-idle-timeout")
                    .spelled(Spelling::Duration),
                KnobPlace::new(PlaceKind::Properties, "jetty.http.idleTimeout"),
            ],
            reads: &[ReadWay::Actuator("server.jetty.connection-idle-timeout")],
            source: MANUAL,
            ..Knob::millis("jetty.idle-timeout", 100, 600_000)
        },
    ],
};
