//! From words to a tree: statements.

use super::parse::{JexlParser, Parsed};
use super::token::{JexlToken, Version};
use super::tree::JexlNode;

impl JexlParser {
    /// A statement with its `;`. Blocks need none; a line's end does for the others as well.
    pub(super) fn statement(&mut self) -> Parsed {
        self.deeper(Self::inner_statement)
    }

    fn inner_statement(&mut self) -> Parsed {
        let keyword = match self.peek() {
            Some(JexlToken::Name(name)) => name.clone(),
            Some(JexlToken::Sign("{")) if self.is_block() => return self.block(),
            _ => String::new(),
        };
        let node = match keyword.as_str() {
            "if" => return self.choice(),
            "while" => {
                self.at += 1;
                let condition = self.bracketed()?;
                return Ok(JexlNode::While(
                    Box::new(condition),
                    Box::new(self.statement()?),
                ));
            }
            "for" => return self.each(),
            "foreach" if self.version == Version::Two => return self.each(),
            "do" => {
                self.at += 1;
                let body = self.statement()?;
                if !self.word("while") {
                    return Err("'while' expected behind 'do'".to_owned());
                }
                JexlNode::DoWhile(Box::new(body), Box::new(self.bracketed()?))
            }
            "return" => {
                self.at += 1;
                let ends = self.at >= self.tokens.len() || self.is_sign(";") || self.is_sign("}");
                let value = if ends {
                    None
                } else {
                    Some(Box::new(self.expression()?))
                };
                JexlNode::Return(value)
            }
            "break" => {
                self.at += 1;
                JexlNode::Break
            }
            "continue" => {
                self.at += 1;
                JexlNode::Continue
            }
            _ => self.expression()?,
        };
        let ended = self.sign(";") || self.at >= self.tokens.len() || self.is_sign("}");
        // `var a = 1` and the like may end with their line; words on one line may not.
        if ended || matches!(node, JexlNode::Var(..)) {
            Ok(node)
        } else {
            Err(format!("';' expected, not {:?}", self.peek()))
        }
    }

    /// Whether a `{` begins a block; else a map or a set.
    fn is_block(&self) -> bool {
        let mut depth = 0;
        let mut commas = false;
        for (at, token) in self.tokens.iter().enumerate().skip(self.at) {
            let JexlToken::Sign(sign) = token else {
                continue;
            };
            match *sign {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => {
                    depth -= 1;
                    if depth == 0 {
                        let inside = at - self.at;
                        // `{1}` is a set for JEXL 3; `{ x }` with what is behind it a block.
                        let alone = inside == 2 && self.version == Version::Three;
                        let last = at + 1 == self.tokens.len();
                        return !(commas || alone && last) && inside > 1;
                    }
                }
                ";" if depth == 1 => return true,
                "," | ":" if depth == 1 => commas = true,
                _ => {}
            }
        }
        !commas
    }

    pub(super) fn block(&mut self) -> Parsed {
        self.expect("{")?;
        let mut nodes = Vec::new();
        while !self.sign("}") {
            if self.sign(";") {
                continue;
            }
            if self.at >= self.tokens.len() {
                return Err("'}' expected at the end".to_owned());
            }
            nodes.push(self.statement()?);
        }
        Ok(JexlNode::Block(nodes))
    }

    fn bracketed(&mut self) -> Parsed {
        self.expect("(")?;
        let node = self.expression()?;
        self.expect(")")?;
        Ok(node)
    }

    /// What a condition or a loop rules: a block even where it could be a set.
    fn body(&mut self) -> Parsed {
        if self.is_sign("{") {
            return self.deeper(Self::block);
        }
        self.statement()
    }

    fn choice(&mut self) -> Parsed {
        self.at += 1;
        let condition = self.bracketed()?;
        let then = self.body()?;
        let otherwise = if self.word("else") {
            Some(Box::new(self.body()?))
        } else {
            None
        };
        Ok(JexlNode::If(Box::new(condition), Box::new(then), otherwise))
    }

    /// `for (x : list)`, `foreach (x in list)` or `for (begin; condition; step)`.
    fn each(&mut self) -> Parsed {
        self.at += 1;
        self.expect("(")?;
        let begin = self.at;
        self.word("var");
        if let Ok(name) = self.name()
            && (self.sign(":") || self.word("in"))
        {
            let list = self.expression()?;
            self.expect(")")?;
            return Ok(JexlNode::Each(name, Box::new(list), Box::new(self.body()?)));
        }
        self.at = begin;
        let part = |parser: &mut Self, end: &str| {
            let node = if parser.is_sign(end) {
                JexlNode::Null
            } else {
                parser.expression()?
            };
            parser.expect(end)?;
            Ok::<JexlNode, String>(node)
        };
        let first = part(self, ";")?;
        let condition = part(self, ";")?;
        let step = part(self, ")")?;
        let body = self.body()?;
        Ok(JexlNode::For(Box::new([first, condition, step, body])))
    }
}
