//! A pattern, read character by character.

/// What is left of a pattern.
#[derive(Clone)]
pub(super) struct PatternReader<'p> {
    rest: &'p str,
}

impl<'p> PatternReader<'p> {
    pub(super) fn new(pattern: &'p str) -> Self {
        Self { rest: pattern }
    }

    pub(super) fn rest(&self) -> &'p str {
        self.rest
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// Goes over `text` if it is next.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes characters while they are as wanted, at most `most`.
    pub(super) fn take_while(&mut self, most: usize, wanted: impl Fn(char) -> bool) -> &'p str {
        let taken = self.rest.chars().take(most).take_while(|c| wanted(*c));
        let length = taken.map(char::len_utf8).sum();
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// `{n}`, `{n,}` or `{n,m}` if it is next: its bounds. Nothing is taken otherwise.
    pub(super) fn interval(&mut self) -> Option<(u32, Option<u32>)> {
        let mut ahead = self.clone();
        if !ahead.takes("{") {
            return None;
        }
        let least = ahead.take_while(9, |c| c.is_ascii_digit()).parse().ok()?;
        let most = if ahead.takes(",") {
            let most = ahead.take_while(9, |c| c.is_ascii_digit());
            if most.is_empty() {
                None
            } else {
                Some(most.parse().ok()?)
            }
        } else {
            Some(least)
        };
        if !ahead.takes("}") {
            return None;
        }
        *self = ahead;
        Some((least, most))
    }
}

/// Writes a character that stands for itself.
pub(super) fn literal(out: &mut String, c: char) {
    if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
        out.push('\\');
    }
    out.push(c);
}
