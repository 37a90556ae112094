//! Values of knobs: read from what files and targets say, and spelled as each place wants them.

use std::fmt;

use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::knob::{Knob, KnobRange, KnobUnit, Spelling};

/// A value of a knob.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum KnobValue {
    /// A number in the knob's unit.
    Number(f64),
    /// A word; switches are `on` and `off`.
    Word(String),
}

/// Why a text is no value of a knob.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueError {
    /// The knob.
    pub knob: &'static str,
    /// What was given.
    pub given: String,
    /// What is allowed.
    pub allowed: String,
}

impl ValueError {
    /// What to say.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::new("knobs-value")
            .with("knob", self.knob)
            .with("given", self.given.as_str())
            .with("allowed", self.allowed.as_str())
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            knob,
            given,
            allowed,
        } = self;
        write!(f, "{knob}: {given} is none of {allowed}")
    }
}

impl std::error::Error for ValueError {}

impl fmt::Display for KnobValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&plain(*number)),
            Self::Word(word) => f.write_str(word),
        }
    }
}

impl KnobValue {
    /// Whether both mean the same: numbers but for rounding, words but for case.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => same_number(*a, *b),
            (Self::Word(a), Self::Word(b)) => a.eq_ignore_ascii_case(b),
            _ => false,
        }
    }
}

/// Whether two numbers are the same but for rounding.
pub(crate) fn same_number(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

impl Knob {
    /// What a person wrote, as a value within the range: `512m`, `20s`, `on`, `200`.
    ///
    /// # Errors
    ///
    /// If it is none, or outside of what the knob may be.
    pub fn value(&self, text: &str) -> Result<KnobValue, ValueError> {
        let value = self.read(text, Spelling::Plain);
        self.check(&value)?;
        Ok(value)
    }

    /// Whether a target that has this has what was wanted: the same, or what its program makes of that.
    #[must_use]
    pub fn is_met(&self, wanted: &KnobValue, has: &KnobValue) -> bool {
        match (wanted, has, self.rounds) {
            (KnobValue::Number(wanted), KnobValue::Number(has), Some(by)) => {
                (wanted - has).abs() < by(*wanted)
            }
            (KnobValue::Word(wanted), KnobValue::Word(has), _) if self.range == KnobRange::Text => {
                let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                words(wanted).eq_ignore_ascii_case(&words(has))
            }
            _ => has.same(wanted),
        }
    }

    /// Whether a value is within the range.
    ///
    /// # Errors
    ///
    /// If it is not.
    pub fn check(&self, value: &KnobValue) -> Result<(), ValueError> {
        let fits = match (self.range, value) {
            (
                KnobRange::Number {
                    least, most, whole, ..
                },
                KnobValue::Number(number),
            ) => {
                (least..=most).contains(number) && (!whole || number.fract() == 0.0)
                    || self.is_also(&plain(*number))
            }
            (KnobRange::Number { .. }, KnobValue::Word(word)) => self.is_also(word),
            (KnobRange::Choice(words), _) => words
                .iter()
                .any(|one| value.same(&KnobValue::Word((*one).to_owned()))),
            (KnobRange::Switch, KnobValue::Word(word)) => word == "on" || word == "off",
            (KnobRange::Switch, KnobValue::Number(_)) => false,
            (KnobRange::Text, _) => true,
        };
        fits.then_some(()).ok_or_else(|| ValueError {
            knob: self.id,
            given: value.to_string(),
            allowed: self.allowed(),
        })
    }

    /// What it may be, for people: `10 … 2000`, `on, off`.
    #[must_use]
    pub fn allowed(&self) -> String {
        match self.range {
            KnobRange::Number {
                least, most, also, ..
            } => {
                let bounds = format!("{} … {}", self.shown(least), self.shown(most));
                std::iter::once(bounds)
                    .chain(also.iter().map(|word| (*word).to_owned()))
                    .collect::<Vec<_>>()
                    .join(", ")
            }
            KnobRange::Choice(words) => words.join(", "),
            KnobRange::Switch => "on, off".to_owned(),
            KnobRange::Text => "…".to_owned(),
        }
    }

    /// A number of it with its unit.
    #[must_use]
    pub fn shown(&self, number: f64) -> String {
        match self.unit {
            KnobUnit::Bytes => sized(number, ["k", "m", "g"]),
            KnobUnit::Milliseconds => duration(number),
            KnobUnit::Percent => format!("{} %", plain(number)),
            KnobUnit::Count | KnobUnit::Cpus | KnobUnit::Word => plain(number),
        }
    }

    /// What a file or target says as a value, whether it is within the range or not. A number without
    /// a unit has the spelling's.
    #[must_use]
    pub fn read(&self, text: &str, spelling: Spelling) -> KnobValue {
        let text = text.trim();
        if self.is_also(text) {
            return self.word(text);
        }
        match self.range {
            KnobRange::Number { .. } => match self.number_in(text, spelling) {
                Some(number) if self.is_also(&plain(number)) => self.word(&plain(number)),
                Some(number) => KnobValue::Number(number),
                None => KnobValue::Word(text.to_owned()),
            },
            KnobRange::Switch => switched(text, spelling),
            KnobRange::Choice(words) => {
                let known = words.iter().find(|word| word.eq_ignore_ascii_case(text));
                KnobValue::Word(known.map_or(text, |word| word).to_owned())
            }
            KnobRange::Text => KnobValue::Word(text.to_owned()),
        }
    }

    /// A word beside the numbers: a number where it looks like one.
    fn word(&self, text: &str) -> KnobValue {
        match text.parse() {
            Ok(number) => KnobValue::Number(number),
            Err(_) => KnobValue::Word(text.to_lowercase()),
        }
    }

    fn is_also(&self, text: &str) -> bool {
        matches!(self.range, KnobRange::Number { also, .. }
            if also.iter().any(|word| word.eq_ignore_ascii_case(text)))
    }

    fn number_in(&self, text: &str, spelling: Spelling) -> Option<f64> {
        match self.unit {
            KnobUnit::Bytes => bytes(text, spelling),
            KnobUnit::Milliseconds => milliseconds(text, spelling),
            KnobUnit::Percent => finite(text.trim_end_matches('%').trim_end()),
            KnobUnit::Count | KnobUnit::Cpus | KnobUnit::Word => finite(text),
        }
    }

    /// A value as a place wants it.
    ///
    /// # Errors
    ///
    /// If the place has no word for it: parts of seconds where only whole ones are written.
    pub fn spell(&self, value: &KnobValue, spelling: Spelling) -> Result<String, ValueError> {
        let number = match value {
            KnobValue::Number(number) if !self.is_also(&plain(*number)) => *number,
            KnobValue::Number(number) => return Ok(plain(*number)),
            KnobValue::Word(word) => return Ok(spelled_word(self, word, spelling)),
        };
        let scaled = match spelling {
            Spelling::Size => return Ok(sized(number, ["k", "m", "g"])),
            Spelling::SizeB => return Ok(sized(number, ["kB", "MB", "GB"])),
            Spelling::Duration => return Ok(duration(number)),
            Spelling::Kibibytes => number / 1024.0,
            Spelling::Seconds => number / 1000.0,
            _ => return Ok(plain(number)),
        };
        if scaled.fract() == 0.0 {
            return Ok(plain(scaled));
        }
        Err(ValueError {
            knob: self.id,
            given: self.shown(number),
            allowed: match spelling {
                Spelling::Seconds => "1s, 2s, 3s …".to_owned(),
                _ => "1k, 2k, 3k …".to_owned(),
            },
        })
    }
}

fn spelled_word(knob: &Knob, word: &str, spelling: Spelling) -> String {
    let on = matches!(knob.range, KnobRange::Switch).then_some(word == "on");
    let words = match spelling {
        Spelling::TrueFalse => ["false", "true"],
        Spelling::YesNo => ["no", "yes"],
        Spelling::OneZero => ["0", "1"],
        Spelling::Capitals if on.is_none() => return word.to_uppercase(),
        _ => ["off", "on"],
    };
    match on {
        Some(on) => words[usize::from(on)].to_owned(),
        None => word.to_owned(),
    }
}

/// A number without a fraction where it has none.
pub(crate) fn plain(number: f64) -> String {
    // Formatting never writes an exponent.
    format!("{number}")
}

fn switched(text: &str, spelling: Spelling) -> KnobValue {
    let word = match is_switched(text) {
        _ if spelling == Spelling::Present && !text.is_empty() => "on",
        Some(true) => "on",
        Some(false) => "off",
        None if text.is_empty() => "off",
        None => text,
    };
    KnobValue::Word(word.to_owned())
}

/// What a word says of a switch, in whatever program's words.
pub(crate) fn is_switched(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    match is(&["on", "true", "yes", "1", "enabled"]) {
        true => Some(true),
        false => is(&["off", "false", "no", "0", "disabled"]).then_some(false),
    }
}

/// A number as it is written, with what its unit measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Amount {
    /// Without a unit.
    Plain(f64),
    Bytes(f64),
    Milliseconds(f64),
}

/// The number of `512`, `512m` or `20s`; `m` alone is of bytes.
pub(crate) fn amount(text: &str, spelling: Spelling) -> Option<Amount> {
    let plain = || finite(text).map(Amount::Plain);
    let size = || bytes(text, spelling).map(Amount::Bytes);
    let time = || milliseconds(text, Spelling::Plain).map(Amount::Milliseconds);
    plain().or_else(size).or_else(time)
}

fn finite(text: &str) -> Option<f64> {
    // `inf`, `nan` and exponents are words of nobody's configuration.
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let number = text
        .chars()
        .all(digits)
        .then(|| text.parse::<f64>().ok())??;
    number.is_finite().then_some(number)
}

/// Number and unit of `512m`.
fn parts(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((finite(number.trim())?, unit.trim()))
}

fn bytes(text: &str, spelling: Spelling) -> Option<f64> {
    let (number, unit) = parts(text)?;
    let unit = unit.to_ascii_lowercase();
    let (letter, rest) = unit.split_at(unit.len().min(1));
    let power = match letter {
        "" if spelling == Spelling::Kibibytes => 1,
        "" | "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    // Redis counts in thousands where the `b` is missing.
    let base = match (spelling, rest) {
        (Spelling::SizeB, "") => 1000.0_f64,
        (_, "" | "b" | "ib") => 1024.0,
        _ => return None,
    };
    let base = if letter.is_empty() { 1024.0 } else { base };
    Some(number * base.powi(power))
}

/// `1500ms`, `20s`, `1m30s`, `PT20S`; a number alone has the spelling's unit.
fn milliseconds(text: &str, spelling: Spelling) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let iso = lower.strip_prefix("pt");
    let mut rest = iso.unwrap_or(&lower).trim();
    let mut total = 0.0;
    let (mut first, whole) = (true, rest);
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let (number, behind) = rest.split_at(end);
        let unit_end = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let (unit, next) = behind.split_at(unit_end);
        let one = match unit {
            "" if first && number == whole && spelling == Spelling::Seconds => 1000.0,
            "" if first && number == whole => 1.0,
            "ns" => 1e-6,
            "us" => 1e-3,
            "ms" => 1.0,
            "s" | "sec" => 1000.0,
            "m" | "min" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total += finite(number.trim())? * one;
        first = false;
        rest = next.trim_start();
    }
    (!first).then_some(total)
}

/// Bytes with the greatest unit of which they are whole ones.
fn sized(number: f64, units: [&str; 3]) -> String {
    let mut shown = (number, "");
    for (power, unit) in (1..).zip(units) {
        let of = number / 1024.0_f64.powi(power);
        if of.fract() == 0.0 && of != 0.0 {
            shown = (of, unit);
        }
    }
    format!("{}{}", plain(shown.0), shown.1)
}

fn duration(number: f64) -> String {
    match number % 1000.0 == 0.0 && number != 0.0 {
        true => format!("{}s", plain(number / 1000.0)),
        false => format!("{}ms", plain(number)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_mean_what_their_programs_take_them_for() {
        const HEAP: Knob = Knob::bytes("jvm.test", 0, 1 << 40);
        const WAIT: Knob = Knob::millis("jvm.wait", 0, 1 << 40);
        for (knob, text, spelling, expected) in [
            (&HEAP, "512m", Spelling::Size, 536_870_912.0),
            (&HEAP, "1.5G", Spelling::Size, 1_610_612_736.0),
            (&HEAP, "2KB", Spelling::SizeB, 2048.0),
            (&HEAP, "2k", Spelling::SizeB, 2000.0),
            (&HEAP, "16", Spelling::Kibibytes, 16_384.0),
            (&HEAP, "16", Spelling::SizeB, 16.0),
            (&WAIT, "75", Spelling::Seconds, 75_000.0),
            (&WAIT, "1m30s", Spelling::Seconds, 90_000.0),
            (&WAIT, "PT20S", Spelling::Duration, 20_000.0),
            (&WAIT, "250", Spelling::Plain, 250.0),
            (&WAIT, "250ms", Spelling::Plain, 250.0),
        ] {
            let read = knob.read(text, spelling);
            assert_eq!(read, KnobValue::Number(expected), "{text} {spelling:?}");
        }
        for text in ["512q", "nan", "inf", "1e400", "", "m", "--", "1m30"] {
            assert_eq!(
                HEAP.read(text, Spelling::Size),
                KnobValue::Word(text.to_owned())
            );
        }
    }

    #[test]
    fn bounds_and_words_beside_them_are_kept() {
        const WORKERS: Knob = Knob::counts("nginx.test", 1, 64).also(&["auto"]);
        assert_eq!(
            WORKERS.value("AUTO"),
            Ok(KnobValue::Word("auto".to_owned()))
        );
        assert_eq!(WORKERS.value("8"), Ok(KnobValue::Number(8.0)));
        let refused = WORKERS.value("65").unwrap_err();
        assert_eq!(refused.allowed, "1 … 64, auto");
        assert!(WORKERS.value("1.5").is_err() && WORKERS.value("many").is_err());
        let half = Knob::millis("nginx.wait", 1, 9000);
        assert!(
            half.spell(&KnobValue::Number(1500.0), Spelling::Seconds)
                .is_err()
        );
    }

    proptest! {
        #[test]
        fn what_is_spelled_is_read_again(number in 0_u32.., at in 0..6_usize) {
            let spelling = [Spelling::Plain, Spelling::Size, Spelling::SizeB, Spelling::Kibibytes,
                Spelling::Seconds, Spelling::Duration][at];
            let knob = match spelling {
                Spelling::Seconds | Spelling::Duration => Knob::millis("a.b", 0, 1 << 40),
                _ => Knob::bytes("a.b", 0, 1 << 40),
            };
            let value = KnobValue::Number(f64::from(number));
            if let Ok(text) = knob.spell(&value, spelling) {
                prop_assert!(knob.read(&text, spelling).same(&value), "{text}");
            }
        }

        #[test]
        fn any_text_is_taken(text in "\\PC{0,40}") {
            let knob = Knob::millis("a.b", 0, 1 << 40);
            let _ = knob.value(&text);
            let _ = Knob::bytes("a.b", 0, 1 << 40).value(&text);
        }
    }
}
