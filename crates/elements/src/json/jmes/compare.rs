//! How values compare: which count as true, are equal, come first.

use std::cmp::Ordering;

use super::super::{Json, Number};

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JmesComparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Whether a value counts as true.
pub(super) fn truthy(value: &Json<'_>) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(truth) => *truth,
        Json::Number(_) => true,
        Json::Text(text) => !text.is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(members) => !members.is_empty(),
    }
}

/// Whether two values are equal: numbers by their values.
pub(super) fn equal(one: &Json<'_>, other: &Json<'_>) -> bool {
    one.equals_by(other, |one, other| {
        one.compare(other) == Some(Ordering::Equal)
    })
}

/// What a comparison says of two values; null where they have no order.
pub(super) fn compare<'t>(
    left: &Json<'_>,
    comparison: JmesComparison,
    right: &Json<'_>,
) -> Json<'t> {
    let order = match (left, right) {
        (Json::Number(left), Json::Number(right)) => Number::compare(left, right),
        _ => None,
    };
    let ordered = |wanted: fn(Ordering) -> bool| match order {
        Some(order) => Json::Bool(wanted(order)),
        None => Json::Null,
    };
    match comparison {
        JmesComparison::Equal => Json::Bool(equal(left, right)),
        JmesComparison::NotEqual => Json::Bool(!equal(left, right)),
        JmesComparison::Less => ordered(Ordering::is_lt),
        JmesComparison::LessOrEqual => ordered(Ordering::is_le),
        JmesComparison::Greater => ordered(Ordering::is_gt),
        JmesComparison::GreaterOrEqual => ordered(Ordering::is_ge),
    }
}
