//! What must hold between knobs: `pool <= threads - 10`, `collector = g1`.

use super::quantity::{KINDS, Units, quantity};

/// A relation between values of knobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    text: String,
    left: Term,
    compare: Compare,
    right: Term,
    only_if: Option<Box<Self>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Compare {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

#[derive(Debug, Clone, PartialEq)]
enum Term {
    Quantity(String),
    Name(String),
    Of(Box<Term>, char, Box<Term>),
}

/// What is not understood, and where: characters from the text's start, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationError {
    /// Where.
    pub at: usize,
}

/// Terms within brackets within brackets …
const DEEPEST: usize = 32;

impl Relation {
    /// Reads a relation: two sides of `+ - * /`, brackets, numbers and names, with one comparison between.
    /// A name may have `-` and `.` in it, so a minus stands between blanks. Numbers may have units, all of one kind.
    ///
    /// # Errors
    /// Where it is not understood.
    pub fn parse(text: &str) -> Result<Self, RelationError> {
        let mut parser = Parser {
            chars: text.chars().collect(),
            at: 0,
            depth: 0,
            quantities: Vec::new(),
        };
        let left = parser.sum()?;
        let compare = parser.compare()?;
        let right = parser.sum()?;
        parser.blanks();
        if parser.at < parser.chars.len() {
            return Err(RelationError { at: parser.at });
        }
        Ok(Self {
            text: text.trim().to_owned(),
            left,
            compare,
            right,
            only_if: None,
        })
    }

    /// The same, which holds as well where another one does not.
    #[must_use]
    pub fn only_if(self, other: Self) -> Self {
        Self {
            only_if: Some(Box::new(other)),
            ..self
        }
    }

    /// As it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names in it.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.left.names(&mut names);
        self.right.names(&mut names);
        names
    }

    /// The names that must be knobs for it to say anything: of words that are compared the second may be a value.
    #[must_use]
    pub fn knobs(&self) -> Vec<&str> {
        match (&self.left, self.compare, &self.right) {
            (Term::Name(left), Compare::Equal | Compare::NotEqual, Term::Name(_)) => vec![left],
            _ => self.names(),
        }
    }

    /// The names in it and in the relation that it depends on.
    pub(super) fn all_names(&self) -> Vec<&str> {
        let other = self.only_if.iter().flat_map(|it| it.all_names());
        self.names().into_iter().chain(other).collect()
    }

    /// Whether it asks if two sides are equal, or another that it depends on does.
    pub(super) fn is_of_equals(&self) -> bool {
        matches!(self.compare, Compare::Equal | Compare::NotEqual)
            || self.only_if.as_ref().is_some_and(|it| it.is_of_equals())
    }

    /// Whether it holds, with the values of names; none where a value is not known.
    #[must_use]
    pub fn holds<S: AsRef<str>>(&self, value: &dyn Fn(&str) -> Option<S>) -> Option<bool> {
        if self.only_if.as_ref().and_then(|it| it.holds(value)) == Some(false) {
            return Some(true);
        }
        // Words are compared as such: a name that is no knob stands for itself.
        if let (Term::Name(left), Term::Name(right)) = (&self.left, &self.right)
            && matches!(self.compare, Compare::Equal | Compare::NotEqual)
        {
            let left = value(left)?;
            let other = value(right);
            let right = other.as_ref().map_or(right.as_str(), AsRef::as_ref);
            return Some((left.as_ref() == right) == (self.compare == Compare::Equal));
        }
        let sides = |units: Units| {
            let number = |name: &str| quantity(value(name)?.as_ref(), units);
            let left = self.left.value(units, &number)?;
            Some((left, self.right.value(units, &number)?))
        };
        let (left, right) = KINDS.into_iter().find_map(sides)?;
        Some(match self.compare {
            Compare::Less => left < right,
            Compare::LessOrEqual => left <= right,
            Compare::Greater => left > right,
            Compare::GreaterOrEqual => left >= right,
            Compare::Equal => left == right,
            Compare::NotEqual => left != right,
        })
    }
}

impl Term {
    fn names<'t>(&'t self, into: &mut Vec<&'t str>) {
        match self {
            Self::Quantity(_) => {}
            Self::Name(name) => into.push(name),
            Self::Of(left, _, right) => {
                left.names(into);
                right.names(into);
            }
        }
    }

    fn value(&self, units: Units, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Self::Quantity(text) => quantity(text, units)?,
            Self::Name(name) => of(name)?,
            Self::Of(left, op, right) => {
                let (left, right) = (left.value(units, of)?, right.value(units, of)?);
                match op {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    _ => left / right,
                }
            }
        })
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    /// All that was read.
    quantities: Vec<String>,
}

impl Parser {
    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn wrong<T>(&self) -> Result<T, RelationError> {
        Err(RelationError { at: self.at })
    }

    fn next_of(&mut self, ops: &[char]) -> Option<char> {
        self.blanks();
        let op = self.peek().filter(|c| ops.contains(c))?;
        self.at += 1;
        Some(op)
    }

    fn compare(&mut self) -> Result<Compare, RelationError> {
        self.blanks();
        let rest: String = self.chars[self.at..].iter().take(2).collect();
        let all = [
            ("<=", Compare::LessOrEqual),
            (">=", Compare::GreaterOrEqual),
            ("!=", Compare::NotEqual),
            ("==", Compare::Equal),
            ("<", Compare::Less),
            (">", Compare::Greater),
            ("=", Compare::Equal),
        ];
        match all.iter().find(|(text, _)| rest.starts_with(text)) {
            Some((text, compare)) => {
                self.at += text.len();
                Ok(*compare)
            }
            None => self.wrong(),
        }
    }

    fn sum(&mut self) -> Result<Term, RelationError> {
        let mut term = self.product()?;
        while let Some(op) = self.next_of(&['+', '-']) {
            term = Term::Of(Box::new(term), op, Box::new(self.product()?));
        }
        Ok(term)
    }

    fn product(&mut self) -> Result<Term, RelationError> {
        let mut term = self.atom()?;
        while let Some(op) = self.next_of(&['*', '/']) {
            term = Term::Of(Box::new(term), op, Box::new(self.atom()?));
        }
        Ok(term)
    }

    fn atom(&mut self) -> Result<Term, RelationError> {
        self.blanks();
        let from = self.at;
        match self.peek() {
            Some('(') if self.depth < DEEPEST => {
                self.at += 1;
                self.depth += 1;
                let inner = self.sum()?;
                self.depth -= 1;
                match self.next_of(&[')']) {
                    Some(_) => Ok(inner),
                    None => self.wrong(),
                }
            }
            Some(c) if c.is_ascii_digit() => {
                while self
                    .peek()
                    .is_some_and(|c| c.is_ascii_alphanumeric() || c == '.')
                {
                    self.at += 1;
                }
                let text: String = self.chars[from..self.at].iter().collect();
                self.quantities.push(text.clone());
                let all = &self.quantities;
                let reads = |units: Units| all.iter().all(|it| quantity(it, units).is_some());
                match KINDS.into_iter().any(reads) {
                    true => Ok(Term::Quantity(text)),
                    false => Err(RelationError { at: from }),
                }
            }
            Some(c) if c.is_alphabetic() || c == '_' => {
                let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
                while self.peek().is_some_and(goes_on) {
                    self.at += 1;
                }
                Ok(Term::Name(self.chars[from..self.at].iter().collect()))
            }
            _ => self.wrong(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Option<bool> {
        let value = |name: &str| match name {
            "pool" => Some("20"),
            "db.max-connections" => Some("32"),
            "heap" => Some("512m"),
            "collector" => Some("g1"),
            "idle" => Some("2m"),
            "keep" => Some("150s"),
            "life" => Some("1d"),
            "disk" => Some("2t"),
            _ => None,
        };
        Relation::parse(text).unwrap().holds(&value)
    }

    #[test]
    fn relations_are_judged() {
        for (text, wanted) in [
            ("pool <= db.max-connections - 10", Some(true)),
            ("pool <= db.max-connections - 13", Some(false)),
            ("heap + 200m <= 0.75 * 1g", Some(true)),
            ("(heap + 200m) * 2 > 1g", Some(true)),
            ("collector = g1", Some(true)),
            ("collector != g1", Some(false)),
            ("collector == serial", Some(false)),
            ("idle <= keep", Some(true)),
            ("idle * 2 <= keep", Some(false)),
            ("keep - idle = 30", Some(true)),
            ("life > 23h + 59min", Some(true)),
            ("disk > 2000g", Some(true)),
            ("disk < keep", None),
            ("pool < unknown", None),
            ("collector < 3", None),
        ] {
            assert_eq!(holds(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_relation_is_told_with_its_place() {
        for (text, at) in [
            ("", 0),
            ("pool", 4),
            ("pool <=", 7),
            ("pool <= 3 3", 10),
            ("pool <= 3x", 8),
            ("(pool < 3", 6),
            ("pool <= )", 8),
            ("pool <= 3g + 5s", 13),
            ("3ms < pool - 4kb", 13),
        ] {
            assert_eq!(Relation::parse(text).unwrap_err().at, at, "{text}");
        }
        let deep = format!("{}1 < 2", "(".repeat(100_000));
        assert!(Relation::parse(&deep).is_err());
    }
}
