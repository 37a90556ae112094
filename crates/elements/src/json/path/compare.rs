//! The comparisons of filters.

use std::cmp::Ordering;

use super::super::{Json, Number};
use super::tree::PathOperator;
use crate::pattern::Pattern;

/// A side's value.
#[derive(Debug)]
pub(super) enum SideValue<'v> {
    Json(Json<'v>),
    Pattern(&'v Pattern),
    /// A path that leads nowhere.
    Undefined,
}

/// Whether a comparison holds. None: the sides are of kinds that the operator does not know.
pub(super) fn holds(
    left: &SideValue<'_>,
    operator: PathOperator,
    right: &SideValue<'_>,
) -> Option<bool> {
    use PathOperator as Op;
    match operator {
        Op::Equal => return Some(equal(left, right)),
        Op::NotEqual => return Some(!equal(left, right)),
        Op::Same => return Some(same_kind(left, right) && equal(left, right)),
        Op::NotSame => return Some(!(same_kind(left, right) && equal(left, right))),
        Op::Like => {
            return Some(match (left, right) {
                (SideValue::Json(value), SideValue::Pattern(pattern))
                | (SideValue::Pattern(pattern), SideValue::Json(value)) => {
                    let text = match value {
                        Json::Text(_) | Json::Number(_) | Json::Bool(_) => value.java_text(),
                        _ => "".into(),
                    };
                    pattern.matches(&text)
                }
                _ => false,
            });
        }
        Op::Never => return None,
        _ => {}
    }
    let SideValue::Json(right) = right else {
        return matches!(
            operator,
            Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual
        )
        .then_some(false);
    };
    let SideValue::Json(left) = left else {
        return match operator {
            Op::In => list(right).map(|_| false),
            Op::NotIn => list(right).map(|_| true),
            _ => Some(false),
        };
    };
    known(left, operator, right)
}

fn known(left: &Json<'_>, operator: PathOperator, right: &Json<'_>) -> Option<bool> {
    use PathOperator as Op;
    let ordered = |wanted: fn(Ordering) -> bool| Some(order(left, right).is_some_and(wanted));
    let within = |list: &[Json<'_>], value: &Json<'_>| list.iter().any(|item| alike(value, item));
    match operator {
        Op::Less => ordered(Ordering::is_lt),
        Op::LessOrEqual => ordered(Ordering::is_le),
        Op::Greater => ordered(Ordering::is_gt),
        Op::GreaterOrEqual => ordered(Ordering::is_ge),
        Op::In => Some(within(list(right)?, left)),
        Op::NotIn => Some(!within(list(right)?, left)),
        Op::Contains => match (left, right) {
            (Json::Text(left), Json::Text(right)) => Some(left.contains(&**right)),
            (Json::Array(items), _) => Some(within(items, right)),
            _ => Some(false),
        },
        Op::Size => {
            let Json::Number(wanted) = right else {
                return Some(false);
            };
            let size = match left {
                Json::Text(text) => text.encode_utf16().count(),
                Json::Array(items) => items.len(),
                Json::Object(members) => members.len(),
                _ => return Some(false),
            };
            let size = Number::Int(i64::try_from(size).unwrap_or(i64::MAX));
            Some(size.compare(wanted) == Some(Ordering::Equal))
        }
        Op::Empty => {
            let Json::Bool(wanted) = right else {
                return Some(false);
            };
            Some(match left {
                Json::Text(text) => text.is_empty() == *wanted,
                Json::Array(items) => items.is_empty() == *wanted,
                Json::Object(members) => members.is_empty() == *wanted,
                _ => false,
            })
        }
        Op::SubsetOf => {
            let (wanted, items) = (list(right)?, list(left)?);
            Some(items.iter().all(|item| within(wanted, item)))
        }
        Op::AnyOf => {
            let (wanted, items) = (list(right)?, list(left)?);
            Some(items.iter().any(|item| within(wanted, item)))
        }
        Op::NoneOf => {
            let (wanted, items) = (list(right)?, list(left)?);
            Some(!items.iter().any(|item| within(wanted, item)))
        }
        Op::Exists => match (left, right) {
            (Json::Bool(left), Json::Bool(right)) => Some(left == right),
            _ => None,
        },
        _ => None,
    }
}

fn list<'v, 't>(value: &'v Json<'t>) -> Option<&'v [Json<'t>]> {
    match value {
        Json::Array(items) => Some(items),
        _ => None,
    }
}

fn equal(left: &SideValue<'_>, right: &SideValue<'_>) -> bool {
    match (left, right) {
        (SideValue::Json(left), SideValue::Json(right)) => alike(left, right),
        _ => false,
    }
}

fn same_kind(left: &SideValue<'_>, right: &SideValue<'_>) -> bool {
    match (left, right) {
        (SideValue::Json(left), SideValue::Json(right)) => {
            let container = |value: &Json<'_>| matches!(value, Json::Array(_) | Json::Object(_));
            let same = std::mem::discriminant(left) == std::mem::discriminant(right);
            same || (container(left) && container(right))
        }
        _ => false,
    }
}

/// Equal for a filter: numbers by value, and texts that look like numbers as well.
fn alike(left: &Json<'_>, right: &Json<'_>) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => left.compare(right) == Some(Ordering::Equal),
        (Json::Number(left), Json::Text(right)) => {
            let right = right.parse().map(Number::Double);
            right.is_ok_and(|right| left.compare(&right) == Some(Ordering::Equal))
        }
        (Json::Text(left), Json::Number(right)) => *left == right.text(),
        _ => left.equals(right),
    }
}

/// How two texts or two numbers stand to each other; other kinds are not ordered.
fn order(one: &Json<'_>, other: &Json<'_>) -> Option<Ordering> {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.compare(other),
        (Json::Text(one), Json::Text(other)) => Some(one.encode_utf16().cmp(other.encode_utf16())),
        _ => None,
    }
}
