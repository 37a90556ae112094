//! JMeter's functions. One file a group, one line in [`FUNCTIONS`].

mod args;
mod chance;
mod logging;
mod numbers;
mod state;
mod sums;
#[cfg(test)]
pub(crate) mod testing;
mod whereabouts;

use plimsoll_plan::functions::Function;
use plimsoll_plan::program::Call;

use crate::context::{Context, Fault};

/// Computes a function. Arguments are evaluated by the function itself, since some do not
/// evaluate all of theirs.
pub type Compute = fn(&Call, &mut dyn Context) -> Result<String, Fault>;

/// The native ones, by JMeter's name, sorted.
pub const FUNCTIONS: &[(&str, Compute)] = &[
    ("__P", state::property_or_one),
    ("__Random", chance::random),
    ("__RandomFromMultipleVars", chance::from_variables),
    ("__RandomString", chance::random_string),
    ("__TestPlanName", whereabouts::plan_name),
    ("__UUID", chance::uuid),
    ("__V", state::variable),
    ("__counter", sums::counter),
    ("__eval", state::eval),
    ("__evalVar", state::eval_variable),
    ("__intSum", sums::int_sum),
    ("__isPropDefined", state::is_property),
    ("__isVarDefined", state::is_variable),
    ("__log", logging::log),
    ("__logn", logging::log_silently),
    ("__longSum", sums::long_sum),
    ("__machineIP", whereabouts::machine_ip),
    ("__machineName", whereabouts::machine_name),
    ("__property", state::property),
    ("__samplerName", whereabouts::sampler_name),
    ("__setProperty", state::set_property),
    ("__split", state::split),
    ("__threadGroupName", whereabouts::group_name),
    ("__threadNum", whereabouts::thread_number),
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        let names: Vec<_> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
        assert!(names.is_sorted(), "{names:?}");
        assert!(is_native("__Random") && !is_native("__groovy"));
    }
}
