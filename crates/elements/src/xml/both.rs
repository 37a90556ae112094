//! Which queries surely mean the same in XPath 1.0 and in XPath 2.0.
//!
//! XPath 2.0 refuses what 1.0 makes do with: a function over several nodes that wants one
//! (`contains(//a, 'x')`), arithmetic on nodes, comparisons of a text with a number. What it
//! refuses, and whether it does, can hang on the document. So a query counts only when its form
//! leaves no such case: location paths, and functions of what is one node at most.

/// Deeper than people write.
const DEEPEST: usize = 40;

/// What a part of a query gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nodes {
        /// One at most.
        single: bool,
    },
    Text,
    /// A whole one: of others the two write and divide differently.
    Number,
    Truth,
}

/// Whether a query means the same in both.
#[must_use]
pub fn is_same_in_both(query: &str) -> bool {
    let mut reader = Reader {
        rest: query,
        depth: 0,
    };
    reader.whole().is_some() && reader.rest.trim_start().is_empty()
}

struct Reader<'q> {
    rest: &'q str,
    depth: usize,
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

impl<'q> Reader<'q> {
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        let rest = rest.strip_prefix(sign);
        rest.is_some_and(|rest| {
            self.rest = rest;
            true
        })
    }

    fn peek(&self) -> Option<char> {
        self.rest.trim_start().chars().next()
    }

    /// A name without a prefix.
    fn name(&mut self) -> Option<&'q str> {
        let rest = self.rest.trim_start();
        let name = &rest[..rest.len() - rest.trim_start_matches(is_name).len()];
        let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        begins.then(|| {
            self.rest = &rest[name.len()..];
            name
        })
    }

    fn word(&mut self, word: &str) -> bool {
        let before = self.rest;
        let found = self.name() == Some(word);
        if !found {
            self.rest = before;
        }
        found
    }

    fn whole(&mut self) -> Option<Kind> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut kind = self.all()?;
        while self.word("or") {
            self.all()?;
            kind = Kind::Truth;
        }
        self.depth -= 1;
        Some(kind)
    }

    fn all(&mut self) -> Option<Kind> {
        let mut kind = self.compared()?;
        while self.word("and") {
            self.compared()?;
            kind = Kind::Truth;
        }
        Some(kind)
    }

    fn compared(&mut self) -> Option<Kind> {
        let left = self.sum()?;
        let Some(sign) = ["!=", "<=", ">=", "=", "<", ">"]
            .into_iter()
            .find(|sign| self.take(sign))
        else {
            return Some(left);
        };
        let right = self.sum()?;
        let equality = matches!(sign, "=" | "!=");
        // What is in a document without a schema is compared as text.
        let texts = |kind| matches!(kind, Kind::Nodes { .. } | Kind::Text);
        let same = match (left, right) {
            (Kind::Number, Kind::Number) => true,
            (Kind::Truth, Kind::Truth) => equality,
            (left, right) => equality && texts(left) && texts(right),
        };
        same.then_some(Kind::Truth)
    }

    fn sum(&mut self) -> Option<Kind> {
        let mut kind = self.rest_of_division()?;
        while self.take("+") || self.take("-") {
            let right = self.rest_of_division()?;
            if (kind, right) != (Kind::Number, Kind::Number) {
                return None;
            }
            kind = Kind::Number;
        }
        Some(kind)
    }

    /// `n mod 2`: by a number that is there to see, as 0 is an error in one of the two.
    fn rest_of_division(&mut self) -> Option<Kind> {
        let kind = self.union()?;
        if !self.word("mod") {
            return Some(kind);
        }
        let by = self.digits()?;
        (kind == Kind::Number && !by.trim_start_matches('0').is_empty()).then_some(Kind::Number)
    }

    fn union(&mut self) -> Option<Kind> {
        let mut kind = self.path()?;
        while self.take("|") {
            let nodes = |kind| matches!(kind, Kind::Nodes { .. });
            if !nodes(kind) || !nodes(self.path()?) {
                return None;
            }
            kind = Kind::Nodes { single: false };
        }
        Some(kind)
    }

    fn digits(&mut self) -> Option<&'q str> {
        let rest = self.rest.trim_start();
        let end = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (digits, after) = rest.split_at(end);
        let whole = (1..=9).contains(&end) && !after.starts_with(is_name);
        whole.then(|| {
            self.rest = after;
            digits
        })
    }

    fn literal(&mut self, quote: char) -> Option<Kind> {
        let inner = &self.rest.trim_start()[1..];
        let end = inner.find(quote)?;
        self.rest = &inner[end + 1..];
        // A quote that is written twice is one in XPath 2.0 only.
        (!self.rest.starts_with(quote)).then_some(Kind::Text)
    }

    fn path(&mut self) -> Option<Kind> {
        let single = match self.peek()? {
            quote @ ('"' | '\'') => return self.literal(quote),
            c if c.is_ascii_digit() => return self.digits().map(|_| Kind::Number),
            '(' => {
                self.take("(");
                let kind = self.whole()?;
                if !self.take(")") {
                    return None;
                }
                let Kind::Nodes { single } = kind else {
                    return Some(kind);
                };
                single | self.predicates()?
            }
            '/' => return self.absolute(),
            _ => match self.call()? {
                Some(kind) => return Some(kind),
                None => self.step(true, false)?,
            },
        };
        self.steps(single)
    }

    fn absolute(&mut self) -> Option<Kind> {
        let single = if self.take("//") {
            self.step(false, false)?
        } else {
            self.take("/");
            let goes_on = self
                .peek()
                .is_some_and(|c| is_name(c) || matches!(c, '@' | '*'));
            if !goes_on {
                return Some(Kind::Nodes { single: true });
            }
            self.step(true, true)?
        };
        self.steps(single)
    }

    fn steps(&mut self, mut single: bool) -> Option<Kind> {
        loop {
            if self.take("//") {
                single = self.step(false, false)?;
            } else if self.take("/") {
                single = self.step(single, false)?;
            } else {
                return Some(Kind::Nodes { single });
            }
        }
    }

    /// A step from one node, or from several; whether it leads to one at most.
    fn step(&mut self, from_one: bool, from_document: bool) -> Option<bool> {
        if self.take("..") || self.take(".") {
            return Some(from_one);
        }
        let (axis, name) = self.axis()?;
        let named = self.node_test(name)?;
        let one_each = match axis {
            "self" | "parent" => true,
            "attribute" => named,
            "child" => from_document && named,
            _ => false,
        };
        let placed = self.predicates()?;
        Some(from_one && (one_each || placed))
    }

    /// The axis of a step, and the name behind it if it has been read.
    fn axis(&mut self) -> Option<(&'q str, Option<&'q str>)> {
        const AXES: [&str; 12] = [
            "ancestor",
            "ancestor-or-self",
            "attribute",
            "child",
            "descendant",
            "descendant-or-self",
            "following",
            "following-sibling",
            "parent",
            "preceding",
            "preceding-sibling",
            "self",
        ];
        if self.take("@") {
            return Some(("attribute", None));
        }
        if self.peek()? == '*' {
            return Some(("child", None));
        }
        let name = self.name()?;
        if !self.take("::") {
            return Some(("child", Some(name)));
        }
        AXES.contains(&name).then_some((name, None))
    }

    /// What a step asks of nodes; whether it is one name.
    fn node_test(&mut self, read: Option<&'q str>) -> Option<bool> {
        if read.is_none() && self.take("*") {
            return Some(false);
        }
        let name = match read {
            Some(name) => name,
            None => self.name()?,
        };
        if self.take("(") {
            let test = matches!(name, "node" | "text" | "comment");
            return (test && self.take(")")).then_some(false);
        }
        match self.rest.strip_prefix(':') {
            Some(rest) if rest.starts_with('*') => {
                self.rest = &rest[1..];
                Some(false)
            }
            Some(rest) => {
                self.rest = rest;
                self.name().map(|_| true)
            }
            None => Some(true),
        }
    }

    /// Predicates, if there are any; whether one of them picks a place.
    fn predicates(&mut self) -> Option<bool> {
        let mut placed = false;
        while self.take("[") {
            let inner = self.rest;
            self.whole()?;
            let read = inner[..inner.len() - self.rest.len()].trim();
            placed |= read == "last()" || read.chars().all(|c| c.is_ascii_digit());
            if !self.take("]") {
                return None;
            }
        }
        Some(placed)
    }

    /// A call of a function; `Some(None)` when there is none here.
    #[allow(clippy::option_option)]
    fn call(&mut self) -> Option<Option<Kind>> {
        let before = self.rest;
        let Some(name) = self.name() else {
            return Some(None);
        };
        if matches!(name, "node" | "text" | "comment") || !self.take("(") {
            self.rest = before;
            return Some(None);
        }
        let mut given = Vec::new();
        if !self.take(")") {
            given.push(self.whole()?);
            while self.take(",") {
                given.push(self.whole()?);
            }
            if !self.take(")") {
                return None;
            }
        }
        result_of(name, &given).map(Some)
    }
}

/// What a function gives of such arguments, if both XPaths take them.
fn result_of(name: &str, given: &[Kind]) -> Option<Kind> {
    let one = |kind: &Kind| matches!(kind, Kind::Text | Kind::Nodes { single: true });
    let node = |kind: &Kind| *kind == Kind::Nodes { single: true };
    let ones =
        |least: usize, most: usize| (least..=most).contains(&given.len()) && given.iter().all(one);
    let (fits, kind) = match name {
        "true" | "false" => (given.is_empty(), Kind::Truth),
        "not" | "boolean" => (given.len() == 1, Kind::Truth),
        "position" | "last" => (given.is_empty(), Kind::Number),
        "count" => (matches!(given, [Kind::Nodes { .. }]), Kind::Number),
        "name" | "local-name" | "namespace-uri" => {
            (given.len() <= 1 && given.iter().all(node), Kind::Text)
        }
        "string" | "normalize-space" => (ones(0, 1), Kind::Text),
        "string-length" => (ones(0, 1), Kind::Number),
        "contains" | "starts-with" => (ones(2, 2), Kind::Truth),
        "substring-before" | "substring-after" => (ones(2, 2), Kind::Text),
        "translate" => (ones(3, 3), Kind::Text),
        "concat" => (ones(2, usize::MAX), Kind::Text),
        "substring" => {
            let numbers = given.get(1..).unwrap_or_default();
            let numbers = numbers.iter().all(|kind| *kind == Kind::Number);
            let first = given.first().is_some_and(one);
            (
                (2..=3).contains(&given.len()) && first && numbers,
                Kind::Text,
            )
        }
        _ => return None,
    };
    fits.then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_that_mean_the_same_in_both() {
        for query in [
            "/",
            "//a",
            "/r/a[1]/@id",
            "//a[@id='1' and not(b)]/text()",
            "//a[contains(@class, 'x') or starts-with(., \"y\")]",
            "(//a)[last()]",
            "string((//a)[1])",
            "normalize-space(/r/a[2])",
            "//n:c | //*[local-name()='c']",
            "count(//a) = 3",
            "count(//div) + 1",
            "//a[position() mod 2 = 1][last()-1]",
            "//a/following-sibling::b[1]/..",
            "//or[and]/div/mod",
            "//a[@id = //b/@ref]",
            "contains(/r/@x, 'a')",
            "concat(name(/r), '-', string-length(/r/@x) > 2)",
        ] {
            let same = !query.starts_with("concat");
            assert_eq!(is_same_in_both(query), same, "{query}");
        }
    }

    #[test]
    fn queries_that_xpath_2_may_refuse_or_take_otherwise() {
        for query in [
            "",
            "string(//a)",
            "contains(//a, 'one')",
            "//a[contains(text(), 'x')]",
            "concat(//a, 'x')",
            "//a/@id + 1",
            "1 = '1'",
            "//a[@id = 1]",
            "//a[@price > 30]",
            "//a[@id < 'b']",
            "round('2.5')",
            "number(/r/@x)",
            "sum(//a)",
            "count(//a) div 2",
            "5 mod 0",
            "-1",
            "1.5",
            "'a''b'",
            "name(//a)",
            "substring(//a, 1)",
            "//a/string(@id)",
            "//*:c",
            "for $x in //a return $x",
            "1 to 3",
            "1 = 1 = 1",
            "//a[\u{fffc}]",
            "//a[",
            "id('x')",
            "//a/namespace::*",
            ".[a]",
            "a b",
        ] {
            assert!(!is_same_in_both(query), "{query}");
        }
        let deep = "(".repeat(100_000);
        assert!(!is_same_in_both(&deep));
        assert!(!is_same_in_both(&format!("//a{}", "[a".repeat(100_000))));
    }
}
