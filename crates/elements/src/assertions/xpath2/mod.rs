//! `XPath2Assertion`: what a query says of XML. JMeter lets both an XPath 1.0 and an XPath 2.0
//! library work on it, so that it must be good for both: XPath 1.0 is enough here.

#[cfg(test)]
mod tests;

use plimsoll_plan::program::Template;

use super::finding::{error, failure_for_null, holds_with_message, verdict};
use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};
use crate::scope::{ElementScope, ScopeValue};
use crate::xml::{QueryFound, XmlQuery, declared, parse};

struct XPath2Assertion {
    name: Template,
    scope: ElementScope,
    query: Field,
    negated: Field,
    namespaces: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    Bound::Assertion(Box::new(XPath2Assertion {
        name: fields.0.name.clone(),
        scope: ElementScope::of_assertion(fields),
        query: fields.field("XPath.xpath"),
        negated: fields.field("XPath.negate"),
        namespaces: fields.field("XPath.namespaces"),
    }))
}

impl Assertion for XPath2Assertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds_with_message(&self.name, cx)?;
        let value;
        let body = match self.scope.which(cx)? {
            ScopeValue::Variable(name) => {
                value = cx.get(&name).filter(|value| !value.is_empty());
                match &value {
                    Some(value) => (&**value).into(),
                    None => return Ok(failure_for_null(found)),
                }
            }
            _ => sample.text(),
        };
        let text = self.query.text_or(cx, "/")?.into_owned();
        if text.is_empty() {
            return Ok(found);
        }
        let query = XmlQuery::new(&text, declared(&self.namespaces.text(cx)?));
        let wrong = |reason: &str| {
            format!("Exception occurred computing assertion with XPath:{text}, error:{reason}")
        };
        if let Some(prefix) = query.unknown_prefix() {
            let reason = format!(
                "net.sf.saxon.s9api.SaxonApiException: Namespace prefix '{prefix}' has not been declared"
            );
            return Ok(error(found, wrong(&reason)));
        }
        let tree = match parse(&body, true) {
            Ok(tree) => tree,
            Err(no_xml) => return Ok(error(found, wrong(&no_xml.exception()))),
        };
        let truth = match query.find(&tree) {
            Ok(QueryFound::Nodes(nodes)) => !nodes.is_empty(),
            Ok(QueryFound::Truth(truth)) => truth,
            Ok(QueryFound::Text(_)) => true,
            Err(reason) => {
                return Ok(error(found, format!("Exception: {reason} for:{text}")));
            }
        };
        let negated = self.negated.truth(cx, false)?;
        let not = if negated { "" } else { "No " };
        let message = format!("{not}Nodes Matched for {text}");
        Ok(verdict(found, truth == negated, message))
    }
}
