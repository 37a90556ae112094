//! Reading a filter: `[?(@.price < 10 && @.title)]`.

use std::sync::Arc;

use super::reader::{DEEPEST, PathReader, unescaped};
use super::tree::{Filter, Operand, Path, PathOperator};
use crate::pattern::{Dialect, Pattern};

/// Compiles a path that stands in a filter.
pub(super) type CompilePath = fn(&str, u32) -> Result<Path, String>;

/// Compiles what stands between the parentheses.
pub(super) fn compile(
    chars: &[char],
    depth: u32,
    compile_path: CompilePath,
) -> Result<Filter, String> {
    let mut compiler = FilterCompiler {
        reader: PathReader { chars, at: 0 },
        depth,
        compile_path,
    };
    let filter = compiler.any()?;
    compiler.reader.skip_blanks();
    match compiler.reader.peek() {
        None => Ok(filter),
        Some(_) => Err("Expected character: )".to_owned()),
    }
}

struct FilterCompiler<'p> {
    reader: PathReader<'p>,
    depth: u32,
    compile_path: CompilePath,
}

impl FilterCompiler<'_> {
    fn failed(&self) -> String {
        let filter: String = self.reader.chars.iter().collect();
        let found = self.reader.peek().unwrap_or(')');
        let at = self.reader.at + 3;
        format!("Failed to parse filter: [?({filter})], error on position: {at}, char: {found}")
    }

    fn any(&mut self) -> Result<Filter, String> {
        let mut filters = vec![self.all()?];
        while self.reader.takes("||") {
            filters.push(self.all()?);
        }
        Ok(match filters.len() {
            1 => filters.remove(0),
            _ => Filter::Or(filters),
        })
    }

    fn all(&mut self) -> Result<Filter, String> {
        let mut filters = vec![self.one()?];
        while self.reader.takes("&&") {
            filters.push(self.one()?);
        }
        Ok(match filters.len() {
            1 => filters.remove(0),
            _ => Filter::And(filters),
        })
    }

    fn one(&mut self) -> Result<Filter, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("Filters in filters are too deep".to_owned());
        }
        let filter = self.one_within();
        self.depth -= 1;
        filter
    }

    fn one_within(&mut self) -> Result<Filter, String> {
        self.reader.skip_blanks();
        if self.reader.is('!') {
            let next = self.reader.significant(self.reader.at + 1);
            if !matches!(next, Some((_, '$' | '@'))) {
                self.reader.at += 1;
                return Ok(Filter::Not(Box::new(self.one()?)));
            }
        }
        if self.reader.takes("(") {
            let filter = self.any()?;
            return match self.reader.takes(")") {
                true => Ok(filter),
                false => Err("Expected character: )".to_owned()),
            };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Filter, String> {
        let exists = !self.reader.takes("!");
        let left = self.operand()?;
        let back = self.reader;
        if let Some(operator) = self.operator() {
            return Ok(Filter::Compare(left, operator, self.operand()?));
        }
        self.reader = back;
        match left {
            Operand::Path(path) => Ok(Filter::Exists(path, exists)),
            _ => Err(self.failed()),
        }
    }

    fn operator(&mut self) -> Option<PathOperator> {
        self.reader.skip_blanks();
        let start = self.reader.at;
        let sign = |c: char| matches!(c, '<' | '>' | '=' | '~' | '!');
        let first = self.reader.peek()?;
        while let Some(c) = self.reader.peek() {
            if sign(first) != sign(c) || c == ' ' {
                break;
            }
            self.reader.at += 1;
        }
        PathOperator::named(&self.reader.between(start, self.reader.at))
    }

    fn operand(&mut self) -> Result<Operand, String> {
        self.reader.skip_blanks();
        let start = self.reader.at;
        let Some(first) = self.reader.peek() else {
            return Err(self.failed());
        };
        match first {
            '$' | '@' => self.path(),
            '\'' | '"' => {
                let end = self
                    .reader
                    .end_of_text(start)
                    .ok_or_else(|| self.failed())?;
                self.reader.at = end + 1;
                Ok(Operand::Text(unescaped(
                    &self.reader.between(start + 1, end),
                )))
            }
            '[' | '{' => {
                let end = self
                    .reader
                    .closing(start, false)
                    .ok_or_else(|| self.failed())?;
                self.reader.at = end + 1;
                Ok(Operand::Json(self.reader.between(start, end + 1)))
            }
            '/' => self.pattern(start),
            _ if self.reader.takes("true") => Ok(Operand::Bool(true)),
            _ if self.reader.takes("false") => Ok(Operand::Bool(false)),
            _ if self.reader.takes("null") => Ok(Operand::Null),
            _ => {
                let part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | 'e' | 'E');
                while self.reader.peek().is_some_and(part) {
                    self.reader.at += 1;
                }
                let text = self.reader.between(start, self.reader.at);
                match text.parse::<f64>() {
                    Ok(_) => Ok(Operand::Number(text)),
                    Err(_) => {
                        self.reader.at = start;
                        Err(self.failed())
                    }
                }
            }
        }
    }

    fn pattern(&mut self, start: usize) -> Result<Operand, String> {
        let end = self
            .reader
            .end_of_text(start)
            .ok_or_else(|| self.failed())?;
        let pattern = self.reader.between(start + 1, end);
        self.reader.at = end + 1;
        let mut flags = String::new();
        while let Some(flag @ ('i' | 'm' | 's' | 'x' | 'd' | 'u' | 'U')) = self.reader.peek() {
            if "imsx".contains(flag) {
                flags.push(flag);
            }
            self.reader.at += 1;
        }
        let pattern = match flags.is_empty() {
            true => pattern,
            false => format!("(?{flags}){pattern}"),
        };
        let pattern = Pattern::new(&pattern, Dialect::Java)?;
        Ok(Operand::Pattern(Arc::new(pattern)))
    }

    /// A path ends at a blank, an operator, or a parenthesis that is not its own.
    fn path(&mut self) -> Result<Operand, String> {
        let start = self.reader.at;
        let mut open = 0u32;
        while let Some(c) = self.reader.peek() {
            match c {
                '[' => match self.reader.closing(self.reader.at, true) {
                    Some(close) => self.reader.at = close,
                    None => return Err(self.failed()),
                },
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' | ' ' | '<' | '>' | '=' | '~' | '!' | '&' | '|' if open == 0 => break,
                _ => {}
            }
            self.reader.at += 1;
        }
        let path = self.reader.between(start, self.reader.at);
        let path = (self.compile_path)(&path, self.depth + 1)?;
        Ok(Operand::Path(path))
    }
}
