//! A body as a tree for XPath.

use std::borrow::Cow;

use plimsoll_elements::work::{DocumentRefused, check_xml_size};
use plimsoll_plan::limits::DOCUMENT_DEPTH;
use scraper::Node;
use uppsala::dom::{Document, NodeId, QName};
use uppsala::parser::Parser;

/// A body as a tree.
pub(super) type Tree = Document<'static>;

/// The tree of a body: of XML when it is, else of HTML.
pub(super) fn parse<'h>(
    content_type: &str,
    text: &str,
    html: impl FnOnce() -> Result<&'h scraper::Html, DocumentRefused>,
) -> Result<Tree, DocumentRefused> {
    let says_html = content_type
        .trim_start()
        .to_ascii_lowercase()
        .starts_with("text/html");
    let xml = if says_html {
        None
    } else {
        check_xml_size(text)?;
        parse_xml(text)
    };
    let mut tree = match xml {
        Some(tree) => tree,
        None => from_html(html()?),
    };
    tree.prepare_xpath();
    Ok(tree)
}

fn parse_xml(text: &str) -> Option<Tree> {
    let parser = Parser::with_namespace_aware(false).with_max_depth(DOCUMENT_DEPTH);
    let mut tree = parser.parse(text).ok()?.into_static();
    for node in tree.descendants(tree.root()) {
        if let Some(element) = tree.element_mut(node) {
            prefix_is_namespace(&mut element.name);
            for attribute in &mut element.attributes {
                prefix_is_namespace(&mut attribute.name);
            }
        }
    }
    Some(tree)
}

/// Without namespaces the parser leaves the prefix in the name.
fn prefix_is_namespace(name: &mut QName<'static>) {
    if let Some((prefix, local)) = name.local_name.split_once(':') {
        *name = QName::with_namespace(prefix.to_owned(), local.to_owned());
    }
}

/// The same tree without what XPath does not see.
fn from_html(html: &scraper::Html) -> Tree {
    let mut tree = Document::new();
    let mut todo = vec![(html.tree.root(), tree.root())];
    while let Some((parent, to)) = todo.pop() {
        for child in parent.children() {
            match child.value() {
                Node::Element(element) => {
                    let made = tree.create_element(QName::local(element.name().to_owned()));
                    let attributes = element.attrs();
                    set_attributes(&mut tree, made, attributes);
                    tree.append_child(to, made);
                    todo.push((child, made));
                }
                Node::Text(text) => {
                    let made = tree.create_text(text.to_string());
                    tree.append_child(to, made);
                }
                Node::Comment(comment) => {
                    let made = tree.create_comment(comment.to_string());
                    tree.append_child(to, made);
                }
                Node::Document
                | Node::Fragment
                | Node::Doctype(_)
                | Node::ProcessingInstruction(_) => {}
            }
        }
    }
    tree
}

fn set_attributes<'h>(
    tree: &mut Tree,
    node: NodeId,
    attributes: impl Iterator<Item = (&'h str, &'h str)>,
) {
    if let Some(element) = tree.element_mut(node) {
        for (name, value) in attributes {
            element.set_attribute(QName::local(name.to_owned()), Cow::Owned(value.to_owned()));
        }
    }
}
