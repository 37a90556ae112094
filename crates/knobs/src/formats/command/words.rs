//! The words of a command with their places, as a POSIX shell and the JVM tell them apart.

use std::ops::Range;

use crate::formats::error::{EditFault, Stop};

/// A word, without its quotes. What the shell would put in (`$HOME`, `$(…)`) stands as it is written.
#[derive(Debug, Clone)]
pub(super) struct CommandWord {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// Which rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRules {
    /// A shell's.
    Shell,
    /// Those of `JAVA_TOOL_OPTIONS` and of files of options: white space parts, quotes hold together,
    /// `#` begins a comment where a word would.
    Jvm,
}

/// The words of each simple command; what is redirected is none of them.
pub(super) fn commands(text: &str, rules: WordRules) -> Result<Vec<Vec<CommandWord>>, Stop> {
    let mut reader = WordReader {
        text,
        at: 0,
        rules,
        all: vec![Vec::new()],
        redirected: false,
    };
    while reader.at < text.len() {
        reader.step()?;
    }
    reader.all.retain(|words| !words.is_empty());
    Ok(reader.all)
}

struct WordReader<'a> {
    text: &'a str,
    at: usize,
    rules: WordRules,
    all: Vec<Vec<CommandWord>>,
    /// The next word is where output goes.
    redirected: bool,
}

impl WordReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn step(&mut self) -> Result<(), Stop> {
        let Some(letter) = self.rest().chars().next() else {
            return Ok(());
        };
        let shell = self.rules == WordRules::Shell;
        match letter {
            '\n' | ';' | '&' | '|' | '(' | ')' if shell => {
                self.at += 1;
                self.redirected = false;
                self.all.push(Vec::new());
            }
            '\\' if shell && self.rest().starts_with("\\\n") => self.at += 2,
            '\\' if shell && self.rest().starts_with("\\\r\n") => self.at += 3,
            '<' | '>' if shell => self.redirect()?,
            '#' => {
                let end = self.rest().find('\n');
                self.at = end.map_or(self.text.len(), |end| self.at + end);
            }
            _ if letter.is_whitespace() || letter == '\u{feff}' => self.at += letter.len_utf8(),
            _ => self.word()?,
        }
        Ok(())
    }

    fn redirect(&mut self) -> Result<(), Stop> {
        if self.rest().starts_with("<<") {
            let fault = EditFault::Syntax("here-document".to_owned());
            return Err(Stop::here(self.at, fault));
        }
        // `2>` has its number before it.
        if let Some(words) = self.all.last_mut()
            && words.last().is_some_and(|word| {
                word.span.end == self.at && word.text.bytes().all(|byte| byte.is_ascii_digit())
            })
        {
            words.pop();
        }
        let signs = self.rest().trim_start_matches(['<', '>', '&', '|']);
        self.at = self.text.len() - signs.len();
        self.redirected = true;
        Ok(())
    }

    fn word(&mut self) -> Result<(), Stop> {
        let start = self.at;
        let shell = self.rules == WordRules::Shell;
        let mut text = String::new();
        while let Some(letter) = self.rest().chars().next() {
            let ends = shell && matches!(letter, ';' | '&' | '|' | '(' | ')' | '<' | '>');
            if letter.is_whitespace() || ends {
                break;
            }
            match letter {
                '\'' | '"' => self.quoted(letter, &mut text)?,
                '$' | '`' if shell => self.put_in(&mut text)?,
                '\\' if shell => {
                    let next = self.rest().chars().nth(1);
                    self.at += 1 + next.map_or(0, char::len_utf8);
                    text.extend(next.filter(|next| *next != '\n'));
                }
                _ => {
                    text.push(letter);
                    self.at += letter.len_utf8();
                }
            }
        }
        let word = CommandWord {
            text,
            span: start..self.at,
        };
        if !std::mem::take(&mut self.redirected)
            && let Some(words) = self.all.last_mut()
        {
            words.push(word);
        }
        Ok(())
    }

    fn quoted(&mut self, quote: char, text: &mut String) -> Result<(), Stop> {
        let start = self.at;
        self.at += 1;
        let shell = self.rules == WordRules::Shell;
        while let Some(letter) = self.rest().chars().next() {
            match letter {
                _ if letter == quote => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' if shell && quote == '"' => {
                    let next = self.rest().chars().nth(1);
                    self.at += 1 + next.map_or(0, char::len_utf8);
                    match next {
                        Some('$' | '`' | '"' | '\\') => text.extend(next),
                        Some('\n') => {}
                        _ => text.extend(['\\'].into_iter().chain(next)),
                    }
                }
                '$' | '`' if shell && quote == '"' => self.put_in(text)?,
                _ => {
                    text.push(letter);
                    self.at += letter.len_utf8();
                }
            }
        }
        let fault = EditFault::Syntax(format!("{quote} is not closed"));
        Err(Stop::here(start, fault))
    }

    /// What a shell puts in stays as it is: `$name`, `${…}`, `$(…)`, backquotes.
    fn put_in(&mut self, text: &mut String) -> Result<(), Stop> {
        let start = self.at;
        let rest = self.rest();
        let length = match rest.as_bytes() {
            [b'`', ..] => rest[1..].find('`').map(|end| end + 2),
            [b'$', open @ (b'(' | b'{'), ..] => {
                let close = if *open == b'(' { b')' } else { b'}' };
                let mut depth = 0_usize;
                let end = rest.bytes().position(|byte| {
                    depth += usize::from(byte == *open);
                    depth -= usize::from(byte == close && depth > 0);
                    byte == close && depth == 0
                });
                end.map(|end| end + 1)
            }
            _ => Some(1),
        };
        let Some(length) = length else {
            let fault = EditFault::Syntax(format!("{} is not closed", &rest[..1]));
            return Err(Stop::here(start, fault));
        };
        text.push_str(&rest[..length]);
        self.at += length;
        Ok(())
    }
}

/// A word as it is written.
pub(super) fn written(word: &str, rules: WordRules) -> Result<String, Stop> {
    let safe = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '-' | '_' | '.' | '/' | ':' | '=' | '+' | ',' | '@' | '%')
    };
    if !word.is_empty() && word.chars().all(safe) {
        return Ok(word.to_owned());
    }
    match rules {
        WordRules::Shell => Ok(format!("'{}'", word.replace('\'', "'\\''"))),
        WordRules::Jvm if !word.contains('"') => Ok(format!("\"{word}\"")),
        WordRules::Jvm if !word.contains('\'') => Ok(format!("'{word}'")),
        WordRules::Jvm => Err(Stop::value(word, "knobs-why-quotes")),
    }
}
