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

use crate::leaf::Entry;

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry::new("BoundaryExtractor", boundary::bind),
    Entry::new("DebugPostProcessor", debug::bind),
    Entry::new("HtmlExtractor", html::bind),
    Entry::new("JMESPathExtractor", jmespath::bind),
    Entry::new("JSONPostProcessor", json::bind),
    Entry::new("RegexExtractor", regex::bind),
    Entry::new("XPath2Extractor", xpath::bind_2),
    Entry::new("XPathExtractor", xpath::bind),
];
