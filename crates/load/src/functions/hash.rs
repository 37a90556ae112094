//! Digests, in lower-case hexadecimal.

use std::fmt::Write as _;

use sha2::Digest as _;

use super::args::Args;
use super::context::EvalError;
use super::sink::TextSink;

pub(super) fn md5(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    out.put(&hex(&md5::Md5::digest(args.text(0)?.as_bytes())));
    Ok(())
}

pub(super) fn sha256(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    out.put(&hex(&sha2::Sha256::digest(args.text(0)?.as_bytes())));
    Ok(())
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
