//! JEXL, read.

use std::sync::Arc;

/// An expression or a statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JexlNode {
    Null,
    Bool(bool),
    Integer(i128),
    Double(f64),
    Text(Arc<str>),
    /// Texts and expressions, one behind the other.
    Template(Vec<JexlNode>),
    Name(Arc<str>),
    List(Vec<JexlNode>),
    Set(Vec<JexlNode>),
    Map(Vec<(JexlNode, JexlNode)>),
    Range(Box<JexlNode>, Box<JexlNode>),
    Not(Box<JexlNode>),
    Minus(Box<JexlNode>),
    Plus(Box<JexlNode>),
    Complement(Box<JexlNode>),
    Empty(Box<JexlNode>),
    Size(Box<JexlNode>),
    Binary(JexlOperator, Box<JexlNode>, Box<JexlNode>),
    And(Box<JexlNode>, Box<JexlNode>),
    Or(Box<JexlNode>, Box<JexlNode>),
    /// Condition, then, else.
    Choice(Box<JexlNode>, Box<JexlNode>, Box<JexlNode>),
    /// The first unless it is nothing, zero or false.
    Elvis(Box<JexlNode>, Box<JexlNode>),
    /// The first unless it is null.
    Coalesce(Box<JexlNode>, Box<JexlNode>),
    Property(Box<JexlNode>, Box<JexlNode>),
    Method(Box<JexlNode>, Arc<str>, Vec<JexlNode>),
    Call(Box<JexlNode>, Vec<JexlNode>),
    Assign(Box<JexlNode>, Box<JexlNode>),
    Var(Arc<str>, Option<Box<JexlNode>>),
    Function(Arc<JexlFunction>),
    Block(Vec<JexlNode>),
    If(Box<JexlNode>, Box<JexlNode>, Option<Box<JexlNode>>),
    While(Box<JexlNode>, Box<JexlNode>),
    DoWhile(Box<JexlNode>, Box<JexlNode>),
    Each(Arc<str>, Box<JexlNode>, Box<JexlNode>),
    /// Begin, condition, step, body.
    For(Box<[JexlNode; 4]>),
    Return(Option<Box<JexlNode>>),
    Break,
    Continue,
}

/// A function of a script's own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JexlFunction {
    pub parameters: Vec<Arc<str>>,
    pub body: JexlNode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JexlOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Matches,
    NotMatches,
    Begins,
    NotBegins,
    Ends,
    NotEnds,
    BitAnd,
    BitOr,
    BitXor,
}
