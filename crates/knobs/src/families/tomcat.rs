//! Tomcat, alone (`server.xml`) or in Spring Boot.

use crate::knob::{
    Condition, Family, Gives, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling,
};

const MANUAL: &str = "https://tomcat.apache.org/tomcat-10.1-doc/config/http.html";
/// The threads of a connector with a shared executor are that one's.
const EXECUTOR: &str = "executor";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "tomcat",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("200", "Tomcat 6+, Spring Boot 1+")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.threads.max"),
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.max-threads"),
                KnobPlace::new(PlaceKind::Xml, "Server/Service/Connector@maxThreads")
                    .unless(EXECUTOR),
            ],
            reads: &[
                ReadWay::Actuator("server.tomcat.threads.max"),
                ReadWay::Actuator("server.tomcat.max-threads"),
                ReadWay::Meter("tomcat.threads.config.max"),
            ],
            source: MANUAL,
            ..Knob::counts("tomcat.threads.max", 1, 2_000)
        },
        Knob {
            default: &[KnobDefault::new("10", "Tomcat 8+, Spring Boot 1+")],
            conditions: &[Condition::AtMost {
                knob: "tomcat.threads.max",
                refuses: false,
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.threads.min-spare"),
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.min-spare-threads"),
                KnobPlace::new(PlaceKind::Xml, "Server/Service/Connector@minSpareThreads")
                    .unless(EXECUTOR),
            ],
            reads: &[
                ReadWay::Actuator("server.tomcat.threads.min-spare"),
                ReadWay::Actuator("server.tomcat.min-spare-threads"),
            ],
            source: MANUAL,
            ..Knob::counts("tomcat.threads.min-spare", 1, 2_000)
        },
        Knob {
            default: &[KnobDefault::new("100", "Tomcat 6+, Spring Boot 1+")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.accept-count"),
                KnobPlace::new(PlaceKind::Xml, "Server/Service/Connector@acceptCount"),
            ],
            reads: &[
                ReadWay::Backlog,
                ReadWay::Actuator("server.tomcat.accept-count"),
            ],
            source: MANUAL,
            ..Knob::counts("tomcat.accept-count", 1, 65_535)
        },
        Knob {
            default: &[
                KnobDefault::new("8192", "Tomcat 9+, Spring Boot 2.3+"),
                KnobDefault::new("10000", "Tomcat 7, 8, Spring Boot < 2.3"),
                KnobDefault::derived("tomcat-bio"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.max-connections"),
                KnobPlace::new(PlaceKind::Xml, "Server/Service/Connector@maxConnections"),
            ],
            reads: &[
                ReadWay::Actuator("server.tomcat.max-connections"),
                ReadWay::Meter("tomcat.connections.config.max"),
            ],
            source: MANUAL,
            ..Knob::counts("tomcat.max-connections", 10, 200_000)
        },
        Knob {
            default: &[
                KnobDefault::new("60s", ""),
                KnobDefault::new("20s", "server.xml"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.keep-alive-timeout")
                    .spelled(Spelling::Duration),
                KnobPlace::new(PlaceKind::Xml, "Server/Service/Connector@keepAliveTimeout"),
            ],
            reads: &[ReadWay::Actuator("server.tomcat.keep-alive-timeout")],
            source: MANUAL,
            ..Knob::millis("tomcat.keep-alive-timeout", 100, 600_000).also(&["-1"])
        },
        Knob {
            default: &[KnobDefault::new("100", "Tomcat 6+, Spring Boot 2.5+")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.max-keep-alive-requests"),
                KnobPlace::new(
                    PlaceKind::Xml,
                    "Server/Service/Connector@maxKeepAliveRequests",
                ),
            ],
            reads: &[ReadWay::Actuator("server.tomcat.max-keep-alive-requests")],
            source: MANUAL,
            ..Knob::counts("tomcat.max-keep-alive-requests", 1, 1_000_000).also(&["-1"])
        },
        Knob {
            // What `server.xml` has is `HTTP/1.1`.
            default: &[KnobDefault::derived("tomcat-connector")],
            places: &[KnobPlace::new(
                PlaceKind::Xml,
                "Server/Service/Connector@protocol",
            )],
            source: MANUAL,
            ..Knob::choice(
                "tomcat.connector",
                &[
                    "org.apache.coyote.http11.Http11NioProtocol",
                    "org.apache.coyote.http11.Http11Nio2Protocol",
                ],
            )
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.compression.enabled")
                    .spelled(Spelling::TrueFalse),
                KnobPlace::new(PlaceKind::Xml, "Server/Service/Connector@compression"),
            ],
            reads: &[ReadWay::ActuatorEnvironment("server.compression.enabled")],
            source: MANUAL,
            ..Knob::switch("tomcat.compression")
        },
        Knob {
            default: &[KnobDefault::new("2048", "")],
            conditions: &[Condition::When {
                knob: "tomcat.compression",
                is: &["on"],
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.compression.min-response-size")
                    .spelled(Spelling::SpringSize),
                KnobPlace::new(
                    PlaceKind::Xml,
                    "Server/Service/Connector@compressionMinSize",
                ),
            ],
            reads: &[ReadWay::ActuatorEnvironment(
                "server.compression.min-response-size",
            )],
            source: MANUAL,
            ..Knob::bytes("tomcat.compression-min-size", 256, 1 << 20)
        },
        Knob {
            default: &[KnobDefault::new("200", "")],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.processor-cache"),
                KnobPlace::new(PlaceKind::Xml, "Server/Service/Connector@processorCache"),
            ],
            reads: &[ReadWay::Actuator("server.tomcat.processor-cache")],
            source: MANUAL,
            ..Knob::counts("tomcat.processor-cache", 1, 20_000).also(&["-1"])
        },
        Knob {
            default: &[
                KnobDefault::new("off", "Spring Boot"),
                KnobDefault::new("on", "server.xml"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.accesslog.enabled")
                    .spelled(Spelling::TrueFalse),
            ],
            gives: Some(Gives::Logs),
            reads: &[ReadWay::Actuator("server.tomcat.accesslog.enabled")],
            source: MANUAL,
            ..Knob::switch("tomcat.access-log")
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            gives: Some(Gives::Logs),
            conditions: &[Condition::When {
                knob: "tomcat.access-log",
                is: &["on"],
            }],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "server.tomcat.accesslog.buffered")
                    .spelled(Spelling::TrueFalse),
            ],
            reads: &[ReadWay::Actuator("server.tomcat.accesslog.buffered")],
            source: MANUAL,
            ..Knob::switch("tomcat.access-log-buffered")
        },
    ],
};
