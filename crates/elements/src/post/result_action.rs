//! `ResultAction` (Result Status Action Handler): what a failed sample does to the flow.

use plimsoll_plan::model::Action;
use plimsoll_text::Message;

use super::PostProcessor;
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::registry::Bound;
use crate::result::SampleResult;

struct ResultAction {
    action: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Result<Bound, Message> {
    Ok(Bound::Post(Box::new(ResultAction {
        action: fields.field("OnError.action"),
    })))
}

impl PostProcessor for ResultAction {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        if sample.success {
            return Ok(());
        }
        // The numbers of JMeter's OnErrorTestElement; 0 goes on.
        let action = match self.action.whole(cx, 0)? {
            1 => Action::StopUser,
            2 => Action::StopRun,
            3 => Action::StopRunNow,
            4 => Action::NextIteration,
            5 => Action::Continue,
            6 => Action::Break,
            _ => return Ok(()),
        };
        cx.ask(action);
        Ok(())
    }

    fn after_assertions(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::super::testing::process;
    use super::*;
    use crate::context::testing::TestContext;

    #[test]
    fn a_failed_sample_asks_for_what_the_plan_says() {
        for (number, action) in [
            ("0", None),
            ("1", Some(Action::StopUser)),
            ("2", Some(Action::StopRun)),
            ("3", Some(Action::StopRunNow)),
            ("4", Some(Action::NextIteration)),
            ("5", Some(Action::Continue)),
            ("6", Some(Action::Break)),
            ("", None),
        ] {
            let properties = [("OnError.action".to_owned(), number.to_owned())];
            for success in [false, true] {
                let mut cx = TestContext::with(&[]);
                let mut sample = SampleResult::new("label");
                sample.success = success;
                process("ResultAction", &properties, &mut cx, &mut sample).unwrap();
                assert_eq!(cx.asked, action.filter(|_| !success), "{number}");
            }
        }
    }
}
