//! JMeter's functions, and those of plugins. One file a group, one line in [`FUNCTIONS`].

pub(crate) mod args;
mod before;
mod chance;
mod csv_read;
mod dates;
pub(crate) mod decimal;
mod entities;
pub(crate) mod escaping;
pub mod fifo;
mod files;
mod javascript;
mod jexl;
pub(crate) mod keep;
mod logging;
pub(crate) mod numbers;
mod plugin_texts;
mod refusal;
mod regex_function;
mod replacement;
mod shaping;
mod state;
mod sums;
#[cfg(test)]
pub(crate) mod testing;
mod texts;
mod whereabouts;
mod xpath;

use plimsoll_plan::functions::Function;
use plimsoll_plan::program::Call;

use crate::context::{Context, Fault};

pub use before::before_the_run;
pub use refusal::NO_VALUE;

/// Computes a function. Arguments are evaluated by the function itself, since some do not
/// evaluate all of theirs.
pub type Compute = fn(&Call, &mut dyn Context) -> Result<String, Fault>;

/// The native ones, by their name, sorted.
pub const FUNCTIONS: &[(&str, Compute)] = &[
    ("__CSVRead", csv_read::csv_read),
    ("__FileToString", files::file_to_string),
    ("__MD5", plugin_texts::md5),
    ("__P", state::property_or_one),
    ("__Random", chance::random),
    ("__RandomDate", dates::random),
    ("__RandomFromMultipleVars", chance::from_variables),
    ("__RandomString", chance::random_string),
    ("__StringFromFile", files::string_from_file),
    ("__StringToFile", files::string_to_file),
    ("__TestPlanName", whereabouts::plan_name),
    ("__UUID", chance::uuid),
    ("__V", state::variable),
    ("__XPath", xpath::xpath),
    ("__base64Decode", plugin_texts::base64_decode),
    ("__base64Encode", plugin_texts::base64_encode),
    ("__caseFormat", plugin_texts::case_format),
    ("__changeCase", texts::change_case),
    ("__char", escaping::char),
    ("__chooseRandom", chance::choose),
    ("__counter", sums::counter),
    ("__dateTimeConvert", dates::convert),
    ("__digest", texts::digest),
    ("__doubleSum", sums::double_sum),
    ("__env", plugin_texts::env),
    ("__escapeHtml", escaping::escape_html),
    ("__escapeOroRegexpChars", escaping::escape_pattern),
    ("__escapeXml", escaping::escape_xml),
    ("__eval", state::eval),
    ("__evalVar", state::eval_variable),
    ("__fifoGet", fifo::get),
    ("__fifoPop", fifo::pop),
    ("__fifoPut", fifo::put),
    ("__fifoSize", fifo::size),
    ("__if", plugin_texts::if_equal),
    ("__intSum", sums::int_sum),
    ("__isDefined", plugin_texts::is_defined),
    ("__isPropDefined", state::is_property),
    ("__isVarDefined", state::is_variable),
    ("__iterationNum", plugin_texts::iteration_number),
    ("__javaScript", javascript::javascript),
    ("__jexl2", jexl::jexl2),
    ("__jexl3", jexl::jexl3),
    ("__log", logging::log),
    ("__logn", logging::log_silently),
    ("__longSum", sums::long_sum),
    ("__lowercase", plugin_texts::lowercase),
    ("__machineIP", whereabouts::machine_ip),
    ("__machineName", whereabouts::machine_name),
    ("__property", state::property),
    ("__regexFunction", regex_function::regex),
    ("__samplerName", whereabouts::sampler_name),
    ("__setProperty", state::set_property),
    ("__split", state::split),
    ("__strLen", plugin_texts::length),
    ("__strReplace", plugin_texts::replace),
    ("__strReplaceRegex", plugin_texts::replace_pattern),
    ("__substring", plugin_texts::substring),
    ("__threadGroupName", whereabouts::group_name),
    ("__threadNum", whereabouts::thread_number),
    ("__time", dates::time),
    ("__timeShift", dates::shift),
    ("__tstFeedback", shaping::feedback),
    ("__unescape", escaping::unescape),
    ("__unescapeHtml", escaping::unescape_html),
    ("__uppercase", plugin_texts::uppercase),
    ("__urldecode", escaping::url_decode),
    ("__urlencode", escaping::url_encode),
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

/// Whether a function may have to wait: for the companion, or for another user.
#[must_use]
pub fn waits(name: &str) -> bool {
    name == fifo::POP || !is_native(name)
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

    #[test]
    fn all_functions_are_native_but_two() {
        let all = plimsoll_plan::functions::JMETER_FUNCTIONS.iter();
        let not_here = all.map(|known| known.name).filter(|name| !is_native(name));
        assert_eq!(not_here.collect::<Vec<_>>(), ["__BeanShell", "__groovy"]);
    }
}
