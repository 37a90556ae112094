//! Conditions of the flow, and comparisons, which checks share.

use plimsoll_plan::model::Comparison;
use plimsoll_plan::program::Condition;
use plimsoll_text::Message;

use crate::extract::matches;
use crate::functions::{EvalContext, EvalError, eval_text};

/// How the user's last sample went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastSample {
    /// It succeeded. So does a user that has not sampled yet.
    pub ok: bool,
    /// It succeeded as far as was known before its checks.
    pub ok_before_checks: bool,
    /// The change of flow that an element asked for.
    pub asked: Option<plimsoll_plan::model::Action>,
}

impl Default for LastSample {
    fn default() -> Self {
        Self {
            ok: true,
            ok_before_checks: true,
            asked: None,
        }
    }
}

/// Whether a condition holds.
///
/// # Errors
/// When one of its templates or its script fails, or its pattern is wrong.
pub fn holds(
    condition: &Condition,
    ctx: &mut EvalContext<'_>,
    last: LastSample,
) -> Result<bool, EvalError> {
    Ok(match condition {
        Condition::Script(script) => {
            let scripts = ctx.scripts;
            scripts.truthy(*script, ctx)?
        }
        Condition::IsTrue(template) => eval_text(template, ctx)?
            .trim()
            .eq_ignore_ascii_case("true"),
        Condition::IsFalse(template) => eval_text(template, ctx)?
            .trim()
            .eq_ignore_ascii_case("false"),
        Condition::Compare { left, op, right } => {
            let (left, right) = (eval_text(left, ctx)?, eval_text(right, ctx)?);
            compare(&left, *op, &right)?
        }
        Condition::Defined(slot) => ctx.vars.get(*slot).is_some(),
        Condition::LastOk => last.ok,
        Condition::LastOkBeforeChecks => last.ok_before_checks,
        Condition::Asked(action) => last.asked == Some(*action),
        Condition::Not(inner) => !holds(inner, ctx, last)?,
    })
}

/// Compares two texts: as numbers when both are, else character by character.
///
/// # Errors
/// When `right` is to be a pattern and is none.
pub fn compare(left: &str, op: Comparison, right: &str) -> Result<bool, Message> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = || order(left, right);
    Ok(match op {
        Comparison::Equal => left == right || order() == Some(Equal),
        Comparison::NotEqual => left != right && order() != Some(Equal),
        Comparison::Less => order() == Some(Less),
        Comparison::AtMost => matches!(order(), Some(Less | Equal)),
        Comparison::Greater => order() == Some(Greater),
        Comparison::AtLeast => matches!(order(), Some(Greater | Equal)),
        Comparison::Contains => memchr::memmem::find(left.as_bytes(), right.as_bytes()).is_some(),
        Comparison::Matches => matches(right, left)?,
    })
}

fn order(left: &str, right: &str) -> Option<std::cmp::Ordering> {
    let (a, b) = (left.trim(), right.trim());
    // Exactly, so that long ids that differ in the last digit are not equal.
    if let (Ok(a), Ok(b)) = (a.parse::<i128>(), b.parse::<i128>()) {
        return Some(a.cmp(&b));
    }
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.partial_cmp(&b),
        _ => Some(left.cmp(right)),
    }
}

/// A decimal number; `inf`, `nan` and their like are words.
fn number(text: &str) -> Option<f64> {
    let decimal = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    if text.bytes().all(decimal) {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_plan::program::{Part, ScriptDef, ScriptId, Slot, Template};

    use super::*;
    use crate::functions::tests::TestUser;
    use crate::variables::tests::program;

    fn is(left: &str, op: Comparison, right: &str) -> bool {
        compare(left, op, right).unwrap()
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_texts_as_texts() {
        use Comparison::*;
        assert!(is("10", Greater, "9") && !is("10", Less, "9"));
        assert!(is(" 1.0", Equal, "1") && is("1e3", Equal, "1000") && !is("1.0", NotEqual, "1"));
        assert!(is("-0.5", Less, "0") && is("2", AtMost, "2") && is("2", AtLeast, "2.0"));
        // Numbers to the last digit, beyond what a floating-point number holds.
        assert!(is("9007199254740993", NotEqual, "9007199254740992"));
        assert!(is("b", Greater, "a") && is("10a", Less, "9a"));
        assert!(is("", Equal, "") && is("", Less, "0") && !is("", Equal, "0"));
        assert!(is("inf", Greater, "1"), "a word, after digits");
        assert!(is("nan", Equal, "nan"));
        assert!(is("abc", Contains, "b") && is("abc", Contains, "") && !is("abc", Contains, "d"));
        assert!(is("abc", Matches, "^a.c$") && !is("abc", Matches, "^b"));
        assert!(is("price: 10", Matches, r"(?<=price: )\d+"), "look-around");
        assert!(compare("a", Matches, "(").is_err());
    }

    #[test]
    fn conditions_hold_or_not() {
        let mut program = program(&["n"]);
        let script = |source: &str| ScriptDef {
            source: source.into(),
            expression: true,
            at: Default::default(),
        };
        program.scripts = vec![script("vars.n > 3"), script("x")];
        let mut user = TestUser::new(&program);
        let mut holds = |condition: &Condition, last| holds(condition, &mut user.ctx(), last);
        let fine = LastSample::default();
        assert!(!holds(&Condition::Defined(Slot(0)), fine).unwrap());
        user.vars.set(Slot(0), "4");
        let mut holds =
            |condition: &Condition, last| super::holds(condition, &mut user.ctx(), last);
        assert!(holds(&Condition::Defined(Slot(0)), fine).unwrap());
        assert!(holds(&Condition::IsTrue(Template::text(" True ")), fine).unwrap());
        assert!(!holds(&Condition::IsTrue(Template::text("1")), fine).unwrap());
        let n = Template {
            parts: vec![Part::Slot {
                slot: Slot(0),
                literal: "${n}".into(),
            }],
        };
        let ten = Template::text("10");
        let less = Condition::Compare {
            left: n,
            op: Comparison::Less,
            right: ten,
        };
        assert!(holds(&less, fine).unwrap());
        assert!(!holds(&Condition::Not(Box::new(less)), fine).unwrap());
        assert!(holds(&Condition::Script(ScriptId(0)), fine).unwrap());
        assert!(holds(&Condition::Script(ScriptId(1)), fine).is_err());
        let failed = LastSample {
            ok: false,
            ok_before_checks: true,
            asked: None,
        };
        assert!(holds(&Condition::LastOk, fine).unwrap());
        assert!(!holds(&Condition::LastOk, failed).unwrap());
        assert!(holds(&Condition::LastOkBeforeChecks, failed).unwrap());
    }
}
