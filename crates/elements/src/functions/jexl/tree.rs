//! JEXL, read.

use std::sync::Arc;

/// An expression or a statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Integer(i128),
    Double(f64),
    Text(Arc<str>),
    /// Texts and expressions, one behind the other.
    Template(Vec<Node>),
    Name(Arc<str>),
    List(Vec<Node>),
    Set(Vec<Node>),
    Map(Vec<(Node, Node)>),
    Range(Box<Node>, Box<Node>),
    Not(Box<Node>),
    Minus(Box<Node>),
    Plus(Box<Node>),
    Complement(Box<Node>),
    Empty(Box<Node>),
    Size(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    /// Condition, then, else.
    Choice(Box<Node>, Box<Node>, Box<Node>),
    /// The first unless it is nothing, zero or false.
    Elvis(Box<Node>, Box<Node>),
    /// The first unless it is null.
    Coalesce(Box<Node>, Box<Node>),
    Property(Box<Node>, Box<Node>),
    Method(Box<Node>, Arc<str>, Vec<Node>),
    Call(Box<Node>, Vec<Node>),
    Assign(Box<Node>, Box<Node>),
    Var(Arc<str>, Option<Box<Node>>),
    Function(Arc<Function>),
    Block(Vec<Node>),
    If(Box<Node>, Box<Node>, Option<Box<Node>>),
    While(Box<Node>, Box<Node>),
    DoWhile(Box<Node>, Box<Node>),
    Each(Arc<str>, Box<Node>, Box<Node>),
    /// Begin, condition, step, body.
    For(Box<[Node; 4]>),
    Return(Option<Box<Node>>),
    Break,
    Continue,
}

/// A function of a script's own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Function {
    pub parameters: Vec<Arc<str>>,
    pub body: Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
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
