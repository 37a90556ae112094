//! Exchange with HdrHistogram: its V2 encoding, plain, compressed, and as the
//! base64 text of interval logs.
//!
//! Format: HdrHistogram's `AbstractHistogram.encodeIntoByteBuffer` (Java) and
//! "HdrHistogram Compressed Format". All integers are big-endian: cookie,
//! payload length, normalizing index offset (`i32` each), significant digits
//! (`i32`), lowest and highest trackable value (`i64`), conversion ratio
//! (`f64`), then the counts from bucket 0 as zigzag LEB128 of at most 9 bytes,
//! where a negative number -n stands for n empty buckets. The compressed form
//! is a cookie, a length and the zlib stream of the plain form.
//!
//! Our buckets are HdrHistogram's for three digits and a unit of 1 ns, so an
//! export loses no bucket; minimum, maximum and sum become bucket-exact, since
//! the format does not carry them.

use std::io::{Read, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::histogram::{BUCKETS, Histogram, bounds_of, unzigzag, zigzag};

mod error;
mod layout;

pub use error::HdrError;

use layout::HdrLayout;

const COOKIE_PLAIN: u32 = 0x1c84_9303;
const COOKIE_COMPRESSED: u32 = 0x1c84_9304;
/// Set in V2 cookies: counts are varints.
const COOKIE_VARINT: u32 = 0x10;
const HEADER_LEN: usize = 40;
/// Largest plain form read from a compressed one: every bucket of a histogram
/// of five digits over 64 bits fits.
const MAX_PLAIN_LEN: u64 = 64 << 20;
const SIGNIFICANT_DIGITS: u32 = 3;

/// The plain V2 encoding; the unit is 1 ns.
pub fn export_v2(histogram: &Histogram) -> Vec<u8> {
    let mut payload = Vec::new();
    let mut next = 0;
    for (index, n) in histogram.occupied() {
        if index > next {
            put_zigzag(&mut payload, -((index - next) as i64));
        }
        // HdrHistogram counts in i64; so many samples exist only in theory.
        put_zigzag(&mut payload, i64::try_from(n).unwrap_or(i64::MAX));
        next = index + 1;
    }
    let (_, highest_ns) = bounds_of(BUCKETS - 1);
    let mut out = Vec::with_capacity(HEADER_LEN + payload.len());
    out.extend((COOKIE_PLAIN | COOKIE_VARINT).to_be_bytes());
    out.extend((payload.len() as u32).to_be_bytes());
    out.extend(0_u32.to_be_bytes()); // normalizing index offset
    out.extend(SIGNIFICANT_DIGITS.to_be_bytes());
    out.extend(1_u64.to_be_bytes());
    out.extend(highest_ns.to_be_bytes());
    out.extend(1.0_f64.to_be_bytes());
    out.extend(payload);
    out
}

/// The compressed V2 encoding; the unit is 1 ns.
pub fn export_v2_compressed(histogram: &Histogram) -> Vec<u8> {
    let plain = export_v2(histogram);
    let mut encoder = ZlibEncoder::new(vec![0; 8], Compression::default());
    // Writing into a vector does not fail.
    let written = encoder.write_all(&plain).and_then(|()| encoder.finish());
    let mut out = written.unwrap_or_default();
    let len = (out.len() - 8) as u32;
    out[..4].copy_from_slice(&(COOKIE_COMPRESSED | COOKIE_VARINT).to_be_bytes());
    out[4..8].copy_from_slice(&len.to_be_bytes());
    out
}

/// The base64 text of the compressed encoding, as interval logs hold it.
pub fn export_base64(histogram: &Histogram) -> String {
    BASE64_STANDARD.encode(export_v2_compressed(histogram))
}

/// Adds an HdrHistogram in V2 encoding, plain or compressed; `unit_ns` is how
/// many nanoseconds its unit is (1,000 for microseconds).
///
/// ```
/// use plimsoll_stats::{Histogram, hdr};
///
/// let mut times = Histogram::new();
/// times.record(1_500_000);
/// let mut read = Histogram::new();
/// hdr::import(&mut read, &hdr::export_v2(&times), 1).unwrap();
/// assert_eq!(read.count(), 1);
/// ```
///
/// A value stands in the middle of its HdrHistogram bucket.
///
/// # Errors
/// If the bytes are no such histogram; nothing is added then.
pub fn import(into: &mut Histogram, bytes: &[u8], unit_ns: u64) -> Result<(), HdrError> {
    let mut fields = HdrFields { bytes };
    let cookie = fields.u32()?;
    if cookie == COOKIE_PLAIN | COOKIE_VARINT {
        return import_plain(into, fields, unit_ns);
    }
    if cookie != COOKIE_COMPRESSED | COOKIE_VARINT {
        return Err(HdrError::UnknownCookie { cookie });
    }
    let len = fields.u32()? as usize;
    let compressed = fields.bytes.get(..len).ok_or(HdrError::Truncated)?;
    let plain = inflate(compressed)?;
    let mut fields = HdrFields { bytes: &plain };
    match fields.u32()? {
        cookie if cookie == COOKIE_PLAIN | COOKIE_VARINT => import_plain(into, fields, unit_ns),
        cookie => Err(HdrError::UnknownCookie { cookie }),
    }
}

/// Adds an HdrHistogram from the base64 text of an interval log.
///
/// # Errors
/// If the text is not base64 or not such a histogram; nothing is added then.
pub fn import_base64(into: &mut Histogram, text: &str, unit_ns: u64) -> Result<(), HdrError> {
    let bytes = BASE64_STANDARD.decode(text.trim());
    import(into, &bytes.map_err(|_| HdrError::NotBase64)?, unit_ns)
}

fn inflate(compressed: &[u8]) -> Result<Vec<u8>, HdrError> {
    let mut plain = Vec::new();
    let read = ZlibDecoder::new(compressed)
        .take(MAX_PLAIN_LEN + 1)
        .read_to_end(&mut plain);
    let not_zlib = |what: String| HdrError::NotZlib { what };
    let len = read.map_err(|error| not_zlib(error.to_string()))?;
    if len as u64 > MAX_PLAIN_LEN {
        return Err(not_zlib("it is larger than 64 MB".to_owned()));
    }
    Ok(plain)
}

/// `fields` stands behind the cookie.
fn import_plain(into: &mut Histogram, mut fields: HdrFields, unit_ns: u64) -> Result<(), HdrError> {
    let payload_len = fields.u32()? as usize;
    if fields.u32()? != 0 {
        return Err(HdrError::Field {
            field: "normalizing index offset",
        });
    }
    let digits = fields.u32()?;
    let (lowest, highest) = (fields.u64()?, fields.u64()?);
    if f64::from_bits(fields.u64()?) != 1.0 {
        return Err(HdrError::Field {
            field: "integer to double conversion ratio",
        });
    }
    let layout = HdrLayout::new(digits, lowest, highest)?;
    let mut counts = HdrFields {
        bytes: fields.bytes.get(..payload_len).ok_or(HdrError::Truncated)?,
    };
    let mut read = Histogram::new();
    let mut index = 0_u64;
    while !counts.bytes.is_empty() {
        let count = counts.zigzag()?;
        if count < 0 {
            index = index.saturating_add(count.unsigned_abs());
            continue;
        }
        if count > 0 {
            let middle = layout.middle(index).ok_or(HdrError::Counts {
                what: "a bucket lies above the highest trackable value",
            })?;
            read.record_n(middle.saturating_mul(unit_ns), count.unsigned_abs());
        }
        index = index.saturating_add(1);
    }
    into.merge(&read);
    Ok(())
}

fn put_zigzag(out: &mut Vec<u8>, value: i64) {
    let mut rest = zigzag(value);
    // Unlike LEB128 the ninth byte carries eight bits, so there is no tenth.
    for _ in 0..8 {
        if rest < 0x80 {
            out.push(rest as u8);
            return;
        }
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Reads big-endian fields from the front of a slice.
struct HdrFields<'a> {
    bytes: &'a [u8],
}

impl HdrFields<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], HdrError> {
        let (array, rest) = self.bytes.split_first_chunk().ok_or(HdrError::Truncated)?;
        self.bytes = rest;
        Ok(*array)
    }

    fn u32(&mut self) -> Result<u32, HdrError> {
        self.array().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, HdrError> {
        self.array().map(u64::from_be_bytes)
    }

    fn zigzag(&mut self) -> Result<i64, HdrError> {
        let mut value = 0_u64;
        for shift in (0..56).step_by(7) {
            let [byte] = self.array()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(unzigzag(value));
            }
        }
        let [byte] = self.array()?;
        Ok(unzigzag(value | u64::from(byte) << 56))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
