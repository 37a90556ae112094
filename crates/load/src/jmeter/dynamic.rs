//! Texts that are made while the plan runs and then evaluated (`${__eval(…)}`).

use plimsoll_elements::{Context, Fault, Shared};
use plimsoll_plan::compile::jmeter_text;
use plimsoll_plan::program::SiteId;

use crate::functions::{EvalContext, EvalError, eval};

/// The site of all calls in such texts; what they keep is forgotten after use.
pub(super) const SITE: SiteId = SiteId(u32::MAX - 1);

/// Evaluates a text in JMeter's grammar. What the grammar refuses is empty.
pub(super) fn evaluate(text: &str, cx: &mut EvalContext<'_>) -> Result<String, Fault> {
    if !text.contains("${") {
        return Ok(text.to_owned());
    }
    let value = |name: &str| cx.get(name).map(|value| value.to_string());
    let Some(template) = jmeter_text(text, SITE, &value) else {
        return Ok(String::new());
    };
    let mut value = String::new();
    let result = eval(&template, cx, &mut value);
    *cx.own(SITE) = None;
    if let Some(view) = &mut cx.jmeter {
        view.user.dynamic = Shared::new();
    }
    result.map_err(EvalError::into_fault)?;
    Ok(value)
}
