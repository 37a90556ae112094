//! How functions refuse.

use plimsoll_plan::limits::TEXT_BYTES;

use crate::context::Fault;

/// The exception by which JMeter's functions say that they have no value. All others end the
/// sample that they are computed for.
pub const NO_VALUE: &str = "org.apache.jmeter.functions.InvalidVariableException";

/// The function has no value.
pub(super) fn no_value(why: &str) -> Fault {
    Fault::new(format!("{NO_VALUE}: {why}"))
}

/// A text that would be longer than any may be.
pub(super) fn too_long(function: &str) -> Fault {
    Fault::new(format!(
        "{function}: the text would be longer than {} MiB, which is the most that a text may have",
        TEXT_BYTES >> 20
    ))
}
