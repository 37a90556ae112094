//! Variables and properties: `__V`, `__eval`, `__evalVar`, `__isVarDefined`, `__split`, `__P`,
//! `__property`, `__setProperty`, `__isPropDefined`.

use plimsoll_plan::program::Call;

use super::args::{count, text, text_or, trim, trimmed};
use crate::context::{Context, Fault};

/// `__V(name[, default])`: the variable of a computed name; by default the name itself.
pub(super) fn variable(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    let default = text_or(call, 1, &name, cx)?;
    Ok(match cx.get(&name) {
        Some(value) => value.to_string(),
        None => default.into_owned(),
    })
}

/// `__eval(text)`: the text, evaluated once more.
pub(super) fn eval(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let text = text(call, 0, cx)?;
    cx.evaluate(&text)
}

/// `__evalVar(name)`: the variable's value, evaluated.
pub(super) fn eval_variable(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    match cx.get(&name) {
        Some(value) => cx.evaluate(&value),
        None => Ok(String::new()),
    }
}

/// `__isVarDefined(name)`.
pub(super) fn is_variable(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    Ok(cx.get(&name).is_some().to_string())
}

/// `__split(text, variable[, separators])`: sets `variable_1`, `variable_2`, …, `variable_n`
/// and the variable itself. Each character of the separators separates.
pub(super) fn split(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let whole = text(call, 0, cx)?;
    let name = trimmed(call, 1, cx)?;
    let separators = text(call, 2, cx)?;
    let separators = if separators.is_empty() {
        ","
    } else {
        &separators
    };
    let parts = pieces(&whole, separators);
    cx.set(&name, &whole);
    cx.set(&format!("{name}_n"), &parts.len().to_string());
    for (number, part) in (1..).zip(&parts) {
        cx.set(&format!("{name}_{number}"), part);
    }
    cx.remove(&format!("{name}_{}", parts.len() + 1));
    Ok(whole.into_owned())
}

/// The pieces between separators. Nothing between two of them, or behind the last, is `?`;
/// nothing before the first is no piece.
fn pieces<'t>(whole: &'t str, separators: &str) -> Vec<&'t str> {
    if whole.is_empty() {
        return Vec::new();
    }
    let all = whole.split(|c| separators.contains(c));
    let pieces = all.enumerate().filter_map(|(at, piece)| match piece {
        "" if at == 0 => None,
        "" => Some("?"),
        piece => Some(piece),
    });
    pieces.collect()
}

/// `__P(name[, default])`: a property; by default `1`.
pub(super) fn property_or_one(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    if let Some(value) = cx.properties().get(&name) {
        if count(call) > 1 {
            // Its effects are wanted even where its value is not.
            text(call, 1, cx)?;
        }
        return Ok(trim(&value).to_owned());
    }
    if count(call) > 1 {
        return Ok(trimmed(call, 1, cx)?.into_owned());
    }
    Ok("1".to_owned())
}

/// `__property(name[, variable[, default]])`: a property; by default its name.
pub(super) fn property(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    let default = text_or(call, 2, &name, cx)?;
    let value = match cx.properties().get(&name) {
        Some(value) => trim(&value).to_owned(),
        None => trim(&default).to_owned(),
    };
    let variable = text(call, 1, cx)?;
    if !variable.is_empty() {
        cx.set(&variable, &value);
    }
    Ok(value)
}

/// `__setProperty(name, value[, true])`: sets a property; with `true` gives what it was.
pub(super) fn set_property(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    let value = text(call, 1, cx)?;
    let wants_old = text(call, 2, cx)?.eq_ignore_ascii_case("true");
    let old = cx.properties().set(&name, &value);
    if wants_old {
        // Java writes what is not there as `null`.
        return Ok(old.unwrap_or_else(|| "null".to_owned()));
    }
    Ok(String::new())
}

/// `__isPropDefined(name)`.
pub(super) fn is_property(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = text(call, 0, cx)?;
    Ok(cx.properties().get(&name).is_some().to_string())
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::run;

    #[test]
    fn variables_are_found_by_computed_names() {
        let mut cx = TestContext::with(&[("a1", "x"), ("text", "<${a1}>")]);
        assert_eq!(run("__V", &["a1"], &mut cx), "x");
        assert_eq!(run("__V", &["a2"], &mut cx), "a2");
        assert_eq!(run("__V", &["a2", "none"], &mut cx), "none");
        assert_eq!(run("__eval", &["${text}"], &mut cx), "<x>");
        assert_eq!(run("__evalVar", &["text"], &mut cx), "<x>");
        assert_eq!(run("__evalVar", &["other"], &mut cx), "");
        assert_eq!(run("__isVarDefined", &["a1"], &mut cx), "true");
        assert_eq!(run("__isVarDefined", &["a2"], &mut cx), "false");
    }

    #[test]
    fn splitting_sets_numbered_variables() {
        // Values: JMeter 5.6.3.
        let mut cx = TestContext::with(&[("x_5", "old")]);
        assert_eq!(run("__split", &["a||c|", " x ", "|"], &mut cx), "a||c|");
        let values = ["x", "x_n", "x_1", "x_2", "x_3", "x_4"].map(|name| cx.vars[name].to_string());
        assert_eq!(values, ["a||c|", "4", "a", "?", "c", "?"]);
        assert!(!cx.vars.contains_key("x_5"));
        run("__split", &[",a", "y", ""], &mut cx);
        assert_eq!((&*cx.vars["y_n"], &*cx.vars["y_1"]), ("1", "a"));
        run("__split", &["", "z"], &mut cx);
        assert_eq!(&*cx.vars["z_n"], "0");
        run("__split", &["a;b,c", "w", ",;"], &mut cx);
        assert_eq!((&*cx.vars["w_n"], &*cx.vars["w_3"]), ("3", "c"));
    }

    #[test]
    fn properties_are_read_and_set() {
        let mut cx = TestContext::with(&[]);
        assert_eq!(run("__P", &["host"], &mut cx), "1");
        assert_eq!(run("__P", &["host", " a "], &mut cx), "a");
        assert_eq!(run("__property", &["host"], &mut cx), "host");
        assert_eq!(run("__property", &["host", "v", "b"], &mut cx), "b");
        assert_eq!(&*cx.vars["v"], "b");
        assert_eq!(run("__isPropDefined", &["host"], &mut cx), "false");
        assert_eq!(
            run("__setProperty", &["host", "c ", "true"], &mut cx),
            "null"
        );
        assert_eq!(run("__setProperty", &["host", "d ", "TRUE"], &mut cx), "c ");
        assert_eq!(run("__setProperty", &["host", " e "], &mut cx), "");
        assert_eq!(run("__P", &["host", "x"], &mut cx), "e");
        assert_eq!(run("__property", &["host", "v", "b"], &mut cx), "e");
        assert_eq!(run("__isPropDefined", &["host"], &mut cx), "true");
    }
}
