//! Random values.

use std::borrow::Cow;

use super::args::Args;
use super::context::EvalError;
use super::sink::TextSink;

const LETTERS_AND_DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Longest `random_text`, characters: a mistyped length must not eat the memory.
const MAX_LENGTH: usize = 10_000_000;

pub(super) fn random(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    let (min, max) = (args.whole(0)?, args.whole(1)?);
    out.put(&args.ctx.rng.between(min.min(max), max.max(min)).to_string());
    Ok(())
}

pub(super) fn random_text(
    args: &mut Args<'_, '_, '_>,
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
    let written = args.text(0)?;
    let length = written
        .trim()
        .parse()
        .ok()
        .filter(|length| *length <= MAX_LENGTH);
    let length = length.ok_or_else(|| args.wrong(0, &written, "function-wants-length"))?;
    let alphabet = args.get(1)?.unwrap_or(Cow::Borrowed(LETTERS_AND_DIGITS));
    if alphabet.is_empty() {
        return Err(args.wrong(1, &alphabet, "function-wants-alphabet"));
    }
    let text = if alphabet.is_ascii() {
        let letters = alphabet.as_bytes();
        (0..length)
            .map(|_| char::from(*pick_one(args, letters)))
            .collect::<String>()
    } else {
        let letters = alphabet.chars().collect::<Vec<_>>();
        (0..length).map(|_| *pick_one(args, &letters)).collect()
    };
    out.put(&text);
    Ok(())
}

/// One of the items, which are not none.
fn pick_one<'i, T>(args: &mut Args<'_, '_, '_>, items: &'i [T]) -> &'i T {
    &items[args.ctx.rng.below(items.len())]
}

pub(super) fn pick(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    let call = args.call;
    if call.args.is_empty() {
        return Ok(());
    }
    // Only the argument that is picked is computed.
    let chosen = pick_one(args, &call.args);
    out.put(&args.evaluated(chosen)?);
    Ok(())
}

/// RFC 9562, 5.4.
pub(super) fn uuid(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    let (high, low) = (args.ctx.rng.bits(), args.ctx.rng.bits());
    let high = high & !0xF000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    out.put(&format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFFF,
        low >> 48,
        low & 0xFFFF_FFFF_FFFF,
    ));
    Ok(())
}
