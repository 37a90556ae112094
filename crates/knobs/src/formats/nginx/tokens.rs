//! Words of nginx' configuration with their places, as `ngx_conf_read_token` tells them apart.

use std::ops::Range;

/// A piece of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NginxToken {
    /// A word, without quotes and escapes.
    Word(String),
    /// `;`
    End,
    /// `{`
    Open,
    /// `}`
    Close,
}

/// The rest of a text.
#[derive(Debug)]
pub struct NginxTokens<'a> {
    rest: &'a str,
    length: usize,
}

impl<'a> NginxTokens<'a> {
    /// All of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            length: text.len(),
        }
    }

    /// How many bytes were read.
    #[must_use]
    pub fn at(&self) -> usize {
        self.length - self.rest.len()
    }

    /// Skips Lua code up to the brace that closes its block.
    pub fn skip_lua(&mut self) {
        let mut depth = 1_usize;
        while let Some(letter) = self.rest.chars().next() {
            let after = &self.rest[letter.len_utf8()..];
            self.rest = match letter {
                '"' | '\'' => after_quoted(after, letter),
                '-' if after.starts_with('-') => after_comment(&after[1..]),
                '[' => after_long_bracket(self.rest).unwrap_or(after),
                '{' => {
                    depth += 1;
                    after
                }
                '}' => {
                    depth -= 1;
                    after
                }
                _ => after,
            };
            if depth == 0 {
                return;
            }
        }
    }

    /// The next piece and its bytes, quotes included.
    pub fn next_placed(&mut self) -> Option<(NginxToken, Range<usize>)> {
        loop {
            self.rest = self.rest.trim_start_matches(is_space);
            let start = self.at();
            let letter = self.rest.chars().next()?;
            let after = &self.rest[letter.len_utf8()..];
            let token = match letter {
                '#' => {
                    self.rest = after.split_once('\n').map_or("", |(_, next)| next);
                    continue;
                }
                ';' => NginxToken::End,
                '{' => NginxToken::Open,
                '}' => NginxToken::Close,
                '"' | '\'' => {
                    self.rest = after;
                    let word = self.quoted(letter);
                    return Some((NginxToken::Word(word), start..self.at()));
                }
                _ => {
                    let word = self.bare();
                    return Some((NginxToken::Word(word), start..self.at()));
                }
            };
            self.rest = after;
            return Some((token, start..self.at()));
        }
    }

    fn quoted(&mut self, quote: char) -> String {
        let end = end_of_quoted(self.rest, quote);
        let word = unescaped(&self.rest[..end]);
        self.rest = self.rest.get(end + 1..).unwrap_or("");
        word
    }

    fn bare(&mut self) -> String {
        // `${name}` holds braces that are none.
        let (mut in_name, mut escaped) = (false, false);
        let end = self.rest.find(|letter: char| {
            if std::mem::take(&mut escaped) {
                return false;
            }
            if letter == '{' && in_name {
                return false;
            }
            in_name = letter == '$';
            escaped = letter == '\\';
            is_space(letter) || matches!(letter, ';' | '{')
        });
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        unescaped(word)
    }
}

impl Iterator for NginxTokens<'_> {
    type Item = NginxToken;

    fn next(&mut self) -> Option<NginxToken> {
        self.next_placed().map(|(token, _)| token)
    }
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

/// As nginx copies a word: what it does not know keeps its backslash.
fn unescaped(word: &str) -> String {
    let mut copy = String::with_capacity(word.len());
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            copy.push(letter);
            continue;
        }
        match letters.next() {
            Some(same @ ('"' | '\'' | '\\')) => copy.push(same),
            Some('t') => copy.push('\t'),
            Some('r') => copy.push('\r'),
            Some('n') => copy.push('\n'),
            Some(other) => copy.extend(['\\', other]),
            None => copy.push('\\'),
        }
    }
    copy
}

fn end_of_quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let end = text.find(|letter: char| {
        let is_end = letter == quote && !escaped;
        escaped = letter == '\\' && !escaped;
        is_end
    });
    end.unwrap_or(text.len())
}

/// Lua's strings end with their line at the latest.
fn after_quoted(text: &str, quote: char) -> &str {
    let end = end_of_quoted(text, quote);
    let line = text[..end].find('\n').unwrap_or(end);
    text.get(line + 1..).unwrap_or("")
}

fn after_comment(text: &str) -> &str {
    after_long_bracket(text).unwrap_or_else(|| text.split_once('\n').map_or("", |(_, next)| next))
}

/// Behind `[==[ … ]==]`.
fn after_long_bracket(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?;
    let level = inside.len() - inside.trim_start_matches('=').len();
    let inside = inside[level..].strip_prefix('[')?;
    let close = format!("]{}]", &text[1..=level]);
    Some(
        inside
            .split_once(close.as_str())
            .map_or("", |(_, after)| after),
    )
}
