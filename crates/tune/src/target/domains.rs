//! What a knob by name may be in a study.

use plimsoll_knobs::{Knob, KnobRange, KnobScale, KnobUnit, KnobValue, Spelling, ValueError};
use plimsoll_plan::model::{Span, Text};
use plimsoll_plan::study::StudyKnob;
use plimsoll_text::Message;

use super::place::{NamedSetting, Wrong};
use crate::space::Domain;

/// A value of a study that the knob may have and its place can write.
fn checked(setting: &NamedSetting, text: &str, at: Span) -> Result<KnobValue, Wrong> {
    let refused = |error: ValueError| {
        let message = Message::new("tune-knob-value")
            .with(
                "number",
                if is_number(setting.knob.range, text) {
                    "yes"
                } else {
                    "no"
                },
            )
            .with("knob", error.knob)
            .with("given", error.given)
            .with("allowed", error.allowed);
        (at, message)
    };
    let value = setting.knob.value(text.trim()).map_err(refused)?;
    let spelled = setting.knob.spell(&value, setting.place.spelling);
    spelled.map_err(refused)?;
    Ok(value)
}

/// Whether it is a number where numbers are searched: then only the bounds of the search refuse it.
fn is_number(range: KnobRange, text: &str) -> bool {
    let begins = text.trim().starts_with(|c: char| c.is_ascii_digit());
    begins && matches!(range, KnobRange::Number { .. })
}

/// What a knob may be in a study: its values, its range, or all that the knob may be.
///
/// # Errors
/// A value, range or step that it may not have.
pub fn domain(setting: &NamedSetting, of: &StudyKnob) -> Result<Domain, Wrong> {
    for value in &of.values {
        checked(setting, &value.raw, value.at)?;
    }
    if !of.values.is_empty() {
        let values = of.values.iter().map(|value| value.raw.trim().to_owned());
        return Ok(Domain::Choice(values.collect()));
    }
    let words = |words: &[&str]| Domain::Choice(words.iter().map(|it| (*it).to_owned()).collect());
    match (setting.knob.range, &of.range) {
        (KnobRange::Number { .. }, _) => numbers(setting, of),
        (KnobRange::Choice(all), None) => Ok(words(all)),
        (KnobRange::Switch, None) => Ok(words(&["on", "off"])),
        _ => {
            let any = matches!(setting.knob.range, KnobRange::Text);
            let message = Message::new("tune-knob-wants-values")
                .with("name", setting.knob.id)
                .with("any", if any { "yes" } else { "no" });
            Err((of.at, message.with("allowed", setting.knob.allowed())))
        }
    }
}

/// The ends of a range, in the knob's own unit.
fn ends(setting: &NamedSetting, range: &Text) -> Result<(f64, f64), Wrong> {
    let bad = || {
        let message = Message::new("tune-bad-range").with("range", range.raw.as_str());
        (range.at, message)
    };
    let (first, last) = range.raw.split_once("..").ok_or_else(bad)?;
    let number = |text: &str| match checked(setting, text, range.at)? {
        KnobValue::Number(number) => Ok(number),
        KnobValue::Word(_) => Err(bad()),
    };
    let (from, to) = (number(first)?, number(last)?);
    if from < to {
        Ok((from, to))
    } else {
        Err(bad())
    }
}

/// A range of numbers, in the largest unit in which all of them are whole.
fn numbers(setting: &NamedSetting, of: &StudyKnob) -> Result<Domain, Wrong> {
    let KnobRange::Number {
        least,
        most,
        scale,
        whole,
        ..
    } = setting.knob.range
    else {
        return Ok(Domain::Choice(Vec::new()));
    };
    let (from, to) = match &of.range {
        Some(range) => ends(setting, range)?,
        None => (least, most),
    };
    let step = match &of.step {
        None => None,
        Some(text) => match setting.value(&text.raw) {
            KnobValue::Number(step) if step > 0.0 && step <= to - from => Some(step),
            _ => {
                let range = of.range.as_ref().map(|range| range.raw.clone());
                let range = range.unwrap_or_else(|| setting.knob.allowed());
                return Err((text.at, Message::new("tune-bad-step").with("range", range)));
            }
        },
    };
    let (unit, factor) = unit(setting, &[Some(from), Some(to), step]);
    let (low, high) = (from / factor, to / factor);
    let usual = if whole { 1.0 } else { (high - low) / 100.0 };
    let step = step.map_or(usual, |step| step / factor);
    let by_ratio = (of.by_ratio || scale == KnobScale::Log) && from > 0.0;
    Ok(Domain::numbers(low, high, step, by_ratio, unit))
}

/// Units of numbers and how much they are, the largest first.
fn units(unit: KnobUnit, spelling: Spelling) -> &'static [(&'static str, f64)] {
    const MI: f64 = 1024.0 * 1024.0;
    match (unit, spelling) {
        (KnobUnit::Bytes, Spelling::PostgresSize(_)) => &[("m", MI), ("k", 1024.0)],
        (KnobUnit::Bytes, _) => &[("m", MI), ("k", 1024.0), ("", 1.0)],
        (KnobUnit::Milliseconds, Spelling::Seconds) => &[("s", 1000.0)],
        (KnobUnit::Milliseconds, _) => &[("s", 1000.0), ("ms", 1.0)],
        _ => &[("", 1.0)],
    }
}

/// The largest unit in which all numbers are whole.
fn unit(setting: &NamedSetting, numbers: &[Option<f64>]) -> (&'static str, f64) {
    let all = units(setting.knob.unit, setting.place.spelling);
    let whole = |(_, factor): &&(&str, f64)| {
        let mut numbers = numbers.iter().flatten();
        numbers.all(|number| (number / factor).fract() == 0.0)
    };
    let found = all.iter().find(whole).or(all.last());
    found.copied().unwrap_or(("", 1.0))
}

/// A value in the words of a domain.
#[must_use]
pub fn in_domain(knob: &Knob, value: &KnobValue, domain: &Domain) -> String {
    match (domain, value) {
        (Domain::Choice(values), _) => {
            let same = |text: &&String| knob.read(text, Spelling::Plain).same(value);
            let found = values.iter().find(same).cloned();
            found.unwrap_or_else(|| value.to_string())
        }
        (Domain::Number { unit, .. }, KnobValue::Number(number)) => {
            let all = units(knob.unit, Spelling::Plain);
            let factor = all.iter().find(|(name, _)| name == unit);
            let number = number / factor.map_or(1.0, |(_, factor)| *factor);
            format!("{number}{unit}")
        }
        (Domain::Number { .. }, KnobValue::Word(word)) => word.clone(),
    }
}
