//! From words to a tree: what operators work on.

use std::sync::Arc;

use super::parse::{JexlParser, Parsed, parse_within};
use super::token::{JexlToken, Version};
use super::tree::{JexlFunction, JexlNode};

impl JexlParser {
    pub(super) fn postfix(&mut self) -> Parsed {
        let mut node = self.primary()?;
        loop {
            if self.is_sign(".") || self.is_sign("?.") || self.is_sign("[") || self.is_sign("(") {
                self.link()?;
            }
            if self.sign(".") || self.version == Version::Three && self.sign("?.") {
                node = self.member(node)?;
            } else if self.sign("[") {
                let key = self.expression()?;
                self.expect("]")?;
                node = JexlNode::Property(Box::new(node), Box::new(key));
            } else if self.is_sign("(") {
                let arguments = self.arguments()?;
                node = JexlNode::Call(Box::new(node), arguments);
            } else {
                return Ok(node);
            }
        }
    }

    /// What is behind a point: a property, a method, a number of a list.
    fn member(&mut self, node: JexlNode) -> Parsed {
        let key = match self.peek() {
            Some(JexlToken::Integer(number)) => JexlNode::Integer(*number),
            Some(JexlToken::Name(name) | JexlToken::Text(name)) => {
                JexlNode::Text(name.as_str().into())
            }
            other => return Err(format!("a name expected behind '.', not {other:?}")),
        };
        self.at += 1;
        match key {
            JexlNode::Text(name) if self.is_sign("(") => {
                Ok(JexlNode::Method(Box::new(node), name, self.arguments()?))
            }
            key => Ok(JexlNode::Property(Box::new(node), Box::new(key))),
        }
    }

    fn arguments(&mut self) -> Result<Vec<JexlNode>, String> {
        self.expect("(")?;
        self.list(")")
    }

    /// Expressions up to a closing sign.
    fn list(&mut self, end: &str) -> Result<Vec<JexlNode>, String> {
        let mut nodes = Vec::new();
        if self.sign(end) {
            return Ok(nodes);
        }
        loop {
            // `...` only says that a list may grow.
            if !self.sign("...") {
                nodes.push(self.expression()?);
            }
            if self.sign(end) {
                return Ok(nodes);
            }
            self.expect(",")?;
        }
    }

    fn primary(&mut self) -> Parsed {
        let token = self
            .peek()
            .cloned()
            .ok_or("an expression expected at the end")?;
        self.at += 1;
        match token {
            JexlToken::Text(text) => Ok(JexlNode::Text(text.into())),
            JexlToken::Integer(number) => Ok(JexlNode::Integer(number)),
            JexlToken::Double(number) => Ok(JexlNode::Double(number)),
            JexlToken::Template(pieces) => self.template(pieces),
            JexlToken::Name(name) => self.named(name),
            JexlToken::Sign("(") => self.brackets(),
            JexlToken::Sign("[") => Ok(JexlNode::List(self.list("]")?)),
            JexlToken::Sign("{") => self.braces(),
            JexlToken::Sign(sign) => Err(format!("an expression expected, not '{sign}'")),
        }
    }

    fn template(&mut self, pieces: Vec<(bool, String)>) -> Parsed {
        let depth = self.depth + 1;
        let version = self.version;
        let piece = |(code, text): (bool, String)| match code {
            true => parse_within(&text, version, depth),
            false => Ok(JexlNode::Text(text.into())),
        };
        let pieces: Result<_, _> = pieces.into_iter().map(piece).collect();
        Ok(JexlNode::Template(pieces?))
    }

    fn named(&mut self, name: String) -> Parsed {
        Ok(match name.as_str() {
            "null" => JexlNode::Null,
            "true" => JexlNode::Bool(true),
            "false" => JexlNode::Bool(false),
            "NaN" if self.version == Version::Three => JexlNode::Double(f64::NAN),
            "new" => {
                return Err(
                    "'new' makes Java objects, which only the JVM has: __groovy can".into(),
                );
            }
            "function" if self.is_sign("(") => {
                let parameters = self.parameters()?;
                return self.function(parameters);
            }
            "if" | "else" | "for" | "foreach" | "while" | "do" | "return" | "var" | "eq" | "ne"
            | "lt" | "gt" | "le" | "ge" | "and" | "or" | "div" | "mod" => {
                return Err(format!("an expression expected, not '{name}'"));
            }
            _ if self.is_sign("->") => {
                self.at += 1;
                return self.function(vec![name.into()]);
            }
            _ if self.is_sign(":") && self.is_namespace() => {
                return Err(format!("there is no namespace {name}"));
            }
            _ => JexlNode::Name(name.into()),
        })
    }

    /// Whether `name:function(` stands here, not the `:` of a choice.
    fn is_namespace(&self) -> bool {
        matches!(
            self.tokens.get(self.at + 1..self.at + 3),
            Some([JexlToken::Name(_), JexlToken::Sign("(")])
        ) && self.at == 1
    }

    /// An expression in brackets, or a function: `(a, b) -> …`.
    fn brackets(&mut self) -> Parsed {
        let begin = self.at;
        self.at -= 1;
        if let Ok(parameters) = self.parameters()
            && self.sign("->")
        {
            return self.function(parameters);
        }
        self.at = begin;
        let node = self.expression()?;
        self.expect(")")?;
        Ok(node)
    }

    fn parameters(&mut self) -> Result<Vec<Arc<str>>, String> {
        self.expect("(")?;
        let mut names = Vec::new();
        if self.sign(")") {
            return Ok(names);
        }
        loop {
            self.word("var");
            names.push(self.name()?);
            if self.sign(")") {
                return Ok(names);
            }
            self.expect(",")?;
        }
    }

    fn function(&mut self, parameters: Vec<Arc<str>>) -> Parsed {
        let body = if self.is_sign("{") {
            self.deeper(Self::block)?
        } else {
            self.expression()?
        };
        Ok(JexlNode::Function(Arc::new(JexlFunction {
            parameters,
            body,
        })))
    }

    /// A map or a set.
    fn braces(&mut self) -> Parsed {
        if self.sign("}") {
            return Ok(JexlNode::Set(Vec::new()));
        }
        if self.sign(":") {
            self.expect("}")?;
            return Ok(JexlNode::Map(Vec::new()));
        }
        let first = self.expression()?;
        if !self.sign(":") {
            let mut nodes = vec![first];
            if !self.sign("}") {
                self.expect(",")?;
                nodes.extend(self.list("}")?);
            }
            return Ok(JexlNode::Set(nodes));
        }
        let mut entries = vec![(first, self.expression()?)];
        while !self.sign("}") {
            self.expect(",")?;
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?));
        }
        Ok(JexlNode::Map(entries))
    }
}
