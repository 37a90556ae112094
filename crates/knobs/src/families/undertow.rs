//! Undertow in Spring Boot.

use crate::knob::{Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling};

const MANUAL: &str =
    "https://docs.spring.io/spring-boot/3.5/appendix/application-properties/index.html";
const OWN: &str = "https://undertow.io/undertow-docs/undertow-docs-2.1.0/index.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "undertow",
    knobs: &[
        Knob {
            default: &[KnobDefault::derived("cpus-two")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.undertow.threads.io"),
                KnobPlace::new(PlaceKind::Spring, "server.undertow.io-threads"),
            ],
            reads: &[
                ReadWay::Actuator("server.undertow.threads.io"),
                ReadWay::Actuator("server.undertow.io-threads"),
            ],
            source: MANUAL,
            ..Knob::counts("undertow.threads.io", 1, 128)
        },
        Knob {
            default: &[KnobDefault::derived("eight-io")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.undertow.threads.worker"),
                KnobPlace::new(PlaceKind::Spring, "server.undertow.worker-threads"),
            ],
            reads: &[
                ReadWay::Actuator("server.undertow.threads.worker"),
                ReadWay::Actuator("server.undertow.worker-threads"),
            ],
            source: MANUAL,
            ..Knob::counts("undertow.threads.worker", 1, 2_000)
        },
        Knob {
            default: &[KnobDefault::new("16364", "≥ 128 MiB heap")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.undertow.buffer-size")
                    .spelled(Spelling::SpringSize),
            ],
            reads: &[ReadWay::Actuator("server.undertow.buffer-size")],
            source: MANUAL,
            ..Knob::bytes("undertow.buffer-size", 512, 1 << 20)
        },
        Knob {
            default: &[KnobDefault::new("on", "≥ 64 MiB heap")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.undertow.direct-buffers")
                    .spelled(Spelling::TrueFalse),
            ],
            reads: &[ReadWay::Actuator("server.undertow.direct-buffers")],
            source: MANUAL,
            ..Knob::switch("undertow.direct-buffers")
        },
        Knob {
            default: &[KnobDefault::new("1000", "")],
            places: &[KnobPlace::new(
                PlaceKind::Spring,
                "server.undertow.options.socket.BACKLOG",
            )],
            reads: &[ReadWay::Backlog],
            source: OWN,
            ..Knob::counts("undertow.backlog", 1, 65_535)
        },
        Knob {
            default: &[KnobDefault::new("60s", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.undertow.no-request-timeout")
                    .spelled(Spelling::Duration),
            ],
            reads: &[ReadWay::Actuator("server.undertow.no-request-timeout")],
            source: MANUAL,
            ..Knob::millis("undertow.no-request-timeout", 100, 600_000)
        },
    ],
};
