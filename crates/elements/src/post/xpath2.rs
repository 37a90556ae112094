//! `XPath2Extractor`: what a query finds in XML. Queries in XPath 1.0 are answered here; those
//! that need more are left to the JVM companion (see [`needs_xpath_2`]).

#[cfg(test)]
mod tests;

use plimsoll_plan::program::Template;
use plimsoll_text::Message;

use super::PostProcessor;
use super::numbered::Numbered;
use crate::context::{Context, Fault, between};
use crate::fields::{Field, Fields};
use crate::registry::Bound;
use crate::result::{AssertionResult, SampleResult};
use crate::scope::{Scope, Which};
use crate::xml::{Found, Query, declared, indented, parse, string_value};

struct XPath2Extractor {
    name: Template,
    scope: Scope,
    query: Field,
    variable: Field,
    default: Field,
    number: Field,
    namespaces: Field,
    fragment: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Result<Bound, Message> {
    let field = |name: &str| fields.field(&format!("XPathExtractor2.{name}"));
    Ok(Bound::Post(Box::new(XPath2Extractor {
        name: fields.0.name.clone(),
        scope: Scope::of_post(fields),
        query: field("xpathQuery"),
        variable: field("refname"),
        default: field("default"),
        number: field("matchNumber"),
        namespaces: field("namespaces"),
        fragment: field("fragment"),
    })))
}

/// Whether the query is known and is no XPath 1.0.
pub(super) fn needs_xpath_2(fields: Fields<'_>) -> bool {
    let query = fields.fixed_text("XPathExtractor2.xpathQuery");
    let namespaces = fields.fixed_text("XPathExtractor2.namespaces");
    let query_1 = Query::new(query, declared(namespaces));
    !query.is_empty() && query_1.unknown_prefix().is_none() && !query_1.is_xpath_1()
}

impl PostProcessor for XPath2Extractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let name = cx.text(&self.name)?.into_owned();
        let (variable, default) = (self.variable.text(cx)?, self.default.text(cx)?);
        let query = self.query.text(cx)?;
        let namespaces = self.namespaces.text(cx)?;
        let fragment = self.fragment.truth(cx, false)?;
        let number = self.number.whole(cx, 0)?;
        let which = self.scope.which(cx)?;
        let numbered = Numbered::begin(cx, &variable, &default);
        let query = Query::new(&query, declared(&namespaces));
        let mut values = Vec::new();
        let done = match &which {
            Which::Variable(variable) => match cx.get(variable) {
                Some(text) if text.is_empty() => Ok(()),
                Some(text) => find(&query, &text, fragment, number, cx, &mut values),
                None => {
                    cx.log(&format!(
                        "No variable '{variable}' found to process by XPathExtractor '{name}', skipping processing"
                    ));
                    Ok(())
                }
            },
            // As many times as there are samples, but always in the sample itself.
            which => which
                .samples(sample)
                .into_iter()
                .try_for_each(|_| find(&query, &sample.text(), fragment, number, cx, &mut values)),
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

fn find(
    query: &Query,
    text: &str,
    fragment: bool,
    number: i64,
    cx: &mut dyn Context,
    values: &mut Vec<Option<String>>,
) -> Result<(), String> {
    if query.is_empty() {
        return Ok(());
    }
    if let Some(prefix) = query.unknown_prefix() {
        return Err(format!(
            "net.sf.saxon.s9api.SaxonApiException: Namespace prefix '{prefix}' has not been declared"
        ));
    }
    let tree = parse(text, true).map_err(|no_xml| no_xml.exception())?;
    let found: Vec<String> = match query.find(&tree)? {
        Found::Truth(truth) => vec![truth.to_string()],
        Found::Text(text) => vec![text],
        Found::Nodes(nodes) => {
            let text = |node| match fragment {
                true => indented(&tree, node),
                false => string_value(&tree, node),
            };
            nodes.into_iter().map(text).collect()
        }
    };
    if number < 0 {
        values.extend(found.into_iter().map(Some));
        return Ok(());
    }
    let last = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let wanted = match number {
        // What Java says of a list without items.
        0 if last == 0 => return Err("-1".to_owned()),
        0 => between(cx.random_bits(), 1, last),
        number => number,
    };
    let at = usize::try_from(wanted - 1).unwrap_or(usize::MAX);
    values.extend(found.into_iter().nth(at).map(Some));
    Ok(())
}
