//! How a response code is encoded, in intervals and in their failures.

use crate::Code;
use crate::histogram::{DecodeError, HistogramReader, put_varint};

/// Appends a code.
pub(crate) fn put_code(out: &mut Vec<u8>, code: Code) {
    match code {
        Code::None => put_varint(out, 0),
        Code::Http(status) => put_varint(out, u64::from(status) << 1 | 1),
        Code::Text(text) => {
            put_varint(out, (text.len() as u64) << 1);
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Reads a code.
pub(crate) fn read_code(reader: &mut HistogramReader<'_>) -> Result<Code, DecodeError> {
    let at = reader.position();
    let damaged = |what| DecodeError::Damaged { at, what };
    let word = reader.varint()?;
    if word == 0 {
        return Ok(Code::None);
    }
    if word & 1 == 1 {
        return u16::try_from(word >> 1)
            .map(Code::Http)
            .map_err(|_| damaged("a status code is too large"));
    }
    std::str::from_utf8(reader.slice(word >> 1)?)
        .map(Code::from_text)
        .map_err(|_| damaged("a code is not UTF-8"))
}
