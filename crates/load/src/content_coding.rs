//! Undoing the content codings of a response's body.
//!
//! Works on whole bodies: it runs only where a plan looks into a body, after
//! the sample was timed. Every stage stops at a limit, so that a few kilobytes
//! cannot fill the memory (a decompression bomb).
//!
//! Must not know: connections, headers other than the value of
//! `Content-Encoding`, samples.

use std::io::Read;

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use plimsoll_stats::ErrorKind;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// Codings that may be stacked. Real responses have one, rarely two.
const MAX_CODINGS: usize = 5;

/// Why a body could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodingError {
    /// A coding that is not known here.
    #[error(
        "unknown content coding \"{coding}\" (known: gzip, x-gzip, deflate, br, zstd, identity)"
    )]
    Unknown {
        /// The coding as named by the server, escaped.
        coding: String,
    },
    /// More codings than any honest response has.
    #[error("more than {MAX_CODINGS} content codings on one body")]
    TooMany,
    /// The bytes are not what the coding says, or end too early.
    #[error("the body is not valid {coding}: {reason}")]
    Corrupt {
        /// The coding.
        coding: &'static str,
        /// What the decoder said.
        reason: String,
    },
    /// The decoded body is larger than allowed.
    #[error("the decoded body exceeds the limit of {limit} bytes")]
    Limit {
        /// The limit that was passed.
        limit: u64,
    },
}

impl CodingError {
    /// The kind under which the sample is counted.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Limit { .. } => ErrorKind::BodyLimit,
            _ => ErrorKind::Decoding,
        }
    }
}

#[derive(Clone, Copy)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Undoes the codings listed in a `Content-Encoding` value, the last one first
/// (RFC 9110, 8.4). An empty body stays empty: servers label those as well.
///
/// # Errors
/// If a coding is unknown, the bytes do not fit it, or the result of any stage
/// has more than `limit` bytes.
pub fn decode(content_encoding: &str, body: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
    let codings = codings(content_encoding)?;
    if body.len() as u64 > limit && codings.is_empty() {
        return Err(CodingError::Limit { limit });
    }
    let mut decoded: Option<Vec<u8>> = None;
    for coding in codings.into_iter().rev() {
        let input = decoded.as_deref().unwrap_or(body);
        if input.is_empty() {
            break;
        }
        decoded = Some(undo(coding, input, limit)?);
    }
    Ok(decoded.unwrap_or_else(|| body.to_vec()))
}

/// The codings of the list that change anything, in the order applied.
fn codings(list: &str) -> Result<Vec<Coding>, CodingError> {
    let mut codings = Vec::new();
    for name in list.split(',').map(str::trim) {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if name.is_empty() || is("identity") {
            continue;
        }
        codings.push(match () {
            () if is("gzip") || is("x-gzip") => Coding::Gzip,
            () if is("deflate") => Coding::Deflate,
            () if is("br") => Coding::Brotli,
            () if is("zstd") => Coding::Zstd,
            () => {
                return Err(CodingError::Unknown {
                    coding: name.chars().take(40).flat_map(char::escape_debug).collect(),
                });
            }
        });
        if codings.len() > MAX_CODINGS {
            return Err(CodingError::TooMany);
        }
    }
    Ok(codings)
}

fn undo(coding: Coding, input: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
    let mut out = DecodedBytes {
        bytes: Vec::new(),
        limit,
    };
    match coding {
        Coding::Gzip => gzip(input, &mut out)?,
        Coding::Deflate => return deflate(input, limit),
        Coding::Brotli => out.take(
            "br",
            brotli_decompressor::Decompressor::new(input, BROTLI_INPUT_BUFFER_BYTES),
        )?,
        Coding::Zstd => zstd(input, &mut out)?,
    }
    Ok(out.bytes)
}

const BROTLI_INPUT_BUFFER_BYTES: usize = 4096;

/// Members may follow each other (RFC 1952, 2.2). What follows the last one,
/// often padding, is ignored, as browsers do.
fn gzip(mut input: &[u8], out: &mut DecodedBytes) -> Result<(), CodingError> {
    loop {
        let mut member = GzDecoder::new(input);
        out.take("gzip", &mut member)?;
        input = member.into_inner();
        if !input.starts_with(&[0x1f, 0x8b]) {
            return Ok(());
        }
    }
}

/// `deflate` means zlib (RFC 9110, 8.4.1.2), but some servers send the bare
/// DEFLATE stream, so what does not decode as the one is tried as the other.
fn deflate(input: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
    let new = || DecodedBytes {
        bytes: Vec::new(),
        limit,
    };
    let mut out = new();
    let as_zlib = out.take("deflate", ZlibDecoder::new(input));
    if !matches!(as_zlib, Err(CodingError::Corrupt { .. })) {
        return as_zlib.map(|()| out.bytes);
    }
    let mut out = new();
    match out.take("deflate", DeflateDecoder::new(input)) {
        Ok(()) => Ok(out.bytes),
        // With a zlib header in front, the first reason is the true one.
        Err(_) if has_zlib_header(input) => as_zlib.map(|()| Vec::new()),
        Err(error) => Err(error),
    }
}

/// RFC 1950, 2.2.
fn has_zlib_header(input: &[u8]) -> bool {
    match input {
        [cmf, flags, ..] => {
            cmf & 0x0f == 8 && (u16::from(*cmf) << 8 | u16::from(*flags)).is_multiple_of(31)
        }
        _ => false,
    }
}

/// Frames may follow each other, skippable ones among them (RFC 8878, 3.1).
fn zstd(mut input: &[u8], out: &mut DecodedBytes) -> Result<(), CodingError> {
    const CODING: &str = "zstd";
    let corrupt = |reason: String| CodingError::Corrupt {
        coding: CODING,
        reason,
    };
    while !input.is_empty() {
        let mut frame = match StreamingDecoder::new(&mut input) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let skipped = input.split_off(..length as usize);
                skipped.ok_or_else(|| corrupt("a skippable frame is cut short".to_owned()))?;
                continue;
            }
            Err(error) => return Err(corrupt(error.to_string())),
        };
        out.take(CODING, &mut frame)?;
        if !checksum_holds(&frame.into_frame_decoder()) {
            return Err(corrupt("the checksum is wrong".to_owned()));
        }
    }
    Ok(())
}

/// The decoder computes the checksum and leaves comparing it to us.
fn checksum_holds(frame: &FrameDecoder) -> bool {
    let sent = frame.get_checksum_from_data();
    sent.is_none() || sent == frame.get_calculated_checksum()
}

/// Collects decoded bytes up to a limit.
struct DecodedBytes {
    bytes: Vec<u8>,
    limit: u64,
}

impl DecodedBytes {
    fn take(&mut self, coding: &'static str, decoder: impl Read) -> Result<(), CodingError> {
        let limit = self.limit;
        let room = limit
            .saturating_sub(self.bytes.len() as u64)
            .saturating_add(1);
        decoder
            .take(room)
            .read_to_end(&mut self.bytes)
            .map_err(|error| CodingError::Corrupt {
                coding,
                reason: error.to_string(),
            })?;
        match self.bytes.len() as u64 > limit {
            true => Err(CodingError::Limit { limit }),
            false => Ok(()),
        }
    }
}
