//! JMeter's properties: files in Java's format, and definitions on the command line.

use std::collections::BTreeMap;

/// Properties by name.
pub type Properties = BTreeMap<String, String>;

/// Reads a file in the format of `java.util.Properties` (ISO-8859-1 with `\uXXXX`): comments,
/// the three separators, continued lines, escapes. Every text is such a file.
#[must_use]
pub fn parse(bytes: &[u8]) -> Properties {
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let mut properties = Properties::new();
    let mut lines = text.split(['\n', '\r']);
    while let Some(line) = lines.next() {
        let mut logical = line.trim_start_matches(is_blank).to_owned();
        if logical.is_empty() || logical.starts_with(['#', '!']) {
            continue;
        }
        while is_continued(&logical) {
            logical.pop();
            // `\r\n` leaves an empty piece between its two characters.
            match lines.by_ref().next() {
                Some("") => match lines.next() {
                    Some(next) => logical.push_str(next.trim_start_matches(is_blank)),
                    None => break,
                },
                Some(next) => logical.push_str(next.trim_start_matches(is_blank)),
                None => break,
            }
        }
        let (key, value) = split(&logical);
        properties.insert(unescape(key), unescape(value));
    }
    properties
}

/// Follows a definition of the command line, as `-J` takes it: `name=value` sets a property,
/// `name` alone or with an empty value removes it.
pub fn define(properties: &mut Properties, definition: &str) {
    match definition.split_once('=') {
        Some((name, value)) if !value.is_empty() => {
            properties.insert(name.to_owned(), value.to_owned());
        }
        Some((name, _)) => {
            properties.remove(name);
        }
        None => {
            properties.remove(definition);
        }
    }
}

/// Where properties come from.
#[derive(Debug, Clone, Copy)]
pub enum PropertySource<'s> {
    /// A file (`jmeter.properties`, `user.properties`, `-q`).
    File(&'s [u8]),
    /// A definition (`-J`, `-G`).
    Definition(&'s str),
}

/// Puts properties together in the order given; later ones win.
#[must_use]
pub fn gather(sources: &[PropertySource<'_>]) -> Properties {
    let mut all = Properties::new();
    for source in sources {
        match source {
            PropertySource::File(bytes) => all.extend(parse(bytes)),
            PropertySource::Definition(definition) => define(&mut all, definition),
        }
    }
    all
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\x0c')
}

/// Whether a line ends with an odd number of backslashes.
fn is_continued(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Key and value of a line: apart at the first `=`, `:` or blank that is not escaped.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.char_indices().find(|(_, c)| {
        let here = !escaped && (is_blank(*c) || matches!(c, '=' | ':'));
        escaped = !escaped && *c == '\\';
        here
    });
    let Some((end, _)) = end else {
        return (line, "");
    };
    let rest = line[end..].trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (&line[..end], rest.trim_start_matches(is_blank))
}

fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let unit = match c {
            '\\' => match chars.next() {
                None => break,
                Some('t') => u16::from(b'\t'),
                Some('n') => u16::from(b'\n'),
                Some('r') => u16::from(b'\r'),
                Some('f') => 0x0c,
                Some('u') => match code_unit(chars.as_str()) {
                    Some(unit) => {
                        chars.nth(3);
                        unit
                    }
                    None => u16::from(b'u'),
                },
                Some(other) => as_unit(other),
            },
            c => as_unit(c),
        };
        out.push(unit);
    }
    String::from_utf16_lossy(&out)
}

fn code_unit(rest: &str) -> Option<u16> {
    let digits = rest.get(..4)?;
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all_digits.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// The text was made of bytes, so each character is one unit.
fn as_unit(c: char) -> u16 {
    u16::try_from(u32::from(c)).unwrap_or(u16::from(b'?'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_format_of_java() {
        let text = b"# comment\n! too\n\n a = 1 \nb:2\nc  3\nd\\ e=x\\=y\\ttab\nlong=one,\\\n   two\nwin=1\\\r\n  2\r\nu=\\u4f60\\uD83D\\uDE00\nlatin=\xfc\nempty\npath=C:\\\\x\nend\\";
        let found = parse(text);
        let get = |name: &str| found.get(name).map_or("?", String::as_str);
        assert_eq!((get("a"), get("b"), get("c")), ("1 ", "2", "3"));
        assert_eq!(get("d e"), "x=y\ttab");
        assert_eq!((get("long"), get("win")), ("one,two", "12"));
        assert_eq!(get("u"), "\u{4f60}\u{1f600}");
        assert_eq!((get("latin"), get("empty")), ("\u{fc}", ""));
        assert_eq!((get("path"), get("end")), ("C:\\x", ""));
    }

    #[test]
    fn definitions_set_and_remove() {
        let all = gather(&[
            PropertySource::Definition("a=0"),
            PropertySource::File(b"a=1\nb=2\nc=3"),
            PropertySource::Definition("a=9=9"),
            PropertySource::Definition("b="),
            PropertySource::Definition("c"),
            PropertySource::Definition("d=x"),
        ]);
        let all: Vec<_> = all
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(all, [("a", "9=9"), ("d", "x")]);
    }

    proptest! {
        #[test]
        fn every_text_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&bytes);
        }
    }
}
