//! Perl 5 patterns of Jakarta ORO 2.0.8, rewritten for `regex` and `fancy-regex`. What ORO
//! does not know (possessive quantifiers, look-behind) is an error here too, in its words.

use super::class::perl_shorthand;
use super::end::PatternEnd;
use super::reader::{PatternReader, literal};

/// Rewrites a pattern.
pub(super) fn rewrite(pattern: &str, end: PatternEnd) -> Result<String, String> {
    let mut rewriter = PerlRewriter {
        reader: PatternReader::new(pattern),
        out: String::with_capacity(pattern.len() + 16),
        end,
        flags: String::new(),
        opened: 0,
    };
    rewriter.alternatives(0)?;
    if rewriter.reader.peek().is_some() {
        return Err(UNMATCHED_PARENTHESES.to_owned());
    }
    // In ORO a flag holds for the whole pattern, wherever it stands.
    Ok(match rewriter.flags.as_str() {
        "" => rewriter.out,
        flags => format!("(?{flags}){}", rewriter.out),
    })
}

const UNMATCHED_PARENTHESES: &str = "Unmatched parentheses.";
const UNMATCHED_BRACKETS: &str = "Unmatched [] in expression.";
const BAD_RANGE: &str = "Invalid [] range in expression.";
const NESTED: &str = "Nested repetitions *?+ in expression";
const NOTHING_TO_REPEAT: &str = "?+* follows nothing in expression";
const TRAILING: &str = r"Trailing \ in expression.";
/// Parentheses in parentheses.
const DEEPEST: u32 = 250;

struct PerlRewriter<'p> {
    reader: PatternReader<'p>,
    out: String,
    end: PatternEnd,
    flags: String,
    /// Groups opened so far.
    opened: u32,
}

/// What an atom may be followed by.
#[derive(PartialEq)]
enum Atom {
    /// Nothing was written (flags, a comment).
    None,
    /// May be repeated.
    Repeatable,
}

impl PerlRewriter<'_> {
    /// Up to the closing parenthesis, which is left.
    fn alternatives(&mut self, depth: u32) -> Result<(), String> {
        if depth > DEEPEST {
            return Err("Too many parentheses".to_owned());
        }
        while let Some(next) = self.reader.peek() {
            match next {
                ')' => break,
                '|' => {
                    self.reader.next();
                    self.out.push('|');
                }
                '*' | '+' | '?' => return Err(NOTHING_TO_REPEAT.to_owned()),
                _ => {
                    let atom = self.atom(depth)?;
                    self.quantifier(&atom)?;
                }
            }
        }
        Ok(())
    }

    fn atom(&mut self, depth: u32) -> Result<Atom, String> {
        let Some(next) = self.reader.next() else {
            return Ok(Atom::None);
        };
        match next {
            '(' => return self.group(depth),
            '[' => self.class()?,
            '\\' => self.escape()?,
            '.' => self.out.push('.'),
            '^' => self.out.push('^'),
            '$' => self.dollar(),
            '#' if self.extended() => {
                self.reader.take_while(usize::MAX, |c| c != '\n');
                return Ok(Atom::None);
            }
            c if self.extended() && c.is_ascii_whitespace() => return Ok(Atom::None),
            c => literal(&mut self.out, c),
        }
        Ok(Atom::Repeatable)
    }

    fn extended(&self) -> bool {
        self.flags.contains('x')
    }

    fn dollar(&mut self) {
        self.out
            .push_str(match (self.flags.contains('m'), self.end) {
                (true, _) => "(?m:$)",
                (false, PatternEnd::Plain) => r"\z",
                (false, PatternEnd::BeforeNewline) => r"(?=\n?\z)",
            });
    }

    fn group(&mut self, depth: u32) -> Result<Atom, String> {
        let opening = if !self.reader.takes("?") {
            self.opened += 1;
            "("
        } else if self.reader.takes(":") {
            "(?:"
        } else if self.reader.takes("=") {
            "(?="
        } else if self.reader.takes("!") {
            "(?!"
        } else if self.reader.takes("#") {
            self.reader.take_while(usize::MAX, |c| c != ')');
            return match self.reader.takes(")") {
                true => Ok(Atom::None),
                false => Err("Sequence (?#... not terminated".to_owned()),
            };
        } else {
            return self.inline_flags();
        };
        self.out.push_str(opening);
        self.alternatives(depth + 1)?;
        if !self.reader.takes(")") {
            return Err(UNMATCHED_PARENTHESES.to_owned());
        }
        self.out.push(')');
        Ok(Atom::Repeatable)
    }

    fn inline_flags(&mut self) -> Result<Atom, String> {
        for flag in self
            .reader
            .take_while(usize::MAX, |c| "imsx".contains(c))
            .chars()
        {
            // Blanks are left out here, so `x` itself is never written.
            if !self.flags.contains(flag) {
                self.flags.push(flag);
            }
        }
        match self.reader.next() {
            Some(')') => Ok(Atom::None),
            Some(other) => Err(format!("Sequence (?{other}...) not recognized")),
            None => Err("Sequence (?\u{FFFF}...) not recognized".to_owned()),
        }
    }

    fn quantifier(&mut self, atom: &Atom) -> Result<(), String> {
        if *atom == Atom::None {
            return Ok(());
        }
        let repeated = match self.reader.peek() {
            Some(sign @ ('*' | '+' | '?')) => {
                self.reader.next();
                self.out.push(sign);
                true
            }
            Some('{') => match self.reader.interval() {
                Some((least, Some(most))) if most < least => {
                    return Err(format!("Invalid interval {{{least},{most}}}"));
                }
                Some((least, most)) => {
                    let most = most.map_or_else(String::new, |most| most.to_string());
                    self.out.push_str(&format!("{{{least},{most}}}"));
                    true
                }
                None => false,
            },
            _ => false,
        };
        if repeated {
            if self.reader.takes("?") {
                self.out.push('?');
            }
            let again = matches!(self.reader.peek(), Some('*' | '+' | '?'));
            if again || self.reader.clone().interval().is_some() {
                return Err(NESTED.to_owned());
            }
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(next) = self.reader.next() else {
            return Err(TRAILING.to_owned());
        };
        if let Some(set) = perl_shorthand(next) {
            self.out.push_str(&set);
            return Ok(());
        }
        match next {
            'b' => self.out.push_str(r"\b"),
            'B' => self.out.push_str(r"\B"),
            'A' | 'G' => self.out.push_str(r"\A"),
            'Z' => {
                self.out.push_str(match self.end {
                    PatternEnd::Plain => r"\z",
                    PatternEnd::BeforeNewline => r"(?=\n?\z)",
                });
            }
            '1'..='9' => return self.back_reference(next),
            c => {
                let c = self.escaped(c);
                literal(&mut self.out, c);
            }
        }
        Ok(())
    }

    fn back_reference(&mut self, first: char) -> Result<(), String> {
        let rest = self.reader.rest();
        let more = self.reader.take_while(8, |c| c.is_ascii_digit());
        let number: u32 = format!("{first}{more}").parse().unwrap_or(u32::MAX);
        if number > self.opened {
            if number <= 9 {
                return Err(format!(r"Invalid backreference: \{number}"));
            }
            self.reader = PatternReader::new(rest);
            let c = self.octal(first);
            literal(&mut self.out, c);
            return Ok(());
        }
        self.out.push_str(&format!(r"(?:\{number})"));
        Ok(())
    }

    /// The character that an escape other than a class or an anchor stands for.
    fn escaped(&mut self, letter: char) -> char {
        match letter {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\x0C',
            'e' => '\x1B',
            'a' => '\x07',
            'x' => {
                let digits = self.reader.take_while(2, |c| c.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16).unwrap_or(0);
                char::from_u32(code).unwrap_or('\0')
            }
            'c' => {
                let code = self.reader.next().unwrap_or('@').to_ascii_uppercase() as u32;
                char::from_u32(code ^ 64).unwrap_or('\0')
            }
            '0'..='7' => self.octal(letter),
            other => other,
        }
    }

    fn octal(&mut self, first: char) -> char {
        let digits = self.reader.take_while(2, |c| ('0'..='7').contains(&c));
        let code = u32::from_str_radix(&format!("{first}{digits}"), 8).unwrap_or(0);
        char::from_u32(code).unwrap_or('\0')
    }

    /// After the opening bracket.
    fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.reader.takes("^") {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            if !first && self.reader.takes("]") {
                self.out.push(']');
                return Ok(());
            }
            first = false;
            let Some(from) = self.class_member()? else {
                self.no_range()?;
                continue;
            };
            let mut ahead = self.reader.clone();
            if ahead.takes("-") && ahead.peek().is_some_and(|c| c != ']') {
                self.reader = ahead;
                match self.class_member()? {
                    Some(to) if from <= to => {
                        literal(&mut self.out, from);
                        self.out.push('-');
                        literal(&mut self.out, to);
                    }
                    _ => return Err(BAD_RANGE.to_owned()),
                }
            } else {
                literal(&mut self.out, from);
            }
        }
    }

    /// A shorthand is not the beginning of a range.
    fn no_range(&mut self) -> Result<(), String> {
        let mut ahead = self.reader.clone();
        match ahead.takes("-") && ahead.peek().is_some_and(|c| c != ']') {
            true => Err(BAD_RANGE.to_owned()),
            false => Ok(()),
        }
    }

    /// A character of a class; none when it was a shorthand, which is written already.
    fn class_member(&mut self) -> Result<Option<char>, String> {
        let Some(next) = self.reader.next() else {
            return Err(UNMATCHED_BRACKETS.to_owned());
        };
        match next {
            '[' => Ok(match self.posix_class() {
                true => None,
                false => Some('['),
            }),
            '\\' => {
                let Some(letter) = self.reader.next() else {
                    return Err(UNMATCHED_BRACKETS.to_owned());
                };
                if let Some(set) = perl_shorthand(letter) {
                    self.out.push_str(&set);
                    return Ok(None);
                }
                Ok(Some(match letter {
                    'b' => '\x08',
                    letter => self.escaped(letter),
                }))
            }
            c => Ok(Some(c)),
        }
    }

    /// `[:alpha:]` and the like, after the bracket.
    fn posix_class(&mut self) -> bool {
        let mut ahead = self.reader.clone();
        if !ahead.takes(":") {
            return false;
        }
        let not = if ahead.takes("^") { "^" } else { "" };
        let name = ahead.take_while(8, |c| c.is_ascii_lowercase());
        let set = match name {
            "alpha" => r"\p{L}",
            "digit" => r"\p{Nd}",
            "alnum" => r"\p{L}\p{Nd}",
            "word" => super::class::JAVA_WORD,
            "lower" => r"\p{Ll}",
            "upper" => r"\p{Lu}",
            "space" => super::class::JAVA_SPACE,
            "blank" => r"\t\x20",
            "cntrl" => r"\x00-\x1F\x7F-\x{9F}",
            "ascii" => r"\x00-\x7F",
            "xdigit" => "0-9A-Fa-f",
            "punct" => r"\p{P}",
            "print" => r"\P{C}",
            "graph" => r"[\P{C}--\p{Z}]",
            _ => return false,
        };
        if !ahead.takes(":]") {
            return false;
        }
        self.out.push_str(&format!("[{not}{set}]"));
        self.reader = ahead;
        true
    }
}
