//! The methods of Java's texts, numbers and collections that scripts use.

use plimsoll_plan::limits::TEXT_BYTES;

use super::arithmetic::{index, one_of, same};
use super::value::{JexlValue, bounded};
use crate::pattern::{Dialect, Pattern};

type Computed = Result<JexlValue, String>;

/// Calls a method of a value.
///
/// # Errors
/// When there is no such method, or it cannot use its arguments.
pub(super) fn call(on: &JexlValue, name: &str, arguments: &[JexlValue]) -> Computed {
    let known = match on {
        JexlValue::Text(text) => of_text(text, name, arguments)?,
        JexlValue::Integer(_) | JexlValue::Double(_) => of_number(on, name),
        JexlValue::List(_) | JexlValue::Set(_) | JexlValue::Map(_) | JexlValue::Range(..) => {
            of_collection(on, name, arguments)?
        }
        JexlValue::Entry(entry) => match name {
            "getKey" => Some(entry.0.clone()),
            "getValue" => Some(entry.1.clone()),
            _ => None,
        },
        JexlValue::Null => return Err(format!("{name}() of null")),
        _ => None,
    };
    if let Some(value) = known {
        return Ok(value);
    }
    match (name, arguments) {
        ("toString", []) => on.written().map(JexlValue::text),
        ("equals", [other]) => Ok(JexlValue::Bool(same(on, other))),
        ("size", []) => on
            .size()
            .map(number)
            .ok_or_else(|| missing(on, name, arguments)),
        _ => Err(missing(on, name, arguments)),
    }
}

fn missing(on: &JexlValue, name: &str, arguments: &[JexlValue]) -> String {
    let kind = match on {
        JexlValue::Text(_) => "texts",
        JexlValue::Integer(_) | JexlValue::Double(_) => "numbers",
        JexlValue::List(_) | JexlValue::Set(_) | JexlValue::Range(..) => "lists",
        JexlValue::Map(_) => "maps",
        _ => "this value",
    };
    format!(
        "{kind} have no method {name} with {} arguments here",
        arguments.len()
    )
}

fn number(value: usize) -> JexlValue {
    JexlValue::Integer(value as i128)
}

fn of_number(on: &JexlValue, name: &str) -> Option<JexlValue> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // As Java's.
    let (whole, double) = match on {
        JexlValue::Integer(value) => (*value, *value as f64),
        JexlValue::Double(value) => (*value as i128, *value),
        _ => return None,
    };
    Some(match name {
        "intValue" | "longValue" => JexlValue::Integer(whole),
        "doubleValue" | "floatValue" => JexlValue::Double(double),
        _ => return None,
    })
}

fn of_collection(
    on: &JexlValue,
    name: &str,
    arguments: &[JexlValue],
) -> Result<Option<JexlValue>, String> {
    if let JexlValue::Map(entries) = on {
        return of_map(&mut entries.borrow_mut(), name, arguments);
    }
    let items = || on.items().unwrap_or_default();
    Ok(Some(match (on, name, arguments) {
        (_, "size", []) => number(items().len()),
        (_, "isEmpty", []) => JexlValue::Bool(items().is_empty()),
        (_, "contains", [value]) => JexlValue::Bool(one_of(value, items().iter())?),
        (JexlValue::List(values), "get", [at]) => {
            let at = index(at)?;
            let value = values.borrow().get(at).cloned();
            value.ok_or_else(|| format!("the list has no entry {at}"))?
        }
        (_, "indexOf", [value]) => {
            let at = items().iter().position(|other| same(value, other));
            at.map_or(JexlValue::Integer(-1), number)
        }
        (JexlValue::List(values), "add", [value]) => {
            values.borrow_mut().push(value.clone());
            JexlValue::Bool(true)
        }
        (JexlValue::List(values), "set", [at, value]) => {
            let at = index(at)?;
            let mut values = values.borrow_mut();
            let entry = values
                .get_mut(at)
                .ok_or_else(|| format!("the list has no entry {at}"))?;
            std::mem::replace(entry, value.clone())
        }
        (JexlValue::List(values), "clear", []) => {
            values.borrow_mut().clear();
            JexlValue::Null
        }
        _ => return Ok(None),
    }))
}

fn of_map(
    entries: &mut Vec<(JexlValue, JexlValue)>,
    name: &str,
    arguments: &[JexlValue],
) -> Result<Option<JexlValue>, String> {
    let at = |entries: &[(JexlValue, JexlValue)], key: &JexlValue| {
        entries.iter().position(|(known, _)| same(known, key))
    };
    let all = |values: Vec<JexlValue>| JexlValue::Set(values.into());
    Ok(Some(match (name, arguments) {
        ("get", [key]) => at(entries, key).map_or(JexlValue::Null, |at| entries[at].1.clone()),
        ("getOrDefault", [key, default]) => {
            at(entries, key).map_or(default.clone(), |at| entries[at].1.clone())
        }
        ("put", [key, value]) => match at(entries, key) {
            Some(at) => std::mem::replace(&mut entries[at].1, value.clone()),
            None => {
                entries.push((key.clone(), value.clone()));
                JexlValue::Null
            }
        },
        ("remove", [key]) => at(entries, key).map_or(JexlValue::Null, |at| entries.remove(at).1),
        ("containsKey", [key]) => JexlValue::Bool(at(entries, key).is_some()),
        ("containsValue", [value]) => {
            JexlValue::Bool(entries.iter().any(|(_, known)| same(known, value)))
        }
        ("keySet", []) => all(entries.iter().map(|(key, _)| key.clone()).collect()),
        ("values", []) => all(entries.iter().map(|(_, value)| value.clone()).collect()),
        ("entrySet", []) => {
            let entry = |entry: &(JexlValue, JexlValue)| JexlValue::Entry(entry.clone().into());
            all(entries.iter().map(entry).collect())
        }
        ("size", []) => number(entries.len()),
        ("isEmpty", []) => JexlValue::Bool(entries.is_empty()),
        _ => return Ok(None),
    }))
}

fn of_text(text: &str, name: &str, arguments: &[JexlValue]) -> Result<Option<JexlValue>, String> {
    let texts: Vec<String> = arguments.iter().map(JexlValue::display).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let value = match texts.as_slice() {
        [] => plain(text, name),
        [other] => with_one(text, name, other, &arguments[0])?,
        [one, two] => with_two(text, name, (one, two), arguments)?,
        _ => None,
    };
    Ok(value)
}

fn plain(text: &str, name: &str) -> Option<JexlValue> {
    Some(match name {
        "length" | "size" => number(text.encode_utf16().count()),
        "isEmpty" => JexlValue::Bool(text.is_empty()),
        "isBlank" => JexlValue::Bool(text.trim().is_empty()),
        "toUpperCase" => JexlValue::text(text.to_uppercase()),
        "toLowerCase" => JexlValue::text(text.to_lowercase()),
        "trim" => JexlValue::text(crate::functions::args::trim(text)),
        "strip" => JexlValue::text(text.trim()),
        "stripLeading" => JexlValue::text(text.trim_start()),
        "stripTrailing" => JexlValue::text(text.trim_end()),
        "intern" => JexlValue::text(text),
        "toCharArray" => JexlValue::list(text.encode_utf16().map(JexlValue::Char).collect()),
        "hashCode" => {
            let step = |hash: i32, unit: u16| hash.wrapping_mul(31).wrapping_add(i32::from(unit));
            JexlValue::Integer(i128::from(text.encode_utf16().fold(0, step)))
        }
        _ => return None,
    })
}

fn with_one(
    text: &str,
    name: &str,
    other: &str,
    value: &JexlValue,
) -> Result<Option<JexlValue>, String> {
    let place = |at: Option<usize>| match at {
        Some(at) => number(text[..at].encode_utf16().count()),
        None => JexlValue::Integer(-1),
    };
    Ok(Some(match name {
        "contains" => JexlValue::Bool(text.contains(other)),
        "startsWith" => JexlValue::Bool(text.starts_with(other)),
        "endsWith" => JexlValue::Bool(text.ends_with(other)),
        "equals" => JexlValue::Bool(matches!(value, JexlValue::Text(_)) && text == other),
        "contentEquals" => JexlValue::Bool(text == other),
        "equalsIgnoreCase" => JexlValue::Bool(text.to_lowercase() == other.to_lowercase()),
        "concat" => JexlValue::text(format!("{text}{other}")),
        "indexOf" => place(text.find(other)),
        "lastIndexOf" => place(text.rfind(other)),
        "compareTo" => JexlValue::Integer(difference(text, other)),
        "compareToIgnoreCase" => {
            JexlValue::Integer(difference(&text.to_lowercase(), &other.to_lowercase()))
        }
        "matches" => JexlValue::Bool(Pattern::new(other, Dialect::Java)?.matches(text)),
        "split" => JexlValue::list(split(text, other, 0)?),
        "repeat" => {
            let times = index(value)?;
            bounded(text.len().saturating_mul(times))?;
            JexlValue::text(text.repeat(times))
        }
        "charAt" => {
            let at = index(value)?;
            let unit = text.encode_utf16().nth(at);
            JexlValue::Char(unit.ok_or_else(|| format!("the text has no character {at}"))?)
        }
        "substring" | "subSequence" => slice(text, index(value)?, None)?,
        _ => return Ok(None),
    }))
}

fn with_two(
    text: &str,
    name: &str,
    (one, two): (&str, &str),
    values: &[JexlValue],
) -> Result<Option<JexlValue>, String> {
    Ok(Some(match name {
        "substring" | "subSequence" => slice(text, index(&values[0])?, Some(index(&values[1])?))?,
        "replace" => {
            let longer = two.len().saturating_sub(one.len());
            let times = text.matches(one).count();
            bounded(text.len().saturating_add(times.saturating_mul(longer)))?;
            JexlValue::text(text.replace(one, two))
        }
        "replaceAll" => JexlValue::text(replaced(text, one, two, usize::MAX)?),
        "replaceFirst" => JexlValue::text(replaced(text, one, two, 1)?),
        "split" => match &values[1] {
            JexlValue::Integer(limit) => JexlValue::list(split(text, one, *limit)?),
            _ => return Err("split wants a number".to_owned()),
        },
        "startsWith" => {
            let from = slice(text, index(&values[1])?, None)?;
            JexlValue::Bool(from.display().starts_with(one))
        }
        "indexOf" => {
            let from = index(&values[1])?.min(text.encode_utf16().count());
            let rest = slice(text, from, None)?.display();
            match rest.find(one) {
                Some(at) => number(from + rest[..at].encode_utf16().count()),
                None => JexlValue::Integer(-1),
            }
        }
        _ => return Ok(None),
    }))
}

/// From one UTF-16 unit to before another.
fn slice(text: &str, from: usize, to: Option<usize>) -> Result<JexlValue, String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let to = to.unwrap_or(units.len());
    let slice = units.get(from..to);
    let slice = slice.ok_or_else(|| format!("begin {from}, end {to}, length {}", units.len()))?;
    Ok(JexlValue::text(String::from_utf16_lossy(slice)))
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
struct MatchPlace<'t> {
    span: std::ops::Range<usize>,
    groups: Vec<&'t str>,
}

/// The places where a pattern matches, at most so many.
fn places<'t>(text: &'t str, pattern: &str, most: usize) -> Result<Vec<MatchPlace<'t>>, String> {
    let pattern = Pattern::new(pattern, Dialect::Java)?;
    let mut places = Vec::new();
    let mut bytes = 0;
    pattern.each(text, &mut |groups| {
        let group = |number| groups.get(number).unwrap_or_default();
        places.push(MatchPlace {
            span: groups.span(),
            groups: (0..groups.len()).map(group).collect(),
        });
        bytes += size_of::<MatchPlace<'_>>() + groups.len() * size_of::<&str>();
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
fn split(text: &str, pattern: &str, limit: i128) -> Result<Vec<JexlValue>, String> {
    let most = usize::try_from(limit - 1).unwrap_or(usize::MAX);
    let mut pieces = Vec::new();
    let mut from = 0;
    for MatchPlace { span: place, .. } in places(text, pattern, usize::MAX)? {
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
    Ok(pieces.into_iter().map(JexlValue::text).collect())
}

/// Java's `replaceAll`: `$1` is a group, `\` takes the next character as it is.
fn replaced(text: &str, pattern: &str, with: &str, most: usize) -> Result<String, String> {
    let mut all = String::with_capacity(text.len());
    let mut from = 0;
    for MatchPlace {
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
