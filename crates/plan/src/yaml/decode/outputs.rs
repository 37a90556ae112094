//! Who hears the run while it goes on.

use std::collections::BTreeMap;

use super::Decoder;
use crate::model::OutputTarget;
use crate::yaml::node::Node;
use crate::yaml::table;

impl Decoder<'_> {
    pub(super) fn outputs(&mut self, node: &Node) -> Vec<OutputTarget> {
        let items = node.get("outputs").map(Node::one_or_many);
        let items = items.unwrap_or_default();
        items.iter().filter_map(|item| self.output(item)).collect()
    }

    fn output(&mut self, item: &Node) -> Option<OutputTarget> {
        let Some((output, settings)) = tagged_texts(item, &table::outputs()) else {
            self.broken(item);
            return None;
        };
        let tags = item.get("tags").and_then(Node::map).unwrap_or_default();
        let tags = tags.iter().map(|(name, value)| {
            let value = value.scalar().unwrap_or_default();
            (name.name.clone(), value.to_owned())
        });
        Some(OutputTarget {
            address: item.get(output).and_then(Node::scalar)?.to_owned(),
            output: output.to_owned(),
            settings,
            tags: tags.collect(),
            at: item.at,
        })
    }
}

/// Which of the cases a mapping is, and its other keys that are texts.
pub(super) fn tagged_texts(
    item: &Node,
    cases: &[(&'static str, Vec<&'static str>)],
) -> Option<(&'static str, BTreeMap<String, String>)> {
    let (tag, keys) = cases.iter().find(|(tag, _)| item.get(tag).is_some())?;
    let text = |key: &&'static str| Some(((*key).to_owned(), item.get(key)?.scalar()?.to_owned()));
    let others = keys.iter().filter(|key| *key != tag);
    Some((tag, others.filter_map(text).collect()))
}
