//! From words to a tree: operators.

use std::sync::Arc;

use super::token::{Token, Version, tokens};
use super::tree::{Node, Operator};

/// Brackets and blocks within each other, at most: deeper ones would use up the stack.
const DEEPEST: usize = 100;
/// Operators and steps that follow each other in one script, at most: `a + b + c` is a tree as
/// deep as it is long.
const MOST_LINKS: usize = 1_000;

pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
    links: usize,
    pub(super) version: Version,
}

pub(super) type Parsed = Result<Node, String>;

/// Reads a script.
///
/// # Errors
/// What is not JEXL, or not supported.
pub(super) fn parse(source: &str, version: Version) -> Parsed {
    parse_within(source, version, 0)
}

/// Reads a script that stands in a text of another one, so deep.
pub(super) fn parse_within(source: &str, version: Version, depth: usize) -> Parsed {
    let mut parser = Parser {
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
    Ok(Node::Block(nodes))
}

impl Parser {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(known)) if *known == sign)
    }

    pub(super) fn sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(name)) if name == word);
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
            Some(Token::Name(name)) => {
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
            return Ok(Node::Var(name, value));
        }
        let left = self.ternary()?;
        let operator = match self.peek() {
            Some(Token::Sign("=")) => None,
            Some(Token::Sign("+=")) => Some(Operator::Add),
            Some(Token::Sign("-=")) => Some(Operator::Subtract),
            Some(Token::Sign("*=")) => Some(Operator::Multiply),
            Some(Token::Sign("/=")) => Some(Operator::Divide),
            Some(Token::Sign("%=")) => Some(Operator::Remainder),
            _ => return Ok(left),
        };
        if !matches!(left, Node::Name(_) | Node::Property(..)) {
            return Err("only a name or a property can be assigned to".to_owned());
        }
        self.at += 1;
        let right = self.expression()?;
        let value = match operator {
            None => right,
            Some(operator) => Node::Binary(operator, Box::new(left.clone()), Box::new(right)),
        };
        Ok(Node::Assign(Box::new(left), Box::new(value)))
    }

    fn ternary(&mut self) -> Parsed {
        let condition = self.or()?;
        if self.sign("?:") {
            return Ok(Node::Elvis(
                Box::new(condition),
                Box::new(self.deeper(Self::ternary)?),
            ));
        }
        if self.version == Version::Three && self.sign("??") {
            return Ok(Node::Coalesce(
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
        Ok(Node::Choice(
            Box::new(condition),
            Box::new(then),
            Box::new(otherwise),
        ))
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while self.sign("||") || self.word("or") {
            self.link()?;
            left = Node::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.bits(0)?;
        while self.sign("&&") || self.word("and") {
            self.link()?;
            left = Node::And(Box::new(left), Box::new(self.bits(0)?));
        }
        Ok(left)
    }

    fn bits(&mut self, level: usize) -> Parsed {
        const LEVELS: [(&str, Operator); 3] = [
            ("|", Operator::BitOr),
            ("^", Operator::BitXor),
            ("&", Operator::BitAnd),
        ];
        let Some((sign, operator)) = LEVELS.get(level) else {
            return self.equality();
        };
        let mut left = self.bits(level + 1)?;
        while self.sign(sign) {
            self.link()?;
            let right = self.bits(level + 1)?;
            left = Node::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// One comparison: `a == b == c` is no JEXL.
    fn equality(&mut self) -> Parsed {
        let left = self.relation()?;
        let operator = if self.sign("==") || self.word("eq") {
            Operator::Equal
        } else if self.sign("!=") || self.word("ne") {
            Operator::NotEqual
        } else if self.version == Version::Three && self.sign("..") {
            let right = self.relation()?;
            return Ok(Node::Range(Box::new(left), Box::new(right)));
        } else {
            return Ok(left);
        };
        let right = self.relation()?;
        Ok(Node::Binary(operator, Box::new(left), Box::new(right)))
    }

    fn relation(&mut self) -> Parsed {
        const RELATIONS: [(&str, &str, Operator); 6] = [
            ("<", "lt", Operator::Less),
            ("<=", "le", Operator::LessEqual),
            (">", "gt", Operator::Greater),
            (">=", "ge", Operator::GreaterEqual),
            ("=~", "", Operator::Matches),
            ("!~", "", Operator::NotMatches),
        ];
        const OF_THREE: [(&str, &str, Operator); 4] = [
            ("=^", "", Operator::Begins),
            ("!^", "", Operator::NotBegins),
            ("=$", "", Operator::Ends),
            ("!$", "", Operator::NotEnds),
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
                return Ok(Node::Binary(*operator, Box::new(left), Box::new(right)));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let operator = if self.sign("+") {
                Operator::Add
            } else if self.sign("-") {
                Operator::Subtract
            } else {
                return Ok(left);
            };
            self.link()?;
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.unary()?;
        loop {
            let operator = if self.sign("*") {
                Operator::Multiply
            } else if self.sign("/") || self.word("div") {
                Operator::Divide
            } else if self.sign("%") || self.word("mod") {
                Operator::Remainder
            } else {
                return Ok(left);
            };
            self.link()?;
            left = Node::Binary(operator, Box::new(left), Box::new(self.unary()?));
        }
    }

    fn unary(&mut self) -> Parsed {
        self.deeper(|parser| {
            let make: fn(Box<Node>) -> Node = if parser.sign("-") {
                Node::Minus
            } else if parser.version == Version::Three && parser.sign("+") {
                Node::Plus
            } else if parser.sign("~") {
                Node::Complement
            } else if parser.sign("!") || parser.word("not") {
                Node::Not
            } else if parser.word("empty") {
                Node::Empty
            } else if parser.word("size") {
                Node::Size
            } else {
                return parser.postfix();
            };
            Ok(make(Box::new(parser.unary()?)))
        })
    }
}
