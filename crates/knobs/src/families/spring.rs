//! Spring Boot itself.

use crate::knob::{Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const MANUAL: &str =
    "https://docs.spring.io/spring-boot/appendix/application-properties/index.html";
const DUBBO: &str =
    "https://dubbo.apache.org/en/docs3-v2/java-sdk/reference-manual/config/properties/";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "spring",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("off", "Spring Boot 3.2+")],
            conditions: &[
                Condition::Needs("Java 21"),
                Condition::Needs("Spring Boot 3.2"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "spring.threads.virtual.enabled")
                    .spelled(Spelling::TrueFalse),
            ],
            reads: &[ReadWay::ActuatorEnvironment(
                "spring.threads.virtual.enabled",
            )],
            source: MANUAL,
            ..Knob::switch("spring.virtual-threads")
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[KnobPlace::new(PlaceKind::Spring, "server.http2.enabled")
                .spelled(Spelling::TrueFalse)],
            reads: &[ReadWay::ActuatorEnvironment("server.http2.enabled")],
            source: MANUAL,
            ..Knob::switch("spring.http2")
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            places: &[KnobPlace::new(PlaceKind::Spring, "spring.jpa.open-in-view")
                .spelled(Spelling::TrueFalse)],
            reads: &[ReadWay::Actuator("spring.jpa.open-in-view")],
            source: MANUAL,
            ..Knob::switch("spring.open-in-view")
        },
        Knob {
            default: &[KnobDefault::new("8", "")],
            conditions: &[Condition::AtMost {
                knob: "spring.task.max-size",
                refuses: true,
            }],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.task.execution.pool.core-size",
            )],
            reads: &[
                ReadWay::Actuator("spring.task.execution.pool.core-size"),
                ReadWay::Meter("executor.pool.core"),
            ],
            source: MANUAL,
            ..Knob::counts("spring.task.core-size", 1, 1_000)
        },
        Knob {
            default: &[KnobDefault::derived("no-limit")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.task.execution.pool.max-size",
            )],
            reads: &[
                ReadWay::Actuator("spring.task.execution.pool.max-size"),
                ReadWay::Meter("executor.pool.max"),
            ],
            source: MANUAL,
            ..Knob::counts("spring.task.max-size", 1, 10_000)
        },
        Knob {
            default: &[KnobDefault::derived("no-limit")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.task.execution.pool.queue-capacity",
            )],
            reads: &[ReadWay::Actuator(
                "spring.task.execution.pool.queue-capacity",
            )],
            source: MANUAL,
            ..Knob::counts("spring.task.queue-capacity", 1, 1_000_000)
        },
        Knob {
            default: &[KnobDefault::new("1", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "spring.task.scheduling.pool.size",
            )],
            reads: &[ReadWay::Actuator("spring.task.scheduling.pool.size")],
            source: MANUAL,
            ..Knob::counts("spring.scheduling.size", 1, 256)
        },
        Knob {
            default: &[KnobDefault::new("200", "")],
            places: &[KnobPlace::new(PlaceKind::Spring, "dubbo.protocol.threads")],
            reads: &[ReadWay::ActuatorEnvironment("dubbo.protocol.threads")],
            source: DUBBO,
            ..Knob::counts("spring.dubbo.threads", 1, 2_000)
        },
    ],
};
