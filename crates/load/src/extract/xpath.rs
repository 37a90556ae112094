//! XPath 1.0 over XML and HTML bodies, by `uppsala`.
//!
//! Names match as they are written: `//soap:Body` finds elements written with that prefix,
//! `//item` those written without one, whatever the default namespace. Whoever writes a load
//! test copies names from the response and does not declare namespaces.

use std::borrow::Cow;

use plimsoll_elements::work::{Patience, Refused, check_xml_size};
use plimsoll_elements::xml::readable;
use plimsoll_plan::limits::{DOCUMENT_DEPTH, XPATH_VISITS};
use plimsoll_text::Message;
use scraper::Node;
use uppsala::dom::{Document, NodeId, QName};
use uppsala::parser::Parser;
use uppsala::xpath::{XPathEvaluator, XPathValue};

use super::{Each, ResponseView, bad_pattern, unreadable};
use crate::functions::EvalError;

/// A body as a tree.
pub(super) type Tree = Document<'static>;

/// A path. The evaluator keeps it compiled.
pub(crate) struct XPath {
    evaluator: XPathEvaluator,
    written: Box<str>,
    /// As `uppsala` reads it.
    readable: Box<str>,
}

impl XPath {
    pub(super) fn new(path: &str) -> Result<Self, Message> {
        let mut evaluator = XPathEvaluator::new().with_max_node_visits(XPATH_VISITS);
        for prefix in prefixes(path) {
            evaluator.add_namespace(prefix, prefix);
        }
        // Compiles it; errors that only some documents bring come later.
        let mut empty = Document::new();
        empty.prepare_xpath();
        let readable = readable(path);
        match evaluator.evaluate(&empty, empty.root(), &readable) {
            Ok(_) => Ok(Self {
                evaluator,
                written: path.into(),
                readable: readable.into(),
            }),
            Err(error) => Err(bad_pattern("extract-bad-xpath", path, &error.to_string())),
        }
    }

    pub(super) fn written(&self) -> &str {
        &self.written
    }

    pub(super) fn find(
        &self,
        response: &ResponseView<'_>,
        each: Each<'_>,
    ) -> Result<(), EvalError> {
        let refused = |refused: Refused| failed(&refused.to_string());
        let tree = response.tree().map_err(refused)?;
        match self.evaluator.evaluate(tree, tree.root(), &self.readable) {
            Ok(XPathValue::NodeSet(nodes)) => {
                let patience = Patience::new();
                for node in nodes {
                    patience.step().map_err(refused)?;
                    let text = XPathValue::NodeSet(vec![node]).to_string_value(tree);
                    if each(&text).is_break() {
                        break;
                    }
                }
            }
            Ok(value) => _ = each(&value.to_string_value(tree)),
            Err(error) => return Err(failed(&error.to_string())),
        }
        Ok(())
    }
}

fn failed(reason: &str) -> EvalError {
    unreadable(Message::new("extract-xpath-failed").with("reason", reason))
}

/// The words before single colons; those inside of strings do no harm.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices(':').filter_map(|(colon, _)| {
        let (before, after) = (&path[..colon], &path[colon + 1..]);
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let prefix = &before[before.trim_end_matches(name).len()..];
        (!prefix.is_empty() && !after.starts_with(':')).then_some(prefix)
    })
}

/// The tree of a body: of XML when it is, else of HTML.
pub(super) fn parse(response: &ResponseView<'_>) -> Result<Tree, Refused> {
    let content_type = response.header("content-type").next().unwrap_or_default();
    let says_html = content_type
        .trim_start()
        .to_ascii_lowercase()
        .starts_with("text/html");
    let xml = if says_html {
        None
    } else {
        check_xml_size(response.text())?;
        parse_xml(response.text())
    };
    let mut tree = match xml {
        Some(tree) => tree,
        None => from_html(response.html()?),
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
