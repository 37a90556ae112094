//! Timers in tests.

use plimsoll_plan::program::ElementProgram;

use crate::leaf::Timer;
use crate::registry::{self, Bound};
use crate::testing::element;

/// A timer of a class with these properties; a value `${name}` is a variable.
pub(crate) fn timer(class: &str, properties: &[(&str, &str)]) -> Box<dyn Timer> {
    bound(&element(class, properties))
}

/// The timer that an element is.
pub(crate) fn bound(element: &ElementProgram) -> Box<dyn Timer> {
    match registry::bind(element) {
        Some(Bound::Timer(timer)) => timer,
        other => panic!("{}: {other:?}", element.class),
    }
}
