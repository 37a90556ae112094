//! The failures of an interval, as bytes.
//!
//! ```text
//! varint  number of groups, then for each:
//!         byte kind; code as in the interval; varint 0 = any message, else its bytes + 1; message
//!         varints count, first (ms), last less first
//!         varint number of samples, then for each: varint when (ms) less first; detail, request
//!         and response: varint bytes, text
//! ```

use std::sync::Arc;

use super::{Failed, Failures, KeptSample, folded};
use crate::histogram::{DecodeError, HistogramReader, put_varint};
use crate::interval::{put_code, read_code};
use crate::{Code, ErrorKind};

/// How much of failures is encoded where room is short. Counts are always exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Everything.
    All,
    /// No samples.
    Groups,
    /// One group for each kind.
    Kinds,
}

impl Failures {
    /// With less detail.
    fn reduced(&self, detail: Detail) -> Self {
        let mut less = Self::default();
        for failed in &self.0 {
            let key = match detail {
                Detail::Kinds => folded(failed.kind),
                Detail::All | Detail::Groups => failed.key(),
            };
            less.group(key, usize::MAX)
                .count(failed.count, failed.first_ms, failed.last_ms);
        }
        less
    }

    pub(crate) fn encode(&self, detail: Detail, out: &mut Vec<u8>) {
        match detail {
            Detail::All => self.put(out),
            Detail::Groups | Detail::Kinds => self.reduced(detail).put(out),
        }
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.0.len() as u64);
        for failed in &self.0 {
            out.push(failed.kind as u8);
            put_code(out, failed.code);
            match &failed.message {
                None => put_varint(out, 0),
                Some(message) => {
                    put_varint(out, message.len() as u64 + 1);
                    out.extend_from_slice(message.as_bytes());
                }
            }
            put_varint(out, failed.count);
            put_varint(out, failed.first_ms);
            put_varint(out, failed.last_ms.saturating_sub(failed.first_ms));
            put_varint(out, failed.samples.len() as u64);
            for sample in &failed.samples {
                put_varint(out, sample.at_ms.saturating_sub(failed.first_ms));
                for text in [&sample.detail, &sample.request, &sample.response] {
                    put_varint(out, text.len() as u64);
                    out.extend_from_slice(text.as_bytes());
                }
            }
        }
    }

    pub(crate) fn read(reader: &mut HistogramReader<'_>) -> Result<Self, DecodeError> {
        let mut all = Self::default();
        for _ in 0..reader.varint()? {
            all.merge_group(&read_group(reader)?);
        }
        Ok(all)
    }
}

fn read_group(reader: &mut HistogramReader<'_>) -> Result<Failed, DecodeError> {
    let kind = ErrorKind::from_number(reader.byte()?);
    let code: Code = read_code(reader)?;
    let message = match reader.varint()? {
        0 => None,
        length => Some(text(reader, length - 1)?),
    };
    let count = reader.varint()?;
    let first_ms = reader.varint()?;
    let last_ms = later(reader, first_ms)?;
    let mut samples = Vec::new();
    for _ in 0..reader.varint()? {
        let at_ms = later(reader, first_ms)?;
        let mut next = || {
            let length = reader.varint()?;
            text(reader, length).map(str::to_owned)
        };
        samples.push(Arc::new(KeptSample {
            at_ms,
            detail: next()?,
            request: next()?,
            response: next()?,
        }));
    }
    Ok(Failed {
        count,
        first_ms,
        last_ms,
        samples,
        ..Failed::new((kind, code, message))
    })
}

fn later(reader: &mut HistogramReader<'_>, than_ms: u64) -> Result<u64, DecodeError> {
    let at = reader.position();
    let sum = than_ms.checked_add(reader.varint()?);
    sum.ok_or(DecodeError::Overflow { at })
}

fn text<'a>(reader: &mut HistogramReader<'a>, length: u64) -> Result<&'a str, DecodeError> {
    let at = reader.position();
    std::str::from_utf8(reader.slice(length)?).map_err(|_| DecodeError::Damaged {
        at,
        what: "a text is not UTF-8",
    })
}
