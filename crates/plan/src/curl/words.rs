//! A command line as a shell splits it: into commands, and these into words.

use plimsoll_text::Message;

use super::mistake::mistake;
use crate::error::Problem;
use crate::model::Span;

/// A word and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    pub at: Span,
}

/// What was pasted.
#[derive(Debug, Default)]
pub(super) struct Pasted {
    /// The words of each command.
    pub commands: Vec<Vec<Word>>,
    /// What a shell would read otherwise, and what cannot be kept.
    pub problems: Vec<Problem>,
}

impl Pasted {
    /// A command ends here.
    pub fn end(&mut self, words: &mut Vec<Word>) {
        if !words.is_empty() {
            self.commands.push(std::mem::take(words));
        }
    }

    /// A redirection, a pipe, a group: what no plan can say.
    pub fn refuse(&mut self, operator: &str, at: Span) {
        let message = Message::new("plan-curl-operator").with("operator", operator);
        self.problems.push(Problem::mistake(at, message));
    }
}

/// Splits what Bash would read: blanks, `'…'`, `"…"`, `$'…'`, backslashes, lines continued with a
/// backslash, comments; `;`, `&`, `&&`, `||` and ends of lines end a command. An unclosed quote is
/// an error at its place.
pub(super) fn split(line: &str) -> Result<Pasted, Span> {
    let mut reader = CurlWordReader {
        rest: line.chars().collect(),
        next: 0,
        line: 1,
        column: 1,
        pasted: Pasted::default(),
    };
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    while let Some(c) = reader.peek() {
        let at = reader.at();
        // Also where the paste ends before its next line.
        let goes_on = c == '\\' && matches!(reader.ahead(1), None | Some('\n' | '\r'));
        let ends = c.is_whitespace() || ";&|<>()".contains(c);
        if goes_on {
            reader.take();
            if reader.take() == Some('\r') && reader.peek() == Some('\n') {
                reader.take();
            }
        } else if ends {
            words.extend(word.take());
            reader.operator(&mut words);
        } else if c == '#' && word.is_none() {
            while reader.peek().is_some_and(|c| c != '\n') {
                reader.take();
            }
        } else {
            let word = word.get_or_insert_with(|| Word {
                text: String::new(),
                at,
            });
            reader.piece(&mut word.text).ok_or(at)?;
        }
    }
    words.extend(word);
    reader.pasted.end(&mut words);
    Ok(reader.pasted)
}

struct CurlWordReader {
    rest: Vec<char>,
    next: usize,
    line: u32,
    column: u32,
    pasted: Pasted,
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

    /// What stands between words: blanks, or what ends a command.
    fn operator(&mut self, words: &mut Vec<Word>) {
        let at = self.at();
        let Some(first) = self.take() else {
            return;
        };
        let mut text = String::from(first);
        let doubled = |next: char| {
            next == first || first == '&' && next == '>' || next == '&' && first != ';'
        };
        if !first.is_whitespace()
            && let Some(second) = self
                .peek()
                .filter(|next| ";&|<>".contains(*next) && doubled(*next))
        {
            self.take();
            text.push(second);
        }
        match text.as_str() {
            ";" | "&" | "&&" | "||" | "\n" => self.pasted.end(words),
            text if text.trim().is_empty() => {}
            text => self.pasted.refuse(text, at),
        }
    }

    /// A piece of a word.
    fn piece(&mut self, into: &mut String) -> Option<()> {
        match (self.peek()?, self.ahead(1)) {
            ('\'', _) => self.single(into),
            ('"', _) => self.double(into),
            ('$', Some('\'')) => {
                self.take();
                self.ansi(into)
            }
            // A text to be translated: quotes as they always are.
            ('$', Some('"')) => {
                self.take();
                self.double(into)
            }
            ('$' | '`', _) => self.expansion(into),
            ('\\', _) => {
                self.take();
                into.extend(self.take());
                Some(())
            }
            _ => {
                into.extend(self.take());
                Some(())
            }
        }
    }

    /// What a shell puts something else in the place of (`$NAME`, `${…}`, `$(…)`, `` `…` ``): it is kept
    /// as it stands, which is told.
    fn expansion(&mut self, into: &mut String) -> Option<()> {
        let (at, begin) = (self.at(), self.next);
        let first = self.take()?;
        match (first, self.peek()) {
            ('`', _) => while self.take()? != '`' {},
            (_, Some('(' | '{')) => {
                let mut open = 0_usize;
                loop {
                    match self.take()? {
                        '(' | '{' => open += 1,
                        ')' | '}' if open == 1 => break,
                        ')' | '}' => open -= 1,
                        _ => {}
                    }
                }
            }
            (_, Some(c)) if c.is_ascii_alphabetic() || c == '_' => {
                while self
                    .peek()
                    .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
                {
                    self.take();
                }
            }
            (_, Some(c)) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.take();
            }
            // A dollar alone is one.
            _ => {
                into.push(first);
                return Some(());
            }
        }
        let text: String = self.rest[begin..self.next].iter().collect();
        let message = Message::new("plan-curl-expansion").with("found", text.as_str());
        self.pasted.problems.push(Problem::warning(at, message));
        into.push_str(&text);
        Some(())
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
            if matches!(self.peek(), Some('$' | '`')) {
                self.expansion(into)?;
                continue;
            }
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
        let at = self.at();
        self.take();
        let mut bytes = Vec::new();
        loop {
            match self.take()? {
                '\'' => break,
                '\\' => self.escape(&mut bytes)?,
                c => push(&mut bytes, c),
            }
        }
        // For Bash a text ends there.
        let end = bytes.iter().position(|byte| *byte == 0);
        bytes.truncate(end.unwrap_or(bytes.len()));
        match String::from_utf8(bytes) {
            Ok(text) => into.push_str(&text),
            Err(_) => self.pasted.problems.push(mistake(at, "plan-curl-not-utf8")),
        }
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
        match char::from_u32(code) {
            Some(c) => push(bytes, c),
            // Half a character is no text, which is told.
            None => bytes.push(0xff),
        }
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

/// A word as a shell takes it: what is plain stays as it is, the rest is quoted.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn commands(line: &str) -> Vec<Vec<String>> {
        let commands = split(line).unwrap().commands.into_iter();
        let texts = commands.map(|words| words.into_iter().map(|word| word.text).collect());
        texts.collect()
    }

    fn texts(line: &str) -> Vec<String> {
        commands(line).concat()
    }

    /// Where something is wrong or doubtful, and what.
    fn told(line: &str) -> Vec<String> {
        let problems = split(line).unwrap().problems.into_iter();
        let told = problems.map(|p| format!("{}:{} {}", p.at.line, p.at.column, p.message.id));
        told.collect()
    }

    #[test]
    fn operators_end_a_command_where_bash_sees_them() {
        assert_eq!(
            commands("a b;c&&d||e&f\ng # h; i\n;;j#k\n").concat(),
            ["a", "b", "c", "d", "e", "f", "g", "j#k"]
        );
        assert_eq!(commands("a b; c&&d \n\n e &").len(), 4);
        assert_eq!(commands("a 'b;c' \"d&&e\" f\\;g $'h\n;' \\\n i").len(), 1);
        assert_eq!(
            told("a | b > c 2>&1 < d"),
            [
                "1:3 plan-curl-operator",
                "1:7 plan-curl-operator",
                "1:12 plan-curl-operator",
                "1:16 plan-curl-operator"
            ]
        );
        assert_eq!(told("a <(b)").len(), 3);
    }

    #[test]
    fn what_a_shell_would_put_in_is_told_with_its_place() {
        assert_eq!(
            told("a \"$FOO ${x} $(id \"a b\") `id`\" $1\n '$no' \\$no \"\\$no\" $ \"$\" $'$no'"),
            ["1:4", "1:9", "1:14", "1:26", "1:32"].map(|at| format!("{at} plan-curl-expansion"))
        );
        assert_eq!(texts("\"a $(id \"x y\") b\""), ["a $(id \"x y\") b"]);
        assert!(split("\"$(id").is_err() && split("`id").is_err());
    }

    #[test]
    fn bytes_that_are_no_text_are_told() {
        assert_eq!(told(r"a $'\xff\xfe'"), ["1:4 plan-curl-not-utf8"]);
        assert_eq!(told(r"$'\ud83d'").len(), 1);
        assert_eq!(texts(r"$'a\0b'c"), ["ac"]);
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
        assert_eq!(texts(r"$'\ud83d\ude00\U0001f600'"), ["😀😀"]);
        assert_eq!(texts("x'y'\"z\""), ["xyz"]);
        assert_eq!(split("a\n 'b").unwrap_err(), Span { line: 2, column: 2 });
        assert_eq!(
            split("a \\\n  b").unwrap().commands[0][1].at,
            Span { line: 2, column: 3 }
        );
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("http://h/x"), "http://h/x");
        assert_eq!(quoted("A: b"), "'A: b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
