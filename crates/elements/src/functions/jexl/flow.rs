//! Running a script: statements.

use std::sync::Arc;

use super::arithmetic::truth;
use super::run::{Done, Runner, Stop};
use super::tree::Node;
use super::value::{MOST_NUMBERS, Value};

impl Runner<'_> {
    pub(super) fn statement(&mut self, node: &Node) -> Done {
        let mut last = Value::Null;
        match node {
            Node::Block(nodes) => {
                for node in nodes {
                    last = self.node(node)?;
                }
            }
            Node::If(condition, then, otherwise) => {
                if truth(&self.node(condition)?)? {
                    return self.node(then);
                }
                if let Some(otherwise) = otherwise {
                    return self.node(otherwise);
                }
            }
            Node::Return(value) => {
                let value = value
                    .as_ref()
                    .map_or(Ok(Value::Null), |value| self.node(value));
                return Err(Stop::Return(value?));
            }
            Node::Break => return Err(Stop::Break),
            Node::Continue => return Err(Stop::Continue),
            _ => return self.repeated(node),
        }
        Ok(last)
    }

    /// A loop: the value of its last pass.
    fn repeated(&mut self, node: &Node) -> Done {
        let mut last = Value::Null;
        match node {
            Node::While(condition, body) => {
                while truth(&self.node(condition)?)? {
                    if !self.pass(body, &mut last)? {
                        break;
                    }
                }
            }
            Node::DoWhile(body, condition) => loop {
                if !self.pass(body, &mut last)? || !truth(&self.node(condition)?)? {
                    break;
                }
            },
            Node::For(parts) => {
                let [first, condition, step, body] = &**parts;
                self.node(first)?;
                while *condition == Node::Null || truth(&self.node(condition)?)? {
                    if !self.pass(body, &mut last)? {
                        break;
                    }
                    self.node(step)?;
                }
                // JEXL 3.2's own loop has no value.
                last = Value::Null;
            }
            Node::Each(name, list, body) => {
                let list = self.node(list)?;
                if let Value::Range(from, to) = &list
                    && to.abs_diff(*from) > MOST_NUMBERS
                {
                    return Err(Stop::Failed(format!("a range of more than {MOST_NUMBERS}")));
                }
                for item in list.items().unwrap_or_default() {
                    self.names.insert(Arc::clone(name), item);
                    if !self.pass(body, &mut last)? {
                        break;
                    }
                }
            }
            _ => {}
        }
        Ok(last)
    }

    /// One pass of a loop; whether it goes on.
    fn pass(&mut self, body: &Node, last: &mut Value) -> Result<bool, Stop> {
        match self.node(body) {
            Ok(value) => {
                *last = value;
                Ok(true)
            }
            Err(Stop::Continue) => Ok(true),
            Err(Stop::Break) => Ok(false),
            Err(other) => Err(other),
        }
    }
}
