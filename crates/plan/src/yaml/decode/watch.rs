//! What is watched while the load runs.

use super::Decoder;
use crate::model::WatchSource;
use crate::yaml::node::Node;
use crate::yaml::table;

impl Decoder<'_> {
    pub(super) fn watch(&mut self, node: &Node) -> Vec<WatchSource> {
        let items = node.get("watch").map(Node::one_or_many).unwrap_or_default();
        items.iter().filter_map(|item| self.source(item)).collect()
    }

    fn source(&mut self, item: &Node) -> Option<WatchSource> {
        if let Some(word) = item.scalar() {
            return Some(WatchSource {
                source: word.to_owned(),
                at: item.at,
                ..WatchSource::default()
            });
        }
        let sources = table::watch_sources();
        let known = sources.iter().find(|(tag, _)| item.get(tag).is_some());
        let Some((tag, keys)) = known else {
            self.broken(item);
            return None;
        };
        let text = |key: &str| item.get(key).and_then(Node::scalar).map(str::to_owned);
        let options = keys
            .iter()
            .filter(|key| *key != tag)
            .filter_map(|key| Some(((*key).to_owned(), text(key)?)));
        Some(WatchSource {
            source: (*tag).to_owned(),
            address: text(tag).unwrap_or_default(),
            options: options.collect(),
            at: item.at,
        })
    }
}
