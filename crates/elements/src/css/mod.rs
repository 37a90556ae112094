//! Selectors over HTML as jsoup 1.17 reads them: CSS with `:contains(…)`, `:eq(…)`, `[^data-]`
//! and more of its own.

mod jodd;
mod matching;
mod parse;
mod selector;
mod text;

use scraper::Html;

pub use matching::attribute;
pub use selector::{CssSelector, Element};
pub use text::{inner_text, raw_text};

use crate::work::{CpuPatience, DocumentRefused};

impl CssSelector {
    /// Compiles a selector.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(selector: &str) -> Result<Self, String> {
        parse::parse(selector, 0)
    }

    /// The elements of a document that it finds, in their order, looked for as long as there is
    /// patience.
    pub fn find<'h>(
        &'h self,
        html: &'h Html,
        patience: &'h CpuPatience,
    ) -> impl Iterator<Item = Result<Element<'h>, DocumentRefused>> {
        let nodes = html.tree.root().descendants();
        nodes.filter_map(|node| match (patience.step(), self.matches(node)) {
            (Err(refused), _) => Some(Err(refused)),
            (Ok(()), true) => Some(Ok(node)),
            (Ok(()), false) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_chains_over_deep_pages_take_no_powers_of_their_depth() {
        // Were each blank tried with each element above, this would be 400 to the power of 9.
        let html = Html::parse_document(&"<div class=a>".repeat(400));
        for selector in [
            "b div div div div div div div div div",
            "b > div div div div div div div div",
            "b ~ div div ~ div div ~ div div",
        ] {
            let selector = CssSelector::new(selector).unwrap();
            let patience = CpuPatience::new();
            let found: Result<Vec<_>, _> = selector.find(&html, &patience).collect();
            assert_eq!(found.unwrap().len(), 0);
        }
    }

    /// A page of a few nested elements, each numbered.
    fn page() -> impl Strategy<Value = String> {
        let tag = prop_oneof![
            Just("<i>"),
            Just("<b>"),
            Just("<u>"),
            Just("</i>"),
            Just("</b>"),
            Just("</u>")
        ];
        proptest::collection::vec(tag, 0..14).prop_map(|tags| tags.concat())
    }

    proptest! {
        // Compared with another implementation of the same selectors.
        #[test]
        fn chains_find_what_they_say(
            page in page(),
            chain in proptest::collection::vec(
                (prop_oneof![Just("i"), Just("b"), Just("u"), Just("*")],
                 prop_oneof![Just(" "), Just(" > "), Just(" + "), Just(" ~ ")]),
                1..5,
            ),
        ) {
            let parts: Vec<String> = chain.iter().map(|(name, sign)| format!("{name}{sign}")).collect();
            // `html`, since to jsoup the document itself is an element, to the other it is none.
            let selector = format!("html {}i", parts.concat());
            let html = Html::parse_document(&page);
            let other = scraper::Selector::parse(&selector).unwrap();
            let wanted: Vec<_> = html.select(&other).map(|it| it.id()).collect();
            let patience = CpuPatience::new();
            let own = CssSelector::new(&selector).unwrap();
            let found: Vec<_> = own.find(&html, &patience).map(|it| it.unwrap().id()).collect();
            prop_assert_eq!(found, wanted, "{} in {}", selector, html.html());
        }
    }
}
