//! JMeter's own Java samplers (5.6.3, `JavaTest`, `SleepTest`). Other classes are the
//! companion's.

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;

/// One of JMeter's own Java samplers.
pub struct JavaSampler {
    pub(crate) kind: JavaTestKind,
    pub(crate) arguments: Vec<(Field, Field)>,
}

/// Which of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum JavaTestKind {
    /// `JavaTest`.
    JavaTest,
    /// `SleepTest`.
    SleepTest,
}

impl JavaSampler {
    /// Binds it, if it is one of JMeter's own.
    pub fn bind(fields: Fields<'_>) -> Option<Self> {
        let kind = match fields.fixed_text("classname") {
            "org.apache.jmeter.protocol.java.test.JavaTest" => JavaTestKind::JavaTest,
            "org.apache.jmeter.protocol.java.test.SleepTest" => JavaTestKind::SleepTest,
            _ => return None,
        };
        let arguments = fields.element("arguments");
        let arguments = arguments.map(|it| it.elements("Arguments.arguments"));
        let pair = |it: Fields<'_>| (it.field("Argument.name"), it.field("Argument.value"));
        Some(Self {
            kind,
            arguments: arguments
                .unwrap_or_default()
                .into_iter()
                .map(pair)
                .collect(),
        })
    }
}
