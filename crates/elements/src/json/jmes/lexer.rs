//! The words of an expression.

use super::super::{Json, parse_strict};

/// A word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JmesToken {
    /// A name, with quotes or without.
    Name(String, bool),
    Number(i64),
    Literal(Json<'static>),
    /// An operator or bracket.
    Sign(&'static str),
}

/// Longest first.
const SIGNS: &[&str] = &[
    "[?", "[]", "||", "&&", "==", "!=", "<=", ">=", ".", "*", "[", "]", "{", "}", "(", ")", ",",
    ":", "@", "&", "|", "!", "<", ">",
];

/// The words with their places.
pub(super) fn tokens(expression: &str) -> Result<Vec<(JmesToken, usize)>, String> {
    let mut tokens = Vec::new();
    let mut rest = expression;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let at = expression[..expression.len() - rest.len()].chars().count();
        let Some(first) = rest.chars().next() else {
            return Ok(tokens);
        };
        let (token, length) = match first {
            'A'..='Z' | 'a'..='z' | '_' => {
                let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let length = rest.len() - rest.trim_start_matches(name).len();
                (JmesToken::Name(rest[..length].to_owned(), false), length)
            }
            '0'..='9' | '-' => number(rest, at)?,
            '"' => {
                let length = quoted(rest, '"', at)?;
                match parse_strict(&rest[..length])?.into_owned() {
                    Json::Text(name) => (JmesToken::Name(name.into_owned(), true), length),
                    _ => return Err(unknown(first, at)),
                }
            }
            '\'' => {
                let length = quoted(rest, '\'', at)?;
                let text = rest[1..length - 1].replace("\\'", "'");
                (JmesToken::Literal(Json::Text(text.into())), length)
            }
            '`' => {
                let length = quoted(rest, '`', at)?;
                let text = rest[1..length - 1].replace("\\`", "`");
                let value = parse_strict(text.trim());
                let value = value.map_err(|_| format!("syntax error mismatched input '{text}'"));
                (JmesToken::Literal(value?.into_owned()), length)
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (JmesToken::Sign(sign), sign.len()),
                None => return Err(unknown(first, at)),
            },
        };
        tokens.push((token, at));
        rest = &rest[length..];
    }
}

fn unknown(c: char, at: usize) -> String {
    format!("syntax error token recognition error at: '{c}' at position {at}")
}

fn number(rest: &str, at: usize) -> Result<(JmesToken, usize), String> {
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    let count = digits.len()
        - digits
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let length = count + rest.len() - digits.len();
    let leads = count > 1 && digits.starts_with('0');
    match rest[..length].parse() {
        Ok(number) if !leads => Ok((JmesToken::Number(number), length)),
        _ => Err(format!(
            "syntax error no viable alternative at input '{}' at position {at}",
            &rest[..length]
        )),
    }
}

/// How long the text in quotes is, with them.
fn quoted(rest: &str, quote: char, at: usize) -> Result<usize, String> {
    let mut chars = rest.char_indices().skip(1);
    while let Some((place, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return Ok(place + 1);
        }
    }
    Err(unknown(quote, at))
}
