//! Functions that write a text in another way.

use base64::Engine as _;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::args::Args;
use super::context::EvalError;
use super::sink::TextSink;

/// All but the unreserved characters of RFC 3986, as JavaScript's `encodeURIComponent` nearly does.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

pub(super) fn url_encode(
    args: &mut Args<'_, '_, '_>,
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
    for piece in utf8_percent_encode(&args.text(0)?, RESERVED) {
        out.put(piece);
    }
    Ok(())
}

pub(super) fn base64(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    out.put(&base64::engine::general_purpose::STANDARD.encode(args.text(0)?.as_bytes()));
    Ok(())
}

pub(super) fn lower(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    out.put(&args.text(0)?.to_lowercase());
    Ok(())
}

pub(super) fn upper(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    out.put(&args.text(0)?.to_uppercase());
    Ok(())
}

pub(super) fn json(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    out.put(&plimsoll_plan::functions::json_inside(&args.text(0)?));
    Ok(())
}
