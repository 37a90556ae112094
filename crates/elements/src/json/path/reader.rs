//! A path or filter, read character by character, with look-ahead over blanks.

/// Filters and arguments in each other.
pub(super) const DEEPEST: u32 = 64;

/// The characters of a path and a place among them.
#[derive(Clone, Copy)]
pub(super) struct PathReader<'p> {
    pub(super) chars: &'p [char],
    pub(super) at: usize,
}

impl PathReader<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn is(&self, wanted: char) -> bool {
        self.peek() == Some(wanted)
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is(' ') {
            self.at += 1;
        }
    }

    /// The first character that is no blank from a place on, and its place.
    pub(super) fn significant(&self, from: usize) -> Option<(usize, char)> {
        let rest = self.chars.get(from..)?;
        let at = rest.iter().position(|c| *c != ' ')?;
        Some((from + at, rest[at]))
    }

    /// Goes over a text after blanks if it is next.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let mut ahead = *self;
        ahead.skip_blanks();
        for c in text.chars() {
            if !ahead.is(c) {
                return false;
            }
            ahead.at += 1;
        }
        *self = ahead;
        true
    }

    pub(super) fn between(&self, from: usize, to: usize) -> String {
        self.chars[from.min(to)..to.min(self.chars.len())]
            .iter()
            .collect()
    }

    /// The place of the bracket that closes the one at `open`; texts are gone over, and
    /// patterns when asked for.
    pub(super) fn closing(&self, open: usize, patterns: bool) -> Option<usize> {
        let opening = *self.chars.get(open)?;
        let closing = match opening {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            _ => return None,
        };
        let mut depth = 0usize;
        let mut at = open;
        while let Some(c) = self.chars.get(at).copied() {
            if c == '"' || c == '\'' || (patterns && c == '/') {
                at = self.end_of_text(at)?;
            } else if c == opening {
                depth += 1;
            } else if c == closing {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            at += 1;
        }
        None
    }

    /// The place of the quote that ends the text that begins at `start`.
    pub(super) fn end_of_text(&self, start: usize) -> Option<usize> {
        let quote = *self.chars.get(start)?;
        let mut at = start + 1;
        while let Some(c) = self.chars.get(at).copied() {
            match c {
                '\\' => at += 1,
                c if c == quote => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// A text between quotes, with its escapes read.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('f') => out.push('\x0C'),
            Some('b') => out.push('\x08'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok();
                out.extend(code.and_then(char::from_u32));
            }
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}
