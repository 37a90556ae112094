//! Selectors over documents, both of them anything: the first line is the selector, the rest the
//! document. They neither panic nor hang.

#![no_main]
#![allow(missing_docs)]

use libfuzzer_sys::fuzz_target;
use plimsoll_elements::css::{CssSelector, inner_text, raw_text};
use plimsoll_elements::html;
use plimsoll_elements::json::{self, Jmes, Path};
use plimsoll_elements::pattern::{Dialect, Pattern};
use plimsoll_elements::work::CpuPatience;
use plimsoll_elements::xml::{QueryFound, Tree, XmlQuery, indented, parse, plain, tree_of_html};

fuzz_target!(|text: &str| {
    let (selector, body) = text.split_once('\n').unwrap_or((text, ""));
    css(selector, body);
    for tree in [
        parse(body, true).ok(),
        parse(body, false).ok(),
        tree_of_html(body).ok(),
    ] {
        xpath(selector, tree.as_ref());
    }
    if let (Ok(path), Ok(document)) = (Path::new(selector), json::parse(body)) {
        let _ = (path.list(&document), path.read(&document));
    }
    if let (Ok(query), Ok(document)) = (Jmes::new(selector), json::parse_strict(body)) {
        let _ = query.search(&document);
    }
    for dialect in [Dialect::Perl5, Dialect::Java] {
        if let Ok(pattern) = Pattern::new(selector, dialect) {
            let _ = (pattern.is_in(body), pattern.matches(body));
        }
    }
});

fn css(selector: &str, body: &str) {
    let (Ok(selector), Ok(html)) = (CssSelector::new(selector), html::parse(body)) else {
        return;
    };
    let patience = CpuPatience::new();
    for element in selector.find(&html, &patience).flatten() {
        let _ = (inner_text(element, false), raw_text(element, true));
    }
    let _ = selector.find_by_steps(&html, &patience);
}

fn xpath(selector: &str, tree: Option<&Tree<'_>>) {
    let Some(tree) = tree else { return };
    if let Ok(QueryFound::Nodes(nodes)) = XmlQuery::of_tree(selector, tree).find(tree) {
        for node in nodes {
            let _ = (plain(tree, node), indented(tree, node));
        }
    }
}
