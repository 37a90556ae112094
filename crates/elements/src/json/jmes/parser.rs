//! Reading an expression: by the binding power of its operators.

use super::compare::JmesComparison;
use super::functions::JmesFunction;
use super::lexer::{JmesToken, tokens};
use super::node::{JmesItems, JmesNode};

/// Brackets in brackets.
const DEEPEST: u32 = 100;

/// Binding powers.
mod power {
    pub(super) const PIPE: u8 = 1;
    pub(super) const OR: u8 = 2;
    pub(super) const AND: u8 = 3;
    pub(super) const COMPARE: u8 = 5;
    pub(super) const FLATTEN: u8 = 9;
    pub(super) const STAR: u8 = 20;
    pub(super) const FILTER: u8 = 21;
    pub(super) const DOT: u8 = 40;
    pub(super) const NOT: u8 = 45;
    pub(super) const BRACKET: u8 = 55;
    /// Below this a projection ends.
    pub(super) const PROJECTS: u8 = 10;
}

pub(super) fn parse(expression: &str) -> Result<JmesNode, String> {
    let mut parser = JmesParser {
        tokens: tokens(expression)?,
        at: 0,
        end: expression.chars().count(),
        depth: 0,
    };
    let node = parser.expression(0)?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.unexpected()),
    }
}

struct JmesParser {
    tokens: Vec<(JmesToken, usize)>,
    at: usize,
    end: usize,
    depth: u32,
}

impl JmesParser {
    fn peek(&self) -> Option<&JmesToken> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn next(&mut self) -> Option<JmesToken> {
        let next = self.peek().cloned();
        self.at += 1;
        next
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(JmesToken::Sign(found)) if *found == sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn needs(&mut self, sign: &str) -> Result<(), String> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    fn position(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(_, at)| *at)
    }

    fn unexpected(&self) -> String {
        let found = match self.peek() {
            Some(JmesToken::Name(name, _)) => name.clone(),
            Some(JmesToken::Number(number)) => number.to_string(),
            Some(JmesToken::Literal(value)) => value.json(),
            Some(JmesToken::Sign(sign)) => (*sign).to_owned(),
            None => "<EOF>".to_owned(),
        };
        format!(
            "syntax error mismatched input '{found}' at position {}",
            self.position()
        )
    }

    fn power(&self) -> u8 {
        match self.peek() {
            Some(JmesToken::Sign(sign)) => match *sign {
                "|" => power::PIPE,
                "||" => power::OR,
                "&&" => power::AND,
                "==" | "!=" | "<" | "<=" | ">" | ">=" => power::COMPARE,
                "[]" => power::FLATTEN,
                "[?" => power::FILTER,
                "." => power::DOT,
                "[" => power::BRACKET,
                _ => 0,
            },
            _ => 0,
        }
    }

    fn expression(&mut self, least: u8) -> Result<JmesNode, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("syntax error: too deep".to_owned());
        }
        let mut left = self.first()?;
        while self.power() > least {
            left = self.further(left)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// What begins an expression.
    fn first(&mut self) -> Result<JmesNode, String> {
        let position = self.position();
        let back = self.at;
        let node = match self.next() {
            Some(JmesToken::Name(name, false)) if self.is("(") => {
                return self.call(&name, position);
            }
            Some(JmesToken::Name(name, _)) => JmesNode::Field(name),
            Some(JmesToken::Literal(value)) => JmesNode::Literal(value),
            Some(JmesToken::Sign("@")) => JmesNode::Current,
            Some(JmesToken::Sign("*")) => {
                let right = self.projected(power::STAR)?;
                JmesNode::Each(
                    JmesItems::Values,
                    Box::new(JmesNode::Current),
                    Box::new(right),
                )
            }
            Some(JmesToken::Sign("!")) => JmesNode::Not(Box::new(self.expression(power::NOT)?)),
            Some(JmesToken::Sign("(")) => {
                let node = self.expression(0)?;
                self.needs(")")?;
                node
            }
            Some(JmesToken::Sign("{")) => self.hash()?,
            Some(JmesToken::Sign("[")) if !self.is_index() => self.list()?,
            Some(JmesToken::Sign("[" | "[]" | "[?")) => {
                self.at = back;
                self.further(JmesNode::Current)?
            }
            _ => {
                self.at = back;
                return Err(self.unexpected());
            }
        };
        Ok(node)
    }

    /// After `[`: whether an index, a slice or `*` comes.
    fn is_index(&self) -> bool {
        let star = self.is("*")
            && matches!(
                self.tokens.get(self.at + 1),
                Some((JmesToken::Sign("]"), _))
            );
        star || matches!(
            self.peek(),
            Some(JmesToken::Number(_) | JmesToken::Sign(":"))
        )
    }

    /// What goes on with what was read.
    fn further(&mut self, left: JmesNode) -> Result<JmesNode, String> {
        let left = Box::new(left);
        let Some(JmesToken::Sign(sign)) = self.next() else {
            self.at -= 1;
            return Err(self.unexpected());
        };
        Ok(match sign {
            "." => {
                if self.takes("*") {
                    let right = self.projected(power::STAR)?;
                    return Ok(JmesNode::Each(JmesItems::Values, left, Box::new(right)));
                }
                JmesNode::Then(left, Box::new(self.after_dot()?))
            }
            "|" => JmesNode::Pipe(left, Box::new(self.expression(power::PIPE)?)),
            "||" => JmesNode::Or(left, Box::new(self.expression(power::OR)?)),
            "&&" => JmesNode::And(left, Box::new(self.expression(power::AND)?)),
            "[]" => {
                let right = self.projected(power::FLATTEN)?;
                JmesNode::Each(JmesItems::Flat, left, Box::new(right))
            }
            "[?" => {
                let condition = self.expression(0)?;
                self.needs("]")?;
                let right = self.projected(power::FILTER)?;
                JmesNode::Each(JmesItems::Where(Box::new(condition)), left, Box::new(right))
            }
            "[" => self.bracket(left)?,
            sign => {
                let comparison = match sign {
                    "==" => JmesComparison::Equal,
                    "!=" => JmesComparison::NotEqual,
                    "<" => JmesComparison::Less,
                    "<=" => JmesComparison::LessOrEqual,
                    ">" => JmesComparison::Greater,
                    ">=" => JmesComparison::GreaterOrEqual,
                    _ => {
                        self.at -= 1;
                        return Err(self.unexpected());
                    }
                };
                JmesNode::Compare(left, comparison, Box::new(self.expression(power::COMPARE)?))
            }
        })
    }

    /// An index, a slice or `*`, after its bracket.
    fn bracket(&mut self, left: Box<JmesNode>) -> Result<JmesNode, String> {
        if self.takes("*") {
            self.needs("]")?;
            let right = self.projected(power::STAR)?;
            return Ok(JmesNode::Each(JmesItems::All, left, Box::new(right)));
        }
        let mut parts = [None; 3];
        let mut part = 0;
        loop {
            match self.peek() {
                Some(JmesToken::Number(number)) if parts[part].is_none() => {
                    parts[part] = Some(*number);
                    self.at += 1;
                }
                Some(JmesToken::Sign(":")) if part < 2 => {
                    part += 1;
                    self.at += 1;
                }
                Some(JmesToken::Sign("]")) if part > 0 || parts[0].is_some() => {
                    self.at += 1;
                    break;
                }
                _ => return Err(self.unexpected()),
            }
        }
        if part == 0 {
            let index = JmesNode::Index(parts[0].unwrap_or(0));
            return Ok(JmesNode::Then(left, Box::new(index)));
        }
        let step = parts[2].unwrap_or(1);
        if step == 0 {
            let at = self.position().saturating_sub(2);
            return Err(format!("invalid value 0 for step size at position {at}"));
        }
        let slice = JmesNode::Then(left, Box::new(JmesNode::Slice(parts[0], parts[1], step)));
        let right = self.projected(power::STAR)?;
        Ok(JmesNode::Each(
            JmesItems::Slice,
            Box::new(slice),
            Box::new(right),
        ))
    }

    /// What works on each item.
    fn projected(&mut self, power: u8) -> Result<JmesNode, String> {
        if self.power() < power::PROJECTS {
            return Ok(JmesNode::Current);
        }
        if self.is("[") || self.is("[?") {
            return self.expression_after(power);
        }
        if self.is(".") {
            return self.expression_after(power);
        }
        Err(self.unexpected())
    }

    /// An expression whose beginning is the item itself.
    fn expression_after(&mut self, least: u8) -> Result<JmesNode, String> {
        let mut left = JmesNode::Current;
        while self.power() > least {
            left = self.further(left)?;
        }
        Ok(left)
    }

    fn after_dot(&mut self) -> Result<JmesNode, String> {
        let position = self.position();
        match self.next() {
            Some(JmesToken::Name(name, false)) if self.is("(") => self.call(&name, position),
            Some(JmesToken::Name(name, _)) => Ok(JmesNode::Field(name)),
            Some(JmesToken::Sign("[")) => self.list(),
            Some(JmesToken::Sign("{")) => self.hash(),
            _ => {
                self.at -= 1;
                Err(self.unexpected())
            }
        }
    }

    fn list(&mut self) -> Result<JmesNode, String> {
        let mut nodes = vec![self.expression(0)?];
        while self.takes(",") {
            nodes.push(self.expression(0)?);
        }
        self.needs("]")?;
        Ok(JmesNode::List(nodes))
    }

    fn hash(&mut self) -> Result<JmesNode, String> {
        let mut members = Vec::new();
        loop {
            let Some(JmesToken::Name(name, _)) = self.next() else {
                self.at -= 1;
                return Err(self.unexpected());
            };
            self.needs(":")?;
            members.push((name, self.expression(0)?));
            if !self.takes(",") {
                self.needs("}")?;
                return Ok(JmesNode::Hash(members));
            }
        }
    }

    fn call(&mut self, name: &str, position: usize) -> Result<JmesNode, String> {
        self.needs("(")?;
        let mut args = Vec::new();
        if !self.takes(")") {
            loop {
                args.push(match self.takes("&") {
                    true => JmesNode::Reference(Box::new(self.expression(0)?)),
                    false => self.expression(0)?,
                });
                if !self.takes(",") {
                    self.needs(")")?;
                    break;
                }
            }
        }
        let Some(function) = JmesFunction::named(name) else {
            return Err(format!(
                "unknown function \"{name}\" at position {position}"
            ));
        };
        let (least, most) = function.arity();
        if args.len() < least || args.len() > most {
            return Err(format!(
                "invalid arity calling \"{name}\" (expected {least} but was {}) at position {position}",
                args.len()
            ));
        }
        Ok(JmesNode::Call(function, args))
    }
}
