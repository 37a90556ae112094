//! Texts that are made while the plan runs and then evaluated (`${__eval(…)}`).

use plimsoll_elements::{Context, Fault};

use crate::functions::EvalContext;

/// Evaluates a text in JMeter's grammar. What the grammar refuses is empty.
pub(super) fn evaluate(text: &str, cx: &mut EvalContext<'_>) -> Result<String, Fault> {
    let mut rest = text;
    let mut value = String::new();
    while let Some((before, after)) = rest.split_once("${") {
        value.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            return Ok(String::new());
        };
        match cx.get(name) {
            Some(text) => value.push_str(&text),
            None => {
                value.push_str("${");
                value.push_str(name);
                value.push('}');
            }
        }
        rest = after;
    }
    value.push_str(rest);
    Ok(value)
}
