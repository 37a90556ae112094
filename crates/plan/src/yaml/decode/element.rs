//! Elements with their properties.

use super::Decoder;
use crate::model::{Element, ElementValue};
use crate::yaml::node::Node;

impl Decoder<'_> {
    /// An element under the key `element`.
    pub(super) fn element(&mut self, node: &Node) -> Option<Element> {
        node.get("element").map(|node| self.element_value(node))
    }

    pub(super) fn element_value(&mut self, node: &Node) -> Element {
        let entries = self
            .value(node, "properties", Node::map_entries)
            .unwrap_or_default();
        let properties = entries
            .into_iter()
            .map(|(name, value)| (name.name, self.property(&value)));
        Element {
            properties: properties.collect(),
            class: self.string(node, "class").unwrap_or_default(),
            name: self.text(node, "name").unwrap_or_default(),
            at: node.at,
        }
    }

    fn property(&mut self, node: &Node) -> ElementValue {
        if let Some(items) = node.list() {
            let items = items.iter().map(|item| self.property(item));
            return ElementValue::List(items.collect());
        }
        if node.map().is_some() {
            return ElementValue::Element(Box::new(self.element_value(node)));
        }
        if node.scalar().is_none() {
            self.broken(node);
        }
        ElementValue::Text(node.text().unwrap_or_default())
    }

    pub(super) fn elements(&mut self, node: &Node, key: &str) -> Vec<Element> {
        let Some(list) = node.get(key) else {
            return Vec::new();
        };
        let elements = list.one_or_many().iter();
        elements.map(|item| self.element_value(item)).collect()
    }
}
