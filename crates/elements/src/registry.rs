//! Which classes are native, and how an element becomes a leaf.

use plimsoll_plan::program::ElementProgram;

use crate::fields::Fields;
pub use crate::fields::UNKNOWN;
use crate::leaf::Bind;
use crate::post::needs_xpath_2;

pub use crate::leaf::Bound;

/// Every native leaf. Each group of files has its own list, one line a class.
fn entries() -> impl Iterator<Item = &'static (&'static str, Bind)> {
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
    entries().any(|(known, _)| *known == class)
}

/// Whether an element is too much for its native leaf, so that the companion must have it: an
/// XPath assertion that validates against a DTD, an XPath 2 query that may mean something else in
/// XPath 1.0. `shape` gives the properties, with [`UNKNOWN`] for what is not known before the run.
#[must_use]
pub fn is_beyond(class: &str, shape: impl Fn(&str) -> String) -> bool {
    match class {
        "XPathAssertion" => shape("XPath.validate").eq_ignore_ascii_case("true"),
        "XPath2Extractor" => needs_xpath_2(
            &shape("XPathExtractor2.xpathQuery"),
            &shape("XPathExtractor2.namespaces"),
        ),
        "XPath2Assertion" => needs_xpath_2(&shape("XPath.xpath"), &shape("XPath.namespaces")),
        _ => false,
    }
}

/// Binds an element; none when its class is not one of this crate's, or it wants what only the
/// companion can do.
#[must_use]
pub fn bind(element: &ElementProgram) -> Option<Bound> {
    if is_beyond(&element.class, |name| Fields(element).shape(name)) {
        return None;
    }
    let found = entries().find(|(class, _)| *class == element.class);
    found.map(|(_, bind)| bind(Fields(element)))
}
