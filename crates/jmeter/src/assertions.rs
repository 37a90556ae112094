//! What assertions make of a result (JMeter 5.6.3, `JMeterThread.checkAssertions`).

use plimsoll_elements::{AssertionResult, SampleResult};
use plimsoll_plan::program::{ElementId, Template};

use super::bound::BoundElement;
use crate::element_user::ElementUser;

/// How deep sub-results are looked at.
const DEPTH: u32 = 3;

impl ElementUser<'_> {
    /// Checks a result, and its sub-results as the assertion's scope says.
    pub(crate) async fn run_assertion(&mut self, id: ElementId, result: &mut SampleResult) {
        let thread = std::rc::Rc::clone(&self.thread);
        if let BoundElement::Remote = thread.jmeter.bound.elements[id.0 as usize] {
            self.remote_assertion(id, result).await;
            return;
        }
        let element = &thread.program.elements[id.0 as usize];
        let scope = element.text("Assertion.scope").and_then(Template::as_text);
        let scope = scope.unwrap_or("parent");
        if scope != "children" {
            self.check_one(id, result).await;
        }
        if matches!(scope, "children" | "all") {
            Box::pin(self.check_parts(id, result, DEPTH)).await;
        }
    }

    async fn check_one(&mut self, id: ElementId, result: &mut SampleResult) {
        if let Some(found) = self.run_check(id, result).await {
            result.success &= !(found.failure || found.error);
            result.assertions.push(found);
        }
    }

    async fn check_parts(&mut self, id: ElementId, result: &mut SampleResult, depth: u32) {
        let mut failed = false;
        for part in &mut result.parts {
            self.check_one(id, part).await;
            if depth > 0 {
                Box::pin(self.check_parts(id, part, depth - 1)).await;
            }
            failed |= !part.success;
        }
        if failed && result.success {
            let element = &self.thread.program.elements[id.0 as usize];
            result.assertions.push(AssertionResult {
                name: element.name.as_text().unwrap_or_default().to_owned(),
                failure: true,
                message: Some("One or more sub-samples failed".to_owned()),
                ..AssertionResult::default()
            });
            result.success = false;
        }
    }
}
