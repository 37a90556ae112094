//! From a checked tree to the plan model.
//!
//! The check has judged the form of each value already. Where the decoder meets a value of
//! the wrong form it goes on with a stand-in; [`Decoder::broken`] makes sure that such a
//! plan is never taken for a good one.

mod element;
mod json_body;
mod load;
mod outputs;
mod pauses;
mod plan;
mod request;
mod responses;
mod scope;
mod settings;
mod steps;
mod watch;

pub(super) use scope::{ON_ERROR, SHARED_BY};
pub(super) use steps::{ACTIONS, COMPARISONS};

use std::time::Duration;

use plimsoll_text::Message;

use super::node::{Node, core_integer};
use super::table;
use crate::error::{Problem, Severity};
use crate::model::{Plan, Span, Text};
use crate::units::parse_duration;

/// Decodes a plan; what is wrong is added to `problems`.
pub(super) fn plan(root: &Node, problems: &mut Vec<Problem>) -> Plan {
    let any_name = root
        .get("undefined")
        .is_some_and(|node| node.scalar() == Some("keep-literal"));
    let mut decoder = Decoder { problems, any_name };
    decoder.plan(root)
}

struct Decoder<'p> {
    problems: &'p mut Vec<Problem>,
    /// Variables may have any name: the plan is an imported one.
    any_name: bool,
}

impl Decoder<'_> {
    fn error(&mut self, at: Span, id: &str) {
        let remedy = Message::new(format!("{id}.remedy"));
        self.problems
            .push(Problem::error(at, Message::new(id)).remedy(remedy));
    }

    fn warning(&mut self, at: Span, id: &str) {
        let remedy = Message::new(format!("{id}.remedy"));
        self.problems
            .push(Problem::warning(at, Message::new(id)).remedy(remedy));
    }

    /// A value that could not be used. The check has said why; if it has not, say so here:
    /// a value must never be dropped in silence.
    fn broken(&mut self, node: &Node) {
        let known = self
            .problems
            .iter()
            .any(|problem| problem.severity == Severity::Error);
        if !known {
            self.error(node.at, "plan-value-not-understood");
        }
    }

    /// The value of a key, read by a function.
    fn value<T>(
        &mut self,
        node: &Node,
        key: &str,
        read: impl FnOnce(&Node) -> Option<T>,
    ) -> Option<T> {
        let node = node.get(key)?;
        let value = read(node);
        if value.is_none() {
            self.broken(node);
        }
        value
    }

    fn duration(&mut self, node: &Node, key: &str) -> Option<Duration> {
        self.value(node, key, |node| parse_duration(node.scalar()?))
    }

    fn bool(&mut self, node: &Node, key: &str) -> Option<bool> {
        self.value(node, key, |node| table::boolean(node.plain()?))
    }

    fn int<T: TryFrom<i128>>(&mut self, node: &Node, key: &str) -> Option<T> {
        self.value(node, key, int_of)
    }

    fn text(&mut self, node: &Node, key: &str) -> Option<Text> {
        self.value(node, key, Node::text)
    }

    fn string(&mut self, node: &Node, key: &str) -> Option<String> {
        self.value(node, key, |node| node.scalar().map(str::to_owned))
    }

    /// The name of a variable.
    fn variable_name(&mut self, node: &Node, key: &str) -> Option<String> {
        let name = self.text(node, key)?;
        self.check_name(&name.raw, name.at);
        Some(name.raw)
    }

    /// One of several words, each with its meaning.
    fn word<T: Copy>(&mut self, node: &Node, key: &str, words: &[(&str, T)]) -> Option<T> {
        self.value(node, key, |node| {
            let text = node.scalar()?;
            words
                .iter()
                .find(|(word, _)| *word == text)
                .map(|(_, meaning)| *meaning)
        })
    }

    /// One value or several, each read by a function.
    fn parsed_list<T>(
        &mut self,
        node: &Node,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Vec<T> {
        let Some(node) = node.get(key) else {
            return Vec::new();
        };
        let mut values = Vec::new();
        for item in node.one_or_many() {
            match item.scalar().and_then(&read) {
                Some(value) => values.push(value),
                None => self.broken(item),
            }
        }
        values
    }

    /// Names with one text or several each.
    fn pairs(&mut self, node: &Node, key: &str) -> Vec<(Text, Text)> {
        let Some(entries) = self.value(node, key, Node::map_entries) else {
            return Vec::new();
        };
        let mut pairs = Vec::new();
        for (name, value) in entries {
            let name = Text {
                raw: name.name.clone(),
                at: name.at,
            };
            for item in value.one_or_many() {
                match item.text() {
                    Some(text) => pairs.push((name.clone(), text)),
                    None => self.broken(item),
                }
            }
        }
        pairs
    }
}

fn int_of<T: TryFrom<i128>>(node: &Node) -> Option<T> {
    T::try_from(core_integer(node.plain()?)?).ok()
}
