//! What does natively what a function or an element of a plugin does.

use plimsoll_plan::functions::JMETER_FUNCTIONS;
use plimsoll_text::Message;

/// Functions of plugins, and what of JMeter's own does the same (the custom functions of
/// jmeter-plugins.org, `jpgc-functions`, and names that people expect).
const FUNCTIONS: &[(&str, &str)] = &[
    ("__isPropertyDefined", "${__isPropDefined(name)}"),
    ("__md5", "${__digest(MD5,text,,,)}"),
    ("__sha1", "${__digest(SHA-1,text,,,)}"),
    ("__sha256", "${__digest(SHA-256,text,,,)}"),
    ("__toLowerCase", "${__changeCase(text,LOWER)}"),
    ("__toUpperCase", "${__changeCase(text,UPPER)}"),
];

/// Plugins' classes by the end of their names, and the elements of JMeter's that do the same.
const ELEMENTS: &[(&str, &str)] = &[
    ("JmesPathExtractor", "JSON JMESPath Extractor"),
    ("VariablesFromCSV", "CSV Data Set Config"),
    ("ParameterizedController", "User Parameters"),
];

/// What a person writes in place of a function that nothing runs.
pub fn of_function(name: &str) -> Message {
    let known = FUNCTIONS.iter().find(|(plugin, _)| *plugin == name);
    let native = known.map(|(_, native)| (*native).to_owned());
    let native = native.or_else(|| nearest(name).map(|near| format!("${{{near}}}")));
    match native {
        Some(native) => Message::new("jmeter-instead-native-function").with("native", native),
        None => Message::new("jmeter-instead-function"),
    }
}

/// The native element for a plugin's class, if there is one.
pub fn of_element(class: &str) -> Option<Message> {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let (_, native) = ELEMENTS.iter().find(|(plugin, _)| *plugin == simple)?;
    Some(Message::new("jmeter-instead-native-element").with("native", *native))
}

/// A native function whose name differs in case or by one character.
fn nearest(name: &str) -> Option<&'static str> {
    let native = JMETER_FUNCTIONS.iter().map(|function| function.name);
    let mut native = native.filter(|name| plimsoll_elements::functions::is_native(name));
    native.find(|known| {
        let equal = known.eq_ignore_ascii_case(name);
        equal || differs_by_one(&known.to_ascii_lowercase(), &name.to_ascii_lowercase())
    })
}

/// Whether one character more, less or other makes one word of the other.
fn differs_by_one(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // Short names are near to too much.
    if a.len().abs_diff(b.len()) > 1 || a.len().min(b.len()) < 6 {
        return false;
    }
    let front = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = (&a[front..], &b[front..]);
    let back = rest.0.iter().rev().zip(rest.1.iter().rev());
    let back = back.take_while(|(a, b)| a == b).count();
    a.len().max(b.len()) - front - back <= 1
}

#[cfg(test)]
mod tests {
    use plimsoll_plan::functions::jmeter_function;
    use plimsoll_text::{Lang, render};

    use super::*;
    use crate::support::functions_in;

    #[test]
    fn what_is_named_is_native() {
        for (plugin, native) in FUNCTIONS {
            assert!(
                jmeter_function(plugin).is_none(),
                "{plugin} is JMeter's own"
            );
            for name in functions_in(native) {
                assert!(plimsoll_elements::functions::is_native(name), "{native}");
            }
        }
    }

    #[test]
    fn native_functions_are_named() {
        let said = |name: &str| render(Lang::En, &of_function(name));
        assert!(said("__toLowerCase").contains("${__changeCase(text,LOWER)}"));
        assert!(said("__Uuid").contains("${__UUID}"));
        assert!(said("__RandomStrin").contains("${__RandomString}"));
        assert!(!said("__somethingElse").contains("${"));
    }
}
