//! The order in which Jodd finds elements (5.0.13, `NodeSelector`): the selectors of a list one
//! after the other, and each of them step by step.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::Html;

use super::matching::{all, later};
use super::selector::{Combinator, CssSelector, Element, SelectorChain, SimpleSelector};
use crate::work::{CpuPatience, DocumentRefused};

impl CssSelector {
    /// The elements of a document that it finds, in Jodd's order.
    ///
    /// # Errors
    /// When patience ends.
    pub fn find_by_steps<'h>(
        &self,
        html: &'h Html,
        patience: &CpuPatience,
    ) -> Result<Vec<Element<'h>>, DocumentRefused> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for chain in &self.0 {
            let of_chain = chain.steps(html.tree.root(), patience)?;
            found.extend(of_chain.into_iter().filter(|it| seen.insert(it.id())));
        }
        Ok(found)
    }
}

impl SelectorChain {
    fn steps<'h>(
        &self,
        root: Element<'h>,
        patience: &CpuPatience,
    ) -> Result<Vec<Element<'h>>, DocumentRefused> {
        let mut elements = vec![root];
        let mut combinator = Combinator::Within;
        for (next, compound) in self.before.iter().rev() {
            elements = step(&elements, combinator, compound, patience)?;
            combinator = *next;
        }
        step(&elements, combinator, &self.last, patience)
    }
}

/// What stands so to one of these elements, element by element.
fn step<'h>(
    from: &[Element<'h>],
    combinator: Combinator,
    compound: &[SimpleSelector],
    patience: &CpuPatience,
) -> Result<Vec<Element<'h>>, DocumentRefused> {
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut found = Vec::new();
    for element in from {
        let candidates: Box<dyn Iterator<Item = Element<'h>>> = match combinator {
            Combinator::Within => Box::new(element.descendants().skip(1)),
            Combinator::Child => Box::new(element.children()),
            Combinator::Next => Box::new(later(*element).take(1)),
            Combinator::After => Box::new(later(*element)),
        };
        let is = |node: &Element<'h>| node.value().is_element() && all(compound, *node);
        for node in candidates {
            patience.step()?;
            if is(&node) && seen.insert(node.id()) {
                found.push(node);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::css::attribute;

    /// The `id`s of what is found, in the order of the page and in Jodd's.
    fn ids(selector: &str) -> (String, String) {
        let html = Html::parse_document(
            "<div id=1><div id=2><p id=3></p></div><p id=4></p><p id=5></p></div><b id=6></b>",
        );
        let selector = CssSelector::new(selector).unwrap();
        let ids = |elements: Vec<Element<'_>>| {
            let ids = elements
                .into_iter()
                .map(|it| attribute(it, "id").unwrap().to_owned());
            ids.collect::<String>()
        };
        let patience = CpuPatience::new();
        let found = selector.find(&html, &patience).collect::<Result<_, _>>();
        let by_steps = selector.find_by_steps(&html, &patience);
        (ids(found.unwrap()), ids(by_steps.unwrap()))
    }

    #[test]
    fn selectors_of_a_list_follow_each_other() {
        for (selector, in_order, by_steps) in [
            ("p, div", "12345", "34512"),
            ("b, p, b", "3456", "6345"),
            ("div p", "345", "345"),
            // Children of the outer one come before those of the one within.
            ("div > p", "345", "453"),
            ("p + p", "5", "5"),
            ("div ~ p", "45", "45"),
            ("nothing", "", ""),
        ] {
            let found = (in_order.to_owned(), by_steps.to_owned());
            assert_eq!(ids(selector), found, "{selector}");
        }
    }
}
