//! Running a script: statements.

use std::sync::Arc;

use super::arithmetic::truth;
use super::run::{Done, JexlRunner, JexlStop};
use super::tree::JexlNode;
use super::value::{JexlValue, MOST_NUMBERS};

impl JexlRunner<'_> {
    pub(super) fn statement(&mut self, node: &JexlNode) -> Done {
        let mut last = JexlValue::Null;
        match node {
            JexlNode::Block(nodes) => {
                for node in nodes {
                    last = self.node(node)?;
                }
            }
            JexlNode::If(condition, then, otherwise) => {
                if truth(&self.node(condition)?)? {
                    return self.node(then);
                }
                if let Some(otherwise) = otherwise {
                    return self.node(otherwise);
                }
            }
            JexlNode::Return(value) => {
                let value = value
                    .as_ref()
                    .map_or(Ok(JexlValue::Null), |value| self.node(value));
                return Err(JexlStop::Return(value?));
            }
            JexlNode::Break => return Err(JexlStop::Break),
            JexlNode::Continue => return Err(JexlStop::Continue),
            _ => return self.repeated(node),
        }
        Ok(last)
    }

    /// A loop: the value of its last pass.
    fn repeated(&mut self, node: &JexlNode) -> Done {
        let mut last = JexlValue::Null;
        match node {
            JexlNode::While(condition, body) => {
                while truth(&self.node(condition)?)? {
                    if !self.pass(body, &mut last)? {
                        break;
                    }
                }
            }
            JexlNode::DoWhile(body, condition) => loop {
                if !self.pass(body, &mut last)? || !truth(&self.node(condition)?)? {
                    break;
                }
            },
            JexlNode::For(parts) => {
                let [first, condition, step, body] = &**parts;
                self.node(first)?;
                while *condition == JexlNode::Null || truth(&self.node(condition)?)? {
                    if !self.pass(body, &mut last)? {
                        break;
                    }
                    self.node(step)?;
                }
                // JEXL 3.2's own loop has no value.
                last = JexlValue::Null;
            }
            JexlNode::Each(name, list, body) => {
                let list = self.node(list)?;
                if let JexlValue::Range(from, to) = &list
                    && to.abs_diff(*from) > MOST_NUMBERS
                {
                    return Err(JexlStop::Failed(format!(
                        "a range of more than {MOST_NUMBERS}"
                    )));
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
    fn pass(&mut self, body: &JexlNode, last: &mut JexlValue) -> Result<bool, JexlStop> {
        match self.node(body) {
            Ok(value) => {
                *last = value;
                Ok(true)
            }
            Err(JexlStop::Continue) => Ok(true),
            Err(JexlStop::Break) => Ok(false),
            Err(other) => Err(other),
        }
    }
}
