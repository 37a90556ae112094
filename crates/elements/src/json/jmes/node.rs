//! What an expression consists of.

use super::super::Json;
use super::compare::JmesComparison;
use super::functions::JmesFunction;

/// A part of an expression.
#[derive(Debug, Clone)]
pub(super) enum JmesNode {
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
    Then(Box<JmesNode>, Box<JmesNode>),
    /// `|`
    Pipe(Box<JmesNode>, Box<JmesNode>),
    /// `||`
    Or(Box<JmesNode>, Box<JmesNode>),
    /// `&&`
    And(Box<JmesNode>, Box<JmesNode>),
    /// `!`
    Not(Box<JmesNode>),
    /// `==` and the like.
    Compare(Box<JmesNode>, JmesComparison, Box<JmesNode>),
    /// `[a, b]`
    List(Vec<JmesNode>),
    /// `{a: b}`
    Hash(Vec<(String, JmesNode)>),
    /// `name(…)`
    Call(JmesFunction, Vec<JmesNode>),
    /// `&…`
    Reference(Box<JmesNode>),
    /// Each item of an array (or value of an object), on which the second works.
    Each(JmesItems, Box<JmesNode>, Box<JmesNode>),
}

/// Which items.
#[derive(Debug, Clone)]
pub(super) enum JmesItems {
    /// `[*]`
    All,
    /// `[]`
    Flat,
    /// `[from:to]`: the first is the slice already.
    Slice,
    /// `*`
    Values,
    /// `[?…]`
    Where(Box<JmesNode>),
}
