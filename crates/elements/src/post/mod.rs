//! Post-processors. One file a class, one line in [`ENTRIES`].

mod boundary;
mod debug;
mod html;
mod jmespath;
mod json;
mod numbered;
mod regex;
mod subject;
#[cfg(test)]
mod testing;
mod xpath;

pub(crate) use xpath::needs_xpath_2;

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
}

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry {
        class: "BoundaryExtractor",
        bind: boundary::bind,
    },
    Entry {
        class: "DebugPostProcessor",
        bind: debug::bind,
    },
    Entry {
        class: "HtmlExtractor",
        bind: html::bind,
    },
    Entry {
        class: "JMESPathExtractor",
        bind: jmespath::bind,
    },
    Entry {
        class: "JSONPostProcessor",
        bind: json::bind,
    },
    Entry {
        class: "RegexExtractor",
        bind: regex::bind,
    },
    Entry {
        class: "XPath2Extractor",
        bind: xpath::bind_2,
    },
    Entry {
        class: "XPathExtractor",
        bind: xpath::bind,
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

/// Takes away what is left of earlier uses: `NAME_matchNr`, and `NAME_1` and so on as far as
/// they go.
fn clear_numbered(cx: &mut dyn Context, name: &str) {
    cx.remove(&format!("{name}_matchNr"));
    for number in 1u64.. {
        let key = format!("{name}_{number}");
        if cx.get(&key).is_none() {
            break;
        }
        cx.remove(&key);
    }
}

/// Java's `split(";")`: empty pieces at the end are left out, unless there is nothing else.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split(';').collect();
    while pieces.len() > 1 && pieces.last() == Some(&"") {
        pieces.pop();
    }
    match pieces[..] {
        // ";" alone has no pieces at all.
        [""] if !text.is_empty() => Vec::new(),
        _ => pieces,
    }
}

/// The texts that a JSON extractor reads: of the samples that are not blank, or of a variable.
fn json_texts<'s>(
    which: &crate::scope::Which<'_>,
    cx: &mut dyn Context,
    sample: &'s SampleResult,
) -> Vec<std::borrow::Cow<'s, str>> {
    if let crate::scope::Which::Variable(name) = which {
        // A variable that is not there is an error in JMeter, as an empty text is.
        let value = cx.get(name).unwrap_or_default();
        return vec![value.to_string().into()];
    }
    let texts = which.samples(sample).into_iter().map(SampleResult::text);
    texts.filter(|text| !text.trim().is_empty()).collect()
}
