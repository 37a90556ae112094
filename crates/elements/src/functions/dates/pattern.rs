//! Patterns of `java.time.format.DateTimeFormatter` (Java SE 17 API).

/// A part of a date or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum DateField {
    Era,
    YearOfEra,
    Year,
    WeekYear,
    DayOfYear,
    Month,
    Day,
    Quarter,
    Week,
    WeekOfMonth,
    /// 1 Monday to 7 Sunday.
    Weekday,
    /// 1 is the first day of the locale's week.
    LocalWeekday,
    AlignedWeekday,
    ModifiedJulianDay,
    AmPm,
    HourOfAmPm,
    ClockHourOfAmPm,
    Hour,
    ClockHour,
    Minute,
    Second,
    Milli,
    MilliOfDay,
    Nano,
    NanoOfDay,
    OffsetSeconds,
}

/// When a number has a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignStyle {
    /// A minus when it is negative.
    Normal,
    /// And a plus when it is longer than its least width.
    ExceedsPad,
    /// It may not be negative.
    NotNegative,
}

/// A number, its digits and how its neighbours share them when it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberItem {
    pub field: DateField,
    pub least: usize,
    pub most: usize,
    pub sign: SignStyle,
    pub kind: NumberKind,
    /// Digits of the fixed numbers that follow at once.
    pub following: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    Plain,
    /// The last two digits, from 2000 on.
    TwoDigits,
    /// Digits behind the decimal point.
    Fraction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Short,
    Full,
    Narrow,
}

/// What a pattern consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternItem {
    Literal(String),
    Number(NumberItem),
    /// A name; `alone`: as it stands without a day beside it.
    Text {
        field: DateField,
        width: Width,
        alone: bool,
    },
    /// `in the morning` and the like.
    DayPeriod,
    /// An offset like `+01:00`.
    Offset {
        /// Letters of `X`: 1 hours and minutes if any; 2 and 4 no colon; 3 and 5 a colon; 4
        /// and 5 seconds if any.
        form: usize,
        zero: &'static str,
    },
    /// `GMT+1`, or `GMT+01:00` in full.
    NamedOffset {
        full: bool,
    },
    /// `Europe/Berlin`.
    ZoneId,
    /// `CET`, or in full; `generic`: whether it is summer or not.
    ZoneName {
        full: bool,
        generic: bool,
    },
    /// The next item, filled up with spaces on its left.
    Pad(usize, Box<PatternItem>),
    Optional(Vec<PatternItem>),
}

/// A pattern, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DatePattern(pub(super) Vec<PatternItem>);

/// A list of items that is being put together.
#[derive(Default)]
struct PatternBuilder {
    items: Vec<PatternItem>,
    /// The number whose digits the next fixed ones share.
    open: Option<usize>,
    pad: Option<usize>,
}

impl PatternBuilder {
    fn push(&mut self, item: PatternItem) {
        self.open = None;
        self.put(item);
    }

    fn put(&mut self, item: PatternItem) {
        let item = match self.pad.take() {
            Some(width) => PatternItem::Pad(width, Box::new(item)),
            None => item,
        };
        self.items.push(item);
    }

    fn number(&mut self, mut number: NumberItem) {
        let fixed = number.least == number.most && number.sign == SignStyle::NotNegative;
        let open = self.open.and_then(|at| self.items.get_mut(at));
        if fixed && let Some(PatternItem::Number(before)) = open {
            before.following += number.most;
            self.put(PatternItem::Number(number));
            return;
        }
        number.following = 0;
        self.open = Some(self.items.len());
        self.put(PatternItem::Number(number));
    }
}

impl DatePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// Java's words for what is wrong with it.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        let letters: Vec<char> = pattern.chars().collect();
        let mut stack = vec![PatternBuilder::default()];
        let mut at = 0;
        while at < letters.len() {
            let letter = letters[at];
            let Some(builder) = stack.last_mut() else {
                break;
            };
            match letter {
                'a'..='z' | 'A'..='Z' => {
                    let run = letters[at..].iter().take_while(|other| **other == letter);
                    let count = run.count();
                    at += count;
                    if letter == 'p' {
                        if !letters.get(at).is_some_and(char::is_ascii_alphabetic) {
                            return Err(format!(
                                "Pad letter 'p' must be followed by valid pad pattern: {pattern}"
                            ));
                        }
                        builder.pad = Some(count);
                        continue;
                    }
                    letter_run(letter, count, builder)?;
                    continue;
                }
                '\'' => {
                    let (text, end) = quoted(&letters, at, pattern)?;
                    builder.push(PatternItem::Literal(text));
                    at = end;
                    continue;
                }
                '[' => stack.push(PatternBuilder::default()),
                ']' => match (stack.pop(), stack.last_mut()) {
                    (Some(inner), Some(outer)) => outer.push(PatternItem::Optional(inner.items)),
                    _ => {
                        return Err("Pattern invalid as it contains ] without previous [".into());
                    }
                },
                '{' | '}' | '#' => {
                    return Err(format!("Pattern includes reserved character: '{letter}'"));
                }
                letter => builder.push(PatternItem::Literal(letter.to_string())),
            }
            at += 1;
        }
        // Brackets left open end here.
        while stack.len() > 1 {
            if let (Some(inner), Some(outer)) = (stack.pop(), stack.last_mut()) {
                outer.push(PatternItem::Optional(inner.items));
            }
        }
        Ok(Self(stack.pop().map_or_else(Vec::new, |whole| whole.items)))
    }
}

/// A quoted text that begins here; two quotes are one.
fn quoted(letters: &[char], begin: usize, pattern: &str) -> Result<(String, usize), String> {
    let mut text = String::new();
    let mut at = begin + 1;
    loop {
        match (letters.get(at), letters.get(at + 1)) {
            (None, _) => {
                return Err(format!(
                    "Pattern ends with an incomplete string literal: {pattern}"
                ));
            }
            (Some('\''), Some('\'')) => {
                text.push('\'');
                at += 2;
            }
            (Some('\''), _) => break,
            (Some(letter), _) => {
                text.push(*letter);
                at += 1;
            }
        }
    }
    if text.is_empty() {
        text.push('\'');
    }
    Ok((text, at + 1))
}

fn letter_run(letter: char, count: usize, to: &mut PatternBuilder) -> Result<(), String> {
    let many = || Err(format!("Too many pattern letters: {letter}"));
    if let Some(field) = simple(letter) {
        return match (field, count) {
            (DateField::DayOfYear, 2 | 3) => {
                to.number(plain(field, count, 3, SignStyle::NotNegative));
                Ok(())
            }
            (_, 1) => {
                to.number(plain(field, 1, 19, SignStyle::Normal));
                Ok(())
            }
            (DateField::DayOfYear | DateField::WeekOfMonth | DateField::AlignedWeekday, _) => {
                many()
            }
            (_, 2) => {
                to.number(plain(field, 2, 2, SignStyle::NotNegative));
                Ok(())
            }
            _ => many(),
        };
    }
    match letter {
        'u' | 'y' | 'Y' => year(letter, count, to),
        'M' | 'L' | 'Q' | 'q' | 'E' | 'e' | 'c' => return named(letter, count, to),
        'G' => to.push(text(
            DateField::Era,
            width(count).ok_or_else(|| many_letters(letter))?,
        )),
        'a' if count == 1 => to.push(text(DateField::AmPm, Width::Short)),
        'B' if matches!(count, 1 | 4 | 5) => to.push(PatternItem::DayPeriod),
        'B' => return Err(format!("Wrong number of pattern letters: {letter}")),
        'S' if count <= 9 => to.number(NumberItem {
            kind: NumberKind::Fraction,
            ..plain(DateField::Nano, count, count, SignStyle::NotNegative)
        }),
        'S' => return many(),
        'A' => to.number(plain(
            DateField::MilliOfDay,
            count,
            19,
            SignStyle::NotNegative,
        )),
        'n' => to.number(plain(DateField::Nano, count, 19, SignStyle::NotNegative)),
        'N' => to.number(plain(
            DateField::NanoOfDay,
            count,
            19,
            SignStyle::NotNegative,
        )),
        'g' => to.number(plain(
            DateField::ModifiedJulianDay,
            count,
            19,
            SignStyle::Normal,
        )),
        _ => return zone(letter, count, to),
    }
    Ok(())
}

fn many_letters(letter: char) -> String {
    format!("Too many pattern letters: {letter}")
}

/// Fields of one or two digits.
fn simple(letter: char) -> Option<DateField> {
    Some(match letter {
        'd' => DateField::Day,
        'D' => DateField::DayOfYear,
        'h' => DateField::ClockHourOfAmPm,
        'H' => DateField::Hour,
        'k' => DateField::ClockHour,
        'K' => DateField::HourOfAmPm,
        'm' => DateField::Minute,
        's' => DateField::Second,
        'w' => DateField::Week,
        'W' => DateField::WeekOfMonth,
        'F' => DateField::AlignedWeekday,
        _ => return None,
    })
}

fn plain(field: DateField, least: usize, most: usize, sign: SignStyle) -> NumberItem {
    NumberItem {
        field,
        least,
        most,
        sign,
        kind: NumberKind::Plain,
        following: 0,
    }
}

fn text(field: DateField, width: Width) -> PatternItem {
    PatternItem::Text {
        field,
        width,
        alone: false,
    }
}

/// The width of names of so many letters.
fn width(count: usize) -> Option<Width> {
    Some(match count {
        1..=3 => Width::Short,
        4 => Width::Full,
        5 => Width::Narrow,
        _ => return None,
    })
}

fn year(letter: char, count: usize, to: &mut PatternBuilder) {
    let field = match letter {
        'u' => DateField::Year,
        'y' => DateField::YearOfEra,
        _ => DateField::WeekYear,
    };
    to.number(match count {
        2 => NumberItem {
            kind: NumberKind::TwoDigits,
            ..plain(field, 2, 2, SignStyle::NotNegative)
        },
        1 | 3 => plain(field, count, 19, SignStyle::Normal),
        _ => plain(field, count, 19, SignStyle::ExceedsPad),
    });
}

/// Numbers with one or two letters, names with more.
fn named(letter: char, count: usize, to: &mut PatternBuilder) -> Result<(), String> {
    let (number, name) = match letter {
        'M' | 'L' => (DateField::Month, DateField::Month),
        'Q' | 'q' => (DateField::Quarter, DateField::Quarter),
        _ => (DateField::LocalWeekday, DateField::Weekday),
    };
    match (letter, count) {
        ('c', 2) => return Err("Invalid pattern \"cc\"".to_owned()),
        ('E', 1 | 2) => to.push(text(name, Width::Short)),
        (_, 1) => to.number(plain(number, 1, 19, SignStyle::Normal)),
        (_, 2) => to.number(plain(number, 2, 2, SignStyle::NotNegative)),
        _ => {
            let width = width(count).ok_or_else(|| many_letters(letter))?;
            to.push(PatternItem::Text {
                field: name,
                width,
                alone: matches!(letter, 'L' | 'q' | 'c'),
            });
        }
    }
    Ok(())
}

fn zone(letter: char, count: usize, to: &mut PatternBuilder) -> Result<(), String> {
    let item = match (letter, count) {
        ('V', 2) => PatternItem::ZoneId,
        ('V', _) => return Err("Pattern letter count must be 2: V".to_owned()),
        ('z', 1..=4) => PatternItem::ZoneName {
            full: count == 4,
            generic: false,
        },
        ('v', 1 | 4) => PatternItem::ZoneName {
            full: count == 4,
            generic: true,
        },
        ('O', 1 | 4) => PatternItem::NamedOffset { full: count == 4 },
        ('v' | 'O', _) => return Err(format!("Wrong number of pattern letters: {letter}")),
        ('X', 1..=5) => PatternItem::Offset {
            form: count,
            zero: "Z",
        },
        ('x', 1..=5) => PatternItem::Offset {
            form: count,
            zero: match count {
                1 => "+00",
                2 | 4 => "+0000",
                _ => "+00:00",
            },
        },
        ('Z', 1..=3) => PatternItem::Offset {
            form: 2,
            zero: "+0000",
        },
        ('Z', 4) => PatternItem::NamedOffset { full: true },
        ('Z', 5) => PatternItem::Offset { form: 5, zero: "Z" },
        ('X' | 'x' | 'Z' | 'z' | 'a', _) => return Err(many_letters(letter)),
        _ => return Err(format!("Unknown pattern letter: {letter}")),
    };
    to.push(item);
    Ok(())
}
