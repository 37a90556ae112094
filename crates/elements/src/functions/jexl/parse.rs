//! From words to a tree: expressions.

use std::sync::Arc;

use super::token::{Token, Version, tokens};
use super::tree::{Function, Node, Operator};

/// Brackets and blocks within each other, at most: deeper ones would use up the stack.
const DEEPEST: usize = 100;
/// Operators and steps that follow each other in one script, at most: `a + b + c` is a tree as
/// deep as it is long.
const MOST_LINKS: usize = 1_000;

pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    depth: usize,
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

fn parse_within(source: &str, version: Version, depth: usize) -> Parsed {
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
    fn link(&mut self) -> Result<(), String> {
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

    fn postfix(&mut self) -> Parsed {
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
                node = Node::Property(Box::new(node), Box::new(key));
            } else if self.is_sign("(") {
                let arguments = self.arguments()?;
                node = Node::Call(Box::new(node), arguments);
            } else {
                return Ok(node);
            }
        }
    }

    /// What is behind a point: a property, a method, a number of a list.
    fn member(&mut self, node: Node) -> Parsed {
        let key = match self.peek() {
            Some(Token::Integer(number)) => Node::Integer(*number),
            Some(Token::Name(name) | Token::Text(name)) => Node::Text(name.as_str().into()),
            other => return Err(format!("a name expected behind '.', not {other:?}")),
        };
        self.at += 1;
        match key {
            Node::Text(name) if self.is_sign("(") => {
                Ok(Node::Method(Box::new(node), name, self.arguments()?))
            }
            key => Ok(Node::Property(Box::new(node), Box::new(key))),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Node>, String> {
        self.expect("(")?;
        self.list(")")
    }

    /// Expressions up to a closing sign.
    fn list(&mut self, end: &str) -> Result<Vec<Node>, String> {
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
            Token::Text(text) => Ok(Node::Text(text.into())),
            Token::Integer(number) => Ok(Node::Integer(number)),
            Token::Double(number) => Ok(Node::Double(number)),
            Token::Template(pieces) => self.template(pieces),
            Token::Name(name) => self.named(name),
            Token::Sign("(") => self.brackets(),
            Token::Sign("[") => Ok(Node::List(self.list("]")?)),
            Token::Sign("{") => self.braces(),
            Token::Sign(sign) => Err(format!("an expression expected, not '{sign}'")),
        }
    }

    fn template(&mut self, pieces: Vec<(bool, String)>) -> Parsed {
        let depth = self.depth + 1;
        let version = self.version;
        let piece = |(code, text): (bool, String)| match code {
            true => parse_within(&text, version, depth),
            false => Ok(Node::Text(text.into())),
        };
        let pieces: Result<_, _> = pieces.into_iter().map(piece).collect();
        Ok(Node::Template(pieces?))
    }

    fn named(&mut self, name: String) -> Parsed {
        Ok(match name.as_str() {
            "null" => Node::Null,
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            "NaN" if self.version == Version::Three => Node::Double(f64::NAN),
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
            _ => Node::Name(name.into()),
        })
    }

    /// Whether `name:function(` stands here, not the `:` of a choice.
    fn is_namespace(&self) -> bool {
        matches!(
            self.tokens.get(self.at + 1..self.at + 3),
            Some([Token::Name(_), Token::Sign("(")])
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
        Ok(Node::Function(Arc::new(Function { parameters, body })))
    }

    /// A map or a set.
    fn braces(&mut self) -> Parsed {
        if self.sign("}") {
            return Ok(Node::Set(Vec::new()));
        }
        if self.sign(":") {
            self.expect("}")?;
            return Ok(Node::Map(Vec::new()));
        }
        let first = self.expression()?;
        if !self.sign(":") {
            let mut nodes = vec![first];
            if !self.sign("}") {
                self.expect(",")?;
                nodes.extend(self.list("}")?);
            }
            return Ok(Node::Set(nodes));
        }
        let mut entries = vec![(first, self.expression()?)];
        while !self.sign("}") {
            self.expect(",")?;
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?));
        }
        Ok(Node::Map(entries))
    }
}
