//! The functions of JMESPath.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::super::{Json, Number};
use super::compare::equal;

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal $most:expr;)*) => {
        /// A function.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum JmesFunction { $($variant),* }

        impl JmesFunction {
            pub(super) fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Least and most arguments.
            pub(super) fn arity(self) -> (usize, usize) {
                match self { $(Self::$variant => ($least, $most)),* }
            }
        }
    };
}

functions! {
    Abs "abs" 1 1;
    Avg "avg" 1 1;
    Ceil "ceil" 1 1;
    Contains "contains" 2 2;
    EndsWith "ends_with" 2 2;
    Floor "floor" 1 1;
    Join "join" 2 2;
    Keys "keys" 1 1;
    Length "length" 1 1;
    Map "map" 2 2;
    Max "max" 1 1;
    MaxBy "max_by" 2 2;
    Merge "merge" 1 usize::MAX;
    Min "min" 1 1;
    MinBy "min_by" 2 2;
    NotNull "not_null" 1 usize::MAX;
    Reverse "reverse" 1 1;
    Sort "sort" 1 1;
    SortBy "sort_by" 2 2;
    StartsWith "starts_with" 2 2;
    Sum "sum" 1 1;
    ToArray "to_array" 1 1;
    ToNumber "to_number" 1 1;
    ToString "to_string" 1 1;
    Type "type" 1 1;
    Values "values" 1 1;
}

/// What the argument after `&` finds in an item.
pub(super) type By<'b, 't> = &'b dyn Fn(&Json<'t>) -> Result<Json<'t>, String>;

/// A function's value for its arguments, of which `by` is the one after `&`.
pub(super) fn call<'t>(
    function: JmesFunction,
    values: Vec<Json<'t>>,
    by: Option<By<'_, 't>>,
) -> Result<Json<'t>, String> {
    use JmesFunction as F;
    let by = || by.ok_or_else(|| wrong(function, "expression", "a value"));
    let mut values = values.into_iter();
    let Some(first) = values.next() else {
        return Err(wrong(function, "any value", "expression"));
    };
    let mut second = || values.next().unwrap_or(Json::Null);
    match function {
        F::Abs | F::Ceil | F::Floor => rounded(function, &first),
        F::Avg | F::Sum => total(function, &first),
        F::Contains => contains(function, &first, &second()),
        F::StartsWith | F::EndsWith => begins_or_ends(function, &first, &second()),
        F::Join => join(function, &first, &second()),
        F::Keys | F::Values => members(function, first),
        F::Length => length(function, &first),
        F::Map => {
            let (items, by) = (items_of(function, &first, "array")?, by()?);
            let mapped = items.iter().map(by);
            Ok(Json::Array(mapped.collect::<Result<_, _>>()?))
        }
        F::Max | F::Min => {
            let items = sortable(function, &first)?;
            let found = extreme(items.iter(), function == F::Max);
            Ok(found.cloned().unwrap_or(Json::Null))
        }
        F::MaxBy | F::MinBy | F::SortBy => {
            let items = items_of(function, &first, "array")?;
            sorted_by(function, items, by()?)
        }
        F::Sort => {
            let mut sorted = sortable(function, &first)?.to_vec();
            sorted.sort_by(order);
            Ok(Json::Array(sorted))
        }
        F::Merge => merge(function, std::iter::once(first).chain(values)),
        F::NotNull => {
            let mut all = std::iter::once(first).chain(values);
            let found = all.find(|value| !matches!(value, Json::Null));
            Ok(found.unwrap_or(Json::Null))
        }
        F::Reverse => reverse(function, first),
        F::ToArray => Ok(match first {
            Json::Array(items) => Json::Array(items),
            other => Json::Array(vec![other]),
        }),
        F::ToNumber => Ok(match first {
            Json::Number(number) => Json::Number(number),
            Json::Text(text) => number_of(&text),
            _ => Json::Null,
        }),
        F::ToString => Ok(Json::Text(first.jackson_text().into_owned().into())),
        F::Type => Ok(Json::Text(kind(&first).into())),
    }
}

fn wrong(function: JmesFunction, expected: &str, found: &str) -> String {
    let name = function.name();
    format!("Invalid argument type calling \"{name}\": expected {expected} but was {found}")
}

fn kind(value: &Json<'_>) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::Text(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// `array containing number, null and object`.
fn contents(items: &[Json<'_>]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for item in items {
        if !kinds.contains(&kind(item)) {
            kinds.push(kind(item));
        }
    }
    match kinds.split_last() {
        Some((last, [])) => format!("array containing {last}"),
        Some((last, others)) => format!("array containing {} and {last}", others.join(", ")),
        None => "array".to_owned(),
    }
}

fn text_of<'v>(function: JmesFunction, value: &'v Json<'_>) -> Result<&'v str, String> {
    match value {
        Json::Text(text) => Ok(text),
        other => Err(wrong(function, "string", kind(other))),
    }
}

fn items_of<'v, 't>(
    function: JmesFunction,
    value: &'v Json<'t>,
    expected: &str,
) -> Result<&'v [Json<'t>], String> {
    match value {
        Json::Array(items) => Ok(items),
        other => Err(wrong(function, expected, kind(other))),
    }
}

fn contains<'t>(
    function: JmesFunction,
    within: &Json<'_>,
    wanted: &Json<'_>,
) -> Result<Json<'t>, String> {
    Ok(Json::Bool(match (within, wanted) {
        (Json::Array(items), wanted) => items.iter().any(|item| equal(item, wanted)),
        (Json::Text(text), Json::Text(wanted)) => text.contains(&**wanted),
        (Json::Text(_), _) => false,
        (other, _) => return Err(wrong(function, "array or string", kind(other))),
    }))
}

fn begins_or_ends<'t>(
    function: JmesFunction,
    text: &Json<'_>,
    wanted: &Json<'_>,
) -> Result<Json<'t>, String> {
    let (text, wanted) = (text_of(function, text)?, text_of(function, wanted)?);
    Ok(Json::Bool(match function {
        JmesFunction::StartsWith => text.starts_with(wanted),
        _ => text.ends_with(wanted),
    }))
}

fn join<'t>(function: JmesFunction, glue: &Json<'_>, list: &Json<'_>) -> Result<Json<'t>, String> {
    let glue = text_of(function, glue)?;
    let items = items_of(function, list, "array of string")?;
    let texts = items.iter().map(|item| match item {
        Json::Text(text) => Ok(&**text),
        _ => Err(wrong(function, "array of string", &contents(items))),
    });
    let texts: Vec<&str> = texts.collect::<Result<_, _>>()?;
    Ok(Json::Text(texts.join(glue).into()))
}

fn members<'t>(function: JmesFunction, value: Json<'t>) -> Result<Json<'t>, String> {
    let Json::Object(members) = value else {
        return Err(wrong(function, "object", kind(&value)));
    };
    let part = |(name, value)| match function {
        JmesFunction::Keys => Json::Text(name),
        _ => value,
    };
    Ok(Json::Array(members.into_iter().map(part).collect()))
}

fn length<'t>(function: JmesFunction, value: &Json<'_>) -> Result<Json<'t>, String> {
    let length = match value {
        Json::Text(text) => text.chars().count(),
        Json::Array(items) => items.len(),
        Json::Object(members) => members.len(),
        other => return Err(wrong(function, "string, array or object", kind(other))),
    };
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    Ok(Json::Number(Number::Int(length)))
}

fn merge<'t>(
    function: JmesFunction,
    objects: impl Iterator<Item = Json<'t>>,
) -> Result<Json<'t>, String> {
    let mut merged: Vec<(Cow<'t, str>, Json<'t>)> = Vec::new();
    for object in objects {
        let Json::Object(members) = object else {
            return Err(wrong(function, "object", kind(&object)));
        };
        for (name, value) in members {
            match merged.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => merged.push((name, value)),
            }
        }
    }
    Ok(Json::Object(merged))
}

fn reverse<'t>(function: JmesFunction, value: Json<'t>) -> Result<Json<'t>, String> {
    match value {
        Json::Array(mut items) => {
            items.reverse();
            Ok(Json::Array(items))
        }
        Json::Text(text) => Ok(Json::Text(text.chars().rev().collect::<String>().into())),
        other => Err(wrong(function, "array or string", kind(&other))),
    }
}

fn rounded<'t>(function: JmesFunction, value: &Json<'_>) -> Result<Json<'t>, String> {
    let Json::Number(number) = value else {
        return Err(wrong(function, "number", kind(value)));
    };
    let number = number.value();
    Ok(Json::Number(Number::Double(match function {
        JmesFunction::Abs => number.abs(),
        JmesFunction::Ceil => number.ceil(),
        _ => number.floor(),
    })))
}

#[expect(clippy::cast_precision_loss)] // A count.
fn total<'t>(function: JmesFunction, value: &Json<'_>) -> Result<Json<'t>, String> {
    let items = items_of(function, value, "array of number")?;
    let mut sum = 0.0;
    for item in items {
        match item {
            Json::Number(number) => sum += number.value(),
            _ => return Err(wrong(function, "array of number", &contents(items))),
        }
    }
    Ok(match function {
        JmesFunction::Sum => Json::Number(Number::Double(sum)),
        _ if items.is_empty() => Json::Null,
        _ => Json::Number(Number::Double(sum / items.len() as f64)),
    })
}

/// The items, if all are numbers or all are texts.
fn sortable<'v, 't>(function: JmesFunction, value: &'v Json<'t>) -> Result<&'v [Json<'t>], String> {
    const EXPECTED: &str = "array of number or string";
    let items = items_of(function, value, EXPECTED)?;
    let numbers = items.iter().all(|item| matches!(item, Json::Number(_)));
    let texts = items.iter().all(|item| matches!(item, Json::Text(_)));
    match numbers || texts {
        true => Ok(items),
        false => Err(wrong(function, EXPECTED, &contents(items))),
    }
}

fn order(one: &Json<'_>, other: &Json<'_>) -> Ordering {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.compare(other).unwrap_or(Ordering::Equal),
        (Json::Text(one), Json::Text(other)) => one.cmp(other),
        _ => Ordering::Equal,
    }
}

/// The first of the largest, or of the smallest.
fn extreme<'v, 't: 'v>(
    items: impl Iterator<Item = &'v Json<'t>>,
    largest: bool,
) -> Option<&'v Json<'t>> {
    items.reduce(|best, item| {
        let order = order(item, best);
        let better = if largest {
            order.is_gt()
        } else {
            order.is_lt()
        };
        if better { item } else { best }
    })
}

fn sorted_by<'t>(
    function: JmesFunction,
    items: &[Json<'t>],
    by: By<'_, 't>,
) -> Result<Json<'t>, String> {
    let keys: Vec<Json<'t>> = items.iter().map(by).collect::<Result<_, _>>()?;
    if let Some(other) = keys
        .iter()
        .find(|key| !matches!(key, Json::Number(_) | Json::Text(_)))
    {
        return Err(wrong(function, "number or string", kind(other)));
    }
    let mut indexes: Vec<usize> = (0..items.len()).collect();
    indexes.sort_by(|one, other| match function {
        JmesFunction::MaxBy => order(&keys[*other], &keys[*one]),
        _ => order(&keys[*one], &keys[*other]),
    });
    let mut sorted = indexes.into_iter().map(|at| items[at].clone());
    Ok(match function {
        JmesFunction::SortBy => Json::Array(sorted.collect()),
        _ => sorted.next().unwrap_or(Json::Null),
    })
}

fn number_of<'t>(text: &str) -> Json<'t> {
    match text.parse::<i64>() {
        Ok(number) => Json::Number(Number::Int(number)),
        Err(_) => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Json::Number(Number::Double(number)),
            _ => Json::Null,
        },
    }
}
