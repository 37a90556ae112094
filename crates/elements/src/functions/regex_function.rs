//! `__regexFunction`: what a regular expression finds in the last response or a variable.

use std::ops::ControlFlow;

use plimsoll_plan::program::Call;

use super::args::text;
use super::chance::index;
use super::keep::made;
use super::numbers::double;
use crate::context::{Context, Fault};
use crate::pattern::{Dialect, Pattern};

/// A piece of the template: text, or a group.
enum GroupPiece {
    Text(String),
    Group(usize),
}

/// The groups of a match; a group that took no part is none.
type Groups = Vec<Option<String>>;

/// `__regexFunction(pattern, template[, which[, between[, default[, variable[, input]]]]])`.
pub(super) fn regex(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let template = pieces(&text(call, 1, cx)?);
    let which = text(call, 2, cx)?;
    let between = text(call, 3, cx)?;
    let default = text(call, 4, cx)?;
    let name = text(call, 5, cx)?;
    let input = text(call, 6, cx)?;
    if !name.is_empty() {
        cx.set(&name, &default);
    }
    let found = matches(call, &input, cx)?;
    let Some(found) = found else {
        return Ok(default.into_owned());
    };
    if !name.is_empty() {
        cx.set(&format!("{name}_matchNr"), &found.len().to_string());
    }
    if found.is_empty() {
        return Ok(default.into_owned());
    }
    let chosen: Vec<&Groups> = match &*which {
        "ALL" => found.iter().collect(),
        "RAND" => vec![&found[index(found.len(), cx)]],
        which => match numbered(which, found.len())? {
            Some(at) => vec![&found[at]],
            None => return Ok(default.into_owned()),
        },
    };
    let mut value = String::new();
    for (at, groups) in chosen.into_iter().enumerate() {
        if at > 0 {
            value.push_str(&between);
        }
        value.push_str(&result(groups, &template, &name, cx));
    }
    Ok(value)
}

/// All matches; none when there is no text to look at.
fn matches(call: &Call, input: &str, cx: &mut dyn Context) -> Result<Option<Vec<Groups>>, Fault> {
    let written = text(call, 0, cx)?;
    let fixed = call.args.first().is_some_and(|arg| arg.as_text().is_some());
    let dialect = Dialect::of(cx);
    let pattern = made(cx, call.site, fixed, &written, |text| {
        Pattern::new(text, dialect)
    });
    let variable = match input {
        "" => None,
        name => Some(cx.get(name)),
    };
    let looked_at = match &variable {
        Some(value) => value.as_deref().map(std::borrow::Cow::Borrowed),
        None => cx.previous().map(|sample| sample.text()),
    };
    let Some(looked_at) = looked_at.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let pattern = (*pattern)
        .as_ref()
        .map_err(|why| super::refusal::no_value(&format!("Malformed pattern {written}: {why}")))?;
    let mut found = Vec::new();
    pattern.each(&looked_at, &mut |groups| {
        let group = |number| groups.get(number).map(str::to_owned);
        found.push((0..groups.len()).map(group).collect());
        ControlFlow::Continue(())
    });
    Ok(Some(found))
}

/// The match of a number from 1 (none beyond the last), or of a part of all of them.
fn numbered(which: &str, len: usize) -> Result<Option<usize>, Fault> {
    let which = if which.is_empty() { "1" } else { which };
    let before_first = || {
        Fault::new(format!(
            "java.lang.IndexOutOfBoundsException: Index -1 out of bounds for length {len}"
        ))
    };
    if let Ok(number) = which.parse::<i32>() {
        let at = usize::try_from(i64::from(number) - 1).map_err(|_| before_first())?;
        return Ok((at < len).then_some(at));
    }
    let part = double(which).ok_or_else(|| {
        Fault::new(format!(
            "java.lang.NumberFormatException: For input string: \"{which}\""
        ))
    })?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )]
    let at = (len as f64 * part + 0.5).max(0.0) as usize;
    match at {
        0 => Err(before_first()),
        at if at > len => Err(Fault::new(format!(
            "java.lang.IndexOutOfBoundsException: Index {} out of bounds for length {len}",
            at - 1
        ))),
        at => Ok(Some(at - 1)),
    }
}

/// The template of a match. Sets the variables of its groups, and the whole.
fn result(groups: &Groups, template: &[GroupPiece], name: &str, cx: &mut dyn Context) -> String {
    for (number, group) in groups.iter().enumerate() {
        let variable = format!("{name}_g{number}");
        match group {
            Some(group) => cx.set(&variable, group),
            None => cx.remove(&variable),
        }
    }
    let mut value = String::new();
    for piece in template {
        match piece {
            GroupPiece::Text(text) => value.push_str(text),
            // Java writes what is not there as `null`.
            GroupPiece::Group(number) => match groups.get(*number) {
                Some(Some(group)) => value.push_str(group),
                _ => value.push_str("null"),
            },
        }
    }
    if !name.is_empty() {
        cx.set(name, &value);
    }
    value
}

/// `$1$` is a group.
fn pieces(template: &str) -> Vec<GroupPiece> {
    let mut pieces = Vec::new();
    let mut rest = template;
    let mut text = String::new();
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let group = after.split_once('$').and_then(|(digits, behind)| {
            let number = digits
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| digits.parse().ok());
            number.flatten().map(|number| (number, behind))
        });
        match group {
            Some((number, behind)) => {
                if !text.is_empty() {
                    pieces.push(GroupPiece::Text(std::mem::take(&mut text)));
                }
                pieces.push(GroupPiece::Group(number));
                rest = behind;
            }
            None => {
                text.push('$');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(GroupPiece::Text(text));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::{fault, run};
    use crate::result::SampleResult;

    fn context() -> TestContext {
        TestContext::with(&[("in", "abc 123 def 456"), ("in2", "key=1;key=2;key=3")])
    }

    // Values: JMeter 5.6.3.

    #[test]
    fn a_match_is_put_in_a_template_and_in_variables() {
        let mut cx = context();
        let args = [r"([a-z]+) (\d+)", "$2$-$1$", "1", "", "", "r", "in"];
        assert_eq!(run("__regexFunction", &args, &mut cx), "123-abc");
        let values =
            ["r", "r_g0", "r_g1", "r_g2", "r_matchNr"].map(|name| cx.vars[name].to_string());
        assert_eq!(values, ["123-abc", "abc 123", "abc", "123", "2"]);
        let key = |template: &str, which: &str, cx: &mut TestContext| {
            run(
                "__regexFunction",
                &[r"key=(\d)", template, which, "|", "d", "k", "in2"],
                cx,
            )
        };
        for (which, expected) in [
            ("ALL", "1|2|3"),
            ("2", "2"),
            ("5", "d"),
            ("0.5", "2"),
            ("1.0", "3"),
        ] {
            assert_eq!(key("$1$", which, &mut cx), expected, "{which}");
        }
        assert_eq!(&*cx.vars["k_matchNr"], "3");
        for (template, expected) in [
            ("a$1$b$0$c", "a1bkey=1c"),
            ("$2$", "null"),
            ("plain", "plain"),
            ("", ""),
            ("$1$x$1$", "1x1"),
            ("$x", "$x"),
        ] {
            assert_eq!(key(template, "", &mut cx), expected, "{template}");
        }
        assert!(["1", "2", "3"].contains(&key("$1$", "RAND", &mut cx).as_str()));
        let optional = [r"key=(x)?(\d)", "$1$$2$", "1", "", "", "o", "in2"];
        assert_eq!(run("__regexFunction", &optional, &mut cx), "null1");
        assert!(!cx.vars.contains_key("o_g1"));
    }

    #[test]
    fn without_a_match_the_default_is_given() {
        let mut cx = context();
        let args = [r"no(\d)", "$1$", "1", "", "d", "n", "in2"];
        assert_eq!(run("__regexFunction", &args, &mut cx), "d");
        assert_eq!((&*cx.vars["n"], &*cx.vars["n_matchNr"]), ("d", "0"));
        let args = [r"(\d)", "$1$", "1", "", "d", "", "none"];
        assert_eq!(run("__regexFunction", &args, &mut cx), "d");
        assert_eq!(run("__regexFunction", &[r"(\d)", "$1$"], &mut cx), "");
        let mut sample = SampleResult::new("x");
        sample.body = b"a5".to_vec();
        cx.previous = Some(sample);
        assert_eq!(run("__regexFunction", &[r"(\d)", "$1$"], &mut cx), "5");
    }

    #[test]
    fn odd_numbers_and_patterns_are_faults() {
        let mut cx = context();
        for (pattern, which) in [
            (r"(\d)", "0"),
            (r"(\d)", "0.01"),
            (r"(\d)", "9.5"),
            (r"(\d)", "x"),
            ("(", "1"),
        ] {
            let args = [pattern, "$1$", which, "", "d", "", "in2"];
            assert!(
                !fault("__regexFunction", &args, &mut cx).is_empty(),
                "{pattern} {which}"
            );
        }
    }
}
