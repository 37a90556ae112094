//! What an expression consists of.

use super::super::Json;
use super::compare::Comparison;
use super::functions::Function;

/// A part of an expression.
#[derive(Debug, Clone)]
pub(super) enum Node {
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
pub(super) enum Items {
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
