//! Which classes are native, and how an element becomes a leaf.

use plimsoll_plan::program::ElementProgram;
use plimsoll_text::Message;

use crate::fields::Fields;
use crate::leaf::Entry;

pub use crate::leaf::Bound;

/// Every native leaf. Each group of files has its own list, one line a class.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        crate::assertions::ENTRIES,
        crate::post::ENTRIES,
        crate::pre::ENTRIES,
        crate::timers::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

/// Whether this crate has a leaf for the class.
#[must_use]
pub fn is_native(class: &str) -> bool {
    entries().any(|entry| entry.class == class)
}

/// Whether an element is too much for its native leaf, so that the companion must have it: an
/// XPath assertion that validates against a DTD, an XPath 2 extractor whose query is no XPath 1.0.
/// `fixed` gives the properties that are known before the run, and else an empty text.
#[must_use]
pub fn is_beyond<'t>(class: &str, fixed: impl Fn(&str) -> &'t str) -> bool {
    match class {
        "XPathAssertion" => fixed("XPath.validate").eq_ignore_ascii_case("true"),
        "XPath2Extractor" => {
            let query = fixed("XPathExtractor2.xpathQuery");
            crate::post::needs_xpath_2(query, fixed("XPathExtractor2.namespaces"))
        }
        _ => false,
    }
}

/// Binds an element; none when its class is not one of this crate's, or it wants what only the
/// companion can do.
///
/// # Errors
/// What is wrong with its properties.
pub fn bind(element: &ElementProgram) -> Result<Option<Bound>, Message> {
    match entries().find(|entry| entry.class == element.class) {
        Some(_) if is_beyond(&element.class, |name| Fields(element).fixed_text(name)) => Ok(None),
        Some(entry) => (entry.bind)(Fields(element)).map(Some),
        None => Ok(None),
    }
}
