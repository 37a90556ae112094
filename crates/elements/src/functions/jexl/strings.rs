//! The methods of Java's texts, numbers and collections that scripts use.

use plimsoll_plan::limits::TEXT_BYTES;

use super::arithmetic::{index, one_of, same};
use super::value::Value;
use crate::pattern::{Dialect, Pattern};

type Computed = Result<Value, String>;

/// Calls a method of a value.
///
/// # Errors
/// When there is no such method, or it cannot use its arguments.
pub(super) fn call(on: &Value, name: &str, arguments: &[Value]) -> Computed {
    let known = match on {
        Value::Text(text) => of_text(text, name, arguments)?,
        Value::Integer(_) | Value::Double(_) => of_number(on, name),
        Value::List(_) | Value::Set(_) | Value::Map(_) | Value::Range(..) => {
            of_collection(on, name, arguments)?
        }
        Value::Entry(entry) => match name {
            "getKey" => Some(entry.0.clone()),
            "getValue" => Some(entry.1.clone()),
            _ => None,
        },
        Value::Null => return Err(format!("{name}() of null")),
        _ => None,
    };
    if let Some(value) = known {
        return Ok(value);
    }
    match (name, arguments) {
        ("toString", []) => Ok(Value::text(on.display())),
        ("equals", [other]) => Ok(Value::Bool(same(on, other))),
        ("size", []) => on
            .size()
            .map(number)
            .ok_or_else(|| missing(on, name, arguments)),
        _ => Err(missing(on, name, arguments)),
    }
}

fn missing(on: &Value, name: &str, arguments: &[Value]) -> String {
    let kind = match on {
        Value::Text(_) => "texts",
        Value::Integer(_) | Value::Double(_) => "numbers",
        Value::List(_) | Value::Set(_) | Value::Range(..) => "lists",
        Value::Map(_) => "maps",
        _ => "this value",
    };
    format!(
        "{kind} have no method {name} with {} arguments here",
        arguments.len()
    )
}

fn number(value: usize) -> Value {
    Value::Integer(value as i128)
}

fn of_number(on: &Value, name: &str) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // As Java's.
    let (whole, double) = match on {
        Value::Integer(value) => (*value, *value as f64),
        Value::Double(value) => (*value as i128, *value),
        _ => return None,
    };
    Some(match name {
        "intValue" | "longValue" => Value::Integer(whole),
        "doubleValue" | "floatValue" => Value::Double(double),
        _ => return None,
    })
}

fn of_collection(on: &Value, name: &str, arguments: &[Value]) -> Result<Option<Value>, String> {
    if let Value::Map(entries) = on {
        return of_map(&mut entries.borrow_mut(), name, arguments);
    }
    let items = || on.items().unwrap_or_default();
    Ok(Some(match (on, name, arguments) {
        (_, "size", []) => number(items().len()),
        (_, "isEmpty", []) => Value::Bool(items().is_empty()),
        (_, "contains", [value]) => Value::Bool(one_of(value, items().iter())?),
        (Value::List(values), "get", [at]) => {
            let at = index(at)?;
            let value = values.borrow().get(at).cloned();
            value.ok_or_else(|| format!("the list has no entry {at}"))?
        }
        (_, "indexOf", [value]) => {
            let at = items().iter().position(|other| same(value, other));
            at.map_or(Value::Integer(-1), number)
        }
        (Value::List(values), "add", [value]) => {
            values.borrow_mut().push(value.clone());
            Value::Bool(true)
        }
        (Value::List(values), "set", [at, value]) => {
            let at = index(at)?;
            let mut values = values.borrow_mut();
            let entry = values
                .get_mut(at)
                .ok_or_else(|| format!("the list has no entry {at}"))?;
            std::mem::replace(entry, value.clone())
        }
        (Value::List(values), "clear", []) => {
            values.borrow_mut().clear();
            Value::Null
        }
        _ => return Ok(None),
    }))
}

fn of_map(
    entries: &mut Vec<(Value, Value)>,
    name: &str,
    arguments: &[Value],
) -> Result<Option<Value>, String> {
    let at = |entries: &[(Value, Value)], key: &Value| {
        entries.iter().position(|(known, _)| same(known, key))
    };
    let all = |values: Vec<Value>| Value::Set(values.into());
    Ok(Some(match (name, arguments) {
        ("get", [key]) => at(entries, key).map_or(Value::Null, |at| entries[at].1.clone()),
        ("getOrDefault", [key, default]) => {
            at(entries, key).map_or(default.clone(), |at| entries[at].1.clone())
        }
        ("put", [key, value]) => match at(entries, key) {
            Some(at) => std::mem::replace(&mut entries[at].1, value.clone()),
            None => {
                entries.push((key.clone(), value.clone()));
                Value::Null
            }
        },
        ("remove", [key]) => at(entries, key).map_or(Value::Null, |at| entries.remove(at).1),
        ("containsKey", [key]) => Value::Bool(at(entries, key).is_some()),
        ("containsValue", [value]) => {
            Value::Bool(entries.iter().any(|(_, known)| same(known, value)))
        }
        ("keySet", []) => all(entries.iter().map(|(key, _)| key.clone()).collect()),
        ("values", []) => all(entries.iter().map(|(_, value)| value.clone()).collect()),
        ("entrySet", []) => {
            let entry = |entry: &(Value, Value)| Value::Entry(entry.clone().into());
            all(entries.iter().map(entry).collect())
        }
        ("size", []) => number(entries.len()),
        ("isEmpty", []) => Value::Bool(entries.is_empty()),
        _ => return Ok(None),
    }))
}

fn of_text(text: &str, name: &str, arguments: &[Value]) -> Result<Option<Value>, String> {
    let texts: Vec<String> = arguments.iter().map(Value::display).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let value = match texts.as_slice() {
        [] => plain(text, name),
        [other] => with_one(text, name, other, &arguments[0])?,
        [one, two] => with_two(text, name, (one, two), arguments)?,
        _ => None,
    };
    Ok(value)
}

fn plain(text: &str, name: &str) -> Option<Value> {
    Some(match name {
        "length" | "size" => number(text.encode_utf16().count()),
        "isEmpty" => Value::Bool(text.is_empty()),
        "isBlank" => Value::Bool(text.trim().is_empty()),
        "toUpperCase" => Value::text(text.to_uppercase()),
        "toLowerCase" => Value::text(text.to_lowercase()),
        "trim" => Value::text(crate::functions::args::trim(text)),
        "strip" => Value::text(text.trim()),
        "stripLeading" => Value::text(text.trim_start()),
        "stripTrailing" => Value::text(text.trim_end()),
        "intern" => Value::text(text),
        "toCharArray" => Value::list(text.encode_utf16().map(Value::Char).collect()),
        "hashCode" => {
            let step = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
            Value::Integer(i128::from(text.encode_utf16().fold(0, step)))
        }
        _ => return None,
    })
}

fn with_one(text: &str, name: &str, other: &str, value: &Value) -> Result<Option<Value>, String> {
    let place = |at: Option<usize>| match at {
        Some(at) => number(text[..at].encode_utf16().count()),
        None => Value::Integer(-1),
    };
    Ok(Some(match name {
        "contains" => Value::Bool(text.contains(other)),
        "startsWith" => Value::Bool(text.starts_with(other)),
        "endsWith" => Value::Bool(text.ends_with(other)),
        "equals" => Value::Bool(matches!(value, Value::Text(_)) && text == other),
        "contentEquals" => Value::Bool(text == other),
        "equalsIgnoreCase" => Value::Bool(text.to_lowercase() == other.to_lowercase()),
        "concat" => Value::text(format!("{text}{other}")),
        "indexOf" => place(text.find(other)),
        "lastIndexOf" => place(text.rfind(other)),
        "compareTo" => Value::Integer(difference(text, other)),
        "compareToIgnoreCase" => {
            Value::Integer(difference(&text.to_lowercase(), &other.to_lowercase()))
        }
        "matches" => Value::Bool(Pattern::new(other, Dialect::Java)?.matches(text)),
        "split" => Value::list(split(text, other, 0)?),
        "repeat" => {
            let times = index(value)?;
            bounded(text.len().saturating_mul(times))?;
            Value::text(text.repeat(times))
        }
        "charAt" => {
            let at = index(value)?;
            let unit = text.encode_utf16().nth(at);
            Value::Char(unit.ok_or_else(|| format!("the text has no character {at}"))?)
        }
        "substring" | "subSequence" => slice(text, index(value)?, None)?,
        _ => return Ok(None),
    }))
}

fn with_two(
    text: &str,
    name: &str,
    (one, two): (&str, &str),
    values: &[Value],
) -> Result<Option<Value>, String> {
    Ok(Some(match name {
        "substring" | "subSequence" => slice(text, index(&values[0])?, Some(index(&values[1])?))?,
        "replace" => {
            let longer = two.len().saturating_sub(one.len());
            let times = text.matches(one).count();
            bounded(text.len().saturating_add(times.saturating_mul(longer)))?;
            Value::text(text.replace(one, two))
        }
        "replaceAll" => Value::text(replaced(text, one, two, usize::MAX)?),
        "replaceFirst" => Value::text(replaced(text, one, two, 1)?),
        "split" => match &values[1] {
            Value::Integer(limit) => Value::list(split(text, one, *limit)?),
            _ => return Err("split wants a number".to_owned()),
        },
        "startsWith" => {
            let from = slice(text, index(&values[1])?, None)?;
            Value::Bool(from.display().starts_with(one))
        }
        "indexOf" => {
            let from = index(&values[1])?.min(text.encode_utf16().count());
            let rest = slice(text, from, None)?.display();
            match rest.find(one) {
                Some(at) => number(from + rest[..at].encode_utf16().count()),
                None => Value::Integer(-1),
            }
        }
        _ => return Ok(None),
    }))
}

/// Whether a text may become as long as that.
fn bounded(bytes: usize) -> Result<(), String> {
    match bytes > TEXT_BYTES {
        true => Err(format!("a text of more than {} MiB", TEXT_BYTES >> 20)),
        false => Ok(()),
    }
}

/// From one UTF-16 unit to before another.
fn slice(text: &str, from: usize, to: Option<usize>) -> Result<Value, String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let to = to.unwrap_or(units.len());
    let slice = units.get(from..to);
    let slice = slice.ok_or_else(|| format!("begin {from}, end {to}, length {}", units.len()))?;
    Ok(Value::text(String::from_utf16_lossy(slice)))
}

/// Java's `compareTo`: the difference of the first units that differ, or of the lengths.
fn difference(one: &str, other: &str) -> i128 {
    let differs = one
        .encode_utf16()
        .zip(other.encode_utf16())
        .find(|(one, other)| one != other);
    match differs {
        Some((one, other)) => i128::from(one) - i128::from(other),
        None => {
            let length = |text: &str| text.encode_utf16().count() as i128;
            length(one) - length(other)
        }
    }
}

/// Where a pattern matches, and its groups.
struct Place<'t> {
    span: std::ops::Range<usize>,
    groups: Vec<&'t str>,
}

/// The places where a pattern matches, at most so many.
fn places<'t>(text: &'t str, pattern: &str, most: usize) -> Result<Vec<Place<'t>>, String> {
    let pattern = Pattern::new(pattern, Dialect::Java)?;
    let mut places = Vec::new();
    let mut bytes = 0;
    pattern.each(text, &mut |groups| {
        let group = |number| groups.get(number).unwrap_or_default();
        places.push(Place {
            span: groups.span(),
            groups: (0..groups.len()).map(group).collect(),
        });
        bytes += size_of::<Place<'_>>() + groups.len() * size_of::<&str>();
        if places.len() < most && bytes <= TEXT_BYTES {
            std::ops::ControlFlow::Continue(())
        } else {
            std::ops::ControlFlow::Break(())
        }
    });
    bounded(bytes)?;
    Ok(places)
}

/// Java's `split`: a limit of 0 drops empty pieces at the end.
fn split(text: &str, pattern: &str, limit: i128) -> Result<Vec<Value>, String> {
    let most = usize::try_from(limit - 1).unwrap_or(usize::MAX);
    let mut pieces = Vec::new();
    let mut from = 0;
    for Place { span: place, .. } in places(text, pattern, usize::MAX)? {
        if limit > 0 && pieces.len() >= most {
            break;
        }
        // Nothing at the very beginning splits nothing off.
        if place.end == 0 || place.is_empty() && place.start == text.len() {
            continue;
        }
        pieces.push(&text[from..place.start]);
        from = place.end;
    }
    pieces.push(&text[from..]);
    if limit == 0 {
        while pieces.len() > 1 && pieces.last() == Some(&"") {
            pieces.pop();
        }
    }
    Ok(pieces.into_iter().map(Value::text).collect())
}

/// Java's `replaceAll`: `$1` is a group, `\` takes the next character as it is.
fn replaced(text: &str, pattern: &str, with: &str, most: usize) -> Result<String, String> {
    let mut all = String::with_capacity(text.len());
    let mut from = 0;
    for Place {
        span: place,
        groups,
    } in places(text, pattern, most)?
    {
        all.push_str(&text[from..place.start]);
        from = place.end;
        let mut letters = with.chars().peekable();
        while let Some(letter) = letters.next() {
            bounded(all.len())?;
            match letter {
                '\\' => all.extend(letters.next()),
                '$' => {
                    let digit = letters.next().and_then(|c| c.to_digit(10));
                    let number = digit.ok_or("Illegal group reference")? as usize;
                    let group = groups
                        .get(number)
                        .ok_or_else(|| format!("No group {number}"))?;
                    all.push_str(group);
                }
                letter => all.push(letter),
            }
        }
    }
    all.push_str(&text[from..]);
    Ok(all)
}
