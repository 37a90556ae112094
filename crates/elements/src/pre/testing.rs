//! Elements that work when their scope is entered, in tests.

use crate::context::testing::TestContext;
use crate::registry::{Bound, bind};
use crate::testing::element;

/// The values of a variable after each of several passes.
pub(crate) fn passes(
    class: &str,
    properties: &[(&str, &str)],
    cx: &mut TestContext,
    variable: &str,
    times: usize,
) -> Vec<String> {
    let leaf = match bind(&element(class, properties)) {
        Some(Bound::Pass(leaf)) => leaf,
        other => panic!("{class}: {other:?}"),
    };
    let pass = |_| {
        if let Err(fault) = leaf.pass(cx) {
            panic!("{class}: {fault}");
        }
        cx.vars
            .get(variable)
            .map_or(String::new(), |value| value.to_string())
    };
    (0..times).map(pass).collect()
}
