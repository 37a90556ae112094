//! A small tree of YAML, and its text.

use crate::model::Text;
use crate::yaml::node::core_scalar;

/// A value to be written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Yaml {
    /// A number, a truth value, a word: written as it is.
    Plain(String),
    /// A text, in quotes where it must be.
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

/// Longest line of a mapping or list that is written on one line.
const LINE: usize = 72;

impl Yaml {
    /// A text, list or mapping with nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Text(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Map(entries) => entries.is_empty(),
        }
    }
}

impl From<&Text> for Yaml {
    fn from(text: &Text) -> Self {
        Self::Text(text.raw.clone())
    }
}

impl From<&str> for Yaml {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Yaml {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<Map> for Yaml {
    fn from(map: Map) -> Self {
        Self::Map(map.0)
    }
}

impl From<Vec<Self>> for Yaml {
    fn from(list: Vec<Self>) -> Self {
        Self::List(list)
    }
}

/// A number or a word.
pub(crate) fn plain(value: impl std::fmt::Display) -> Yaml {
    Yaml::Plain(value.to_string())
}

/// A mapping in the making.
#[derive(Debug, Default)]
pub(crate) struct Map(pub Vec<(String, Yaml)>);

impl Map {
    /// Sets a key; a key that is there already keeps its place.
    pub fn put(&mut self, key: impl Into<String>, value: impl Into<Yaml>) {
        let (key, value) = (key.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// Sets a key if there is a value.
    pub fn put_some(&mut self, key: &str, value: Option<impl Into<Yaml>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    /// Sets all keys of another mapping.
    pub fn put_all(&mut self, more: Self) {
        for (key, value) in more.0 {
            self.put(key, value);
        }
    }
}

/// The document.
pub(crate) fn document(root: Map) -> String {
    let mut out = String::new();
    block_map(&root.0, 0, &mut out);
    out
}

fn block_map(entries: &[(String, Yaml)], indent: usize, out: &mut String) {
    for (key, value) in entries {
        out.push_str(&" ".repeat(indent));
        out.push_str(&scalar(key));
        out.push(':');
        below(value, indent, out);
    }
}

/// A value behind its key.
fn below(value: &Yaml, indent: usize, out: &mut String) {
    if let Some(line) = one_line(value, indent) {
        out.push(' ');
        out.push_str(&line);
        out.push('\n');
        return;
    }
    match value {
        Yaml::Text(text) => literal(text, indent + 2, out),
        Yaml::Plain(_) => {}
        Yaml::Map(entries) => {
            out.push('\n');
            block_map(entries, indent + 2, out);
        }
        Yaml::List(items) => {
            out.push('\n');
            items
                .iter()
                .for_each(|item| list_item(item, indent + 2, out));
        }
    }
}

fn list_item(item: &Yaml, indent: usize, out: &mut String) {
    out.push_str(&" ".repeat(indent));
    out.push('-');
    match item {
        Yaml::Map(entries) if one_line(item, indent).is_none() => {
            let mut inner = String::new();
            block_map(entries, indent + 2, &mut inner);
            out.push(' ');
            out.push_str(inner.trim_start_matches(' '));
        }
        _ => below(item, indent, out),
    }
}

/// A value on one line, if it is short or cannot be otherwise.
fn one_line(value: &Yaml, indent: usize) -> Option<String> {
    match value {
        Yaml::Text(text) if is_literal(text) => None,
        Yaml::Text(_) | Yaml::Plain(_) => Some(flow(value)),
        Yaml::List(items) if items.is_empty() => Some("[]".to_owned()),
        Yaml::Map(entries) if entries.is_empty() => Some("{}".to_owned()),
        _ => {
            let line = (depth(value) <= 2).then(|| flow(value))?;
            let short = indent + line.chars().count() <= LINE;
            (short && !line.contains('\n')).then_some(line)
        }
    }
}

fn depth(value: &Yaml) -> usize {
    let inner = match value {
        Yaml::Text(text) => return if is_literal(text) { 9 } else { 0 },
        Yaml::Plain(_) => return 0,
        Yaml::List(items) => items.iter().map(depth).max(),
        Yaml::Map(entries) => entries.iter().map(|(_, value)| depth(value)).max(),
    };
    1 + inner.unwrap_or(0)
}

fn flow(value: &Yaml) -> String {
    match value {
        Yaml::Plain(word) => word.clone(),
        Yaml::Text(text) => scalar(text),
        Yaml::List(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Yaml::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", scalar(key), flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Whether a text of several lines can stand as it is.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let lines_fit = || {
        body.split('\n')
            .all(|line| line.is_empty() || !line.trim().is_empty())
    };
    body.contains('\n')
        && !body.starts_with([' ', '\t', '\n'])
        && !body.ends_with('\n')
        && body
            .chars()
            .all(|c| c == '\n' || c == '\t' || !must_escape(c))
        && lines_fit()
}

/// A text of several lines, as a block.
fn literal(text: &str, indent: usize, out: &mut String) {
    let (mark, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    out.push(' ');
    out.push_str(mark);
    out.push('\n');
    for line in body.split('\n') {
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// Characters that YAML has only as escapes, or that readers take for line ends.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// A text as a YAML scalar: plain where it can be, in double quotes otherwise.
pub(crate) fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-?=&+~ ".contains(c);
    let safe = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && !text.ends_with(' ')
        && text.chars().all(plain)
        && matches!(core_scalar(text), serde_json::Value::String(_))
        && !matches!(text, "null" | "Null" | "NULL");
    if safe {
        return text.to_owned();
    }
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    let mut out = String::with_capacity(quoted.len());
    for c in quoted.chars() {
        if must_escape(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_quoted_where_they_must_be() {
        assert_eq!(scalar("/a/b?c=d"), "/a/b?c=d");
        for (text, quoted) in [
            ("", r#""""#),
            ("1", r#""1""#),
            ("true", r#""true""#),
            ("null", r#""null""#),
            ("a: b", r#""a: b""#),
            ("a\u{7f}\u{85}\u{2028}", r#""a\u007f\u0085\u2028""#),
        ] {
            assert_eq!(scalar(text), quoted);
        }
    }

    #[test]
    fn texts_of_several_lines_are_blocks() {
        let mut map = Map::default();
        map.put("a", "x\n  y\n\nz");
        map.put("b", "x\ny\n");
        map.put("c", " x\ny");
        map.put("d", vec![Yaml::from("x\ny")]);
        let wanted =
            "a: |-\n  x\n    y\n\n  z\nb: |\n  x\n  y\nc: \" x\\ny\"\nd:\n  - |-\n    x\n    y\n";
        assert_eq!(document(map), wanted);
    }
}
