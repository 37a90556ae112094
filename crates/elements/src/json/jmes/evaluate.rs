//! Finding what an expression says.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::super::{Json, Number};
use super::{Comparison, Items, Node, functions};

/// What an expression finds in a value.
pub(super) fn evaluate<'t>(node: &Node, value: &Json<'t>) -> Result<Json<'t>, String> {
    Ok(match node {
        Node::Current => value.clone(),
        Node::Literal(literal) => literal.clone().into_owned(),
        Node::Field(name) => value.get(name).cloned().unwrap_or(Json::Null),
        Node::Index(index) => match value {
            Json::Array(items) => at(items, *index).cloned().unwrap_or(Json::Null),
            _ => Json::Null,
        },
        Node::Slice(from, to, step) => match value {
            Json::Array(items) => Json::Array(slice(items, *from, *to, *step)),
            _ => Json::Null,
        },
        Node::Then(first, second) => match **first {
            // The usual `a.b`: without a copy of `a`.
            Node::Field(ref name) => match value.get(name) {
                Some(value) => evaluate(second, value)?,
                None => evaluate(second, &Json::Null)?,
            },
            Node::Current => evaluate(second, value)?,
            _ => evaluate(second, &evaluate(first, value)?)?,
        },
        Node::Pipe(first, second) => evaluate(second, &evaluate(first, value)?)?,
        Node::Or(left, right) => match evaluate(left, value)? {
            left if truthy(&left) => left,
            _ => evaluate(right, value)?,
        },
        Node::And(left, right) => match evaluate(left, value)? {
            left if truthy(&left) => evaluate(right, value)?,
            left => left,
        },
        Node::Not(node) => Json::Bool(!truthy(&evaluate(node, value)?)),
        Node::Compare(left, comparison, right) => {
            let (left, right) = (evaluate(left, value)?, evaluate(right, value)?);
            compare(&left, *comparison, &right)
        }
        Node::List(_) | Node::Hash(_) if matches!(value, Json::Null) => Json::Null,
        Node::List(nodes) => {
            let items = nodes.iter().map(|node| evaluate(node, value));
            Json::Array(items.collect::<Result<_, _>>()?)
        }
        Node::Hash(nodes) => {
            let member = |(name, node): &(String, Node)| {
                Ok((Cow::Owned(name.clone()), evaluate(node, value)?))
            };
            Json::Object(nodes.iter().map(member).collect::<Result<_, String>>()?)
        }
        Node::Call(function, args) => functions::call(*function, args, value)?,
        Node::Reference(node) => evaluate(node, value)?,
        Node::Each(items, left, right) => each(items, left, right, value)?,
    })
}

fn each<'t>(
    items: &Items,
    left: &Node,
    right: &Node,
    value: &Json<'t>,
) -> Result<Json<'t>, String> {
    let found = match (items, evaluate(left, value)?) {
        (Items::Values, Json::Object(members)) => {
            members.into_iter().map(|(_, value)| value).collect()
        }
        (Items::Flat, Json::Array(items)) => flat(items),
        (Items::All | Items::Slice, Json::Array(items)) => items,
        (Items::Where(condition), Json::Array(items)) => {
            let mut kept = Vec::new();
            for item in items {
                if truthy(&evaluate(condition, &item)?) {
                    kept.push(item);
                }
            }
            kept
        }
        _ => return Ok(Json::Null),
    };
    let as_they_are = matches!(right, Node::Current);
    if as_they_are && !matches!(items, Items::All) {
        return Ok(Json::Array(found));
    }
    let mut projected = Vec::with_capacity(found.len());
    for item in found {
        let value = match as_they_are {
            true => item,
            false => evaluate(right, &item)?,
        };
        if !matches!(value, Json::Null) {
            projected.push(value);
        }
    }
    Ok(Json::Array(projected))
}

fn flat(items: Vec<Json<'_>>) -> Vec<Json<'_>> {
    let mut flat = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Json::Array(items) => flat.extend(items),
            other => flat.push(other),
        }
    }
    flat
}

fn at<'v, 't>(items: &'v [Json<'t>], index: i64) -> Option<&'v Json<'t>> {
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let at = if index < 0 { index + length } else { index };
    items.get(usize::try_from(at).ok()?)
}

fn slice<'t>(items: &[Json<'t>], from: Option<i64>, to: Option<i64>, step: i64) -> Vec<Json<'t>> {
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let (lowest, highest) = if step > 0 {
        (0, length)
    } else {
        (-1, length - 1)
    };
    let end = |end: i64| {
        let end = if end < 0 {
            end.saturating_add(length)
        } else {
            end
        };
        end.clamp(lowest, highest)
    };
    let from = from.map_or(if step > 0 { lowest } else { highest }, end);
    let to = to.map_or(if step > 0 { highest } else { lowest }, end);
    let mut found = Vec::new();
    let mut index = from;
    while (step > 0 && index < to) || (step < 0 && index > to) {
        let item = usize::try_from(index).ok().and_then(|at| items.get(at));
        found.extend(item.cloned());
        index = index.saturating_add(step);
    }
    found
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
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.compare(other) == Some(Ordering::Equal),
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Json::Object(members), Json::Object(others)) => {
            let same = |(name, value): &(Cow<'_, str>, Json<'_>)| {
                other.get(name).is_some_and(|other| equal(value, other))
            };
            members.len() == others.len() && members.iter().all(same)
        }
        _ => one.equals(other),
    }
}

fn compare<'t>(left: &Json<'_>, comparison: Comparison, right: &Json<'_>) -> Json<'t> {
    let order = match (left, right) {
        (Json::Number(left), Json::Number(right)) => Number::compare(left, right),
        _ => None,
    };
    let ordered = |wanted: fn(Ordering) -> bool| match order {
        Some(order) => Json::Bool(wanted(order)),
        None => Json::Null,
    };
    match comparison {
        Comparison::Equal => Json::Bool(equal(left, right)),
        Comparison::NotEqual => Json::Bool(!equal(left, right)),
        Comparison::Less => ordered(Ordering::is_lt),
        Comparison::LessOrEqual => ordered(Ordering::is_le),
        Comparison::Greater => ordered(Ordering::is_gt),
        Comparison::GreaterOrEqual => ordered(Ordering::is_ge),
    }
}
