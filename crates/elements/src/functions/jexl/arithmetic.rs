//! JEXL's sums and comparisons (Apache Commons JEXL 3.2.1 and 2.1.1, `JexlArithmetic`, strict).

use std::cmp::Ordering;

use super::token::Version;
use super::tree::Operator;
use super::value::{DEEPEST, Value};
use crate::functions::numbers::double as java_double;
use crate::pattern::{Dialect, Pattern};

type Computed = Result<Value, String>;

fn null() -> String {
    "an operand is null".to_owned()
}

/// Whether a value counts as true.
pub(super) fn truth(value: &Value) -> Result<bool, String> {
    Ok(match value {
        Value::Null => return Err(null()),
        Value::Bool(value) => *value,
        Value::Integer(value) => *value != 0,
        Value::Double(value) => *value != 0.0 && !value.is_nan(),
        Value::Text(text) => !text.is_empty() && &**text != "false",
        Value::Char(unit) => *unit != 0,
        _ => false,
    })
}

fn whole(value: &Value) -> Result<i128, String> {
    Ok(match value {
        Value::Null => return Err(null()),
        Value::Bool(value) => i128::from(*value),
        Value::Integer(value) => *value,
        #[expect(clippy::cast_possible_truncation)] // Saturates.
        Value::Double(value) => *value as i128,
        Value::Char(unit) => i128::from(*unit),
        Value::Text(text) if text.is_empty() => 0,
        Value::Text(text) => text
            .parse()
            .map_err(|_| format!("{text:?} is no whole number"))?,
        other => return Err(format!("{} is no number", other.display())),
    })
}

#[expect(clippy::cast_precision_loss)] // As Java's own.
fn double(value: &Value) -> Result<f64, String> {
    Ok(match value {
        Value::Double(value) => *value,
        Value::Text(text) if text.is_empty() => f64::NAN,
        Value::Text(text) => java_double(text).ok_or_else(|| format!("{text:?} is no number"))?,
        other => whole(other)? as f64,
    })
}

/// A number with a point or an exponent, or a text that looks like one.
fn is_double(value: &Value) -> bool {
    match value {
        Value::Double(_) => true,
        Value::Text(text) => text.contains(['.', 'e', 'E']) && java_double(text).is_some(),
        _ => false,
    }
}

fn checked(value: Option<i128>) -> Computed {
    let value = value.ok_or("a number has more than 38 digits")?;
    Ok(Value::Integer(value))
}

pub(super) fn binary(
    operator: Operator,
    left: &Value,
    right: &Value,
    version: Version,
) -> Computed {
    use Operator as O;
    let truth = match operator {
        O::Add => return add(left, right, version),
        // JEXL 2 takes the modulus that is never negative.
        O::Remainder if version == Version::Two && !is_double(left) && !is_double(right) => {
            let by = whole(right)?;
            if by == 0 {
                return Err("division by zero".to_owned());
            }
            return checked(whole(left)?.checked_rem_euclid(by));
        }
        O::Subtract | O::Multiply | O::Divide | O::Remainder => {
            return reckon(operator, left, right);
        }
        O::BitAnd => return checked(Some(whole(left)? & whole(right)?)),
        O::BitOr => return checked(Some(whole(left)? | whole(right)?)),
        O::BitXor => return checked(Some(whole(left)? ^ whole(right)?)),
        O::Equal => equal(left, right)?,
        O::NotEqual => !equal(left, right)?,
        O::Less => ordered(left, right)? == Some(Ordering::Less),
        O::Greater => ordered(left, right)? == Some(Ordering::Greater),
        O::LessEqual | O::GreaterEqual if left.is_null() && right.is_null() => true,
        O::LessEqual => matches!(
            ordered(left, right)?,
            Some(Ordering::Less | Ordering::Equal)
        ),
        O::GreaterEqual => {
            matches!(
                ordered(left, right)?,
                Some(Ordering::Greater | Ordering::Equal)
            )
        }
        O::Matches => matches(left, right)?,
        O::NotMatches => !matches(left, right)?,
        O::Begins => left.display().starts_with(&right.display()),
        O::NotBegins => !left.display().starts_with(&right.display()),
        O::Ends => left.display().ends_with(&right.display()),
        O::NotEnds => !left.display().ends_with(&right.display()),
    };
    Ok(Value::Bool(truth))
}

/// JEXL 3 puts texts together; JEXL 2 adds whatever looks like numbers.
fn add(left: &Value, right: &Value, version: Version) -> Computed {
    if left.is_null() || right.is_null() {
        return Err(null());
    }
    let is_text = |value: &Value| matches!(value, Value::Text(_));
    if left.items().is_some() || right.items().is_some() {
        return Err("a collection cannot be added".to_owned());
    }
    let puts_together = version == Version::Three && (is_text(left) || is_text(right));
    if !puts_together && let Ok(sum) = reckon(Operator::Add, left, right) {
        return Ok(sum);
    }
    Ok(Value::text(left.display() + &right.display()))
}

fn reckon(operator: Operator, left: &Value, right: &Value) -> Computed {
    if is_double(left) || is_double(right) {
        let (left, right) = (double(left)?, double(right)?);
        if matches!(operator, Operator::Divide | Operator::Remainder) && right == 0.0 {
            return Err("division by zero".to_owned());
        }
        return Ok(Value::Double(match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            _ => left % right,
        }));
    }
    let (left, right) = (whole(left)?, whole(right)?);
    match operator {
        Operator::Add => checked(left.checked_add(right)),
        Operator::Subtract => checked(left.checked_sub(right)),
        Operator::Multiply => checked(left.checked_mul(right)),
        Operator::Divide | Operator::Remainder if right == 0 => Err("division by zero".to_owned()),
        Operator::Divide => checked(left.checked_div(right)),
        _ => checked(left.checked_rem(right)),
    }
}

pub(super) fn equal(left: &Value, right: &Value) -> Result<bool, String> {
    Ok(match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => truth(left)? == truth(right)?,
        _ => compare(left, right, true)? == Some(Ordering::Equal),
    })
}

fn ordered(left: &Value, right: &Value) -> Result<Option<Ordering>, String> {
    if left.is_null() || right.is_null() {
        return Ok(None);
    }
    compare(left, right, false)
}

/// None: neither less nor greater nor equal.
fn compare(left: &Value, right: &Value, to_equal: bool) -> Result<Option<Ordering>, String> {
    let is_whole = |value: &Value| matches!(value, Value::Integer(_) | Value::Char(_));
    let has = |is: fn(&Value) -> bool| is(left) || is(right);
    if has(|value| matches!(value, Value::Double(_))) {
        let (left, right) = (double(left)?, double(right)?);
        // Not a number is less than every number, and equal to itself.
        return Ok(left
            .partial_cmp(&right)
            .or(Some(match (left.is_nan(), right.is_nan()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Less,
                _ => Ordering::Greater,
            })));
    }
    if is_whole(left) || is_whole(right) {
        return Ok(Some(whole(left)?.cmp(&whole(right)?)));
    }
    if has(|value| matches!(value, Value::Text(_))) {
        let units = |value: &Value| value.display().encode_utf16().collect::<Vec<_>>();
        return Ok(Some(units(left).cmp(&units(right))));
    }
    if let (Value::Bool(left), Value::Bool(right)) = (left, right) {
        return Ok(Some(left.cmp(right)));
    }
    if to_equal {
        return Ok((left.display() == right.display()).then_some(Ordering::Equal));
    }
    Err(format!(
        "{} and {} cannot be compared",
        left.display(),
        right.display()
    ))
}

/// `left =~ right`: a pattern for the whole text, or one of a collection.
fn matches(left: &Value, right: &Value) -> Result<bool, String> {
    if let Value::Map(entries) = right {
        return one_of(left, entries.borrow().iter().map(|(key, _)| key));
    }
    if let (Value::Integer(number), Value::Range(from, to)) = (left, right) {
        return Ok((*from.min(to)..=*from.max(to)).contains(number));
    }
    if let Some(items) = right.items() {
        return one_of(left, items.iter());
    }
    if left.is_null() || right.is_null() {
        return Ok(left.is_null() && right.is_null());
    }
    match right {
        Value::Text(pattern) => Ok(Pattern::new(pattern, Dialect::Java)?.matches(&left.display())),
        _ => equal(left, right),
    }
}

/// As Java's `contains`: a number is no text.
pub(super) fn one_of<'v>(
    value: &Value,
    mut among: impl Iterator<Item = &'v Value>,
) -> Result<bool, String> {
    Ok(among.any(|other| same(value, other)))
}

/// Java's `equals`: of the same kind.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    same_within(left, right, 0, &mut { MOST_COMPARED })
}

/// Values that are compared to tell whether two are the same: lists may hold each other.
const MOST_COMPARED: u32 = 1_000_000;

fn same_within(left: &Value, right: &Value, depth: u32, budget: &mut u32) -> bool {
    if depth > DEEPEST || *budget == 0 {
        return false;
    }
    *budget -= 1;
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Integer(left), Value::Integer(right)) => left == right,
        (Value::Double(left), Value::Double(right)) => left == right,
        (Value::Char(left), Value::Char(right)) => left == right,
        (Value::Text(left), Value::Text(right)) => left == right,
        (Value::List(_) | Value::Set(_), Value::List(_) | Value::Set(_)) => {
            match (left.items(), right.items()) {
                (Some(left), Some(right)) if left.len() == right.len() => left
                    .iter()
                    .zip(&right)
                    .all(|(left, right)| same_within(left, right, depth + 1, budget)),
                _ => false,
            }
        }
        _ => false,
    }
}

pub(super) fn minus(value: &Value) -> Computed {
    match value {
        Value::Integer(value) => checked(value.checked_neg()),
        Value::Double(value) => Ok(Value::Double(-value)),
        Value::Bool(value) => Ok(Value::Bool(!value)),
        other => Err(format!("{} is no number", other.display())),
    }
}

pub(super) fn plus(value: &Value) -> Computed {
    match value {
        Value::Integer(_) | Value::Double(_) => Ok(value.clone()),
        Value::Char(unit) => Ok(Value::Integer(i128::from(*unit))),
        other => Err(format!("{} is no number", other.display())),
    }
}

pub(super) fn complement(value: &Value) -> Computed {
    Ok(Value::Integer(!whole(value)?))
}

/// `empty`: nothing, or nothing in it; or zero.
pub(super) fn empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Integer(value) => *value == 0,
        Value::Double(value) => *value == 0.0 || value.is_nan(),
        other => other.size() == Some(0),
    }
}

/// A number of a list or a text.
pub(super) fn index(value: &Value) -> Result<usize, String> {
    usize::try_from(whole(value)?).map_err(|_| format!("{} is no index", value.display()))
}
