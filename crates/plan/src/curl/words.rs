//! A command line as a shell splits it into words.

use crate::model::Span;

/// A word and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    pub at: Span,
}

/// Splits a command line: blanks, `'…'`, `"…"`, `$'…'`, backslashes, lines continued with a
/// backslash. An unclosed quote is an error at its place.
pub(super) fn split(line: &str) -> Result<Vec<Word>, Span> {
    let mut words = Vec::new();
    let mut reader = WordReader {
        rest: line.chars().collect(),
        next: 0,
        line: 1,
        column: 1,
    };
    let mut word: Option<Word> = None;
    while let Some(c) = reader.peek() {
        let at = reader.at();
        if c.is_whitespace() {
            reader.take();
            words.extend(word.take());
            continue;
        }
        if c == '\\' && matches!(reader.ahead(1), Some('\n' | '\r')) {
            reader.take();
            if reader.take() == Some('\r') && reader.peek() == Some('\n') {
                reader.take();
            }
            continue;
        }
        let word = word.get_or_insert_with(|| Word {
            text: String::new(),
            at,
        });
        match c {
            '\'' => reader.single(&mut word.text).ok_or(at)?,
            '"' => reader.double(&mut word.text).ok_or(at)?,
            '$' if reader.ahead(1) == Some('\'') => {
                reader.take();
                reader.ansi(&mut word.text).ok_or(at)?;
            }
            '\\' => {
                reader.take();
                word.text.extend(reader.take());
            }
            _ => word.text.extend(reader.take()),
        }
    }
    words.extend(word);
    Ok(words)
}

struct WordReader {
    rest: Vec<char>,
    next: usize,
    line: u32,
    column: u32,
}

impl WordReader {
    fn at(&self) -> Span {
        Span {
            line: self.line,
            column: self.column,
        }
    }

    fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Option<char> {
        self.rest.get(self.next + by).copied()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.next += 1;
        if c == '\n' {
            self.line = self.line.saturating_add(1);
            self.column = 1;
        } else {
            self.column = self.column.saturating_add(1);
        }
        Some(c)
    }

    fn single(&mut self, into: &mut String) -> Option<()> {
        self.take();
        loop {
            match self.take()? {
                '\'' => return Some(()),
                c => into.push(c),
            }
        }
    }

    fn double(&mut self, into: &mut String) -> Option<()> {
        self.take();
        loop {
            match self.take()? {
                '"' => return Some(()),
                '\\' => match self.take()? {
                    '\n' => {}
                    c @ ('"' | '\\' | '$' | '`') => into.push(c),
                    c => into.extend(['\\', c]),
                },
                c => into.push(c),
            }
        }
    }

    /// `$'…'`, as browsers write it when they copy a request.
    fn ansi(&mut self, into: &mut String) -> Option<()> {
        self.take();
        loop {
            match self.take()? {
                '\'' => return Some(()),
                '\\' => match self.take()? {
                    'n' => into.push('\n'),
                    't' => into.push('\t'),
                    'r' => into.push('\r'),
                    'u' => into.extend(self.code(4)),
                    'x' => into.extend(self.code(2)),
                    c => into.push(c),
                },
                c => into.push(c),
            }
        }
    }

    fn code(&mut self, most: usize) -> Option<char> {
        let mut code = 0;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else {
                break;
            };
            code = code * 16 + digit;
            self.take();
        }
        char::from_u32(code)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        split(line)
            .unwrap()
            .into_iter()
            .map(|word| word.text)
            .collect()
    }

    #[test]
    fn words_split_as_in_a_shell() {
        assert_eq!(texts("a  b\tc"), ["a", "b", "c"]);
        assert_eq!(
            texts(r#"'a b' "c \"d\" \x" e\ f ''"#),
            ["a b", r#"c "d" \x"#, "e f", ""]
        );
        assert_eq!(texts("a \\\n  b \\\r\n c"), ["a", "b", "c"]);
        assert_eq!(texts(r"$'a\n\u00e9\x41\''"), ["a\né\u{41}'"]);
        assert_eq!(texts("x'y'\"z\""), ["xyz"]);
        assert_eq!(split("a\n 'b").unwrap_err(), Span { line: 2, column: 2 });
        assert_eq!(
            split("a \\\n  b").unwrap()[1].at,
            Span { line: 2, column: 3 }
        );
    }
}
