//! `__XPath`: nodes of a file, one after the other, for all users (JMeter 5.6.3,
//! `XPathWrapper`).

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use plimsoll_plan::limits::{DOCUMENT_DEPTH, TEXT_BYTES, XPATH_VISITS, read_file};
use plimsoll_plan::program::Call;
use uppsala::dom::{Document, NodeId, NodeKind};
use uppsala::parser::Parser;
use uppsala::xpath::{XPathEvaluator, XPathValue};

use super::args::text;
use super::files::usable;
use super::keep::for_run;
use crate::context::{Context, Fault};
use crate::work::check_xml_size;

/// The values of each file and path, and which one is next.
#[derive(Default)]
struct XpathValues(Mutex<HashMap<(String, String), Arc<XpathRows>>>);

struct XpathRows {
    values: Vec<String>,
    next: Mutex<usize>,
}

/// `__XPath(file, path)`.
pub(super) fn xpath(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let file = text(call, 0, cx)?.into_owned();
    let path = text(call, 1, cx)?.into_owned();
    let all = for_run::<XpathValues>(cx);
    let mut all = all.0.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (file, path);
    let rows = match all.get(&key) {
        Some(rows) => Arc::clone(rows),
        None => match load(&key.0, cx)?.and_then(|bytes| values(&bytes, &key.1)) {
            Ok(values) => {
                let next = Mutex::new(0);
                let rows = Arc::new(XpathRows { values, next });
                all.insert(key.clone(), Arc::clone(&rows));
                rows
            }
            Err(why) => {
                cx.log(&format!("WARN __XPath: {}: {why}", key.0));
                return Ok(String::new());
            }
        },
    };
    drop(all);
    let mut next = rows.next.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(value) = rows.values.get(*next) else {
        cx.log(&format!("WARN __XPath: no nodes: {} {}", key.0, key.1));
        return Ok(String::new());
    };
    *next = (*next + 1) % rows.values.len();
    Ok(value.clone())
}

/// The bytes of a file.
fn load(file: &str, cx: &dyn Context) -> Result<Result<Vec<u8>, String>, Fault> {
    let read = read_file(cx.access().open(Path::new(file)), TEXT_BYTES);
    let read = usable("__XPath", read.map_err(io::Error::from))?;
    Ok(read.map_err(|error| error.to_string()))
}

/// The values of the nodes that a path finds.
fn values(bytes: &[u8], path: &str) -> Result<Vec<String>, String> {
    let text = String::from_utf8_lossy(bytes);
    check_xml_size(&text).map_err(|refused| refused.to_string())?;
    let parser = Parser::new().with_max_depth(DOCUMENT_DEPTH);
    let mut tree = parser.parse(&text).map_err(|error| error.to_string())?;
    tree.prepare_xpath();
    let mut evaluator = XPathEvaluator::new().with_max_node_visits(XPATH_VISITS);
    // Prefixes as the document's first element declares them.
    let root = tree.document_element();
    if let Some(element) = root.and_then(|root| tree.element(root)) {
        for (prefix, namespace) in &element.namespace_declarations {
            if !prefix.is_empty() {
                evaluator.add_namespace(prefix.as_ref(), namespace.as_ref());
            }
        }
    }
    match evaluator.evaluate(&tree, tree.root(), path) {
        Ok(XPathValue::NodeSet(nodes)) => {
            Ok(nodes.into_iter().map(|node| value(&tree, node)).collect())
        }
        Ok(_) => Err("the path finds no nodes but a value".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A node's own text, or that of its first child; `null` when that is an element.
fn value(tree: &Document<'_>, node: NodeId) -> String {
    let own = |node: NodeId| match tree.node_kind(node) {
        Some(NodeKind::Text(text) | NodeKind::CData(text) | NodeKind::Comment(text)) => {
            Some(text.to_string())
        }
        Some(NodeKind::Attribute(_, value)) => Some(value.to_string()),
        _ => None,
    };
    let value = own(node).or_else(|| tree.first_child(node).and_then(own));
    value.unwrap_or_else(|| "null".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::context::testing::TestContext;
    use crate::functions::testing::run;

    #[test]
    fn nodes_come_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.xml");
        let xml = r#"<r xmlns:n="urn:n"><a id="1">one</a><a id="2">two<x>y</x></a>
            <b><x>deep</x></b><e/><n:c>named</n:c></r>"#;
        std::fs::write(&file, xml).unwrap();
        let file = file.to_str().unwrap();
        let mut cx = TestContext::with(&[]);
        let mut read = |path: &str| run("__XPath", &[file, path], &mut cx);
        // Values: JMeter 5.6.3.
        assert_eq!(["//a", "//a", "//a"].map(&mut read), ["one", "two", "one"]);
        assert_eq!(["//a/@id", "//a/@id"].map(&mut read), ["1", "2"]);
        assert_eq!(["//a/text()", "//n:c"].map(&mut read), ["one", "named"]);
        assert_eq!(["//b", "//e"].map(&mut read), ["null", "null"]);
        assert_eq!(["//none", "count(//a)", "//["].map(&mut read), ["", "", ""]);
        assert_eq!(run("__XPath", &["/no/such/file", "//a"], &mut cx), "");
        let broken = folder.path().join("broken.xml");
        std::fs::write(&broken, "<a><b></a>").unwrap();
        assert_eq!(
            run("__XPath", &[broken.to_str().unwrap(), "//a"], &mut cx),
            ""
        );
    }
}
