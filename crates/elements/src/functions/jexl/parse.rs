//! From words to a tree: operators.

use std::sync::Arc;

use super::token::{JexlToken, Version, tokens};
use super::tree::{JexlNode, JexlOperator};

/// Brackets and blocks within each other, at most: deeper ones would use up the stack.
const DEEPEST: usize = 100;
/// Operators and steps that follow each other in one script, at most: `a + b + c` is a tree as
/// deep as it is long.
const MOST_LINKS: usize = 1_000;

pub(super) struct JexlParser {
    pub(super) tokens: Vec<JexlToken>,
    pub(super) at: usize,
    pub(super) depth: usize,
    links: usize,
    pub(super) version: Version,
}

pub(super) type Parsed = Result<JexlNode, String>;

/// Reads a script.
///
/// # Errors
/// What is not JEXL, or not supported.
pub(super) fn parse(source: &str, version: Version) -> Parsed {
    parse_within(source, version, 0)
}

/// Reads a script that stands in a text of another one, so deep.
pub(super) fn parse_within(source: &str, version: Version, depth: usize) -> Parsed {
    let mut parser = JexlParser {
        tokens: tokens(source, version)?,
        at: 0,
        depth,
        links: 0,
        version,
    };
    let mut nodes = Vec::new();
    while parser.at < parser.tokens.len() {
        if !parser.sign(";") {
            nodes.push(parser.statement()?);
        }
    }
    Ok(JexlNode::Block(nodes))
}

impl JexlParser {
    pub(super) fn peek(&self) -> Option<&JexlToken> {
        self.tokens.get(self.at)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(JexlToken::Sign(known)) if *known == sign)
    }

    pub(super) fn sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(JexlToken::Name(name)) if name == word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.sign(sign) {
            return Ok(());
        }
        Err(match self.peek() {
            Some(token) => format!("'{sign}' expected, not {token:?}"),
            None => format!("'{sign}' expected at the end"),
        })
    }

    pub(super) fn name(&mut self) -> Result<Arc<str>, String> {
        match self.peek() {
            Some(JexlToken::Name(name)) => {
                let name = name.as_str().into();
                self.at += 1;
                Ok(name)
            }
            other => Err(format!("a name expected, not {other:?}")),
        }
    }

    pub(super) fn deeper<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("more than {DEEPEST} brackets within each other"));
        }
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// One more link of a chain.
    pub(super) fn link(&mut self) -> Result<(), String> {
        self.links += 1;
        match self.links > MOST_LINKS {
            true => Err(format!("more than {MOST_LINKS} operators in one script")),
            false => Ok(()),
        }
    }

    pub(super) fn expression(&mut self) -> Parsed {
        self.deeper(Self::assignment)
    }

    fn assignment(&mut self) -> Parsed {
        if self.word("var") {
            let name = self.name()?;
            let value = if self.sign("=") {
                Some(Box::new(self.expression()?))
            } else {
                None
            };
            return Ok(JexlNode::Var(name, value));
        }
        let left = self.ternary()?;
        let operator = match self.peek() {
            Some(JexlToken::Sign("=")) => None,
            Some(JexlToken::Sign("+=")) => Some(JexlOperator::Add),
            Some(JexlToken::Sign("-=")) => Some(JexlOperator::Subtract),
            Some(JexlToken::Sign("*=")) => Some(JexlOperator::Multiply),
            Some(JexlToken::Sign("/=")) => Some(JexlOperator::Divide),
            Some(JexlToken::Sign("%=")) => Some(JexlOperator::Remainder),
            _ => return Ok(left),
        };
        if !matches!(left, JexlNode::Name(_) | JexlNode::Property(..)) {
            return Err("only a name or a property can be assigned to".to_owned());
        }
        self.at += 1;
        let right = self.expression()?;
        let value = match operator {
            None => right,
            Some(operator) => JexlNode::Binary(operator, Box::new(left.clone()), Box::new(right)),
        };
        Ok(JexlNode::Assign(Box::new(left), Box::new(value)))
    }

    fn ternary(&mut self) -> Parsed {
        let condition = self.or()?;
        if self.sign("?:") {
            return Ok(JexlNode::Elvis(
                Box::new(condition),
                Box::new(self.deeper(Self::ternary)?),
            ));
        }
        if self.version == Version::Three && self.sign("??") {
            return Ok(JexlNode::Coalesce(
                Box::new(condition),
                Box::new(self.deeper(Self::ternary)?),
            ));
        }
        if !self.sign("?") {
            return Ok(condition);
        }
        let then = self.deeper(Self::ternary)?;
        self.expect(":")?;
        let otherwise = self.deeper(Self::ternary)?;
        Ok(JexlNode::Choice(
            Box::new(condition),
            Box::new(then),
            Box::new(otherwise),
        ))
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while self.sign("||") || self.word("or") {
            self.link()?;
            left = JexlNode::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.bits(0)?;
        while self.sign("&&") || self.word("and") {
            self.link()?;
            left = JexlNode::And(Box::new(left), Box::new(self.bits(0)?));
        }
        Ok(left)
    }

    fn bits(&mut self, level: usize) -> Parsed {
        const LEVELS: [(&str, JexlOperator); 3] = [
            ("|", JexlOperator::BitOr),
            ("^", JexlOperator::BitXor),
            ("&", JexlOperator::BitAnd),
        ];
        let Some((sign, operator)) = LEVELS.get(level) else {
            return self.equality();
        };
        let mut left = self.bits(level + 1)?;
        while self.sign(sign) {
            self.link()?;
            let right = self.bits(level + 1)?;
            left = JexlNode::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// One comparison: `a == b == c` is no JEXL.
    fn equality(&mut self) -> Parsed {
        let left = self.relation()?;
        let operator = if self.sign("==") || self.word("eq") {
            JexlOperator::Equal
        } else if self.sign("!=") || self.word("ne") {
            JexlOperator::NotEqual
        } else if self.version == Version::Three && self.sign("..") {
            let right = self.relation()?;
            return Ok(JexlNode::Range(Box::new(left), Box::new(right)));
        } else {
            return Ok(left);
        };
        let right = self.relation()?;
        Ok(JexlNode::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn relation(&mut self) -> Parsed {
        const RELATIONS: [(&str, &str, JexlOperator); 6] = [
            ("<", "lt", JexlOperator::Less),
            ("<=", "le", JexlOperator::LessEqual),
            (">", "gt", JexlOperator::Greater),
            (">=", "ge", JexlOperator::GreaterEqual),
            ("=~", "", JexlOperator::Matches),
            ("!~", "", JexlOperator::NotMatches),
        ];
        const OF_THREE: [(&str, &str, JexlOperator); 4] = [
            ("=^", "", JexlOperator::Begins),
            ("!^", "", JexlOperator::NotBegins),
            ("=$", "", JexlOperator::Ends),
            ("!$", "", JexlOperator::NotEnds),
        ];
        let left = self.sum()?;
        let of_three = if self.version == Version::Three {
            &OF_THREE[..]
        } else {
            &[]
        };
        for (sign, word, operator) in RELATIONS.iter().chain(of_three) {
            if self.sign(sign) || (!word.is_empty() && self.word(word)) {
                let right = self.sum()?;
                return Ok(JexlNode::Binary(*operator, Box::new(left), Box::new(right)));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let operator = if self.sign("+") {
                JexlOperator::Add
            } else if self.sign("-") {
                JexlOperator::Subtract
            } else {
                return Ok(left);
            };
            self.link()?;
            left = JexlNode::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.unary()?;
        loop {
            let operator = if self.sign("*") {
                JexlOperator::Multiply
            } else if self.sign("/") || self.word("div") {
                JexlOperator::Divide
            } else if self.sign("%") || self.word("mod") {
                JexlOperator::Remainder
            } else {
                return Ok(left);
            };
            self.link()?;
            left = JexlNode::Binary(operator, Box::new(left), Box::new(self.unary()?));
        }
    }

    fn unary(&mut self) -> Parsed {
        self.deeper(|parser| {
            let make: fn(Box<JexlNode>) -> JexlNode = if parser.sign("-") {
                JexlNode::Minus
            } else if parser.version == Version::Three && parser.sign("+") {
                JexlNode::Plus
            } else if parser.sign("~") {
                JexlNode::Complement
            } else if parser.sign("!") || parser.word("not") {
                JexlNode::Not
            } else if parser.word("empty") {
                JexlNode::Empty
            } else if parser.word("size") {
                JexlNode::Size
            } else {
                return parser.postfix();
            };
            Ok(make(Box::new(parser.unary()?)))
        })
    }
}
