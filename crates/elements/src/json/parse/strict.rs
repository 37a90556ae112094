//! JSON only, as Jackson reads it, with the words it has for the usual mistakes.

use super::super::Json;
use super::{DEEPEST, JsonParser, Members, number_or_text};

/// Longest piece of the text that Jackson shows, characters.
const LONGEST_SHOWN: usize = 500;

const A_VALUE: &str = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

impl<'t> JsonParser<'t> {
    pub(super) fn strict_value(&mut self, depth: u32) -> Result<Json<'t>, String> {
        self.skip_blanks();
        if depth > DEEPEST {
            return Err(self.jackson("Document nesting depth exceeds the maximum allowed"));
        }
        match self.byte() {
            None if depth == 0 => Err(self.jackson("No content to map due to end-of-input")),
            None => Err(self.jackson("Unexpected end-of-input within/between entries")),
            Some(b'{') => self.strict_object(depth),
            Some(b'[') => self.strict_array(depth),
            Some(b'"') => self.quoted(b'"').map(Json::Text),
            Some(byte) if byte == b'-' || byte.is_ascii_digit() => {
                let start = self.at;
                let word = self.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
                match number_or_text(word) {
                    number @ Json::Number(_) if !word.ends_with('.') && word != "-" => Ok(number),
                    _ => {
                        self.at = start;
                        Err(self.jackson("Unexpected character in numeric value"))
                    }
                }
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => {
                match self.word(|c| c.is_alphanumeric() || c == '_' || c == '$') {
                    "null" => Ok(Json::Null),
                    "true" => Ok(Json::Bool(true)),
                    "false" => Ok(Json::Bool(false)),
                    word => {
                        let what = format!("Unrecognized token '{word}': was expecting {A_VALUE}");
                        Err(self.jackson(&what))
                    }
                }
            }
            Some(_) => Err(self.strange(&format!("expected a valid value {A_VALUE}"))),
        }
    }

    fn word(&mut self, part: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let word = &rest[..rest.len() - rest.trim_start_matches(part).len()];
        self.at += word.len();
        word
    }

    fn strict_array(&mut self, depth: u32) -> Result<Json<'t>, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_blanks();
        if self.byte() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.strict_value(depth + 1)?);
            if self.closes(b']', "Array")? {
                return Ok(Json::Array(items));
            }
        }
    }

    fn strict_object(&mut self, depth: u32) -> Result<Json<'t>, String> {
        self.at += 1;
        let mut members = Members::default();
        self.skip_blanks();
        if self.byte() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(members.list));
        }
        loop {
            self.skip_blanks();
            match self.byte() {
                Some(b'"') => {}
                Some(_) => {
                    return Err(self.strange("was expecting double-quote to start field name"));
                }
                None => return Err(self.jackson("Unexpected end-of-input within Object")),
            }
            let name = self.quoted(b'"')?;
            self.skip_blanks();
            match self.byte() {
                Some(b':') => self.at += 1,
                Some(_) => {
                    let what = "was expecting a colon to separate field name and value";
                    return Err(self.strange(what));
                }
                None => return Err(self.jackson("Unexpected end-of-input within Object")),
            }
            let value = self.strict_value(depth + 1)?;
            members.put(name, value);
            if self.closes(b'}', "Object")? {
                return Ok(Json::Object(members.list));
            }
        }
    }

    /// After an item: whether the end came, and not a comma.
    fn closes(&mut self, close: u8, what: &str) -> Result<bool, String> {
        self.skip_blanks();
        match self.byte() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(_) => {
                Err(self.strange(&format!("was expecting comma to separate {what} entries")))
            }
            None => Err(self.jackson(&format!(
                "Unexpected end-of-input: expected close marker for {what}"
            ))),
        }
    }

    fn strange(&mut self, expected: &str) -> String {
        let found = self.text[self.at..].chars().next().unwrap_or_default();
        self.at += found.len_utf8();
        let code = u32::from(found);
        self.jackson(&format!(
            "Unexpected character ('{found}' (code {code})): {expected}"
        ))
    }

    /// With the place that was read up to.
    fn jackson(&self, what: &str) -> String {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let in_line = before.rsplit('\n').next().unwrap_or_default();
        let column = in_line.encode_utf16().count() + usize::from(!self.text.is_empty());
        let length = self.text.chars().count();
        let shown: String = self.text.chars().take(LONGEST_SHOWN).collect();
        let cut = match length.checked_sub(LONGEST_SHOWN) {
            Some(more @ 1..) => format!("[truncated {more} chars]"),
            _ => String::new(),
        };
        format!("{what}\n at [Source: (String)\"{shown}\"{cut}; line: {line}, column: {column}]")
    }
}
