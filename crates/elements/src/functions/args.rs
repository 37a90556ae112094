//! A call's arguments.

use std::borrow::Cow;

use plimsoll_plan::program::Call;

use crate::context::{Context, Fault};

/// How many arguments the call has.
pub(super) fn count(call: &Call) -> usize {
    call.args.len()
}

/// An argument; empty when it is not there.
pub(super) fn text<'c>(
    call: &'c Call,
    at: usize,
    cx: &mut dyn Context,
) -> Result<Cow<'c, str>, Fault> {
    match call.args.get(at) {
        Some(template) => cx.text(template),
        None => Ok(Cow::Borrowed("")),
    }
}

/// An argument; another text when it is not there.
pub(super) fn text_or<'c>(
    call: &'c Call,
    at: usize,
    other: &Cow<'c, str>,
    cx: &mut dyn Context,
) -> Result<Cow<'c, str>, Fault> {
    match count(call) > at {
        true => text(call, at, cx),
        false => Ok(other.clone()),
    }
}

/// An argument without the space around it, as Java's `trim` takes it off.
pub(super) fn trimmed<'c>(
    call: &'c Call,
    at: usize,
    cx: &mut dyn Context,
) -> Result<Cow<'c, str>, Fault> {
    Ok(match text(call, at, cx)? {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    })
}

/// Sets the variable that an argument names, if it names one.
pub(super) fn save(call: &Call, at: usize, value: &str, cx: &mut dyn Context) -> Result<(), Fault> {
    let name = trimmed(call, at, cx)?;
    if !name.is_empty() {
        cx.set(&name, value);
    }
    Ok(())
}

/// Java's `String.trim`: everything up to U+0020 goes.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}
