//! What is watched while the load runs, and the hops that are loaded alone after it.

use plimsoll_text::Message;

use super::Decoder;
use super::outputs::tagged_texts;
use crate::error::Problem;
use crate::model::{ChainHop, Span, WatchSource, wrong_chain};
use crate::yaml::node::Node;
use crate::yaml::table;

impl Decoder<'_> {
    pub(super) fn hops(&mut self, node: &Node) -> Vec<ChainHop> {
        let written = node.get("hops");
        // What is no mapping was told by the check.
        let Some((written, entries)) = written.and_then(|node| Some((node, node.map()?))) else {
            return Vec::new();
        };
        let mut hops = Vec::new();
        for (name, address) in entries {
            let text = address.scalar().unwrap_or_default();
            match ChainHop::new(&name.name, text, address.at) {
                Ok(hop) => hops.push(hop),
                Err(message) => {
                    self.hop_error(address.at, message);
                    return Vec::new();
                }
            }
        }
        if let Some(message) = wrong_chain(&hops) {
            self.hop_error(written.at, message);
        }
        hops
    }

    fn hop_error(&mut self, at: Span, message: Message) {
        let remedy = Message::new(format!("{}.remedy", message.id));
        self.problems
            .push(Problem::error(at, message).remedy(remedy));
    }

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
        let Some((source, options)) = tagged_texts(item, &table::watch_sources()) else {
            self.broken(item);
            return None;
        };
        let address = item.get(source).and_then(Node::scalar);
        Some(WatchSource {
            source: source.to_owned(),
            address: address.unwrap_or_default().to_owned(),
            options,
            at: item.at,
        })
    }
}
