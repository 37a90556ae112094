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
    let mut reader = CurlWordReader {
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

struct CurlWordReader {
    rest: Vec<char>,
    next: usize,
    line: u32,
    column: u32,
}

impl CurlWordReader {
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

    /// `$'…'`, as browsers write it when they copy a request (Bash's manual, "ANSI-C Quoting"):
    /// escapes may name bytes, which are UTF-8 together.
    fn ansi(&mut self, into: &mut String) -> Option<()> {
        self.take();
        let mut bytes = Vec::new();
        loop {
            match self.take()? {
                '\'' => break,
                '\\' => self.escape(&mut bytes)?,
                c => push(&mut bytes, c),
            }
        }
        into.push_str(&String::from_utf8_lossy(&bytes));
        Some(())
    }

    /// What follows a backslash there.
    fn escape(&mut self, bytes: &mut Vec<u8>) -> Option<()> {
        let c = self.take()?;
        match c {
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'v' => bytes.push(11),
            '\\' | '\'' | '"' | '?' => push(bytes, c),
            'u' | 'U' | 'x' => {
                let most = match c {
                    'u' => 4,
                    'U' => 8,
                    _ => 2,
                };
                match (self.code(16, most), c) {
                    // No digit follows: it is as it stands.
                    (None, c) => bytes.extend([b'\\', c as u8]),
                    // Of two digits there is no more than a byte.
                    (Some(code), 'x') => bytes.push(code as u8),
                    (Some(code), _) => self.unicode(code, bytes),
                }
            }
            '0'..='7' => {
                self.next -= 1;
                self.column = self.column.saturating_sub(1);
                // Bash keeps the lowest byte of three digits.
                bytes.push((self.code(8, 3)? & 0xff) as u8);
            }
            'c' => {
                let c = self.take()?;
                push(bytes, char::from_u32(u32::from(c) & 0x1f)?);
            }
            c => {
                bytes.push(b'\\');
                push(bytes, c);
            }
        }
        Some(())
    }

    /// A code of Unicode; two halves of one character, as JavaScript writes it, are joined.
    fn unicode(&mut self, code: u32, bytes: &mut Vec<u8>) {
        let is_half = (0xd800..0xdc00).contains(&code);
        if is_half && self.ahead(0) == Some('\\') && self.ahead(1) == Some('u') {
            let before = (self.next, self.column);
            self.take();
            self.take();
            let low = self
                .code(16, 4)
                .filter(|low| (0xdc00..0xe000).contains(low));
            if let Some(low) = low {
                let whole = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                push(
                    bytes,
                    char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER),
                );
                return;
            }
            (self.next, self.column) = before;
        }
        push(
            bytes,
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
        );
    }

    /// The number of so many digits at most; none if there is no digit.
    fn code(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut code: Option<u32> = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            code = Some(code.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
            self.take();
        }
        code
    }
}

fn push(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
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
        assert_eq!(
            texts(r"$'\xe4\xb8\xad\345\233\275\e\cA\q\xg'"),
            ["中国\u{1b}\u{1}\\q\\xg"]
        );
        assert_eq!(texts(r"$'\ud83d\ude00\U0001f600\ud83d'"), ["😀😀\u{fffd}"]);
        assert_eq!(texts("x'y'\"z\""), ["xyz"]);
        assert_eq!(split("a\n 'b").unwrap_err(), Span { line: 2, column: 2 });
        assert_eq!(
            split("a \\\n  b").unwrap()[1].at,
            Span { line: 2, column: 3 }
        );
    }
}
