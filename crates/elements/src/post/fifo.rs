//! `kg.apc.jmeter.modifiers.FifoPutPostProcessor` (jpgc-fifo 0.2): puts a text into a queue.

use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::functions::fifo::put_text;
use crate::leaf::{Bound, PostProcessor};
use crate::result::SampleResult;

struct FifoPut {
    queue: Field,
    value: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Post(Box::new(FifoPut {
        queue: fields.field("FifoName"),
        value: fields.field("Value"),
    }))
}

impl PostProcessor for FifoPut {
    fn process(&self, cx: &mut dyn Context, _: &mut SampleResult) -> Result<(), Fault> {
        let queue = self.queue.text(cx)?;
        let value = self.value.text(cx)?;
        put_text(cx, &queue, &value)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use crate::context::testing::TestContext;
    use crate::functions::fifo::FifoQueues;
    use crate::post::testing::process;
    use crate::testing::{properties, sample};

    #[test]
    fn a_text_goes_into_its_queue() {
        let mut cx = TestContext::with(&[("v", "a用")]);
        let class = "kg.apc.jmeter.modifiers.FifoPutPostProcessor";
        let given = properties("", "FifoName=q;;Value=${v}");
        assert_eq!(process(class, &given, &mut cx, &mut sample("")), Ok(()));
        let taken = FifoQueues::of(&cx).poll_pop("q", Waker::noop());
        assert_eq!(taken.as_deref(), Some("a用"));
    }
}
