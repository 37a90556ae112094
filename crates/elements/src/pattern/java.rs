//! Patterns of `java.util.regex`, rewritten for `regex` and `fancy-regex`. Most of the syntax
//! is the same; what is rewritten is what would mean something else.

use super::end::PatternEnd;
use super::reader::{PatternReader, literal};

/// Rewrites a pattern.
pub(super) fn rewrite(pattern: &str, end: PatternEnd) -> Result<String, String> {
    let mut rewriter = JavaRewriter {
        reader: PatternReader::new(pattern),
        out: String::with_capacity(pattern.len() + 16),
        end,
        dot_all: pattern.starts_with("(?s") || pattern.contains("(?s)"),
        multi_line: pattern.starts_with("(?m") || pattern.contains("(?m)"),
    };
    while let Some(next) = rewriter.reader.next() {
        match next {
            '\\' => rewriter.escape()?,
            '[' => rewriter.class()?,
            '.' => rewriter.dot(),
            '$' => rewriter.dollar(),
            '{' => rewriter.brace()?,
            '}' => rewriter.out.push_str(r"\}"),
            c => rewriter.out.push(c),
        }
    }
    Ok(rewriter.out)
}

struct JavaRewriter<'p> {
    reader: PatternReader<'p>,
    out: String,
    end: PatternEnd,
    dot_all: bool,
    multi_line: bool,
}

impl JavaRewriter<'_> {
    fn dot(&mut self) {
        self.out.push_str(match self.dot_all {
            true => ".",
            false => r"[^\n\r\x{85}\x{2028}\x{2029}]",
        });
    }

    fn dollar(&mut self) {
        self.out.push_str(match (self.multi_line, self.end) {
            (true, _) => "(?m:$)",
            (false, PatternEnd::Plain) => r"\z",
            (false, PatternEnd::BeforeNewline) => r"(?=(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)",
        });
    }

    fn brace(&mut self) -> Result<(), String> {
        // The brace is read already: look at it again.
        let rest = format!("{{{}", self.reader.rest());
        let mut ahead = PatternReader::new(&rest);
        let Some((least, most)) = ahead.interval() else {
            return Err("Illegal repetition".to_owned());
        };
        let taken = rest.len() - ahead.rest().len() - 1;
        self.reader = PatternReader::new(&self.reader.rest()[taken..]);
        let most = most.map_or_else(String::new, |most| most.to_string());
        self.out.push_str(&format!("{{{least},{most}}}"));
        Ok(())
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(next) = self.reader.next() else {
            return Err("Unexpected internal error".to_owned());
        };
        match next {
            'Q' => self.quoted(),
            'Z' => {
                let multi_line = std::mem::replace(&mut self.multi_line, false);
                self.dollar();
                self.multi_line = multi_line;
            }
            'G' => self.out.push_str(r"\A"),
            'R' => self
                .out
                .push_str(r"(?:\r\n|[\n\x0B\x0C\r\x{85}\x{2028}\x{2029}])"),
            'k' => self.out.push_str(r"\k"),
            '1'..='9' => self.out.push_str(&format!(r"(?:\{next})")),
            'b' | 'B' | 'A' | 'z' => {
                self.out.push('\\');
                self.out.push(next);
            }
            other => self.set_or_character(other)?,
        }
        Ok(())
    }

    fn quoted(&mut self) {
        while self.reader.peek().is_some() && !self.reader.takes(r"\E") {
            if let Some(c) = self.reader.next() {
                literal(&mut self.out, c);
            }
        }
    }

    /// An escape that may stand in a class as well.
    fn set_or_character(&mut self, letter: char) -> Result<(), String> {
        let set = match letter {
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            'd' => "[0-9]",
            'D' => "[^0-9]",
            's' => r"[\t-\r\x20]",
            'S' => r"[^\t-\r\x20]",
            'h' => r"[\t\x20\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}]",
            'v' => r"[\n\x0B\x0C\r\x{85}\x{2028}\x{2029}]",
            'p' | 'P' => return self.property(letter == 'P'),
            _ => {
                let c = self.character(letter)?;
                literal(&mut self.out, c);
                return Ok(());
            }
        };
        self.out.push_str(set);
        Ok(())
    }

    fn property(&mut self, not: bool) -> Result<(), String> {
        let name = if self.reader.takes("{") {
            let name = self.reader.take_while(64, |c| c != '}');
            if !self.reader.takes("}") {
                return Err("Unclosed character family".to_owned());
            }
            name
        } else {
            self.reader.take_while(1, |_| true)
        };
        let set = match name {
            "Lower" => "a-z",
            "Upper" => "A-Z",
            "ASCII" => r"\x00-\x7F",
            "Alpha" => "A-Za-z",
            "Digit" => "0-9",
            "Alnum" => "0-9A-Za-z",
            "Punct" => "[:punct:]",
            "Graph" => "!-~",
            "Print" => r"\x20-~",
            "Blank" => r"\t\x20",
            "Cntrl" => r"\x00-\x1F\x7F",
            "XDigit" => "0-9A-Fa-f",
            "Space" => r"\t-\r\x20",
            "javaLowerCase" => r"\p{Lowercase}",
            "javaUpperCase" => r"\p{Uppercase}",
            "javaWhitespace" => super::class::JAVA_SPACE,
            other => {
                let name = other.strip_prefix("Is").unwrap_or(other);
                self.out.push_str(if not { r"[^\p{" } else { r"[\p{" });
                self.out.push_str(name);
                self.out.push_str("}]");
                return Ok(());
            }
        };
        self.out.push_str(if not { "[^" } else { "[" });
        // A POSIX name needs the brackets of its own that it has.
        self.out.push_str(&match set.starts_with("[:") {
            true => format!("[{set}]"),
            false => set.to_owned(),
        });
        self.out.push(']');
        Ok(())
    }

    fn character(&mut self, letter: char) -> Result<char, String> {
        let code = match letter {
            'n' => 10,
            'r' => 13,
            't' => 9,
            'f' => 12,
            'a' => 7,
            'e' => 27,
            'x' => match self.reader.takes("{") {
                true => {
                    let digits = self.reader.take_while(6, |c| c.is_ascii_hexdigit());
                    self.reader.takes("}");
                    u32::from_str_radix(digits, 16).unwrap_or(0)
                }
                false => self.hexadecimal(2),
            },
            'u' => self.hexadecimal(4),
            'c' => self.reader.next().map_or(0, |c| c as u32 ^ 64),
            '0' => {
                let digits = self.reader.take_while(3, |c| ('0'..='7').contains(&c));
                u32::from_str_radix(digits, 8).unwrap_or(0)
            }
            letter if letter.is_ascii_alphabetic() => {
                return Err("Illegal/unsupported escape sequence".to_owned());
            }
            other => return Ok(other),
        };
        Ok(char::from_u32(code).unwrap_or('\u{FFFD}'))
    }

    fn hexadecimal(&mut self, digits: usize) -> u32 {
        let digits = self.reader.take_while(digits, |c| c.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).unwrap_or(0)
    }

    /// After the opening bracket; brackets within are unions and intersections, as in `regex`.
    fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.reader.takes("^") {
            self.out.push('^');
        }
        let mut depth = 1;
        let mut first = true;
        while depth > 0 {
            let Some(next) = self.reader.next() else {
                return Err("Unclosed character class".to_owned());
            };
            match next {
                ']' if first => self.out.push_str(r"\]"),
                ']' => {
                    depth -= 1;
                    self.out.push(']');
                }
                '[' => {
                    depth += 1;
                    self.out.push('[');
                    if self.reader.takes("^") {
                        self.out.push('^');
                    }
                }
                '&' if self.reader.takes("&") => self.out.push_str("&&"),
                '-' => self.out.push('-'),
                '\\' if self.reader.takes("Q") => self.quoted(),
                '\\' => {
                    let letter = self.reader.next().ok_or("Unclosed character class")?;
                    self.set_or_character(letter)?;
                }
                c => literal(&mut self.out, c),
            }
            first = false;
        }
        Ok(())
    }
}
