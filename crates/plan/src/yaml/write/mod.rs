//! Plans as YAML text: the reader's way back. What is read from the text compiles to the same
//! program as the plan it was written from.

mod element;
mod emit;
mod load;
mod plan;
mod request;
mod responses;
mod scope;
mod steps;
mod time;

use crate::model::Plan;
use emit::document;
pub(crate) use emit::scalar;

/// A plan's text.
#[must_use]
pub fn to_yaml(plan: &Plan) -> String {
    document(plan::plan(plan))
}
