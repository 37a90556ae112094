//! Selectors over HTML as jsoup 1.17 reads them: CSS with `:contains(…)`, `:eq(…)`, `[^data-]`
//! and more of its own.

mod jodd;
mod matching;
mod parse;
mod text;

use ego_tree::NodeRef;
use scraper::{Html, Node};

pub use matching::attribute;
pub use text::{inner_text, raw_text};

use crate::pattern::Pattern;

/// An element of a document.
pub type Element<'h> = NodeRef<'h, Node>;

/// A compiled selector.
#[derive(Debug)]
pub struct Selector(Vec<Chain>);

/// Compounds with what is between them: `a > b c`.
#[derive(Debug)]
struct Chain {
    last: Vec<Simple>,
    /// What stands before, the nearest first.
    before: Vec<(Combinator, Vec<Simple>)>,
}

/// How an element stands to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combinator {
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
enum Simple {
    Any,
    Tag(String),
    Id(String),
    Class(String),
    HasAttribute(String),
    HasAttributeFrom(String),
    Attribute(String, Relation, String),
    AttributeLike(String, Pattern),
    /// `:lt(n)`, `:eq(n)`, `:gt(n)`.
    Index(std::cmp::Ordering, i64),
    /// `:nth-child(an+b)`: a, b, from the end, of the same type.
    Nth(i64, i64, bool, bool),
    Only(bool),
    Empty,
    Root,
    Has(Selector),
    Is(Selector),
    Not(Selector),
    /// Text in lower case; own text only; as written.
    Contains(String, bool, bool),
    /// Own text only.
    Matches(Pattern, bool),
}

/// How an attribute stands to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    NotEqual,
    Begins,
    Ends,
    Holds,
}

impl Selector {
    /// Compiles a selector.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(selector: &str) -> Result<Self, String> {
        parse::parse(selector, 0)
    }

    /// The elements of a document that it finds, in their order.
    pub fn find<'h>(&'h self, html: &'h Html) -> impl Iterator<Item = Element<'h>> {
        let nodes = html.tree.root().descendants();
        nodes.filter(|node| self.matches(*node))
    }
}
