//! Nodes as XML text.

use std::fmt::Write;

use uppsala::dom::{Element, NodeId, NodeKind};

use super::tree::Tree;

/// Elements in elements.
const DEEPEST: u32 = 1_000;

/// A node as Java's serializer (Xalan) writes it, with the namespaces that hold around it.
#[must_use]
pub fn plain(tree: &Tree<'_>, node: NodeId) -> String {
    let mut writer = XmlWriter::new(tree, false);
    writer.node(node, 0, true);
    writer.out
}

/// A node as Saxon shows it: elements within elements on lines of their own.
#[must_use]
pub fn indented(tree: &Tree<'_>, node: NodeId) -> String {
    let mut writer = XmlWriter::new(tree, true);
    writer.node(node, 0, true);
    writer.out
}

struct XmlWriter<'w, 't> {
    tree: &'w Tree<'t>,
    indents: bool,
    after_start: bool,
    after_end: bool,
    /// On the line of the last start tag.
    same_line: bool,
    out: String,
}

impl<'w, 't> XmlWriter<'w, 't> {
    fn new(tree: &'w Tree<'t>, indents: bool) -> Self {
        Self {
            tree,
            indents,
            after_start: false,
            after_end: false,
            same_line: true,
            out: String::new(),
        }
    }

    fn node(&mut self, node: NodeId, depth: u32, first: bool) {
        match self.tree.node_kind(node) {
            Some(NodeKind::Document) => {
                for child in self.tree.children(node) {
                    self.node(child, depth, true);
                }
            }
            Some(NodeKind::Element(element)) if depth < DEEPEST => {
                self.element(node, element, depth, first);
            }
            Some(NodeKind::Text(text) | NodeKind::CData(text)) => {
                if !text.trim().is_empty() || !self.indents {
                    self.after_start = false;
                    self.after_end = false;
                }
                self.escaped(text, false);
            }
            Some(NodeKind::Comment(text)) => {
                self.break_line(depth);
                // Writing to a String does not fail.
                let _ = write!(self.out, "<!--{text}-->");
                self.after_end = true;
            }
            Some(NodeKind::ProcessingInstruction(instruction)) => {
                self.break_line(depth);
                let data = instruction.data.as_deref().unwrap_or_default();
                let _ = write!(self.out, "<?{} {data}?>", instruction.target);
                self.after_end = true;
            }
            Some(NodeKind::Attribute(name, value)) => {
                let _ = write!(self.out, "{}=\"", name.prefixed_name());
                self.escaped(value, true);
                self.out.push('"');
            }
            _ => {}
        }
    }

    fn element(&mut self, node: NodeId, element: &Element<'_>, depth: u32, first: bool) {
        self.break_line(depth);
        let name = element.name.prefixed_name();
        let _ = write!(self.out, "<{name}");
        for (prefix, uri) in self.namespaces(node, element, first) {
            // Without namespaces the element is in none, whatever is declared.
            let none = prefix.is_empty() && element.name.namespace_uri.is_none();
            let uri = if none { "" } else { uri.as_str() };
            let colon = if prefix.is_empty() { "" } else { ":" };
            let _ = write!(self.out, " xmlns{colon}{prefix}=\"{uri}\"");
        }
        let mut attributes: Vec<_> = element.attributes.iter().collect();
        if !self.indents {
            // Java's tree keeps them by name.
            attributes.sort_by_key(|attribute| attribute.name.prefixed_name().into_owned());
        }
        for attribute in attributes {
            let _ = write!(self.out, " {}=\"", attribute.name.prefixed_name());
            self.escaped(&attribute.value, true);
            self.out.push('"');
        }
        let children = self.tree.children(node);
        if children.is_empty() {
            self.out.push_str("/>");
            self.after_start = false;
            self.after_end = true;
            self.same_line = true;
            return;
        }
        self.out.push('>');
        self.after_start = true;
        self.after_end = false;
        self.same_line = true;
        for child in children {
            self.node(child, depth + 1, false);
        }
        if self.after_end {
            self.break_line(depth);
        }
        let _ = write!(self.out, "</{name}>");
        self.after_start = false;
        self.after_end = true;
    }

    /// A new line, where one belongs.
    fn break_line(&mut self, depth: u32) {
        if self.indents && (self.after_start || self.after_end) {
            self.out.push('\n');
            for _ in 0..depth {
                self.out.push_str("   ");
            }
            self.same_line = false;
        }
        self.after_start = false;
    }

    /// The declarations of an element; of the first one also those around it.
    fn namespaces(
        &self,
        node: NodeId,
        element: &Element<'_>,
        first: bool,
    ) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut add = |declared: &Element<'_>| {
            for (prefix, uri) in &declared.namespace_declarations {
                if found.iter().all(|(known, _)| known != prefix) {
                    found.push((prefix.to_string(), uri.to_string()));
                }
            }
        };
        add(element);
        if first {
            for above in self.tree.ancestors(node) {
                if let Some(above) = self.tree.element(above) {
                    add(above);
                }
            }
        }
        found
    }

    fn escaped(&mut self, text: &str, in_quotes: bool) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '\r' => self.out.push_str("&#xD;"),
                '"' if in_quotes => self.out.push_str("&#34;"),
                '\n' if in_quotes => self.out.push_str("&#xA;"),
                '\t' if in_quotes => self.out.push_str("&#x9;"),
                c => self.out.push(c),
            }
        }
    }
}
