//! `XPathAssertion`: what an XPath 1.0 query says of XML, or of HTML read tolerantly.

#[cfg(test)]
mod tests;

use plimsoll_plan::program::Template;

use super::finding::{error, failure, failure_for_null, holds_with_message, verdict};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};
use crate::scope::{ElementScope, ScopeValue};
use crate::xml::{QueryFound, XmlQuery, parse, tree_of_html};

struct XPathAssertion {
    name: Template,
    scope: ElementScope,
    query: Field,
    negated: Field,
    tolerant: Field,
    namespaces: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Assertion(Box::new(XPathAssertion {
        name: fields.0.name.clone(),
        scope: ElementScope::of_assertion(fields),
        query: fields.field("XPath.xpath"),
        negated: fields.field("XPath.negate"),
        tolerant: fields.field("XPath.tolerant"),
        namespaces: fields.field("XPath.namespace"),
    }))
}

impl Assertion for XPathAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds_with_message(&self.name, cx)?;
        let value;
        let body = match self.scope.which(cx)? {
            ScopeValue::Variable(name) => {
                value = cx.get(&name);
                value.as_deref().unwrap_or_default().into()
            }
            _ => sample.text(),
        };
        if body.is_empty() {
            return Ok(failure_for_null(found));
        }
        let query = self.query.text_or(cx, "/")?.into_owned();
        let negated = self.negated.truth(cx, false)?;
        let tree = if self.tolerant.truth(cx, false)? {
            match tree_of_html(&body) {
                Ok(tree) => tree,
                Err(refused) => return Ok(error(found, refused.to_string())),
            }
        } else {
            match parse(&body, self.namespaces.truth(cx, false)?) {
                Ok(tree) => tree,
                Err(no_xml) => {
                    return Ok(error(found, format!("SAXException: {}", no_xml.message)));
                }
            }
        };
        Ok(match XmlQuery::of_tree(&query, &tree).find(&tree) {
            Ok(QueryFound::Nodes(nodes)) if nodes.is_empty() => {
                verdict(found, !negated, format!("No Nodes Matched {query}"))
            }
            Ok(QueryFound::Nodes(_)) if negated => {
                let message = "Specified XPath was found... Turn off negate if this is not desired";
                failure(found, message)
            }
            Ok(QueryFound::Nodes(_)) => found,
            Ok(QueryFound::Truth(truth)) => {
                let not = if negated { "" } else { "No " };
                let message = format!("{not}Nodes Matched for {query}");
                verdict(found, truth == negated, message)
            }
            Ok(QueryFound::Text(_)) => failure(found, format!("Cannot understand: {query}")),
            Err(reason) => error(
                found,
                format!("TransformerException: {reason} for: {query}"),
            ),
        })
    }
}
