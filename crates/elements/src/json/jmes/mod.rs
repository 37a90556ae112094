//! JMESPath (jmespath.org) as JMeter has it: the library jmespath-java 0.6 on Jackson's values.

mod evaluate;
mod functions;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;

use super::Json;
use functions::Function;

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Jmes(Node);

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

/// A part of an expression.
#[derive(Debug, Clone)]
enum Node {
    /// `@`
    Current,
    /// `` `…` ``, `'…'`
    Literal(Json<'static>),
    /// `name`
    Field(String),
    /// `[0]`
    Index(i64),
    /// `[from:to:step]`
    Slice(Option<i64>, Option<i64>, i64),
    /// Two, the second on what the first finds; nothing on nothing.
    Then(Box<Node>, Box<Node>),
    /// `|`
    Pipe(Box<Node>, Box<Node>),
    /// `||`
    Or(Box<Node>, Box<Node>),
    /// `&&`
    And(Box<Node>, Box<Node>),
    /// `!`
    Not(Box<Node>),
    /// `==` and the like.
    Compare(Box<Node>, Comparison, Box<Node>),
    /// `[a, b]`
    List(Vec<Node>),
    /// `{a: b}`
    Hash(Vec<(String, Node)>),
    /// `name(…)`
    Call(Function, Vec<Node>),
    /// `&…`
    Reference(Box<Node>),
    /// Each item of an array (or value of an object), on which the second works.
    Each(Items, Box<Node>, Box<Node>),
}

/// Which items.
#[derive(Debug, Clone)]
enum Items {
    /// `[*]`
    All,
    /// `[]`
    Flat,
    /// `[from:to]`: the first is the slice already.
    Slice,
    /// `*`
    Values,
    /// `[?…]`
    Where(Box<Node>),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}
