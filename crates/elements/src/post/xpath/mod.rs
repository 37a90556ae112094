//! `XPathExtractor` and `XPath2Extractor`: what a query finds in XML, or in HTML read tolerantly.
//! The first one is Xalan's, the second one Saxon's; queries that may mean something else in
//! XPath 2.0 are left to the JVM companion (see [`needs_xpath_2`]).

#[cfg(test)]
mod tests;

use plimsoll_plan::program::Template;
use uppsala::dom::{NodeId, NodeKind};

use super::numbered::Numbered;
use super::subject::log_missing;
use crate::context::{Context, Fault, between};
use crate::fields::{Field, Fields};
use crate::leaf::{Bound, PostProcessor};
use crate::result::{AssertionResult, SampleResult};
use crate::scope::{ElementScope, ScopeValue};
use crate::xml::{
    QueryFound, Tree, XmlQuery, declared, indented, is_same_in_both, parse, plain, string_value,
    tree_of_html,
};

/// Whose way of finding and of showing things it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum XpathEngine {
    Xalan,
    Saxon,
}

struct XPathExtractor {
    engine: XpathEngine,
    name: Template,
    scope: ElementScope,
    query: Field,
    variable: Field,
    default: Field,
    number: Field,
    tolerant: Field,
    /// Xalan: whether names have namespaces. Saxon: what prefixes stand for.
    namespaces: Field,
    fragment: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    bound(XpathEngine::Xalan, fields, "XPathExtractor", "namespace")
}

pub(super) fn bind_2(fields: Fields<'_>) -> Bound {
    bound(XpathEngine::Saxon, fields, "XPathExtractor2", "namespaces")
}

fn bound(engine: XpathEngine, fields: Fields<'_>, prefix: &str, namespaces: &str) -> Bound {
    let field = |name: &str| fields.field(&format!("{prefix}.{name}"));
    Bound::Post(Box::new(XPathExtractor {
        engine,
        name: fields.0.name.clone(),
        scope: ElementScope::of_post(fields),
        query: field("xpathQuery"),
        variable: field("refname"),
        default: field("default"),
        number: field("matchNumber"),
        tolerant: field("tolerant"),
        namespaces: field(namespaces),
        fragment: field("fragment"),
    }))
}

/// Whether a query, with these namespaces, may mean something else in XPath 2.0 than in 1.0.
pub(crate) fn needs_xpath_2(query: &str, namespaces: &str) -> bool {
    let query_1 = XmlQuery::new(query, declared(namespaces));
    let ours = is_same_in_both(query) && query_1.is_readable();
    !query.is_empty() && query_1.unknown_prefix().is_none() && !ours
}

impl PostProcessor for XPathExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let name = cx.text(&self.name)?.into_owned();
        let (variable, default) = (self.variable.text(cx)?, self.default.text(cx)?);
        let query = self.query.text(cx)?;
        let search = XpathSearch {
            engine: self.engine,
            query: &query,
            tolerant: self.tolerant.truth(cx, false)?,
            namespaces: &self.namespaces.text(cx)?,
            fragment: self.fragment.truth(cx, false)?,
            number: match self.engine == XpathEngine::Saxon || self.number.is_there() {
                // What is no number is 0, for any match.
                true => self.number.whole(cx, 0)?,
                false => -1,
            },
        };
        let which = self.scope.which(cx)?;
        let numbered = Numbered::begin(cx, &variable, &default);
        let mut values = Vec::new();
        let done = match &which {
            ScopeValue::Variable(variable) => match cx.get(variable) {
                Some(text) if text.is_empty() => Ok(()),
                Some(text) => search.run(&text, cx, &mut values),
                None => {
                    log_missing(cx, variable, "XPathExtractor", &name);
                    Ok(())
                }
            },
            which => which.samples(sample).into_iter().try_for_each(|part| {
                let looked_at = match self.engine {
                    XpathEngine::Xalan => part,
                    // As many times as there are samples, but always in the sample itself.
                    XpathEngine::Saxon => &*sample,
                };
                search.run(&looked_at.text(), cx, &mut values)
            }),
        };
        match done {
            Ok(()) => numbered.end(cx, &values),
            Err(reason) => sample.assertions.push(AssertionResult {
                name,
                failure: true,
                error: false,
                message: Some(format!("{reason}\nSee log file for further details.")),
            }),
        }
        Ok(())
    }
}

/// What is looked for, and what is taken of it.
struct XpathSearch<'q> {
    engine: XpathEngine,
    query: &'q str,
    tolerant: bool,
    namespaces: &'q str,
    fragment: bool,
    /// Which match: all below 0, any for 0.
    number: i64,
}

impl XpathSearch<'_> {
    /// Adds what is found in a text.
    fn run(
        &self,
        text: &str,
        cx: &mut dyn Context,
        values: &mut Vec<Option<String>>,
    ) -> Result<(), String> {
        match self.engine {
            XpathEngine::Xalan => self.run_xalan(text, cx, values),
            XpathEngine::Saxon => self.run_saxon(text, cx, values),
        }
    }

    fn run_xalan(
        &self,
        text: &str,
        cx: &mut dyn Context,
        values: &mut Vec<Option<String>>,
    ) -> Result<(), String> {
        let with_namespaces = self.namespaces.eq_ignore_ascii_case("true");
        let tree = match self.tolerant {
            true if text.trim().is_empty() => return Ok(()),
            true => tree_of_html(text).map_err(|refused| refused.to_string())?,
            false => parse(text, with_namespaces).map_err(|no_xml| no_xml.message)?,
        };
        match XmlQuery::of_tree(self.query, &tree).find(&tree)? {
            QueryFound::Truth(truth) => values.push(Some(truth.to_string())),
            QueryFound::Text(text) => values.push(Some(text)),
            QueryFound::Nodes(nodes) => {
                let wanted = self.wanted(nodes.len(), cx).unwrap_or(0);
                for (number, node) in (1..).zip(nodes) {
                    if wanted < 0 || wanted == number {
                        values.push(self.value(&tree, node));
                    }
                }
            }
        }
        Ok(())
    }

    fn run_saxon(
        &self,
        text: &str,
        cx: &mut dyn Context,
        values: &mut Vec<Option<String>>,
    ) -> Result<(), String> {
        let query = XmlQuery::new(self.query, declared(self.namespaces));
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
            QueryFound::Truth(truth) => vec![truth.to_string()],
            QueryFound::Text(text) => vec![text],
            QueryFound::Nodes(nodes) => {
                let text = |node| match self.fragment {
                    true => indented(&tree, node),
                    false => string_value(&tree, node),
                };
                nodes.into_iter().map(text).collect()
            }
        };
        // What Java says of a list without items.
        let wanted = self.wanted(found.len(), cx).ok_or("-1")?;
        for (number, found) in (1..).zip(found) {
            if wanted < 0 || wanted == number {
                values.push(Some(found));
            }
        }
        Ok(())
    }

    /// The number of the match that is wanted, of so many; below 0: all. None: any of none.
    fn wanted(&self, count: usize, cx: &mut dyn Context) -> Option<i64> {
        let last = i64::try_from(count).unwrap_or(i64::MAX);
        match self.number {
            0 if last == 0 => None,
            0 => Some(between(cx.random_bits(), 1, last)),
            number => Some(number),
        }
    }

    /// A node's value by Xalan: of an element only its first child counts, if that is a text.
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
