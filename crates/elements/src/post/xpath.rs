//! `XPathExtractor`: what an XPath 1.0 query finds in XML, or in HTML read tolerantly.

#[cfg(test)]
mod tests;

use plimsoll_plan::program::Template;
use plimsoll_text::Message;
use uppsala::dom::{NodeId, NodeKind};

use super::PostProcessor;
use super::numbered::Numbered;
use crate::context::{Context, Fault, between};
use crate::fields::{Field, Fields};
use crate::registry::Bound;
use crate::result::{AssertionResult, SampleResult};
use crate::scope::{Scope, Which};
use crate::xml::{Found, Query, Tree, parse, plain, tree_of_html};

struct XPathExtractor {
    name: Template,
    scope: Scope,
    query: Field,
    variable: Field,
    default: Field,
    number: Field,
    tolerant: Field,
    namespaces: Field,
    fragment: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Result<Bound, Message> {
    let field = |name: &str| fields.field(&format!("XPathExtractor.{name}"));
    Ok(Bound::Post(Box::new(XPathExtractor {
        name: fields.0.name.clone(),
        scope: Scope::of_post(fields),
        query: field("xpathQuery"),
        variable: field("refname"),
        default: field("default"),
        number: field("matchNumber"),
        tolerant: field("tolerant"),
        namespaces: field("namespace"),
        fragment: field("fragment"),
    })))
}

impl PostProcessor for XPathExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let name = cx.text(&self.name)?.into_owned();
        let (variable, default) = (self.variable.text(cx)?, self.default.text(cx)?);
        let query = self.query.text(cx)?;
        let how = How {
            tolerant: self.tolerant.truth(cx, false)?,
            namespaces: self.namespaces.truth(cx, false)?,
            fragment: self.fragment.truth(cx, false)?,
            number: match self.number.is_there() {
                // What is no number is 0, for any match.
                true => self.number.whole(cx, 0)?,
                false => -1,
            },
        };
        let which = self.scope.which(cx)?;
        let numbered = Numbered::begin(cx, &variable, &default);
        let mut values = Vec::new();
        let done = match &which {
            Which::Variable(variable) => match cx.get(variable) {
                Some(text) if text.is_empty() => Ok(()),
                Some(text) => how.values(&text, &query, cx, &mut values),
                None => {
                    cx.log(&format!(
                        "No variable '{variable}' found to process by XPathExtractor '{name}', skipping processing"
                    ));
                    Ok(())
                }
            },
            which => which
                .samples(sample)
                .into_iter()
                .try_for_each(|sample| how.values(&sample.text(), &query, cx, &mut values)),
        };
        match done {
            Ok(()) => numbered.end(cx, &values),
            Err(reason) => sample.assertions.push(AssertionResult {
                name,
                failure: true,
                error: false,
                message: format!("{reason}\nSee log file for further details."),
            }),
        }
        Ok(())
    }
}

/// How a text is read and what is taken of a match.
struct How {
    tolerant: bool,
    namespaces: bool,
    fragment: bool,
    number: i64,
}

impl How {
    fn values(
        &self,
        text: &str,
        query: &str,
        cx: &mut dyn Context,
        values: &mut Vec<Option<String>>,
    ) -> Result<(), String> {
        let tree = match self.tolerant {
            true if text.trim().is_empty() => return Ok(()),
            true => tree_of_html(text),
            false => parse(text, self.namespaces).map_err(|no_xml| no_xml.message)?,
        };
        let nodes = match Query::of_tree(query, &tree).find(&tree)? {
            Found::Nodes(nodes) => nodes,
            Found::Truth(truth) => {
                values.push(Some(truth.to_string()));
                return Ok(());
            }
            Found::Text(text) => {
                values.push(Some(text));
                return Ok(());
            }
        };
        let last = i64::try_from(nodes.len()).unwrap_or(i64::MAX);
        let wanted = match self.number {
            0 if last > 0 => between(cx.random_bits(), 1, last),
            number => number,
        };
        for (number, node) in (1..).zip(nodes) {
            if wanted < 0 || wanted == number {
                values.push(self.value(&tree, node));
            }
        }
        Ok(())
    }

    /// A node's value: of an element only its first child counts, if that is a text.
    fn value(&self, tree: &Tree<'_>, node: NodeId) -> Option<String> {
        let of = |kind: &NodeKind<'_>| match kind {
            NodeKind::Text(text) | NodeKind::CData(text) | NodeKind::Comment(text) => {
                Some(text.to_string())
            }
            NodeKind::ProcessingInstruction(instruction) => {
                Some(instruction.data.as_deref().unwrap_or_default().to_owned())
            }
            NodeKind::Attribute(_, value) => Some(value.to_string()),
            NodeKind::Document | NodeKind::Element(_) => None,
        };
        match tree.node_kind(node)? {
            NodeKind::Element(_) if self.fragment => Some(plain(tree, node)),
            NodeKind::Element(_) => {
                let first = tree
                    .first_child(node)
                    .and_then(|first| tree.node_kind(first));
                // In JTidy's trees what has no value has an empty one.
                let none = self.tolerant.then(String::new);
                first.and_then(of).or(none)
            }
            kind => of(kind),
        }
    }
}
