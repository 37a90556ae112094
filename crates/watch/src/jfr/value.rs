//! Bytes and values of a recording.

use std::ops::Range;

use super::error::JfrError;

/// Values that a byte may make at most. Those of a real recording are about as many as its bytes;
/// types without fields would make any number of nothing.
const VALUES_PER_BYTE: usize = 16;
/// Values that the shortest event may make.
const LEAST_VALUES: usize = 64;

/// Reads on from a place.
#[derive(Debug, Clone)]
pub struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
    values_left: usize,
}

impl<'a> Bytes<'a> {
    /// From that place on; behind the end there is nothing to read.
    pub fn at(bytes: &'a [u8], at: usize) -> Self {
        let length = bytes.len().saturating_sub(at);
        Self {
            bytes,
            at,
            values_left: length * VALUES_PER_BYTE + LEAST_VALUES,
        }
    }

    /// A value is made of what follows.
    pub fn value(&mut self) -> Result<(), JfrError> {
        let left = self.values_left.checked_sub(1);
        self.values_left = left.ok_or_else(|| self.damaged())?;
        Ok(())
    }

    /// Where is read on.
    pub fn place(&self) -> usize {
        self.at
    }

    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    pub fn damaged(&self) -> JfrError {
        JfrError::Damaged(self.at)
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], JfrError> {
        let end = self.at.checked_add(count).ok_or_else(|| self.damaged())?;
        let taken = self.bytes.get(self.at..end).ok_or_else(|| self.damaged())?;
        self.at = end;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, JfrError> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    /// A number of fixed length, the highest byte first.
    pub fn fixed(&mut self, length: usize) -> Result<u64, JfrError> {
        let bytes = self.take(length)?;
        Ok(bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A packed number: seven bits a byte, the lowest first, the ninth byte whole.
    pub fn packed(&mut self) -> Result<i64, JfrError> {
        let mut number = 0_u64;
        for index in 0..9 {
            let byte = u64::from(self.byte()?);
            if index == 8 {
                number |= byte << 56;
                break;
            }
            number |= (byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                break;
            }
        }
        Ok(number.cast_signed())
    }

    /// How many things follow, each of at least one byte.
    pub fn count(&mut self) -> Result<usize, JfrError> {
        let count = usize::try_from(self.packed()?).map_err(|_| self.damaged())?;
        if count > self.left() {
            return Err(self.damaged());
        }
        Ok(count)
    }

    /// A text; one that stands in the constants is told by its number there.
    pub fn text(&mut self) -> Result<JfrValue, JfrError> {
        let form = self.byte()?;
        match form {
            0 | 1 => return Ok(JfrValue::Text(JfrText::default())),
            2 => return Ok(JfrValue::Number(self.packed()?)),
            _ => {}
        }
        let count = self.count()?;
        let begin = self.at;
        let text = match form {
            3 => String::from_utf8_lossy(self.take(count)?).into_owned(),
            4 => {
                let mut letters = Vec::with_capacity(count);
                for _ in 0..count {
                    letters.push(u16::try_from(self.packed()?).map_err(|_| self.damaged())?);
                }
                String::from_utf16_lossy(&letters)
            }
            5 => {
                let letters = self.take(count)?.iter().map(|byte| char::from(*byte));
                letters.collect()
            }
            _ => return Err(self.damaged()),
        };
        Ok(JfrValue::Text(JfrText {
            text,
            at: begin..self.at,
            packed: form == 4,
        }))
    }
}

/// A text, and where its letters lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JfrText {
    pub text: String,
    pub at: Range<usize>,
    /// Its letters are packed numbers.
    pub packed: bool,
}

/// What stands in a field.
#[derive(Debug, Clone, PartialEq)]
pub enum JfrValue {
    /// Nothing that is looked at.
    Nothing,
    /// A whole number, also that of a constant whose type the field has not told.
    Number(i64),
    /// A text.
    Text(JfrText),
    /// A constant: its type, and its number there.
    Constant(i64, i64),
    /// Several.
    Items(Vec<JfrValue>),
    /// Fields with their names.
    Fields(Vec<(std::rc::Rc<str>, JfrValue)>),
}

impl JfrValue {
    /// What stands in the field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> &Self {
        let Self::Fields(fields) = self else {
            return &Self::Nothing;
        };
        let found = fields.iter().find(|(own, _)| &**own == name);
        found.map_or(&Self::Nothing, |(_, value)| value)
    }

    /// The whole number in the field of that name; 0 if there is none.
    #[must_use]
    pub fn number(&self, name: &str) -> i64 {
        match self.field(name) {
            Self::Number(number) => *number,
            _ => 0,
        }
    }

    /// The values of an array.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Items(items) => items,
            _ => &[],
        }
    }
}
