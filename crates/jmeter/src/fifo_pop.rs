//! The pre-processor that takes a text from a queue (jpgc-fifo 0.2, `FifoPopPreProcessor`), bound once for the run.

use plimsoll_elements::Fields;
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::ElementProgram;

/// The pre-processor that waits.
pub(crate) const POP_CLASS: &str = "kg.apc.jmeter.modifiers.FifoPopPreProcessor";

/// A pre-processor that takes a text from a queue.
#[derive(Debug)]
pub struct FifoPop {
    pub(crate) queue: Field,
    pub(crate) variable: Field,
    pub(crate) timeout: Field,
}

impl FifoPop {
    /// Binds it.
    pub(crate) fn bind(element: &ElementProgram) -> Self {
        let fields = Fields(element);
        Self {
            queue: fields.field("FifoName"),
            variable: fields.field("Variable"),
            timeout: fields.field("Timeout"),
        }
    }
}
