//! Finding what an expression says.

use std::borrow::Cow;

use super::super::Json;
use super::super::value::item_at;
use super::compare::{compare, truthy};
use super::functions::{self, By, JmesFunction};
use super::node::{JmesItems, JmesNode};

/// What an expression finds in a value.
pub(super) fn evaluate<'t>(node: &JmesNode, value: &Json<'t>) -> Result<Json<'t>, String> {
    Ok(match node {
        JmesNode::Current => value.clone(),
        JmesNode::Literal(literal) => literal.clone().into_owned(),
        JmesNode::Field(name) => value.get(name).cloned().unwrap_or(Json::Null),
        JmesNode::Index(index) => match value {
            Json::Array(items) => item_at(items, *index).cloned().unwrap_or(Json::Null),
            _ => Json::Null,
        },
        JmesNode::Slice(from, to, step) => match value {
            Json::Array(items) => Json::Array(slice(items, *from, *to, *step)),
            _ => Json::Null,
        },
        JmesNode::Then(first, second) => match **first {
            // The usual `a.b`: without a copy of `a`.
            JmesNode::Field(ref name) => match value.get(name) {
                Some(value) => evaluate(second, value)?,
                None => evaluate(second, &Json::Null)?,
            },
            JmesNode::Current => evaluate(second, value)?,
            _ => evaluate(second, &evaluate(first, value)?)?,
        },
        JmesNode::Pipe(first, second) => evaluate(second, &evaluate(first, value)?)?,
        JmesNode::Or(left, right) => match evaluate(left, value)? {
            left if truthy(&left) => left,
            _ => evaluate(right, value)?,
        },
        JmesNode::And(left, right) => match evaluate(left, value)? {
            left if truthy(&left) => evaluate(right, value)?,
            left => left,
        },
        JmesNode::Not(node) => Json::Bool(!truthy(&evaluate(node, value)?)),
        JmesNode::Compare(left, comparison, right) => {
            let (left, right) = (evaluate(left, value)?, evaluate(right, value)?);
            compare(&left, *comparison, &right)
        }
        JmesNode::List(_) | JmesNode::Hash(_) if matches!(value, Json::Null) => Json::Null,
        JmesNode::List(nodes) => {
            let items = nodes.iter().map(|node| evaluate(node, value));
            Json::Array(items.collect::<Result<_, _>>()?)
        }
        JmesNode::Hash(nodes) => {
            let member = |(name, node): &(String, JmesNode)| {
                Ok((Cow::Owned(name.clone()), evaluate(node, value)?))
            };
            Json::Object(nodes.iter().map(member).collect::<Result<_, String>>()?)
        }
        JmesNode::Call(function, args) => call(*function, args, value)?,
        JmesNode::Reference(node) => evaluate(node, value)?,
        JmesNode::Each(items, left, right) => each(items, left, right, value)?,
    })
}

fn call<'t>(
    function: JmesFunction,
    args: &[JmesNode],
    value: &Json<'t>,
) -> Result<Json<'t>, String> {
    // An argument after `&` works on items, not on the value at hand.
    let mut by = None;
    let mut values = Vec::with_capacity(args.len());
    for arg in args {
        match arg {
            JmesNode::Reference(node) => by = by.or(Some(node)),
            arg => values.push(evaluate(arg, value)?),
        }
    }
    let by = by.map(|node| |item: &Json<'t>| evaluate(node, item));
    functions::call(function, values, by.as_ref().map(|by| by as By<'_, 't>))
}

fn each<'t>(
    items: &JmesItems,
    left: &JmesNode,
    right: &JmesNode,
    value: &Json<'t>,
) -> Result<Json<'t>, String> {
    let found = match (items, evaluate(left, value)?) {
        (JmesItems::Values, Json::Object(members)) => {
            members.into_iter().map(|(_, value)| value).collect()
        }
        (JmesItems::Flat, Json::Array(items)) => flat(items),
        (JmesItems::All | JmesItems::Slice, Json::Array(items)) => items,
        (JmesItems::Where(condition), Json::Array(items)) => {
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
    let as_they_are = matches!(right, JmesNode::Current);
    if as_they_are && !matches!(items, JmesItems::All) {
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
