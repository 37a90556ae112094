//! What a path consists of.

use std::fmt::Write;
use std::sync::Arc;

use super::functions::PathFunction;
use crate::pattern::Pattern;

/// A compiled path.
#[derive(Debug, Clone)]
pub struct Path {
    pub(super) root: char,
    pub(super) steps: Vec<PathStep>,
}

/// A step of a path.
#[derive(Debug, Clone)]
pub(super) enum PathStep {
    /// `.name`, `['name']`, `['one','two']`.
    Names(Vec<String>, char),
    /// `*`.
    All,
    /// `[0]`, `[0,-1]`.
    Indexes(Vec<i64>),
    /// `[from:to]`.
    Slice(Option<i64>, Option<i64>),
    /// `[?(…)]`.
    Where(Filter),
    /// `..`.
    Scan,
    /// `.name(…)`.
    Call(PathFunction, Vec<PathArg>),
}

/// An argument of a function.
#[derive(Debug, Clone)]
pub(super) enum PathArg {
    Path(Path),
    /// Its JSON, as written.
    Json(String),
}

/// A filter.
#[derive(Debug, Clone)]
pub(super) enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    Compare(Operand, PathOperator, Operand),
    /// Whether a path leads somewhere, or nowhere.
    Exists(Path, bool),
}

/// A side of a comparison.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Path(Path),
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    Text(String),
    /// An array or object, as written.
    Json(String),
    Pattern(Arc<Pattern>),
}

/// How two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathOperator {
    Equal,
    NotEqual,
    Same,
    NotSame,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Like,
    In,
    NotIn,
    Contains,
    Size,
    Empty,
    SubsetOf,
    AnyOf,
    NoneOf,
    Exists,
    /// `all`, `type`, `matches`: nothing that can be written after them ever holds.
    Never,
}

impl Path {
    /// Whether it has one value at most.
    #[must_use]
    pub fn is_definite(&self) -> bool {
        self.is_definite_before(self.steps.len())
    }

    /// Whether it ends with a function.
    #[must_use]
    pub fn is_function(&self) -> bool {
        matches!(self.steps.last(), Some(PathStep::Call(..)))
    }

    pub(super) fn is_definite_before(&self, step: usize) -> bool {
        (0..step).all(|at| self.is_step_definite(at))
    }

    fn is_step_definite(&self, at: usize) -> bool {
        match &self.steps[at] {
            PathStep::Names(names, _) => names.len() == 1 || at + 1 == self.steps.len(),
            PathStep::Indexes(indexes) => indexes.len() == 1,
            PathStep::Call(..) => true,
            PathStep::All | PathStep::Slice(..) | PathStep::Where(_) | PathStep::Scan => false,
        }
    }

    /// As Jayway writes it.
    pub(super) fn text(&self) -> String {
        let mut out = self.root.to_string();
        for step in &self.steps {
            step.write(&mut out);
        }
        out
    }
}

impl PathStep {
    pub(super) fn write(&self, out: &mut String) {
        // Writing to a String does not fail.
        let _ = match self {
            Self::Names(names, quote) => {
                let separator = format!("{quote},{quote}");
                write!(out, "[{quote}{}{quote}]", names.join(&separator))
            }
            Self::All => write!(out, "[*]"),
            Self::Indexes(indexes) => {
                let indexes: Vec<String> = indexes.iter().map(i64::to_string).collect();
                write!(out, "[{}]", indexes.join(","))
            }
            Self::Slice(from, to) => {
                let end = |end: &Option<i64>| end.map_or_else(String::new, |end| end.to_string());
                write!(out, "[{}:{}]", end(from), end(to))
            }
            Self::Where(_) => write!(out, "[?]"),
            Self::Scan => write!(out, ".."),
            Self::Call(function, _) => write!(out, ".{}", function.name()),
        };
    }
}

impl PathOperator {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "===" => Self::Same,
            "!==" => Self::NotSame,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            "=~" => Self::Like,
            "IN" => Self::In,
            "NIN" => Self::NotIn,
            "CONTAINS" => Self::Contains,
            "SIZE" => Self::Size,
            "EMPTY" => Self::Empty,
            "SUBSETOF" => Self::SubsetOf,
            "ANYOF" => Self::AnyOf,
            "NONEOF" => Self::NoneOf,
            "EXISTS" => Self::Exists,
            "ALL" | "TYPE" | "MATCHES" => Self::Never,
            _ => return None,
        })
    }
}
