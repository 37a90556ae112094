//! Levels and appenders of logs.

use crate::knob::{
    Condition, Family, Gives, Knob, KnobDefault, KnobPlace, PlaceKind, ReadWay, Spelling,
};

const MANUAL: &str = "https://docs.spring.io/spring-boot/reference/features/logging.html";
const LOGBACK: &str = "https://logback.qos.ch/manual/appenders.html";
const LOG4J: &str = "https://logging.apache.org/log4j/2.x/manual/async.html";

/// The family.
pub(crate) const FAMILY: Family = Family {
    id: "logging",
    knobs: &[
        Knob {
            default: &[
                KnobDefault::new("INFO", "Spring Boot"),
                KnobDefault::new("DEBUG", "Logback alone"),
            ],
            places: &[
                KnobPlace::new(PlaceKind::Spring, "logging.level.root"),
                KnobPlace::new(PlaceKind::Xml, "configuration/root@level"),
            ],
            reads: &[ReadWay::ActuatorEnvironment("logging.level.root")],
            source: MANUAL,
            ..Knob::choice(
                "logging.level",
                &["TRACE", "DEBUG", "INFO", "WARN", "ERROR"],
            )
        },
        Knob {
            places: &[KnobPlace::new(
                PlaceKind::Xml,
                "configuration/root/appender-ref@ref",
            )],
            // An asynchronous one leaves lines out when its queue is nearly full.
            gives: Some(Gives::Logs),
            source: LOGBACK,
            ..Knob::text("logging.logback.appender")
        },
        Knob {
            default: &[KnobDefault::new("256", "")],
            // Lines below WARN are left out when a fifth of it is left.
            gives: Some(Gives::Logs),
            places: &[KnobPlace::new(
                PlaceKind::Xml,
                "configuration/appender[class=ch.qos.logback.classic.AsyncAppender]/queueSize",
            )],
            source: LOGBACK,
            ..Knob::counts("logging.logback.queue-size", 16, 64 << 10)
        },
        Knob {
            default: &[KnobDefault::new("off", "")],
            gives: Some(Gives::Logs),
            places: &[KnobPlace::new(
                PlaceKind::Xml,
                "configuration/appender[class=ch.qos.logback.classic.AsyncAppender]/neverBlock",
            )
            .spelled(Spelling::TrueFalse)],
            source: LOGBACK,
            ..Knob::switch("logging.logback.never-block")
        },
        Knob {
            default: &[KnobDefault::new("on", "")],
            gives: Some(Gives::Logs),
            places: &[
                KnobPlace::new(PlaceKind::Xml, "configuration/appender/immediateFlush")
                    .spelled(Spelling::TrueFalse),
            ],
            source: LOGBACK,
            ..Knob::switch("logging.logback.immediate-flush")
        },
        Knob {
            default: &[KnobDefault::new(
                "org.apache.logging.log4j.core.selector.ClassLoaderContextSelector",
                "",
            )],
            // What waits for the thread that writes is lost in a crash.
            gives: Some(Gives::Logs),
            conditions: &[Condition::Needs("com.lmax:disruptor")],
            places: &[KnobPlace::new(
                PlaceKind::SystemProperty,
                "-Dlog4j2.contextSelector",
            )],
            reads: &[ReadWay::Argument("-Dlog4j2.contextSelector")],
            source: LOG4J,
            ..Knob::choice(
                "logging.log4j2.async",
                &[
                    "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector",
                    "org.apache.logging.log4j.core.async.BasicAsyncLoggerContextSelector",
                    "org.apache.logging.log4j.core.selector.ClassLoaderContextSelector",
                ],
            )
        },
        Knob {
            default: &[
                KnobDefault::new("262144", ""),
                KnobDefault::new("4096", "log4j2.enableThreadlocals=true"),
            ],
            // So many lines a crash may lose.
            gives: Some(Gives::Logs),
            places: &[KnobPlace::new(
                PlaceKind::SystemProperty,
                "-Dlog4j2.asyncLoggerRingBufferSize",
            )],
            reads: &[ReadWay::Argument("-Dlog4j2.asyncLoggerRingBufferSize")],
            source: LOG4J,
            ..Knob::counts("logging.log4j2.ring-buffer", 128, 1 << 20)
        },
    ],
};
