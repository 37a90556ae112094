//! XML and HTML as JMeter's XPath elements see them: trees, queries, and pieces written out.
//! Entities of a DTD are read within limits, nothing is ever loaded from elsewhere.

mod both;
mod diagnose;
mod html;
mod query;
mod tree;
mod write;

use std::borrow::Cow;

use plimsoll_plan::limits::DOCUMENT_DEPTH;
use uppsala::dom::QName;
use uppsala::parser::Parser;

use crate::work::check_xml_size;

pub use both::is_same_in_both;
pub use html::tree_of_html;
pub use query::{QueryFound, XmlQuery, readable};
pub use tree::{NoXml, Tree};
pub use write::{indented, plain};

/// Reads XML. Without namespaces a name with a prefix is found by `name()` and `local-name()`
/// only, as in a Java tree without namespaces.
///
/// # Errors
/// Why it is no XML.
pub fn parse(text: &str, namespaces: bool) -> Result<Tree<'_>, NoXml> {
    check_size(text)?;
    let parser = Parser::with_namespace_aware(namespaces).with_max_depth(DOCUMENT_DEPTH);
    let mut tree = match parser.parse(text) {
        Ok(tree) => tree,
        Err(error) => return Err(diagnose::diagnose(text, &error)),
    };
    if !namespaces {
        without_namespaces(&mut tree);
    }
    tree.prepare_xpath();
    Ok(tree)
}

fn check_size(text: &str) -> Result<(), NoXml> {
    check_xml_size(text).map_err(|refused| NoXml {
        message: refused.to_string(),
        place: None,
    })
}

/// Whether a text is XML; a DTD is not allowed.
///
/// # Errors
/// Why it is none.
pub fn check_without_dtd(text: &str) -> Result<(), NoXml> {
    if diagnose::has_dtd(text) {
        return Err(NoXml {
            message: "DOCTYPE is disallowed when the feature \"http://apache.org/xml/features/disallow-doctype-decl\" set to true.".to_owned(),
            place: Some((1, 1)),
        });
    }
    check_size(text)?;
    let parser = Parser::with_namespace_aware(false).with_max_depth(DOCUMENT_DEPTH);
    match parser.parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(diagnose::diagnose(text, &error)),
    }
}

/// The prefixes of a list, a line each: `prefix=namespace`.
#[must_use]
pub fn declared(lines: &str) -> Vec<(String, String)> {
    let pairs = lines.lines().filter_map(|line| line.split_once('='));
    pairs
        .map(|(prefix, uri)| (prefix.to_owned(), uri.to_owned()))
        .collect()
}

/// The string value of a node: all text in it.
#[must_use]
pub fn string_value(tree: &Tree<'_>, node: uppsala::NodeId) -> String {
    uppsala::xpath::XPathValue::NodeSet(vec![node]).to_string_value(tree)
}

fn without_namespaces(tree: &mut Tree<'_>) {
    for node in tree.descendants(tree.root()) {
        let Some(element) = tree.element_mut(node) else {
            continue;
        };
        if let Some((prefix, local)) = split(&element.name.local_name) {
            // No query names this namespace, so none finds the element by its name.
            let namespace = format!("\u{1}{prefix}");
            element.name = QName::full(prefix, namespace, local);
        }
        let attributes = std::mem::take(&mut element.attributes);
        for mut attribute in attributes {
            let name = &attribute.name.local_name;
            if &**name == "xmlns" || name.starts_with("xmlns:") {
                let prefix = name.strip_prefix("xmlns").unwrap_or_default();
                let prefix = prefix.trim_start_matches(':').to_owned();
                let declared = (Cow::Owned(prefix), attribute.value);
                element.namespace_declarations.push(declared);
                continue;
            }
            if let Some((prefix, local)) = split(name) {
                attribute.name = QName {
                    prefix: Some(prefix.into()),
                    ..QName::local(local)
                };
            }
            element.attributes.push(attribute);
        }
    }
}

fn split(name: &str) -> Option<(String, String)> {
    let (prefix, local) = name.split_once(':')?;
    Some((prefix.to_owned(), local.to_owned()))
}
