//! Post-processors. One file a class, one line in [`ENTRIES`].

mod boundary;
mod regex;
mod result_action;
mod subject;
#[cfg(test)]
mod testing;

use crate::context::{Context, Fault};
use crate::registry::Entry;
use crate::result::SampleResult;

/// Works on the result of a sampler before the assertions.
pub trait PostProcessor: Send + Sync {
    /// Takes what it wants; may change the result (its sub-samples, say).
    ///
    /// # Errors
    /// When a property cannot be evaluated; JMeter logs it and goes on, so does the engine.
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault>;

    /// It works after the assertions, since it looks at what they found.
    fn after_assertions(&self) -> bool {
        false
    }
}

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry {
        class: "BoundaryExtractor",
        bind: boundary::bind,
    },
    Entry {
        class: "RegexExtractor",
        bind: regex::bind,
    },
    Entry {
        class: "ResultAction",
        bind: result_action::bind,
    },
];

/// A match by its number from 1, or any for 0; none when there are fewer.
fn pick<'m, T>(matches: &'m [T], number: i64, cx: &mut dyn Context) -> Option<&'m T> {
    if matches.is_empty() {
        return None;
    }
    let last = i64::try_from(matches.len()).unwrap_or(i64::MAX) - 1;
    let at = match number {
        0 => crate::context::between(cx.random_bits(), 0, last),
        number => number - 1,
    };
    matches.get(usize::try_from(at).ok()?)
}

/// Takes `NAME_matchNr` away; gives what it said.
fn take_count(cx: &mut dyn Context, name: &str) -> usize {
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
