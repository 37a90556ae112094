//! Reading a selector.

use std::cmp::Ordering;

use super::selector::{Combinator, CssCombinator, CssSelector, SelectorChain, SimpleSelector};
use crate::pattern::{Dialect, Pattern};

/// Selectors in selectors.
const DEEPEST: u32 = 32;

pub(super) fn parse(selector: &str, depth: u32) -> Result<CssSelector, String> {
    if depth > DEEPEST {
        return Err("Selectors in selectors are too deep".to_owned());
    }
    if selector.trim().is_empty() {
        return Err("String must not be empty".to_owned());
    }
    let mut parser = CssParser {
        rest: selector.trim(),
        whole: selector,
        depth,
    };
    let mut chains = vec![parser.chain()?];
    while parser.takes(",") {
        chains.push(parser.chain()?);
    }
    match parser.rest.is_empty() {
        true => Ok(CssSelector(chains)),
        false => Err(parser.wrong()),
    }
}

struct CssParser<'s> {
    rest: &'s str,
    whole: &'s str,
    depth: u32,
}

impl<'s> CssParser<'s> {
    fn wrong(&self) -> String {
        format!(
            "Could not parse query '{}': unexpected token at '{}'",
            self.whole, self.rest
        )
    }

    fn takes(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn blanks(&mut self) -> bool {
        let trimmed = self.rest.trim_start();
        let had = trimmed.len() < self.rest.len();
        self.rest = trimmed;
        had
    }

    fn chain(&mut self) -> Result<SelectorChain, String> {
        self.blanks();
        let mut last = match self.rest.starts_with(['>', '+', '~']) {
            // `:has(> a)`: below the element that is looked at.
            true => Vec::new(),
            false => self.compound()?,
        };
        let mut before = Vec::new();
        loop {
            let blank = self.blanks();
            let combinator = if self.takes(">") {
                Combinator::Child
            } else if self.takes("+") {
                Combinator::Next
            } else if self.takes("~") {
                Combinator::After
            } else if blank && !self.rest.is_empty() && !self.rest.starts_with(',') {
                Combinator::Within
            } else {
                break;
            };
            self.blanks();
            before.insert(0, (combinator, std::mem::take(&mut last)));
            last = self.compound()?;
        }
        Ok(SelectorChain { last, before })
    }

    fn name(&mut self) -> &'s str {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let name = &self.rest[..self.rest.len() - self.rest.trim_start_matches(part).len()];
        self.rest = &self.rest[name.len()..];
        name
    }

    fn compound(&mut self) -> Result<Vec<SimpleSelector>, String> {
        let mut simples = Vec::new();
        loop {
            let simple = match self.rest.chars().next() {
                Some('#') => {
                    self.takes("#");
                    SimpleSelector::Id(self.needed_name()?.to_owned())
                }
                Some('.') => {
                    self.takes(".");
                    SimpleSelector::Class(self.needed_name()?.to_owned())
                }
                Some('*') => {
                    self.takes("*");
                    SimpleSelector::Any
                }
                Some('[') => self.attribute()?,
                Some(':') => self.pseudo()?,
                Some(c) if simples.is_empty() && (c.is_alphabetic() || c == '_') => {
                    SimpleSelector::Tag(self.name().to_lowercase())
                }
                _ if simples.is_empty() => return Err(self.wrong()),
                _ => return Ok(simples),
            };
            simples.push(simple);
        }
    }

    fn needed_name(&mut self) -> Result<&'s str, String> {
        let name = self.name();
        match name.is_empty() {
            true => Err(self.wrong()),
            false => Ok(name),
        }
    }

    /// What stands between brackets; brackets and quotes within are gone over.
    fn within(&mut self, open: char, close: char) -> Result<&'s str, String> {
        let mut depth = 0u32;
        let mut quote = None;
        for (at, c) in self.rest.char_indices() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, c) if c == open => depth += 1,
                (None, c) if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        let inner = &self.rest[1..at];
                        self.rest = &self.rest[at + 1..];
                        return Ok(inner);
                    }
                }
                _ => {}
            }
        }
        Err(format!("Did not find balanced marker at '{}'", self.rest))
    }

    fn attribute(&mut self) -> Result<SimpleSelector, String> {
        let inner = self.within('[', ']')?.trim();
        let Some(end) = inner.find(['=', '!', '^', '$', '*', '~']) else {
            return match inner.is_empty() {
                true => Err(self.wrong()),
                false => Ok(SimpleSelector::HasAttribute(inner.to_lowercase())),
            };
        };
        let name = inner[..end].trim().to_lowercase();
        let relation = &inner[end..];
        if name.is_empty() {
            return match relation.strip_prefix('^') {
                Some(prefix) => Ok(SimpleSelector::HasAttributeFrom(prefix.to_lowercase())),
                None => Err(self.wrong()),
            };
        }
        let (sign, value) = match relation.split_once('=') {
            Some((sign, value)) => (sign, value.trim()),
            None => return Err(self.wrong()),
        };
        let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
        let value = quoted('"').or(quoted('\'')).unwrap_or(value);
        let relation = match sign {
            "" => CssCombinator::Equal,
            "!" => CssCombinator::NotEqual,
            "^" => CssCombinator::Begins,
            "$" => CssCombinator::Ends,
            "*" => CssCombinator::Holds,
            "~" => {
                let pattern = Pattern::new(value, Dialect::Java)?;
                return Ok(SimpleSelector::AttributeLike(name, pattern));
            }
            _ => return Err(self.wrong()),
        };
        Ok(SimpleSelector::Attribute(
            name,
            relation,
            value.trim().to_lowercase(),
        ))
    }

    fn pseudo(&mut self) -> Result<SimpleSelector, String> {
        self.takes(":");
        let name = self.name().to_lowercase();
        let argument = match self.rest.starts_with('(') {
            true => Some(self.within('(', ')')?),
            false => None,
        };
        let simple = match (name.as_str(), argument) {
            ("first-child", None) => SimpleSelector::Nth(0, 1, false, false),
            ("last-child", None) => SimpleSelector::Nth(0, 1, true, false),
            ("first-of-type", None) => SimpleSelector::Nth(0, 1, false, true),
            ("last-of-type", None) => SimpleSelector::Nth(0, 1, true, true),
            ("only-child", None) => SimpleSelector::Only(false),
            ("only-of-type", None) => SimpleSelector::Only(true),
            ("empty", None) => SimpleSelector::Empty,
            ("root", None) => SimpleSelector::Root,
            (_, Some(argument)) => return self.function(&name, argument),
            _ => return Err(self.wrong()),
        };
        Ok(simple)
    }

    fn function(&self, name: &str, argument: &str) -> Result<SimpleSelector, String> {
        let index = || {
            let index = argument.trim().parse();
            index.map_err(|_| "Index must be numeric".to_owned())
        };
        let selector = || parse(argument, self.depth + 1);
        let pattern = || Pattern::new(argument, Dialect::Java);
        let nth = |from_end, of_type| {
            let (a, b) = nth(argument).ok_or_else(|| {
                format!("Could not parse nth-index '{argument}': unexpected format")
            })?;
            Ok(SimpleSelector::Nth(a, b, from_end, of_type))
        };
        let text = argument.trim();
        let text = text.replace("\\(", "(").replace("\\)", ")");
        match name {
            "lt" => Ok(SimpleSelector::Index(Ordering::Less, index()?)),
            "eq" => Ok(SimpleSelector::Index(Ordering::Equal, index()?)),
            "gt" => Ok(SimpleSelector::Index(Ordering::Greater, index()?)),
            "nth-child" => nth(false, false),
            "nth-last-child" => nth(true, false),
            "nth-of-type" => nth(false, true),
            "nth-last-of-type" => nth(true, true),
            "has" => Ok(SimpleSelector::Has(selector()?)),
            "is" => Ok(SimpleSelector::Is(selector()?)),
            "not" => Ok(SimpleSelector::Not(selector()?)),
            "contains" => Ok(SimpleSelector::Contains(
                one_blank(&text).to_lowercase(),
                false,
                false,
            )),
            "containsown" => Ok(SimpleSelector::Contains(
                one_blank(&text).to_lowercase(),
                true,
                false,
            )),
            "containswholetext" => Ok(SimpleSelector::Contains(text, false, true)),
            "containswholeowntext" => Ok(SimpleSelector::Contains(text, true, true)),
            "matches" | "matcheswholetext" => Ok(SimpleSelector::Matches(pattern()?, false)),
            "matchesown" | "matcheswholeowntext" => Ok(SimpleSelector::Matches(pattern()?, true)),
            _ => Err(self.wrong()),
        }
    }
}

fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `odd`, `even`, `an+b`, `b`.
fn nth(text: &str) -> Option<(i64, i64)> {
    let text: String = text.to_lowercase().split_whitespace().collect();
    match text.as_str() {
        "odd" => return Some((2, 1)),
        "even" => return Some((2, 0)),
        _ => {}
    }
    let Some((a, b)) = text.split_once('n') else {
        return Some((0, text.parse().ok()?));
    };
    let a = match a {
        "" | "+" => 1,
        "-" => -1,
        a => a.parse().ok()?,
    };
    let b = if b.is_empty() { 0 } else { b.parse().ok()? };
    Some((a, b))
}
