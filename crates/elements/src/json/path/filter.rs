//! Filters: `[?(@.price < 10 && @.title)]`.

mod compare;

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::{Json, Number};
use super::compile::{DEEPEST, compile_within};
use super::reader::{Reader, unescaped};
use super::{Path, PathError};
use crate::pattern::{Dialect, Pattern};

/// A filter.
#[derive(Debug, Clone)]
pub(super) enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    Compare(Operand, Operator, Operand),
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
pub(super) enum Operator {
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

impl Operator {
    fn named(name: &str) -> Option<Self> {
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

/// Compiles what stands between the parentheses.
pub(super) fn compile(chars: &[char], depth: u32) -> Result<Filter, String> {
    let mut compiler = Compiler {
        reader: Reader { chars, at: 0 },
        depth,
    };
    let filter = compiler.any()?;
    compiler.reader.skip_blanks();
    match compiler.reader.peek() {
        None => Ok(filter),
        Some(_) => Err("Expected character: )".to_owned()),
    }
}

struct Compiler<'p> {
    reader: Reader<'p>,
    depth: u32,
}

impl Compiler<'_> {
    fn failed(&self) -> String {
        let filter: String = self.reader.chars.iter().collect();
        let found = self.reader.peek().unwrap_or(')');
        let at = self.reader.at + 3;
        format!("Failed to parse filter: [?({filter})], error on position: {at}, char: {found}")
    }

    fn any(&mut self) -> Result<Filter, String> {
        let mut filters = vec![self.all()?];
        while self.reader.takes("||") {
            filters.push(self.all()?);
        }
        Ok(match filters.len() {
            1 => filters.remove(0),
            _ => Filter::Or(filters),
        })
    }

    fn all(&mut self) -> Result<Filter, String> {
        let mut filters = vec![self.one()?];
        while self.reader.takes("&&") {
            filters.push(self.one()?);
        }
        Ok(match filters.len() {
            1 => filters.remove(0),
            _ => Filter::And(filters),
        })
    }

    fn one(&mut self) -> Result<Filter, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("Filters in filters are too deep".to_owned());
        }
        let filter = self.one_within();
        self.depth -= 1;
        filter
    }

    fn one_within(&mut self) -> Result<Filter, String> {
        self.reader.skip_blanks();
        if self.reader.is('!') {
            let next = self.reader.significant(self.reader.at + 1);
            if !matches!(next, Some((_, '$' | '@'))) {
                self.reader.at += 1;
                return Ok(Filter::Not(Box::new(self.one()?)));
            }
        }
        if self.reader.takes("(") {
            let filter = self.any()?;
            return match self.reader.takes(")") {
                true => Ok(filter),
                false => Err("Expected character: )".to_owned()),
            };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Filter, String> {
        let exists = !self.reader.takes("!");
        let left = self.operand()?;
        let back = self.reader;
        if let Some(operator) = self.operator() {
            return Ok(Filter::Compare(left, operator, self.operand()?));
        }
        self.reader = back;
        match left {
            Operand::Path(path) => Ok(Filter::Exists(path, exists)),
            _ => Err(self.failed()),
        }
    }

    fn operator(&mut self) -> Option<Operator> {
        self.reader.skip_blanks();
        let start = self.reader.at;
        let sign = |c: char| matches!(c, '<' | '>' | '=' | '~' | '!');
        let first = self.reader.peek()?;
        while let Some(c) = self.reader.peek() {
            if sign(first) != sign(c) || c == ' ' {
                break;
            }
            self.reader.at += 1;
        }
        Operator::named(&self.reader.between(start, self.reader.at))
    }

    fn operand(&mut self) -> Result<Operand, String> {
        self.reader.skip_blanks();
        let start = self.reader.at;
        let Some(first) = self.reader.peek() else {
            return Err(self.failed());
        };
        match first {
            '$' | '@' => self.path(),
            '\'' | '"' => {
                let end = self
                    .reader
                    .end_of_text(start)
                    .ok_or_else(|| self.failed())?;
                self.reader.at = end + 1;
                Ok(Operand::Text(unescaped(
                    &self.reader.between(start + 1, end),
                )))
            }
            '[' | '{' => {
                let end = self
                    .reader
                    .closing(start, false)
                    .ok_or_else(|| self.failed())?;
                self.reader.at = end + 1;
                Ok(Operand::Json(self.reader.between(start, end + 1)))
            }
            '/' => self.pattern(start),
            _ if self.reader.takes("true") => Ok(Operand::Bool(true)),
            _ if self.reader.takes("false") => Ok(Operand::Bool(false)),
            _ if self.reader.takes("null") => Ok(Operand::Null),
            _ => {
                let part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | 'e' | 'E');
                while self.reader.peek().is_some_and(part) {
                    self.reader.at += 1;
                }
                let text = self.reader.between(start, self.reader.at);
                match text.parse::<f64>() {
                    Ok(_) => Ok(Operand::Number(text)),
                    Err(_) => {
                        self.reader.at = start;
                        Err(self.failed())
                    }
                }
            }
        }
    }

    fn pattern(&mut self, start: usize) -> Result<Operand, String> {
        let end = self
            .reader
            .end_of_text(start)
            .ok_or_else(|| self.failed())?;
        let pattern = self.reader.between(start + 1, end);
        self.reader.at = end + 1;
        let mut flags = String::new();
        while let Some(flag @ ('i' | 'm' | 's' | 'x' | 'd' | 'u' | 'U')) = self.reader.peek() {
            if "imsx".contains(flag) {
                flags.push(flag);
            }
            self.reader.at += 1;
        }
        let pattern = match flags.is_empty() {
            true => pattern,
            false => format!("(?{flags}){pattern}"),
        };
        let pattern = Pattern::new(&pattern, Dialect::Java)?;
        Ok(Operand::Pattern(Arc::new(pattern)))
    }

    /// A path ends at a blank, an operator, or a parenthesis that is not its own.
    fn path(&mut self) -> Result<Operand, String> {
        let start = self.reader.at;
        let mut open = 0u32;
        while let Some(c) = self.reader.peek() {
            match c {
                '[' => match self.reader.closing(self.reader.at, true) {
                    Some(close) => self.reader.at = close,
                    None => return Err(self.failed()),
                },
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' | ' ' | '<' | '>' | '=' | '~' | '!' | '&' | '|' if open == 0 => break,
                _ => {}
            }
            self.reader.at += 1;
        }
        let path = self.reader.between(start, self.reader.at);
        Ok(Operand::Path(compile_within(&path, self.depth + 1)?))
    }
}

impl Filter {
    /// Whether an item passes.
    pub(super) fn accepts(&self, item: &Json<'_>, root: &Json<'_>) -> bool {
        self.evaluate(item, root).unwrap_or(false)
    }

    /// None: it cannot be told, and the item does not pass.
    fn evaluate(&self, item: &Json<'_>, root: &Json<'_>) -> Option<bool> {
        match self {
            Self::And(filters) => {
                for filter in filters {
                    if !filter.evaluate(item, root)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Self::Or(filters) => {
                for filter in filters {
                    if filter.evaluate(item, root)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
            Self::Not(filter) => Some(!filter.evaluate(item, root)?),
            Self::Exists(path, wanted) => {
                let from = if path.root == '$' { root } else { item };
                match path.value(from, root, true) {
                    Ok(_) => Some(*wanted),
                    Err(PathError::NotFound(_)) => Some(!*wanted),
                    Err(PathError::Bad(_)) => None,
                }
            }
            Self::Compare(left, operator, right) => {
                let (left, right) = (left.value(item, root)?, right.value(item, root)?);
                compare::holds(&left, *operator, &right)
            }
        }
    }
}

/// A side's value.
#[derive(Debug)]
pub(super) enum Value<'v> {
    Json(Json<'v>),
    Pattern(&'v Pattern),
    /// A path that leads nowhere.
    Undefined,
}

impl Operand {
    fn value<'v>(&'v self, item: &Json<'v>, root: &Json<'v>) -> Option<Value<'v>> {
        Some(Value::Json(match self {
            Self::Path(path) => {
                let from = if path.root == '$' { root } else { item };
                match path.value(from, root, false) {
                    Ok(value) => value,
                    Err(PathError::NotFound(_)) => return Some(Value::Undefined),
                    Err(PathError::Bad(_)) => return None,
                }
            }
            Self::Null => Json::Null,
            Self::Bool(truth) => Json::Bool(*truth),
            Self::Number(text) => Json::Number(match text.contains(['.', 'e', 'E']) {
                true => Number::Decimal(text.as_str().into()),
                false => Number::whole(text),
            }),
            Self::Text(text) => Json::Text(text.as_str().into()),
            Self::Json(text) => super::super::parse(text).ok()?,
            Self::Pattern(pattern) => return Some(Value::Pattern(pattern)),
        }))
    }
}

/// How two texts or two numbers stand to each other; other kinds are not ordered.
fn order(one: &Json<'_>, other: &Json<'_>) -> Option<Ordering> {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => one.compare(other),
        (Json::Text(one), Json::Text(other)) => Some(one.encode_utf16().cmp(other.encode_utf16())),
        _ => None,
    }
}
