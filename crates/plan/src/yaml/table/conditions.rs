//! Conditions.

use super::grammar::{Case, Kind, Object, Tagged, key};
use super::leaf::{SCRIPT, TEXT, VARIABLE};

/// A condition: text in one of its forms, or the long form.
pub(super) static CONDITION: Kind = Kind::OneOf(&[&super::leaf::CONDITION, &CONDITION_OBJECT]);
static CONDITION_OBJECT: Kind = Kind::Tagged(&Tagged {
    id: "condition",
    cases: &[
        Case {
            tags: &["js"],
            object: &JS_CONDITION,
        },
        Case {
            tags: &["is-true"],
            object: &IS_TRUE_CONDITION,
        },
        Case {
            tags: &["is-false"],
            object: &IS_FALSE_CONDITION,
        },
        Case {
            tags: &["compare"],
            object: &COMPARE_CONDITION,
        },
        Case {
            tags: &["defined"],
            object: &DEFINED_CONDITION,
        },
        Case {
            tags: &["not"],
            object: &NOT_CONDITION,
        },
    ],
});
static JS_CONDITION: Object = Object {
    id: "js-condition",
    keys: &[&[key("js", &SCRIPT, "condition-js").required()]],
    groups: &[],
};
static IS_TRUE_CONDITION: Object = Object {
    id: "is-true-condition",
    keys: &[&[key("is-true", &TEXT, "condition-is-true").required()]],
    groups: &[],
};
static IS_FALSE_CONDITION: Object = Object {
    id: "is-false-condition",
    keys: &[&[key("is-false", &TEXT, "condition-is-false").required()]],
    groups: &[],
};
static COMPARE_CONDITION: Object = Object {
    id: "compare-condition",
    keys: &[&[
        key("compare", &TEXT, "condition-compare").required(),
        key("op", &Kind::Word(OPERATORS), "condition-op").default("=="),
        key("with", &TEXT, "condition-with").required(),
    ]],
    groups: &[],
};
static DEFINED_CONDITION: Object = Object {
    id: "defined-condition",
    keys: &[&[key("defined", &VARIABLE, "condition-defined").required()]],
    groups: &[],
};
static NOT_CONDITION: Object = Object {
    id: "not-condition",
    keys: &[&[key("not", &CONDITION, "condition-not").required()]],
    groups: &[],
};
static OPERATORS: &[&str] = &["==", "!=", "<", "<=", ">", ">=", "contains", "matches"];
