//! A call's arguments, and what its site keeps.

use std::borrow::Cow;
use std::sync::Arc;

use plimsoll_plan::program::{Call, SiteId};

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

/// What a site keeps for all users; made at first use.
pub(crate) fn shared<T: Send + Sync + 'static>(
    cx: &dyn Context,
    site: SiteId,
    make: impl FnOnce() -> T,
) -> Result<Arc<T>, Fault> {
    let kept = cx.shared(site).get_or_init(|| Box::new(Arc::new(make())));
    match kept.downcast_ref::<Arc<T>>() {
        Some(kept) => Ok(Arc::clone(kept)),
        None => Err(Fault::new("a site is used for two things")),
    }
}

/// What a site keeps for this user; made at first use.
pub(crate) fn own<T: 'static>(
    cx: &mut dyn Context,
    site: SiteId,
    make: impl FnOnce() -> T,
) -> Result<&mut T, Fault> {
    let kept = cx.own(site).get_or_insert_with(|| Box::new(make()));
    kept.downcast_mut::<T>()
        .ok_or_else(|| Fault::new("a site is used for two things"))
}

/// Something made from an argument's text, kept as long as the text stays the same: for all
/// users when the argument is fixed, else for this user.
pub(crate) struct Made<T> {
    text: String,
    value: Arc<T>,
}

/// Makes something from a text, or gives what was made from it before. `fixed`: the text is
/// the same at each use.
pub(crate) fn made<T: Send + Sync + 'static>(
    cx: &mut dyn Context,
    site: SiteId,
    fixed: bool,
    text: &str,
    make: impl FnOnce(&str) -> T,
) -> Result<Arc<T>, Fault> {
    if fixed {
        return shared(cx, site, || make(text));
    }
    let kept = own::<Option<Made<T>>>(cx, site, || None)?;
    if let Some(kept) = kept
        && kept.text == text
    {
        return Ok(Arc::clone(&kept.value));
    }
    let value = Arc::new(make(text));
    *kept = Some(Made {
        text: text.to_owned(),
        value: Arc::clone(&value),
    });
    Ok(value)
}
