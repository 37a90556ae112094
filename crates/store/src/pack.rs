//! The blob of one second: all its label intervals, compressed together.
//!
//! ```text
//! byte    0 = as it is, 1 = deflate
//! then, for each label
//! varint  label id
//! varint  length of the encoding
//! bytes   the interval, as `plimsoll-stats` encodes it
//! ```
//!
//! Labels of one second resemble each other, so compressing them together saves about
//! twice as much as one by one.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

const PLAIN: u8 = 0;
const DEFLATE: u8 = 1;
/// Below this, compressing gains nothing.
const SMALL: usize = 64;
/// A second larger than this when unpacked is damage, not data.
const LIMIT: u64 = 1 << 30;

/// Collects the parts of one blob; keeps its buffers for the next.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    plain: Vec<u8>,
    part: Vec<u8>,
}

impl Packer {
    /// Adds the encoding that `encode` appends to its buffer.
    pub(crate) fn add(&mut self, label: u32, encode: impl FnOnce(&mut Vec<u8>)) {
        self.part.clear();
        encode(&mut self.part);
        put_varint(&mut self.plain, u64::from(label));
        put_varint(&mut self.plain, self.part.len() as u64);
        self.plain.extend_from_slice(&self.part);
    }

    /// The blob, and an empty packer.
    pub(crate) fn finish(&mut self) -> io::Result<Vec<u8>> {
        let blob = compress(&self.plain)?;
        self.plain.clear();
        Ok(blob)
    }
}

/// Compresses bytes behind a format byte.
pub(crate) fn compress(plain: &[u8]) -> io::Result<Vec<u8>> {
    if plain.len() >= SMALL {
        let mut encoder = DeflateEncoder::new(vec![DEFLATE], Compression::default());
        encoder.write_all(plain)?;
        let packed = encoder.finish()?;
        if packed.len() <= plain.len() {
            return Ok(packed);
        }
    }
    let mut blob = Vec::with_capacity(plain.len() + 1);
    blob.push(PLAIN);
    blob.extend_from_slice(plain);
    Ok(blob)
}

/// The opposite of [`compress`], into a buffer that is cleared first.
pub(crate) fn decompress(blob: &[u8], plain: &mut Vec<u8>) -> Result<(), String> {
    decompress_within(blob, plain, LIMIT)
}

/// The same of what unpacks to so many bytes at most.
pub(crate) fn decompress_within(blob: &[u8], plain: &mut Vec<u8>, most: u64) -> Result<(), String> {
    plain.clear();
    match blob.split_first() {
        Some((&PLAIN, rest)) => plain.extend_from_slice(rest),
        Some((&DEFLATE, rest)) => {
            let read = DeflateDecoder::new(rest)
                .take(most + 1)
                .read_to_end(plain)
                .map_err(|e| e.to_string())?;
            if read as u64 > most {
                return Err(format!("it unpacks to more than {most} bytes"));
            }
        }
        Some((format, _)) => return Err(format!("unknown packing {format}")),
        None => return Err("an empty second".to_owned()),
    }
    Ok(())
}

/// Goes over the parts of an unpacked blob.
pub(crate) fn parts(plain: &[u8]) -> PackedParts<'_> {
    PackedParts { rest: plain }
}

/// Iterator of (label id, encoded interval).
pub(crate) struct PackedParts<'a> {
    rest: &'a [u8],
}

impl<'a> PackedParts<'a> {
    fn part(&mut self) -> Option<(u32, &'a [u8])> {
        let label = u32::try_from(take_varint(&mut self.rest)?).ok()?;
        let length = usize::try_from(take_varint(&mut self.rest)?).ok()?;
        let (part, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some((label, part))
    }
}

impl<'a> Iterator for PackedParts<'a> {
    type Item = Result<(u32, &'a [u8]), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let part = self.part();
        if part.is_none() {
            self.rest = &[];
        }
        Some(part.ok_or_else(|| "a second's parts do not add up".to_owned()))
    }
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_in_order() {
        let mut packer = Packer::default();
        let long: Vec<u8> = (0..5_000_u32).map(|n| (n % 7) as u8).collect();
        packer.add(3, |out| out.extend_from_slice(&long));
        packer.add(70_000, |_| {});
        let blob = packer.finish().unwrap();
        assert!(blob.len() < 500, "{}", blob.len());
        let mut plain = Vec::new();
        decompress(&blob, &mut plain).unwrap();
        let found: Vec<_> = parts(&plain).map(Result::unwrap).collect();
        assert_eq!(found, [(3, long.as_slice()), (70_000, &[][..])]);
    }

    #[test]
    fn damage_is_an_error_at_every_length() {
        let mut packer = Packer::default();
        packer.add(1, |out| out.extend((0..300_u32).map(|n| (n * n) as u8)));
        let blob = packer.finish().unwrap();
        let mut plain = Vec::new();
        for cut in 0..blob.len() {
            let whole = decompress(&blob[..cut], &mut plain).is_ok()
                && parts(&plain).count() > 0
                && parts(&plain).all(|part| part.is_ok());
            assert!(!whole, "cut at {cut}");
        }
        assert!(decompress(&[9, 1, 2], &mut plain).is_err());
        assert_eq!(parts(&[0xff; 20]).filter(Result::is_err).count(), 1);
    }
}
