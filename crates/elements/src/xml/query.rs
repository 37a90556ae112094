//! XPath 1.0 on trees, with what JMeter's libraries say of wrong expressions.

use plimsoll_plan::limits::XPATH_VISITS;
use uppsala::dom::NodeId;
use uppsala::xpath::{XPathEvaluator, XPathValue};

use super::tree::Tree;

/// A query with the prefixes that it may use.
pub struct XmlQuery {
    /// As written.
    text: String,
    /// As `uppsala` reads it.
    readable: String,
    namespaces: Vec<(String, String)>,
}

/// What a query finds.
pub enum QueryFound {
    /// Nodes, in the document's order.
    Nodes(Vec<NodeId>),
    /// A truth value.
    Truth(bool),
    /// A number or a text, as text.
    Text(String),
}

impl XmlQuery {
    /// A query; `namespaces` are prefixes and what they stand for.
    #[must_use]
    pub fn new(text: &str, namespaces: Vec<(String, String)>) -> Self {
        Self {
            text: text.to_owned(),
            readable: readable(text),
            namespaces,
        }
    }

    /// Its prefixes are those that the root of the tree declares.
    #[must_use]
    pub fn of_tree(text: &str, tree: &Tree<'_>) -> Self {
        let root = tree.document_element().and_then(|root| tree.element(root));
        let declared = root.map(|root| root.namespace_declarations.as_slice());
        let declared = declared.unwrap_or_default().iter();
        let named = declared.filter(|(prefix, _)| !prefix.is_empty());
        let pairs = named.map(|(prefix, uri)| (prefix.to_string(), uri.to_string()));
        Self::new(text, pairs.collect())
    }

    /// Whether it can be read here; what only some documents bring to light aside.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        let mut empty = Tree::new();
        empty.prepare_xpath();
        self.find(&empty).is_ok()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// A prefix that it uses without a meaning.
    #[must_use]
    pub fn unknown_prefix(&self) -> Option<&str> {
        prefixes(&self.text).find(|prefix| {
            let declared = self.namespaces.iter().any(|(known, _)| known == prefix);
            !declared && *prefix != "xml"
        })
    }

    /// What it finds in a tree.
    ///
    /// # Errors
    /// What is wrong with it, in the words of Xalan where they are known.
    pub fn find(&self, tree: &Tree<'_>) -> Result<QueryFound, String> {
        if self.text.trim().is_empty() {
            return Err("Empty expression!".to_owned());
        }
        if let Some(prefix) = self.unknown_prefix() {
            return Err(format!("Prefix must resolve to a namespace: {prefix}"));
        }
        let mut evaluator = XPathEvaluator::new().with_max_node_visits(XPATH_VISITS);
        for (prefix, uri) in &self.namespaces {
            evaluator.add_namespace(prefix.as_str(), uri.as_str());
        }
        match evaluator.evaluate(tree, tree.root(), &self.readable) {
            Ok(XPathValue::NodeSet(nodes)) => Ok(QueryFound::Nodes(nodes)),
            Ok(XPathValue::Boolean(truth)) => Ok(QueryFound::Truth(truth)),
            Ok(value) => Ok(QueryFound::Text(value.to_string_value(tree))),
            Err(error) => Err(self.wrong(&error.to_string())),
        }
    }

    fn wrong(&self, reason: &str) -> String {
        if let Some(name) = unknown_function(&self.text) {
            return format!("Could not find function: {name}");
        }
        let ended = self
            .text
            .trim_end()
            .ends_with(['[', '/', '(', '|', '@', '=']);
        match ended {
            true => "A location path was expected, but the end of the XPath expression was found instead.".to_owned(),
            false => reason.to_owned(),
        }
    }
}

/// `uppsala` 0.12 takes `div`, `mod`, `and` and `or` for operators wherever they stand: where
/// a name must stand they are written in other words.
#[must_use]
pub fn readable(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        if c == '\'' || c == '"' {
            let end = rest[1..].find(c).map_or(rest.len(), |end| end + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        if !c.is_alphabetic() {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let word = &rest[..rest.len() - rest.trim_start_matches(is_name).len()];
        rest = &rest[word.len()..];
        let before = out.trim_end();
        let name_stands = before.is_empty()
            || before.ends_with(['/', '@', '[', '(', ',', '|', '=', '<', '>', '+', '*'])
            || before.ends_with("::");
        // After `*` stands an operator, unless the star is one itself; a star of a step does
        // not stand before a name.
        let operator = matches!(word, "div" | "mod" | "and" | "or");
        if operator && name_stands && !before.ends_with('*') {
            out.push_str(&format!("*[local-name()='{word}' and namespace-uri()='']"));
        } else {
            out.push_str(word);
        }
    }
    out
}

/// What stands outside of texts.
fn without_texts(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = match rest.find(['\'', '"']) {
            Some(at) => {
                let quote = &rest[at..=at];
                let after = &rest[at + 1..];
                let end = after.find(quote).map_or(after.len(), |end| end + 1);
                (&rest[..at], &after[end..])
            }
            None => (rest, ""),
        };
        rest = after;
        Some(piece)
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The words before single colons.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    without_texts(path).flat_map(|piece| {
        piece.match_indices(':').filter_map(move |(colon, _)| {
            let (before, after) = (&piece[..colon], &piece[colon + 1..]);
            let prefix = &before[before.trim_end_matches(is_name).len()..];
            (!prefix.is_empty() && !after.starts_with(':') && !before.ends_with(':'))
                .then_some(prefix)
        })
    })
}

/// The functions and node tests of XPath 1.0.
const FUNCTIONS: &[&str] = &[
    "boolean",
    "ceiling",
    "comment",
    "concat",
    "contains",
    "count",
    "false",
    "floor",
    "id",
    "lang",
    "last",
    "local-name",
    "name",
    "namespace-uri",
    "node",
    "normalize-space",
    "not",
    "number",
    "position",
    "processing-instruction",
    "round",
    "starts-with",
    "string",
    "string-length",
    "substring",
    "substring-after",
    "substring-before",
    "sum",
    "text",
    "translate",
    "true",
    "and",
    "or",
    "div",
    "mod",
];

fn unknown_function(path: &str) -> Option<&str> {
    without_texts(path).find_map(|piece| {
        piece.match_indices('(').find_map(|(open, _)| {
            let before = piece[..open].trim_end();
            let name = &before[before.trim_end_matches(is_name).len()..];
            let starts = name.starts_with(|c: char| c.is_alphabetic());
            (starts && !FUNCTIONS.contains(&name)).then_some(name)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_operators_are_names() {
        let div = "*[local-name()='div' and namespace-uri()='']";
        for (path, read) in [
            ("//div", format!("//{div}")),
            (
                "//div[@class='div' or 1]/a",
                format!("//{div}[@class='div' or 1]/a"),
            ),
            ("6 div 2", "6 div 2".to_owned()),
            ("count(div) mod 2", format!("count({div}) mod 2")),
            ("//a/child::div", format!("//a/child::{div}")),
            ("2 * 3 div 4", "2 * 3 div 4".to_owned()),
            ("//division", "//division".to_owned()),
        ] {
            assert_eq!(readable(path), read);
        }
    }
}
