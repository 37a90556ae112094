//! Texts that are made while the plan runs and then evaluated (`${__eval(…)}`).

use std::cell::Cell;

use plimsoll_elements::{Context, Fault, Shared};
use plimsoll_plan::compile::jmeter_text;
use plimsoll_plan::limits::{EVALUATION_DEPTH, EVALUATIONS};
use plimsoll_plan::program::SiteId;

use super::context::{ElementContext, fault_of};
use plimsoll_load::functions::eval;

/// The site of all calls in such texts; what they keep is forgotten after use.
pub(super) const SITE: SiteId = SiteId(u32::MAX - 1);

thread_local! {
    /// How deep in evaluations this thread is, and how many there were since the outermost began.
    static EVALUATIONS_NOW: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// One evaluation within others, as long as it lives.
struct Within(u32);

impl Within {
    /// A text may hold itself, and two of itself: both depth and number are limited.
    fn begin() -> Result<Self, Fault> {
        let (depth, count) = EVALUATIONS_NOW.get();
        let count = if depth == 0 { 1 } else { count + 1 };
        let limit = |what: &str, limit: u32| {
            Fault::new(format!(
                "a text is evaluated more than {limit} {what} (__eval, __evalVar): it seems to hold itself"
            ))
        };
        if depth >= EVALUATION_DEPTH {
            return Err(limit("times within itself", EVALUATION_DEPTH));
        }
        if count > EVALUATIONS {
            return Err(limit("times for one value", EVALUATIONS));
        }
        EVALUATIONS_NOW.set((depth + 1, count));
        Ok(Self(depth))
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        let (_, count) = EVALUATIONS_NOW.get();
        EVALUATIONS_NOW.set((self.0, count));
    }
}

/// Evaluates a text in JMeter's grammar. What the grammar refuses is empty.
pub(super) fn evaluate(text: &str, cx: &mut ElementContext<'_, '_>) -> Result<String, Fault> {
    if !text.contains("${") {
        return Ok(text.to_owned());
    }
    let _within = Within::begin()?;
    let value = |name: &str| cx.get(name).map(|value| value.to_string());
    let Some(template) = jmeter_text(text, SITE, &value) else {
        return Ok(String::new());
    };
    let mut value = String::new();
    let result = eval(&template, cx.eval, &mut value);
    *cx.own(SITE) = None;
    if let Some(user) = cx.user() {
        user.dynamic = Shared::new();
    }
    result.map_err(|error| fault_of(&error))?;
    Ok(value)
}
