//! What the JVM companion does for a user.

use plimsoll_elements::{AssertionResult, Fault, SampleResult};
use plimsoll_plan::program::ElementId;

use super::bound::BoundPackage;
use super::sampled::{Sampled, Times};
use crate::user::User;
use crate::user::request::Cut;

/// What is said where the companion would be needed.
const NOT_HERE: &str = "there is no JVM companion";

impl User {
    /// Asks the companion for the value that a text waits for.
    pub(crate) async fn ask_companion(&mut self) {
        let memo = &mut self.jm().memo;
        if let Some(question) = memo.asked.take() {
            memo.answered(question, Err(NOT_HERE.to_owned()));
        }
    }

    /// A pre-processor of the companion's.
    pub(crate) async fn remote_pre(&mut self, _id: ElementId) -> Result<(), Fault> {
        Err(Fault::new(NOT_HERE))
    }

    /// An element of the companion's whose scope is entered.
    pub(crate) async fn remote_pass(&mut self, _id: ElementId) -> Result<(), Fault> {
        Err(Fault::new(NOT_HERE))
    }

    /// A post-processor of the companion's.
    pub(crate) async fn remote_post(
        &mut self,
        _id: ElementId,
        _sample: &mut SampleResult,
    ) -> Result<(), Fault> {
        Err(Fault::new(NOT_HERE))
    }

    /// A timer of the companion's.
    pub(crate) async fn remote_timer(&mut self, _id: ElementId) -> Result<u64, Fault> {
        Err(Fault::new(NOT_HERE))
    }

    /// An assertion of the companion's.
    pub(crate) async fn remote_assertion(&mut self, _id: ElementId, sample: &mut SampleResult) {
        sample.success = false;
        sample.assertions.push(AssertionResult {
            error: true,
            message: NOT_HERE.to_owned(),
            ..AssertionResult::default()
        });
    }

    /// A sampler of the companion's.
    pub(crate) async fn remote_sample(
        &mut self,
        _package: &BoundPackage,
        label: &str,
    ) -> Result<Option<Sampled>, Cut> {
        let mut result = SampleResult::new(label);
        NOT_HERE.clone_into(&mut result.message);
        let now = self.thread.clock.now_ns();
        let times = Times {
            start_ns: now,
            end_ns: now,
            ..Times::default()
        };
        Ok(Some(Sampled { result, times }))
    }

    /// A listener of the companion's.
    pub(crate) async fn remote_listener(&mut self, _id: ElementId, _sample: &mut SampleResult) {}
}
