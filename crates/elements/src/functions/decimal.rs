//! Patterns of `java.text.DecimalFormat`, for whole numbers, with English symbols (Java SE 17
//! API, `java.text.DecimalFormat`).

/// A pattern, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DecimalPattern {
    positive: (String, String),
    negative: (String, String),
    least_whole: usize,
    most_whole: usize,
    least_fraction: usize,
    most_fraction: usize,
    group: usize,
    multiplier: i128,
    always_point: bool,
    /// Fewest digits of the exponent of a scientific pattern.
    exponent: Option<usize>,
}

/// A half of a pattern: positive or negative.
#[derive(Default)]
struct Half {
    prefix: String,
    suffix: String,
    /// `#` before the zeros, zeros, `#` after them.
    digits: [usize; 3],
    point: Option<usize>,
    group: Option<usize>,
    multiplier: i128,
    exponent: Option<usize>,
    in_quote: bool,
}

/// Where in a half of a pattern the reader is.
#[derive(Clone, Copy, PartialEq)]
enum DecimalPhase {
    Prefix,
    Number,
    Suffix,
}

impl DecimalPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        let characters: Vec<char> = pattern.chars().collect();
        let (half, used) = Half::read(&characters, 0, false, pattern)?;
        let mut read = half.finish(pattern)?;
        if pattern.is_empty() {
            read.group = 3;
        }
        if used + 1 < characters.len() {
            let (negative, _) = Half::read(&characters, used + 1, true, pattern)?;
            if negative.in_quote {
                return Err(malformed(pattern));
            }
            if (&negative.prefix, &negative.suffix) != (&read.positive.0, &read.positive.1) {
                read.negative = (negative.prefix, negative.suffix);
            }
        }
        Ok(read)
    }

    /// A number in this pattern.
    pub(crate) fn format(&self, value: i64) -> String {
        let scaled = (i128::from(value) * self.multiplier).unsigned_abs();
        let (prefix, suffix) = if value < 0 {
            &self.negative
        } else {
            &self.positive
        };
        let mut text = prefix.clone();
        match self.exponent {
            Some(least) => self.scientific(scaled, least, &mut text),
            None => self.plain(scaled, &mut text),
        }
        text.push_str(suffix);
        text
    }

    fn plain(&self, value: u128, text: &mut String) {
        let mut digits = if value == 0 {
            String::new()
        } else {
            value.to_string()
        };
        while digits.len() < self.least_whole {
            digits.insert(0, '0');
        }
        if digits.is_empty() && self.least_fraction == 0 {
            digits.push('0');
        }
        for (at, digit) in digits.chars().enumerate() {
            let left = digits.len() - at;
            if at > 0 && self.group > 0 && left % self.group == 0 {
                text.push(',');
            }
            text.push(digit);
        }
        if self.least_fraction > 0 || self.always_point {
            text.push('.');
            text.extend(std::iter::repeat_n('0', self.least_fraction));
        }
    }

    /// A mantissa, `E` and an exponent.
    fn scientific(&self, value: u128, least_exponent: usize, text: &mut String) {
        let several = self.most_whole > 1 && self.most_whole > self.least_whole;
        // Value = 0.digits × 10^point.
        let (digits, point) = significant(value, self.most_whole + self.most_fraction);
        let point = if value == 0 { 0 } else { point };
        let whole = i64::try_from(self.most_whole).unwrap_or(1);
        let least_whole = i64::try_from(self.least_whole).unwrap_or(1);
        let exponent = match value {
            0 => 0,
            _ if several => (point - 1).div_euclid(whole) * whole,
            _ => point - least_whole,
        };
        let whole_digits = if value == 0 {
            self.least_whole
        } else {
            usize::try_from(point - exponent).unwrap_or(0)
        };
        let least_digits = if several && self.least_whole > 0 {
            (self.least_whole + self.least_fraction).max(whole_digits)
        } else {
            whole_digits + self.least_fraction
        };
        let all = digits.len().max(least_digits).max(whole_digits);
        for at in 0..all {
            if at == whole_digits {
                text.push('.');
            }
            text.push(digits.get(at).map_or('0', |digit| char::from(*digit)));
        }
        if self.always_point && all <= whole_digits {
            text.push('.');
        }
        text.push('E');
        if exponent < 0 {
            text.push('-');
        }
        text.push_str(&format!("{:0least_exponent$}", exponent.unsigned_abs()));
    }
}

fn malformed(pattern: &str) -> String {
    format!("Malformed pattern \"{pattern}\"")
}

/// The first `most` significant digits (0: all), half to even, without zeros at the end; and how many
/// digits stand before the point.
fn significant(value: u128, most: usize) -> (Vec<u8>, i64) {
    let mut digits = value.to_string().into_bytes();
    let mut point = i64::try_from(digits.len()).unwrap_or(0);
    if most > 0 && digits.len() > most {
        let rest = digits.split_off(most);
        let odd = digits.last().is_some_and(|digit| digit % 2 == 1);
        let beyond = rest[1..].iter().any(|digit| *digit != b'0');
        if rest[0] > b'5' || rest[0] == b'5' && (beyond || odd) {
            let mut at = digits.len();
            while at > 0 && digits[at - 1] == b'9' {
                at -= 1;
                digits[at] = b'0';
            }
            match at {
                0 => {
                    digits.insert(0, b'1');
                    point += 1;
                }
                _ => digits[at - 1] += 1,
            }
        }
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    (digits, point)
}

impl Half {
    /// Reads up to the end or an unquoted `;`; gives where it stopped.
    fn read(
        characters: &[char],
        from: usize,
        negative: bool,
        pattern: &str,
    ) -> Result<(Self, usize), String> {
        let mut half = Self {
            multiplier: 1,
            ..Self::default()
        };
        let mut phase = DecimalPhase::Prefix;
        let mut at = from;
        while at < characters.len() {
            let character = characters[at];
            match phase {
                DecimalPhase::Prefix | DecimalPhase::Suffix => {
                    if !half.in_quote {
                        match character {
                            '#' | '0' | ',' | '.' => {
                                phase = DecimalPhase::Number;
                                continue;
                            }
                            ';' if phase == DecimalPhase::Prefix || negative => {
                                return Err(format!(
                                    "Unquoted special character ';' in pattern \"{pattern}\""
                                ));
                            }
                            ';' => return Ok((half, at)),
                            _ => {}
                        }
                    }
                    at += half.literal(phase, characters, at, pattern)?;
                }
                // The negative half has a number only for the eye.
                DecimalPhase::Number if negative => match character {
                    '#' | '0' | ',' | '.' | 'E' => at += 1,
                    _ => phase = DecimalPhase::Suffix,
                },
                DecimalPhase::Number => match half.number(characters, at, pattern)? {
                    0 => phase = DecimalPhase::Suffix,
                    used => at += used,
                },
            }
        }
        Ok((half, at))
    }

    /// A character of prefix or suffix; gives how many were used.
    fn literal(
        &mut self,
        phase: DecimalPhase,
        characters: &[char],
        at: usize,
        pattern: &str,
    ) -> Result<usize, String> {
        let next = characters.get(at + 1);
        let affix = if phase == DecimalPhase::Prefix {
            &mut self.prefix
        } else {
            &mut self.suffix
        };
        match characters[at] {
            '\'' if next == Some(&'\'') => {
                affix.push('\'');
                return Ok(2);
            }
            '\'' => self.in_quote = !self.in_quote,
            character if self.in_quote => affix.push(character),
            '\u{a4}' if next == Some(&'\u{a4}') => {
                affix.push_str("USD");
                return Ok(2);
            }
            '\u{a4}' => affix.push('$'),
            sign @ ('%' | '\u{2030}') => {
                if self.multiplier != 1 {
                    return Err(format!(
                        "Too many percent/per mille characters in pattern \"{pattern}\""
                    ));
                }
                self.multiplier = if sign == '%' { 100 } else { 1000 };
                affix.push(sign);
            }
            character => affix.push(character),
        }
        Ok(1)
    }

    /// A character of the number; gives how many were used, 0 at its end.
    fn number(&mut self, characters: &[char], at: usize, pattern: &str) -> Result<usize, String> {
        match characters[at] {
            '#' => {
                let after_zeros = usize::from(self.digits[1] > 0) * 2;
                self.digits[after_zeros] += 1;
            }
            '0' => {
                if self.digits[2] > 0 {
                    return Err(format!("Unexpected '0' in pattern \"{pattern}\""));
                }
                self.digits[1] += 1;
            }
            ',' => {
                self.group = Some(0);
                return Ok(1);
            }
            '.' => {
                if self.point.is_some() {
                    return Err(format!(
                        "Multiple decimal separators in pattern \"{pattern}\""
                    ));
                }
                self.point = Some(self.digits.iter().sum());
                return Ok(1);
            }
            'E' => {
                if self.exponent.is_some() {
                    return Err(format!(
                        "Multiple exponential symbols in pattern \"{pattern}\""
                    ));
                }
                let zeros = characters[at + 1..]
                    .iter()
                    .take_while(|c| **c == '0')
                    .count();
                if self.digits[0] + self.digits[1] < 1 || zeros < 1 {
                    return Err(format!("Malformed exponential pattern \"{pattern}\""));
                }
                self.exponent = Some(zeros);
                // What follows is the suffix.
                return Ok(zeros + 1);
            }
            _ => return Ok(0),
        }
        if self.point.is_none()
            && let Some(group) = &mut self.group
        {
            *group += 1;
        }
        Ok(1)
    }

    /// The positive half as a pattern; the negative one is the same with a sign.
    fn finish(mut self, pattern: &str) -> Result<DecimalPattern, String> {
        if let ([left, 0, _], Some(point)) = (self.digits, self.point)
            && left > 0
        {
            // `###.###`, `###.` and `.###`: one digit stands before the point.
            let before = point.max(1);
            self.digits = [before - 1, 1, left - before];
        }
        let [left, zeros, right] = self.digits;
        let misplaced = match self.point {
            None => right > 0,
            Some(point) => point < left || point > left + zeros,
        };
        if misplaced || self.group == Some(0) || self.in_quote {
            return Err(malformed(pattern));
        }
        let total = left + zeros + right;
        let whole = self.point.unwrap_or(total);
        let least_whole = whole - left;
        Ok(DecimalPattern {
            negative: (format!("-{}", self.prefix), self.suffix.clone()),
            positive: (self.prefix, self.suffix),
            least_whole,
            most_whole: if self.exponent.is_some() {
                left + least_whole
            } else {
                usize::MAX
            },
            least_fraction: self.point.map_or(0, |point| left + zeros - point),
            most_fraction: self.point.map_or(0, |point| total - point),
            group: self.group.unwrap_or(0),
            multiplier: self.multiplier,
            always_point: self.point.is_some_and(|point| point == 0 || point == total),
            exponent: self.exponent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pattern, number, text as Java 17 writes it; `!` where it refuses the pattern.
    #[rustfmt::skip]
    const CASES: &[(&str, i64, &str)] = &[
        ("", 0, "0"),
        ("", 1234, "1,234"),
        ("", -98765, "-98,765"),
        ("0", 0, "0"),
        ("0", 1234, "1234"),
        ("0", -98765, "-98765"),
        ("000", 0, "000"),
        ("000", 1234, "1234"),
        ("000", -98765, "-98765"),
        ("#", 0, "0"),
        ("#", 1234, "1234"),
        ("#", -98765, "-98765"),
        ("##", 0, "0"),
        ("##", 1234, "1234"),
        ("##", -98765, "-98765"),
        ("#,##0", 0, "0"),
        ("#,##0", 1234, "1,234"),
        ("#,##0", -98765, "-98,765"),
        ("0.00", 0, "0.00"),
        ("0.00", 1234, "1234.00"),
        ("0.00", -98765, "-98765.00"),
        ("#.##", 0, "0"),
        ("#.##", 1234, "1234"),
        ("#.##", -98765, "-98765"),
        (".00", 0, ".00"),
        (".00", 1234, "1234.00"),
        (".00", -98765, "-98765.00"),
        (".##", 0, ".0"),
        (".##", 1234, "1234.0"),
        (".##", -98765, "-98765.0"),
        ("00.#", 0, "00"),
        ("00.#", 1234, "1234"),
        ("00.#", -98765, "-98765"),
        ("a#b", 0, "a0b"),
        ("a#b", 1234, "a1234b"),
        ("a#b", -98765, "-a98765b"),
        ("pin#'.'dat", 0, "pin0.dat"),
        ("pin#'.'dat", 1234, "pin1234.dat"),
        ("pin#'.'dat", -98765, "-pin98765.dat"),
        ("0%", 0, "0%"),
        ("0%", 1234, "123400%"),
        ("0%", -98765, "-9876500%"),
        ("#‰", 0, "0‰"),
        ("#‰", 1234, "1234000‰"),
        ("#‰", -98765, "-98765000‰"),
        ("¤0", 0, "$0"),
        ("¤0", 1234, "$1234"),
        ("¤0", -98765, "-$98765"),
        ("0;(0)", 0, "0"),
        ("0;(0)", 1234, "1234"),
        ("0;(0)", -98765, "(98765)"),
        ("000;000", 0, "000"),
        ("000;000", 1234, "1234"),
        ("000;000", -98765, "-98765"),
        ("a;b", 7, "!"),
        ("'it''s' 0", 0, "it's 0"),
        ("'it''s' 0", 1234, "it's 1234"),
        ("'it''s' 0", -98765, "-it's 98765"),
        ("##0.##E0", 0, "0E0"),
        ("##0.##E0", 1234, "1.234E3"),
        ("##0.##E0", -98765, "-98.765E3"),
        ("0.##E0", 0, "0E0"),
        ("0.##E0", 1234, "1.23E3"),
        ("0.##E0", -98765, "-9.88E4"),
        ("0#", 7, "!"),
        ("0.#0", 7, "!"),
        ("0..0", 7, "!"),
        ("0,", 7, "!"),
        ("#,#,##0", 0, "0"),
        ("#,#,##0", 1234, "1,234"),
        ("#,#,##0", -98765, "-98,765"),
        ("0a0", 0, "00a"),
        ("0a0", 1234, "1234a"),
        ("0a0", -98765, "-98765a"),
        ("0 ms", 0, "0 ms"),
        ("0 ms", 1234, "1234 ms"),
        ("0 ms", -98765, "-98765 ms"),
        ("user000", 0, "user000"),
        ("user000", 1234, "user1234"),
        ("user000", -98765, "-user98765"),
        ("0E", 7, "!"),
        ("00.###E0", 0, "00E0"),
        ("00.###E0", 1234, "12.34E2"),
        ("00.###E0", -98765, "-98.765E3"),
        ("#E0", 0, "E0"),
        ("#E0", 1234, ".1E4"),
        ("#E0", -98765, "-.1E6"),
    ];

    #[test]
    fn numbers_are_written_as_java_writes_them() {
        for (pattern, value, expected) in CASES {
            let read = DecimalPattern::new(pattern);
            let text = read.map_or_else(|_| "!".to_owned(), |read| read.format(*value));
            assert_eq!(text, *expected, "{pattern} of {value}");
        }
    }
}
