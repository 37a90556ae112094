//! Reading JSON as json-smart does when it is permissive, which is JsonPath's default: texts
//! without quotes, single quotes, superfluous commas, anything after the value.

use std::borrow::Cow;
use std::collections::HashMap;

mod strict;

use super::{Json, Number};
use crate::work::check_json_size;

/// Arrays and objects in each other.
const DEEPEST: u32 = 400;

/// Reads a value.
///
/// # Errors
/// What is wrong, in json-smart's words.
pub fn parse(text: &str) -> Result<Json<'_>, String> {
    check_json_size(text).map_err(|refused| refused.to_string())?;
    let mut parser = JsonParser { text, at: 0 };
    parser.skip_blanks();
    parser.value(b"", 0)
}

/// Reads a value as Jackson does: JSON only, but what comes after the value does not matter.
///
/// # Errors
/// What is wrong, in Jackson's words for the usual mistakes.
pub fn parse_strict(text: &str) -> Result<Json<'_>, String> {
    check_json_size(text).map_err(|refused| refused.to_string())?;
    JsonParser { text, at: 0 }.strict_value(0)
}

struct JsonParser<'t> {
    text: &'t str,
    /// Byte offset; always at a character.
    at: usize,
}

impl<'t> JsonParser<'t> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Characters before a byte offset, as Java counts.
    fn position(&self, at: usize) -> usize {
        self.text[..at].encode_utf16().count()
    }

    fn unexpected(&self) -> String {
        let found = self.text[self.at..].chars().next().unwrap_or_default();
        let at = self.position(self.at);
        said(&format!("Unexpected character ({found}) at position {at}."))
    }

    fn ended(&self, before_end: usize, token: &str) -> String {
        let at = self.position(self.text.len()).saturating_sub(before_end);
        said(&format!("Unexpected End Of File position {at}: {token}"))
    }

    /// A value; without quotes it ends before one of `stops`.
    fn value(&mut self, stops: &[u8], depth: u32) -> Result<Json<'t>, String> {
        if depth > DEEPEST {
            let at = self.position(self.at);
            return Err(said(&format!(
                "Malicious payload, having non natural depths, parsing stoped on {{ at position {at}."
            )));
        }
        match self.byte() {
            None if stops.is_empty() => Ok(Json::Text("".into())),
            None => Err(self.ended(1, "EOF")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(quote @ (b'"' | b'\'')) => self.quoted(quote).map(Json::Text),
            Some(b':' | b'}' | b']') => Err(self.unexpected()),
            Some(b'-' | b'0'..=b'9') => Ok(number_or_text(self.bare(stops))),
            Some(_) => Ok(match self.bare(stops) {
                "null" => Json::Null,
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                "NaN" => Json::Number(Number::Double(f64::NAN)),
                text => Json::Text(text.into()),
            }),
        }
    }

    /// Text without quotes.
    fn bare(&mut self, stops: &[u8]) -> &'t str {
        let rest = &self.text[self.at..];
        // The stops are ASCII: this is a character's beginning.
        let end = rest.bytes().position(|byte| stops.contains(&byte));
        let text = &rest[..end.unwrap_or(rest.len())];
        self.at += text.len();
        text.trim_matches([' ', '\t', '\n', '\r'])
    }

    fn array(&mut self, depth: u32) -> Result<Json<'t>, String> {
        self.at += 1;
        let mut values = Vec::new();
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\n' | b'\r' | b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Json::Array(values));
                }
                Some(b':' | b'}') => return Err(self.unexpected()),
                None => return Err(self.ended(1, "EOF")),
                Some(_) => values.push(self.value(b",]", depth + 1)?),
            }
        }
    }

    fn object(&mut self, depth: u32) -> Result<Json<'t>, String> {
        self.at += 1;
        let mut members = Members::default();
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\n' | b'\r' | b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Json::Object(members.list));
                }
                Some(b':' | b']' | b'[' | b'{') => return Err(self.unexpected()),
                None => return Err(self.ended(1, "null")),
                Some(_) => {
                    let (name, value) = self.member(depth)?;
                    members.put(name, value);
                }
            }
        }
    }

    fn member(&mut self, depth: u32) -> Result<(Cow<'t, str>, Json<'t>), String> {
        let name = match self.byte() {
            Some(quote @ (b'"' | b'\'')) => self.quoted(quote)?,
            _ => self.bare(b":").into(),
        };
        self.skip_blanks();
        match self.byte() {
            Some(b':') => self.at += 1,
            None => return Err(self.ended(1, "null")),
            Some(_) => {
                // json-smart has read one character more.
                self.at -= 1;
                let at = self.position(self.at);
                let found = self.text[self.at + 1..].chars().next().unwrap_or_default();
                return Err(said(&format!(
                    "Unexpected character ({found}) at position {at}."
                )));
            }
        }
        self.skip_blanks();
        let value = match self.byte() {
            Some(b',') => Json::Text("".into()),
            _ => self.value(b",}", depth + 1)?,
        };
        self.skip_blanks();
        match self.byte() {
            Some(b',' | b'}') => Ok((name, value)),
            None => Err(self.ended(1, "null")),
            Some(_) => {
                let found = self.text[self.at..].chars().next().unwrap_or_default();
                let at = self.position(self.at).saturating_sub(1);
                Err(said(&format!("Unexpected token {found} at position {at}.")))
            }
        }
    }

    fn quoted(&mut self, quote: u8) -> Result<Cow<'t, str>, String> {
        self.at += 1;
        let mut read = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = memchr::memchr2(quote, b'\\', rest.as_bytes()) else {
                return Err(self.ended(0, "null"));
            };
            let piece = &rest[..end];
            self.at += end + 1;
            if rest.as_bytes()[end] == quote {
                if read.is_empty() {
                    return Ok(piece.into());
                }
                read.push_str(piece);
                return Ok(read.into());
            }
            read.push_str(piece);
            self.escape(&mut read)?;
        }
    }

    fn escape(&mut self, read: &mut String) -> Result<(), String> {
        let Some(letter) = self.text[self.at..].chars().next() else {
            return Err(self.ended(0, "null"));
        };
        self.at += letter.len_utf8();
        match letter {
            't' => read.push('\t'),
            'n' => read.push('\n'),
            'r' => read.push('\r'),
            'f' => read.push('\x0C'),
            'b' => read.push('\x08'),
            '"' | '\'' | '\\' | '/' => read.push(letter),
            'x' => {
                let code = self.hexadecimal(2)?;
                read.extend(char::from_u32(code));
            }
            'u' => {
                let code = self.hexadecimal(4)?;
                read.push(self.unit(code)?);
            }
            // Any other letter is left out.
            _ => {}
        }
        Ok(())
    }

    /// The character of a UTF-16 unit; of a pair when the other half follows.
    fn unit(&mut self, high: u32) -> Result<char, String> {
        if (0xD800..0xDC00).contains(&high) && self.text[self.at..].starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.hexadecimal(4)?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or('\u{FFFD}'));
            }
            self.at = back;
        }
        Ok(char::from_u32(high).unwrap_or('\u{FFFD}'))
    }

    fn hexadecimal(&mut self, digits: usize) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..digits {
            let Some(found) = self.text[self.at..].chars().next() else {
                return Err(self.ended(0, "null"));
            };
            let Some(digit) = found.to_digit(16) else {
                let at = self.position(self.at);
                return Err(said(&format!(
                    "Unexpected unicode escape sequence {found} at position {at}."
                )));
            };
            self.at += 1;
            code = code * 16 + digit;
        }
        Ok(code)
    }
}

fn said(what: &str) -> String {
    format!("net.minidev.json.parser.ParseException: {what}")
}

/// Members of more than so many are found by an index.
const FEW: usize = 16;

/// An object's members in their order; of several of one name the last counts.
#[derive(Default)]
struct Members<'t> {
    list: Vec<(Cow<'t, str>, Json<'t>)>,
    index: HashMap<Cow<'t, str>, usize>,
}

impl<'t> Members<'t> {
    fn put(&mut self, name: Cow<'t, str>, value: Json<'t>) {
        if self.list.len() == FEW {
            let names = self.list.iter().enumerate();
            self.index = names.map(|(at, (name, _))| (name.clone(), at)).collect();
        }
        let known = match self.list.len() < FEW {
            true => self.list.iter().position(|(known, _)| *known == name),
            false => self.index.get(&name).copied(),
        };
        match known {
            Some(at) => self.list[at].1 = value,
            None => {
                if self.list.len() >= FEW {
                    self.index.insert(name.clone(), self.list.len());
                }
                self.list.push((name, value));
            }
        }
    }
}

/// What begins like a number: one, or a text.
fn number_or_text(text: &str) -> Json<'_> {
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(unsigned);
    let rest = &unsigned[whole..];
    if rest.is_empty() {
        return Json::Number(Number::whole(text));
    }
    let rest = match rest.strip_prefix('.') {
        Some(rest) => &rest[digits(rest)..],
        None => rest,
    };
    let is_number = match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        None => rest.is_empty(),
    };
    match is_number {
        true => Json::Number(Number::fraction(text)),
        false => Json::Text(text.into()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn of_members_of_one_name_the_last_counts(names in proptest::collection::vec(0_u32..60, 0..120)) {
            let mut wanted: Vec<(String, usize)> = Vec::new();
            for (value, name) in names.iter().enumerate() {
                let name = format!("n{name}");
                match wanted.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => *known = value,
                    None => wanted.push((name, value)),
                }
            }
            let members: Vec<String> = (0..).zip(&names).map(|(value, name)| format!("\"n{name}\":{value}")).collect();
            let written: Vec<String> = wanted.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            let text = format!("{{{}}}", members.join(","));
            let wanted = format!("{{{}}}", written.join(","));
            prop_assert_eq!(parse(&text).unwrap().json(), wanted.clone());
            prop_assert_eq!(parse_strict(&text).unwrap().json(), wanted);
        }
    }

    #[test]
    fn large_objects_and_deep_ones_are_no_burden() {
        let members: Vec<String> = (0..50_000).map(|n| format!("\"n{n}\":1")).collect();
        assert!(parse(&format!("{{{}}}", members.join(","))).is_ok());
        for text in ["[".repeat(200_000), "{\"a\":".repeat(200_000)] {
            assert!(parse(&text).is_err() && parse_strict(&text).is_err());
        }
    }
}
