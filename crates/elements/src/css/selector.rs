//! What a selector consists of.

use ego_tree::NodeRef;
use scraper::Node;

use crate::pattern::Pattern;

/// An element of a document.
pub type Element<'h> = NodeRef<'h, Node>;

/// A compiled selector.
#[derive(Debug)]
pub struct CssSelector(pub(super) Vec<SelectorChain>);

/// Compounds with what is between them: `a > b c`.
#[derive(Debug)]
pub(super) struct SelectorChain {
    pub(super) last: Vec<SimpleSelector>,
    /// What stands before, the nearest first.
    pub(super) before: Vec<(Combinator, Vec<SimpleSelector>)>,
}

/// How an element stands to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combinator {
    /// Blank: somewhere within.
    Within,
    /// `>`
    Child,
    /// `+`
    Next,
    /// `~`
    After,
}

/// A condition on one element.
#[derive(Debug)]
pub(super) enum SimpleSelector {
    Any,
    Tag(String),
    Id(String),
    Class(String),
    HasAttribute(String),
    HasAttributeFrom(String),
    Attribute(String, CssCombinator, String),
    AttributeLike(String, Pattern),
    /// `:lt(n)`, `:eq(n)`, `:gt(n)`.
    Index(std::cmp::Ordering, i64),
    /// `:nth-child(an+b)`: a, b, from the end, of the same type.
    Nth(i64, i64, bool, bool),
    Only(bool),
    Empty,
    Root,
    Has(CssSelector),
    Is(CssSelector),
    Not(CssSelector),
    /// Text in lower case; own text only; as written.
    Contains(String, bool, bool),
    /// Own text only.
    Matches(Pattern, bool),
}

/// How an attribute stands to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CssCombinator {
    Equal,
    NotEqual,
    Begins,
    Ends,
    Holds,
}
