//! Varints (unsigned LEB128) and a reader that never panics.

/// Why bytes are not an encoded histogram or interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end in the middle of a value.
    #[error("the data ends too early, at byte {at}")]
    Truncated {
        /// Offset in bytes.
        at: usize,
    },
    /// Bytes follow the end of the encoding.
    #[error("unexpected data after the end, at byte {at}")]
    TrailingBytes {
        /// Offset in bytes.
        at: usize,
    },
    /// The first byte is not the one this encoding starts with.
    #[error("this is not an encoded {what}: it starts with byte {found:#04x}")]
    WrongKind {
        /// What was expected.
        what: &'static str,
        /// The byte that was found.
        found: u8,
    },
    /// Written by a newer version of the program.
    #[error(
        "the {what} is encoded in version {found}, this program reads up to version {known}: \
         update the program that reads it"
    )]
    UnknownVersion {
        /// What was expected.
        what: &'static str,
        /// The version found.
        found: u8,
        /// The newest version this program reads.
        known: u8,
    },
    /// A number does not fit its type.
    #[error("a number is too large, at byte {at}")]
    Overflow {
        /// Offset in bytes.
        at: usize,
    },
    /// The numbers contradict each other, so the data is damaged.
    #[error("the data is damaged at byte {at}: {what}")]
    Damaged {
        /// Offset in bytes.
        at: usize,
        /// What does not hold.
        what: &'static str,
    },
    /// More than 2^64 - 1 values in all.
    #[error("the sum of the counts is too large")]
    CountOverflow,
}

/// Appends `value` as unsigned LEB128.
pub(crate) fn put_varint(out: &mut Vec<u8>, value: u64) {
    put_varint_wide(out, u128::from(value));
}

/// Appends `value` as unsigned LEB128.
pub(crate) fn put_varint_wide(out: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Signed to unsigned with small magnitudes small.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The opposite of [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

/// Reads a byte slice from front to back.
#[derive(Clone, Debug)]
pub(crate) struct HistogramReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HistogramReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, DecodeError> {
        let byte = *self
            .bytes
            .get(self.at)
            .ok_or(DecodeError::Truncated { at: self.at })?;
        self.at += 1;
        Ok(byte)
    }

    pub(crate) fn slice(&mut self, len: u64) -> Result<&'a [u8], DecodeError> {
        let rest = &self.bytes[self.at..];
        let len = usize::try_from(len)
            .ok()
            .filter(|len| *len <= rest.len())
            .ok_or(DecodeError::Truncated {
                at: self.bytes.len(),
            })?;
        self.at += len;
        Ok(&rest[..len])
    }

    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, DecodeError> {
        let start = self.at;
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first)); // nearly all gaps and counts
        }
        self.at = start;
        u64::try_from(self.varint_wide()?).map_err(|_| DecodeError::Overflow { at: start })
    }

    pub(crate) fn varint_wide(&mut self) -> Result<u128, DecodeError> {
        let start = self.at;
        let mut value: u128 = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7f);
            // The shift must not push bits out at the top.
            if shift > 127 || (bits << shift) >> shift != bits {
                return Err(DecodeError::Overflow { at: start });
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    /// Fails if anything is left.
    pub(crate) fn end(&self) -> Result<(), DecodeError> {
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(DecodeError::TrailingBytes { at: self.at })
        }
    }
}
