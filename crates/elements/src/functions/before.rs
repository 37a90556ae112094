//! Functions of constant arguments, computed before the run.

use plimsoll_plan::functions::Function;
use plimsoll_plan::program::{Call, SiteId, Template};

use super::FUNCTIONS;
use crate::context::nobody::Nobody;

/// Those whose value depends on their arguments alone.
const CONSTANT: [&str; 14] = [
    "__base64Decode",
    "__base64Encode",
    "__caseFormat",
    "__changeCase",
    "__doubleSum",
    "__if",
    "__jexl2",
    "__jexl3",
    "__lowercase",
    "__strLen",
    "__strReplace",
    "__substring",
    "__uppercase",
    "__urlencode",
];

/// The value of a call whose arguments are known; none when only a run can tell, or where the run has something
/// to say of it.
#[must_use]
pub fn before_the_run(name: &str, arguments: &[String]) -> Option<String> {
    let (name, compute) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
    if !CONSTANT.contains(name) {
        return None;
    }
    let call = Call {
        function: Function::JMeter(name),
        args: arguments
            .iter()
            .map(|text| Template::text(text.as_str()))
            .collect(),
        shared: None,
        site: SiteId(0),
        raw: (*name).into(),
    };
    let mut nobody = Nobody::default();
    let value = compute(&call, &mut nobody).ok()?;
    (!nobody.was_asked()).then_some(value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn value(name: &str, arguments: &[&str]) -> Option<String> {
        let arguments: Vec<_> = arguments.iter().map(|text| (*text).to_owned()).collect();
        before_the_run(name, &arguments)
    }

    #[test]
    fn what_depends_on_arguments_alone_is_known() {
        assert_eq!(value("__jexl3", &["1000/8"]).unwrap(), "125");
        assert_eq!(value("__jexl2", &["3 > 2 ? 7 : 1"]).unwrap(), "7");
        assert_eq!(value("__changeCase", &["ab", "UPPER"]).unwrap(), "AB");
        assert_eq!(value("__strLen", &["abcd"]).unwrap(), "4");
    }

    #[test]
    fn what_a_run_has_is_not() {
        for (name, arguments) in [
            ("__jexl3", &["threads * 2"][..]),
            ("__jexl3", &["vars.get('n')"]),
            ("__jexl3", &["vars.put('n', '1')"]),
            ("__jexl3", &["ctx.getThreadNum()"]),
            ("__jexl3", &["1 +"]),
            // It sets a variable.
            ("__jexl3", &["1", "n"]),
            ("__Random", &["1", "9"]),
            ("__time", &[""]),
            ("__groovy", &["1"]),
        ] {
            assert_eq!(value(name, arguments), None, "{name} {arguments:?}");
        }
    }

    #[test]
    fn each_is_a_function() {
        for name in CONSTANT {
            assert!(FUNCTIONS.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}
