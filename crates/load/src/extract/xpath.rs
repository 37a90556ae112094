//! XPath 1.0 over XML and HTML bodies, by `uppsala`.
//!
//! Names match as they are written: `//soap:Body` finds elements written with that prefix,
//! `//item` those written without one, whatever the default namespace. Whoever writes a load
//! test copies names from the response and does not declare namespaces.

use plimsoll_elements::work::{CpuPatience, DocumentRefused};
use plimsoll_elements::xml::readable;
use plimsoll_plan::limits::XPATH_VISITS;
use plimsoll_text::Message;
use uppsala::dom::Document;
use uppsala::xpath::{XPathEvaluator, XPathValue};

use super::matching::{Each, bad_pattern, unreadable};
use super::response::ResponseView;
use crate::functions::EvalError;

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
        let refused = |refused: DocumentRefused| failed(&refused.to_string());
        let tree = response.tree().map_err(refused)?;
        match self.evaluator.evaluate(tree, tree.root(), &self.readable) {
            Ok(XPathValue::NodeSet(nodes)) => {
                let patience = CpuPatience::new();
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
