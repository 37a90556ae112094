//! JEXL's sums and comparisons (Apache Commons JEXL 3.2.1 and 2.1.1, `JexlArithmetic`, strict).

use std::cmp::Ordering;

use super::token::Version;
use super::tree::JexlOperator;
use super::value::{DEEPEST, JexlValue, MOST_VISITED};
use crate::functions::numbers::double as java_double;
use crate::pattern::{Dialect, Pattern};

type Computed = Result<JexlValue, String>;

fn null() -> String {
    "an operand is null".to_owned()
}

/// Whether a value counts as true.
pub(super) fn truth(value: &JexlValue) -> Result<bool, String> {
    Ok(match value {
        JexlValue::Null => return Err(null()),
        JexlValue::Bool(value) => *value,
        JexlValue::Integer(value) => *value != 0,
        JexlValue::Double(value) => *value != 0.0 && !value.is_nan(),
        JexlValue::Text(text) => !text.is_empty() && &**text != "false",
        JexlValue::Char(unit) => *unit != 0,
        _ => false,
    })
}

fn whole(value: &JexlValue) -> Result<i128, String> {
    Ok(match value {
        JexlValue::Null => return Err(null()),
        JexlValue::Bool(value) => i128::from(*value),
        JexlValue::Integer(value) => *value,
        #[expect(clippy::cast_possible_truncation)] // Saturates.
        JexlValue::Double(value) => *value as i128,
        JexlValue::Char(unit) => i128::from(*unit),
        JexlValue::Text(text) if text.is_empty() => 0,
        JexlValue::Text(text) => text
            .parse()
            .map_err(|_| format!("{text:?} is no whole number"))?,
        other => return Err(format!("{} is no number", other.display())),
    })
}

#[expect(clippy::cast_precision_loss)] // As Java's own.
fn double(value: &JexlValue) -> Result<f64, String> {
    Ok(match value {
        JexlValue::Double(value) => *value,
        JexlValue::Text(text) if text.is_empty() => f64::NAN,
        JexlValue::Text(text) => {
            java_double(text).ok_or_else(|| format!("{text:?} is no number"))?
        }
        other => whole(other)? as f64,
    })
}

/// A number with a point or an exponent, or a text that looks like one.
fn is_double(value: &JexlValue) -> bool {
    match value {
        JexlValue::Double(_) => true,
        JexlValue::Text(text) => text.contains(['.', 'e', 'E']) && java_double(text).is_some(),
        _ => false,
    }
}

fn checked(value: Option<i128>) -> Computed {
    let value = value.ok_or("a number has more than 38 digits")?;
    Ok(JexlValue::Integer(value))
}

pub(super) fn binary(
    operator: JexlOperator,
    left: &JexlValue,
    right: &JexlValue,
    version: Version,
) -> Computed {
    use JexlOperator as O;
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
    Ok(JexlValue::Bool(truth))
}

/// JEXL 3 puts texts together; JEXL 2 adds whatever looks like numbers.
fn add(left: &JexlValue, right: &JexlValue, version: Version) -> Computed {
    if left.is_null() || right.is_null() {
        return Err(null());
    }
    let is_text = |value: &JexlValue| matches!(value, JexlValue::Text(_));
    if left.items().is_some() || right.items().is_some() {
        return Err("a collection cannot be added".to_owned());
    }
    let puts_together = version == Version::Three && (is_text(left) || is_text(right));
    if !puts_together && let Ok(sum) = reckon(JexlOperator::Add, left, right) {
        return Ok(sum);
    }
    Ok(JexlValue::text(left.display() + &right.display()))
}

fn reckon(operator: JexlOperator, left: &JexlValue, right: &JexlValue) -> Computed {
    if is_double(left) || is_double(right) {
        let (left, right) = (double(left)?, double(right)?);
        if matches!(operator, JexlOperator::Divide | JexlOperator::Remainder) && right == 0.0 {
            return Err("division by zero".to_owned());
        }
        return Ok(JexlValue::Double(match operator {
            JexlOperator::Add => left + right,
            JexlOperator::Subtract => left - right,
            JexlOperator::Multiply => left * right,
            JexlOperator::Divide => left / right,
            _ => left % right,
        }));
    }
    let (left, right) = (whole(left)?, whole(right)?);
    match operator {
        JexlOperator::Add => checked(left.checked_add(right)),
        JexlOperator::Subtract => checked(left.checked_sub(right)),
        JexlOperator::Multiply => checked(left.checked_mul(right)),
        JexlOperator::Divide | JexlOperator::Remainder if right == 0 => {
            Err("division by zero".to_owned())
        }
        JexlOperator::Divide => checked(left.checked_div(right)),
        _ => checked(left.checked_rem(right)),
    }
}

pub(super) fn equal(left: &JexlValue, right: &JexlValue) -> Result<bool, String> {
    Ok(match (left, right) {
        (JexlValue::Null, JexlValue::Null) => true,
        (JexlValue::Null, _) | (_, JexlValue::Null) => false,
        (JexlValue::Bool(_), _) | (_, JexlValue::Bool(_)) => truth(left)? == truth(right)?,
        _ => compare(left, right, true)? == Some(Ordering::Equal),
    })
}

fn ordered(left: &JexlValue, right: &JexlValue) -> Result<Option<Ordering>, String> {
    if left.is_null() || right.is_null() {
        return Ok(None);
    }
    compare(left, right, false)
}

/// None: neither less nor greater nor equal.
fn compare(
    left: &JexlValue,
    right: &JexlValue,
    to_equal: bool,
) -> Result<Option<Ordering>, String> {
    let is_whole = |value: &JexlValue| matches!(value, JexlValue::Integer(_) | JexlValue::Char(_));
    let has = |is: fn(&JexlValue) -> bool| is(left) || is(right);
    if has(|value| matches!(value, JexlValue::Double(_))) {
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
    if has(|value| matches!(value, JexlValue::Text(_))) {
        let units = |value: &JexlValue| value.display().encode_utf16().collect::<Vec<_>>();
        return Ok(Some(units(left).cmp(&units(right))));
    }
    if let (JexlValue::Bool(left), JexlValue::Bool(right)) = (left, right) {
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
fn matches(left: &JexlValue, right: &JexlValue) -> Result<bool, String> {
    if let JexlValue::Map(entries) = right {
        return one_of(left, entries.borrow().iter().map(|(key, _)| key));
    }
    if let (JexlValue::Integer(number), JexlValue::Range(from, to)) = (left, right) {
        return Ok((*from.min(to)..=*from.max(to)).contains(number));
    }
    if let Some(items) = right.items() {
        return one_of(left, items.iter());
    }
    if left.is_null() || right.is_null() {
        return Ok(left.is_null() && right.is_null());
    }
    match right {
        JexlValue::Text(pattern) => {
            Ok(Pattern::new(pattern, Dialect::Java)?.matches(&left.display()))
        }
        _ => equal(left, right),
    }
}

/// As Java's `contains`: a number is no text.
pub(super) fn one_of<'v>(
    value: &JexlValue,
    mut among: impl Iterator<Item = &'v JexlValue>,
) -> Result<bool, String> {
    Ok(among.any(|other| same(value, other)))
}

/// Java's `equals`: of the same kind.
pub(super) fn same(left: &JexlValue, right: &JexlValue) -> bool {
    same_within(left, right, 0, &mut { MOST_VISITED })
}

fn same_within(left: &JexlValue, right: &JexlValue, depth: u32, budget: &mut u32) -> bool {
    if depth > DEEPEST || *budget == 0 {
        return false;
    }
    *budget -= 1;
    match (left, right) {
        (JexlValue::Null, JexlValue::Null) => true,
        (JexlValue::Bool(left), JexlValue::Bool(right)) => left == right,
        (JexlValue::Integer(left), JexlValue::Integer(right)) => left == right,
        (JexlValue::Double(left), JexlValue::Double(right)) => left == right,
        (JexlValue::Char(left), JexlValue::Char(right)) => left == right,
        (JexlValue::Text(left), JexlValue::Text(right)) => left == right,
        (JexlValue::List(_) | JexlValue::Set(_), JexlValue::List(_) | JexlValue::Set(_)) => {
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

pub(super) fn minus(value: &JexlValue) -> Computed {
    match value {
        JexlValue::Integer(value) => checked(value.checked_neg()),
        JexlValue::Double(value) => Ok(JexlValue::Double(-value)),
        JexlValue::Bool(value) => Ok(JexlValue::Bool(!value)),
        other => Err(format!("{} is no number", other.display())),
    }
}

pub(super) fn plus(value: &JexlValue) -> Computed {
    match value {
        JexlValue::Integer(_) | JexlValue::Double(_) => Ok(value.clone()),
        JexlValue::Char(unit) => Ok(JexlValue::Integer(i128::from(*unit))),
        other => Err(format!("{} is no number", other.display())),
    }
}

pub(super) fn complement(value: &JexlValue) -> Computed {
    Ok(JexlValue::Integer(!whole(value)?))
}

/// `empty`: nothing, or nothing in it; or zero.
pub(super) fn empty(value: &JexlValue) -> bool {
    match value {
        JexlValue::Null => true,
        JexlValue::Integer(value) => *value == 0,
        JexlValue::Double(value) => *value == 0.0 || value.is_nan(),
        other => other.size() == Some(0),
    }
}

/// A number of a list or a text.
pub(super) fn index(value: &JexlValue) -> Result<usize, String> {
    usize::try_from(whole(value)?).map_err(|_| format!("{} is no index", value.display()))
}
