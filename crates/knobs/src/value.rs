//! Values of knobs: read from what files and targets say, and spelled as each place wants them.

use std::fmt;

use plimsoll_text::Message;
use serde::{Deserialize, Serialize};

use crate::knob::{Knob, KnobRange, KnobUnit, Spelling};
use crate::quantity::{bytes, duration, finite, milliseconds, plain, same_number, sized};

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
            (KnobValue::Number(wanted), KnobValue::Number(has), Some(between))
                if !self.is_also(&plain(*wanted)) =>
            {
                let [least, most] = between(*wanted);
                (least..=most).contains(has)
            }
            (KnobValue::Word(wanted), KnobValue::Word(has), _) if self.range == KnobRange::Text => {
                let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                words(wanted).eq_ignore_ascii_case(&words(has))
            }
            _ => has.same(wanted),
        }
    }

    /// Whether it is a value for which the program takes a number of its own.
    pub(crate) fn is_automatic(&self, value: &KnobValue) -> bool {
        let text = value.to_string();
        let mut words = self.automatic.iter();
        words.any(|word| word.eq_ignore_ascii_case(&text))
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
            KnobUnit::Count | KnobUnit::Word => plain(number),
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
            KnobUnit::Count | KnobUnit::Word => finite(text),
        }
    }

    /// A value as a place wants it.
    ///
    /// # Errors
    ///
    /// If the place has no word for it: parts of seconds or of kilobytes where only whole ones are written.
    pub fn spell(&self, value: &KnobValue, spelling: Spelling) -> Result<String, ValueError> {
        let number = match value {
            KnobValue::Number(number) if !self.is_also(&plain(*number)) => *number,
            KnobValue::Number(number) => return Ok(plain(*number)),
            KnobValue::Word(word) => return Ok(spelled_word(self, word, spelling)),
        };
        let (spelled, allowed) = match spelling {
            Spelling::Size => (sized(number, ["k", "m", "g"]), ""),
            Spelling::SpringSize => (sized(number, ["KB", "MB", "GB"]), ""),
            Spelling::RedisSize => (sized(number, ["kb", "mb", "gb"]), ""),
            Spelling::PostgresSize(_) if number % 1024.0 != 0.0 => (String::new(), "1k, 2k, 3k …"),
            Spelling::PostgresSize(_) => (sized(number, ["kB", "MB", "GB"]), ""),
            Spelling::Duration => (duration(number), ""),
            Spelling::Seconds if number % 1000.0 != 0.0 => (String::new(), "1s, 2s, 3s …"),
            Spelling::Seconds => (plain(number / 1000.0), ""),
            Spelling::Decimal if number.fract() == 0.0 => (format!("{number:.1}"), ""),
            _ => (plain(number), ""),
        };
        match allowed {
            "" => Ok(spelled),
            allowed => Err(ValueError {
                knob: self.id,
                given: self.shown(number),
                allowed: allowed.to_owned(),
            }),
        }
    }
}

fn spelled_word(knob: &Knob, word: &str, spelling: Spelling) -> String {
    let on = matches!(knob.range, KnobRange::Switch).then_some(word == "on");
    let words = match spelling {
        Spelling::TrueFalse => ["false", "true"],
        Spelling::YesNo => ["no", "yes"],
        Spelling::OneZero => ["0", "1"],
        _ => ["off", "on"],
    };
    match on {
        Some(on) => words[usize::from(on)].to_owned(),
        None => word.to_owned(),
    }
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
            (&HEAP, "2KB", Spelling::SpringSize, 2048.0),
            (&HEAP, "16", Spelling::SpringSize, 16.0),
            (&HEAP, "2kb", Spelling::RedisSize, 2048.0),
            (&HEAP, "2k", Spelling::RedisSize, 2000.0),
            (&HEAP, "16", Spelling::PostgresSize(8192), 131_072.0),
            (&HEAP, "16kB", Spelling::PostgresSize(8192), 16_384.0),
            (&HEAP, "16B", Spelling::PostgresSize(8192), 16.0),
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
        /// Spring throws at other letters, PostgreSQL does, too; Redis counts in thousands without the `b`.
        #[test]
        fn sizes_have_the_letters_of_their_programs(number in 0_u32.., shift in 0..3_u32) {
            let knob = Knob::bytes("a.b", 0, 1 << 60);
            let value = KnobValue::Number(f64::from(number) * 1024_f64.powi(i32::try_from(shift).unwrap()));
            for (spelling, known) in [
                (Spelling::SpringSize, ["", "KB", "MB", "GB"]),
                (Spelling::RedisSize, ["", "kb", "mb", "gb"]),
                (Spelling::PostgresSize(8_192), ["", "kB", "MB", "GB"]),
            ] {
                let Ok(text) = knob.spell(&value, spelling) else {
                    prop_assert!(matches!(spelling, Spelling::PostgresSize(_)) && number % 1024 != 0);
                    continue;
                };
                let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
                prop_assert!(known.contains(&unit), "{text}");
                prop_assert!(knob.read(&text, spelling).same(&value), "{text}");
            }
        }

        #[test]
        fn what_is_spelled_is_read_again(number in 0_u32.., at in 0..8_usize) {
            let spelling = [Spelling::Plain, Spelling::Size, Spelling::SpringSize, Spelling::RedisSize,
                Spelling::PostgresSize(1 << 20), Spelling::Decimal, Spelling::Seconds, Spelling::Duration][at];
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
