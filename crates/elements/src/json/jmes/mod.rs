//! JMESPath (jmespath.org) as JMeter has it: the library jmespath-java 0.6 on Jackson's values.

mod compare;
mod evaluate;
mod functions;
mod lexer;
mod node;
mod parser;
#[cfg(test)]
mod tests;

use super::Json;
use node::JmesNode;

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Jmes(JmesNode);

impl Jmes {
    /// Compiles an expression.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(expression: &str) -> Result<Self, String> {
        let node = parser::parse(expression);
        node.map(Self)
            .map_err(|reason| format!("Unable to compile expression \"{expression}\": {reason}"))
    }

    /// What it finds; `null` when there is nothing.
    ///
    /// # Errors
    /// When a function cannot use its arguments.
    pub fn search<'t>(&self, document: &Json<'t>) -> Result<Json<'t>, String> {
        evaluate::evaluate(&self.0, document)
    }
}
