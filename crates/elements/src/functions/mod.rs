//! JMeter's functions. One file a group, one line in [`FUNCTIONS`].

use plimsoll_plan::functions::Function;
use plimsoll_plan::program::Call;

use crate::context::{Context, Fault};

/// Computes a function. Arguments are evaluated by the function itself, since some do not
/// evaluate all of theirs.
pub type Compute = fn(&Call, &mut dyn Context) -> Result<String, Fault>;

/// The native ones, by JMeter's name, sorted.
pub const FUNCTIONS: &[(&str, Compute)] = &[];

/// Computes a call. Functions that are not native are the companion's.
///
/// # Errors
/// When the function cannot use its arguments, or waits for the companion.
pub fn call(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let Function::JMeter(name) = call.function else {
        return Err(Fault::new(format!(
            "{} is no function of JMeter's",
            call.raw
        )));
    };
    match FUNCTIONS.binary_search_by(|(known, _)| (*known).cmp(name)) {
        Ok(at) => (FUNCTIONS[at].1)(call, cx),
        Err(_) => {
            let mut args = Vec::with_capacity(call.args.len());
            for arg in &call.args {
                args.push(cx.text(arg)?.into_owned());
            }
            cx.remote(name, call.site, &args)
        }
    }
}

/// Whether a function is computed here.
#[must_use]
pub fn is_native(name: &str) -> bool {
    FUNCTIONS
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .is_ok()
}
