//! `CompareAssertion`: the samples of an iteration are alike in content and time.

use plimsoll_plan::program::{SiteId, Template};

use super::finding::{failure, holds};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::pattern::{Dialect, Pattern};
use crate::result::{AssertionResult, SampleResult};

struct CompareAssertion {
    name: Template,
    site: SiteId,
    content: Field,
    /// Longest difference in time, ms; below 0: any.
    time_ms: Field,
    /// Patterns, and what takes the place of what they match.
    skipped: Vec<(Field, Field)>,
}

/// What was seen in this iteration of the user. JMeter begins anew whenever the controller
/// around the assertion does.
#[derive(Default)]
struct SeenContent {
    iteration: u64,
    last: Option<(String, u64)>,
    content_differs: bool,
    time_differs: bool,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let skipped = fields.elements("stringsToSkip").into_iter();
    Bound::Assertion(Box::new(CompareAssertion {
        name: fields.0.name.clone(),
        site: fields.0.site,
        content: fields.field("compareContent"),
        time_ms: fields.field("compareTime"),
        skipped: skipped
            .map(|skip| (skip.field("regex"), skip.field("substitute")))
            .collect(),
    }))
}

impl Assertion for CompareAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds(&self.name, cx)?;
        let compares = self.content.truth(cx, true)?;
        let most_ms = self.time_ms.whole(cx, -1)?;
        let content = match compares {
            true => self.filtered(cx, &sample.text())?,
            false => String::new(),
        };
        let iteration = cx.thread().iteration;
        let own = cx.own(self.site);
        if !own.as_ref().is_some_and(|own| own.is::<SeenContent>()) {
            *own = Some(Box::new(SeenContent::default()));
        }
        let Some(seen) = own
            .as_mut()
            .and_then(|own| own.downcast_mut::<SeenContent>())
        else {
            return Ok(found);
        };
        if seen.iteration != iteration {
            *seen = SeenContent {
                iteration,
                ..SeenContent::default()
            };
        }
        if let Some((last, last_ms)) = &seen.last {
            seen.content_differs |= compares && *last != content;
            let apart_ms = last_ms.abs_diff(sample.elapsed_ms);
            seen.time_differs |= u64::try_from(most_ms).is_ok_and(|most_ms| apart_ms > most_ms);
        }
        seen.last = Some((content, sample.elapsed_ms));
        Ok(if seen.time_differs {
            let message = format!("Responses differ in response time by more than{most_ms} ms");
            failure(found, message)
        } else if seen.content_differs {
            failure(found, "Responses differ in content")
        } else {
            found
        })
    }
}

impl CompareAssertion {
    /// The content without what may differ.
    fn filtered(&self, cx: &mut dyn Context, content: &str) -> Result<String, Fault> {
        let mut content = content.to_owned();
        for (pattern, substitute) in &self.skipped {
            let dialect = Dialect::of(cx);
            // Compiled each time: the element is rare, and its patterns are few.
            let pattern = Pattern::new(&pattern.text(cx)?, dialect).map_err(Fault::new)?;
            content = pattern.replaced(&content, &substitute.text(cx)?);
        }
        Ok(content)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use plimsoll_plan::program::ValueProgram;

    use crate::assertions::testing::{assert_on, said};
    use crate::context::testing::TestContext;
    use crate::testing::{element, sample};

    #[test]
    fn samples_of_an_iteration_are_compared() {
        let mut compare = element("CompareAssertion", &[("compareTime", "10")]);
        let skip = element(
            "SubstitutionElement",
            &[("regex", "[0-9]+"), ("substitute", "n")],
        );
        let skips = ValueProgram::List(vec![ValueProgram::Element(Box::new(skip))]);
        compare.properties.push(("stringsToSkip".into(), skips));
        let mut cx = TestContext::with(&[]);
        let mut of = |iteration, body, elapsed_ms| {
            cx.thread.iteration = iteration;
            let mut sample = sample(body);
            sample.elapsed_ms = elapsed_ms;
            said(&assert_on(&compare, &mut cx, &mut sample))
        };
        assert_eq!(of(1, "at 12", 5), "ok");
        assert_eq!(of(1, "at 13", 15), "ok");
        assert_eq!(of(1, "at x", 15), "fail: Responses differ in content");
        assert_eq!(of(1, "at x", 15), "fail: Responses differ in content");
        assert_eq!(of(2, "at x", 15), "ok");
        let late = "fail: Responses differ in response time by more than10 ms";
        assert_eq!(of(2, "at x", 26), late);
    }
}
