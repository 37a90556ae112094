//! The variables that extractors leave: `NAME`, `NAME_1`, …, `NAME_matchNr`.

use crate::context::{Context, between};

/// The variables of one extraction with XPath.
pub(super) struct Numbered<'v> {
    variable: &'v str,
    /// How many there were before.
    before: usize,
}

impl<'v> Numbered<'v> {
    /// Sets what holds if nothing is found, or the text cannot be read.
    pub(super) fn begin(cx: &mut dyn Context, variable: &'v str, default: &str) -> Self {
        cx.set(variable, default);
        let count = format!("{variable}_matchNr");
        let before = cx.get(&count).and_then(|text| text.parse().ok());
        cx.set(&count, "0");
        cx.remove(&format!("{variable}_1"));
        Self {
            variable,
            before: before.unwrap_or(0),
        }
    }

    /// Sets what was found. A match without a value leaves its variable as it was.
    pub(super) fn end(self, cx: &mut dyn Context, values: &[Option<String>]) {
        let variable = self.variable;
        cx.set(&format!("{variable}_matchNr"), &values.len().to_string());
        if let Some(Some(first)) = values.first() {
            cx.set(variable, first);
        }
        for (number, value) in (1..).zip(values) {
            if let Some(value) = value {
                cx.set(&format!("{variable}_{number}"), value);
            }
        }
        let next = values.len() + 1;
        for left_over in next..=self.before.max(next) {
            cx.remove(&format!("{variable}_{left_over}"));
        }
    }
}

/// A match by its number from 1, or any for 0; none when there are fewer.
pub(super) fn pick<'m, T>(matches: &'m [T], number: i64, cx: &mut dyn Context) -> Option<&'m T> {
    if matches.is_empty() {
        return None;
    }
    let last = i64::try_from(matches.len()).unwrap_or(i64::MAX) - 1;
    let at = match number {
        0 => between(cx.random_bits(), 0, last),
        number => number - 1,
    };
    matches.get(usize::try_from(at).ok()?)
}

/// Takes `NAME_matchNr` away; gives what it said.
pub(super) fn take_count(cx: &mut dyn Context, name: &str) -> usize {
    let key = format!("{name}_matchNr");
    let Some(text) = cx.get(&key) else {
        return 0;
    };
    cx.remove(&key);
    match text.parse() {
        Ok(count) => count,
        Err(_) => {
            cx.log(&format!("Could not parse number: '{text}'"));
            0
        }
    }
}

/// Takes away what is left of earlier uses: `NAME_matchNr`, and `NAME_1` and so on as far as
/// they go.
pub(super) fn clear_numbered(cx: &mut dyn Context, name: &str) {
    cx.remove(&format!("{name}_matchNr"));
    for number in 1u64.. {
        let key = format!("{name}_{number}");
        if cx.get(&key).is_none() {
            break;
        }
        cx.remove(&key);
    }
}

/// Sets the match of a number, or all below 0, and takes away what is left of `before` earlier
/// ones. A match without a value leaves its variable as it was.
pub(super) fn leave<T>(
    cx: &mut dyn Context,
    variable: &str,
    number: i64,
    found: &[T],
    text: impl Fn(&T) -> Option<&str>,
    before: usize,
) {
    let mut kept = 0;
    if number >= 0 {
        if let Some(found) = pick(found, number, cx).and_then(text) {
            cx.set(variable, found);
        }
    } else {
        kept = found.len();
        cx.set(&format!("{variable}_matchNr"), &kept.to_string());
        for (number, found) in (1..).zip(found) {
            if let Some(found) = text(found) {
                cx.set(&format!("{variable}_{number}"), found);
            }
        }
    }
    for left_over in kept + 1..=before {
        cx.remove(&format!("{variable}_{left_over}"));
    }
}
