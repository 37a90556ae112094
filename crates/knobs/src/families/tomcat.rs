//! Tomcat, alone (`server.xml`) or in Spring Boot.

use crate::knob::{Condition, Family, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay};

const MANUAL: &str = "https://tomcat.apache.org/tomcat-10.1-doc/config/http.html";

/// A property of Spring Boot.
const fn spring(property: &'static str) -> KnobPlace {
    KnobPlace::new(PlaceKind::Spring, property)
}

/// An attribute of the connector for HTTP.
const fn connector(attribute: &'static str) -> KnobPlace {
    KnobPlace::new(PlaceKind::Xml, attribute)
}

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "tomcat",
    knobs: &[
        Knob {
            default: &[KnobDefault::new("200", "Tomcat 6, Spring Boot 1")],
            places: &[
                spring("server.tomcat.threads.max"),
                connector("Server/Service/Connector@maxThreads"),
            ],
            reads: &[
                ReadWay::Actuator("server.tomcat.threads.max"),
                ReadWay::Meter("tomcat.threads.config.max"),
                ReadWay::Bean("Tomcat:type=ThreadPool,name=* maxThreads"),
                ReadWay::Bean("Catalina:type=ThreadPool,name=* maxThreads"),
            ],
            source: MANUAL,
            ..Knob::counts("tomcat.threads.max", 1, 2_000)
        },
        Knob {
            default: &[KnobDefault::new("10", "Tomcat 6, Spring Boot 1")],
            conditions: &[Condition::AtMost {
                knob: "tomcat.threads.max",
            }],
            places: &[
                spring("server.tomcat.threads.min-spare"),
                connector("Server/Service/Connector@minSpareThreads"),
            ],
            reads: &[
                ReadWay::Actuator("server.tomcat.threads.min-spare"),
                ReadWay::Bean("Tomcat:type=ThreadPool,name=* minSpareThreads"),
                ReadWay::Bean("Catalina:type=ThreadPool,name=* minSpareThreads"),
            ],
            source: MANUAL,
            ..Knob::counts("tomcat.threads.min-spare", 1, 2_000)
        },
    ],
};
