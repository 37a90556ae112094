//! Texts that are made while the plan runs and then evaluated (`${__eval(…)}`).

use std::cell::Cell;

use plimsoll_elements::Fault;
use plimsoll_plan::compile::jmeter_text;
use plimsoll_plan::limits::{EVALUATION_DEPTH, EVALUATIONS};
use plimsoll_plan::program::{SiteId, Template};

/// The site of all calls in such texts; what they keep is forgotten after use.
pub(super) const SITE: SiteId = SiteId(u32::MAX - 1);

thread_local! {
    /// How deep in evaluations this thread is, and how many there were since the outermost began.
    static EVALUATIONS_NOW: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// One evaluation within others, as long as it lives.
pub(super) struct Within(u32);

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

/// Reads a text in JMeter's grammar, to be evaluated as long as its [`Within`] lives; none: what the
/// grammar refuses, which is empty.
///
/// # Errors
/// Too many evaluations, or too deep.
pub(super) fn read(
    text: &str,
    value: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<(Within, Template)>, Fault> {
    let within = Within::begin()?;
    Ok(jmeter_text(text, SITE, value).map(|template| (within, template)))
}
