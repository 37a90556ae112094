//! Escapes: `__char`, `__unescape`, `__escapeHtml`, `__unescapeHtml`, `__escapeXml`,
//! `__urlencode`, `__urldecode`, `__escapeOroRegexpChars`.

use std::collections::HashMap;
use std::sync::LazyLock;

use plimsoll_plan::program::Call;
use regex::Regex;

use super::args::{count, save, text, trim};
use super::entities::{LATIN_1, OTHERS};
use super::numbers::decode;
use crate::context::{Context, Fault};

/// `__char(number, …)`: UTF-16 units by number (decimal, `0x`, `#`, or octal with a `0`).
pub(super) fn char(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let mut units = Vec::with_capacity(count(call));
    for at in 0..count(call) {
        let number = text(call, at, cx)?;
        match decode(trim(&number)) {
            // Java casts to 16 bits.
            Some(value) => units.push((value & 0xFFFF).cast_unsigned() as u16),
            None => cx.log(&format!("WARN __char: could not parse {number}")),
        }
    }
    Ok(String::from_utf16_lossy(&units))
}

/// `__unescape(text)`: Java's escapes.
pub(super) fn unescape(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    unescape_java(&text(call, 0, cx)?)
}

/// Takes Java's escapes out. A lone backslash goes.
pub(super) fn unescape_java(escaped: &str) -> Result<String, Fault> {
    // Escaped surrogates come in pairs: UTF-16 until the end.
    let mut units: Vec<u16> = Vec::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        units.extend(rest[..at].encode_utf16());
        rest = &rest[at + 1..];
        let simple = match rest.bytes().next() {
            Some(b'b') => Some(8),
            Some(b't') => Some(9),
            Some(b'n') => Some(10),
            Some(b'f') => Some(12),
            Some(b'r') => Some(13),
            Some(quoted @ (b'\\' | b'"' | b'\'')) => Some(u16::from(quoted)),
            _ => None,
        };
        if let Some(simple) = simple {
            units.push(simple);
            rest = &rest[1..];
        } else if rest.starts_with('u') {
            let (unit, after) = unicode(rest)?;
            units.push(unit);
            rest = after;
        } else if let Some((unit, after)) = octal(rest) {
            units.push(unit);
            rest = after;
        }
    }
    units.extend(rest.encode_utf16());
    Ok(String::from_utf16_lossy(&units))
}

/// `u0041`, with any number of `u` and perhaps a `+`.
fn unicode(escape: &str) -> Result<(u16, &str), Fault> {
    let digits = escape.trim_start_matches('u');
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let wrong = |what: &str| Fault::new(format!("java.lang.IllegalArgumentException: {what}"));
    let Some(code) = digits.get(..4) else {
        return Err(wrong("Less than 4 hex digits in unicode value"));
    };
    let value = u16::from_str_radix(code, 16);
    let value = value.map_err(|_| wrong(&format!("Unable to parse unicode value: {code}")))?;
    Ok((value, &digits[4..]))
}

/// One to three octal digits, up to `377`.
fn octal(escape: &str) -> Option<(u16, &str)> {
    let digits = escape.bytes().take_while(|b| (b'0'..=b'7').contains(b));
    let most = if escape.starts_with(['0', '1', '2', '3']) {
        3
    } else {
        2
    };
    let len = digits.take(most).count();
    let value = u16::from_str_radix(escape.get(..len)?, 8).ok()?;
    Some((value, &escape[len..]))
}

/// The four that every markup has.
fn markup(character: char) -> Option<&'static str> {
    match character {
        '"' => Some("quot"),
        '&' => Some("amp"),
        '<' => Some("lt"),
        '>' => Some("gt"),
        _ => None,
    }
}

/// `__escapeHtml(text)`: entities of HTML 4.
pub(super) fn escape_html(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let raw = text(call, 0, cx)?;
    let mut escaped = String::with_capacity(raw.len());
    for character in raw.chars() {
        let code = u32::from(character);
        let name = match code {
            0..=0x9F => markup(character),
            0xA0..=0xFF => LATIN_1.get(code as usize - 0xA0).copied(),
            _ => OTHERS
                .binary_search_by_key(&character, |(known, _)| *known)
                .ok()
                .map(|at| OTHERS[at].1),
        };
        match name {
            Some(name) => {
                escaped.push('&');
                escaped.push_str(name);
                escaped.push(';');
            }
            None => escaped.push(character),
        }
    }
    Ok(escaped)
}

/// Entities by name.
static ENTITIES: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
    let latin_1 = LATIN_1.iter().zip('\u{a0}'..='\u{ff}');
    let others = OTHERS.iter().map(|(character, name)| (*name, *character));
    let markup = [("quot", '"'), ("amp", '&'), ("lt", '<'), ("gt", '>')];
    let latin_1 = latin_1.map(|(name, character)| (*name, character));
    latin_1.chain(others).chain(markup).collect()
});

/// `__unescapeHtml(text)`: entities of HTML 4, by name or number; unknown ones stay.
pub(super) fn unescape_html(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    unescaped_html(&text(call, 0, cx)?)
}

/// A text with its entities of HTML 4 read.
pub(crate) fn unescaped_html(escaped: &str) -> Result<String, Fault> {
    let mut value = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find('&') {
        value.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let entity = rest.split_once(';');
        let known = match entity {
            Some((name, _)) => match name.strip_prefix('#') {
                Some(number) => numbered(number)?,
                None => ENTITIES.get(name).copied(),
            },
            None => None,
        };
        match (known, entity) {
            (Some(known), Some((_, after))) => {
                value.push(known);
                rest = after;
            }
            _ => value.push('&'),
        }
    }
    value.push_str(rest);
    Ok(value)
}

/// `65`, `x41` or `X41`.
fn numbered(number: &str) -> Result<Option<char>, Fault> {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let Ok(code) = i32::from_str_radix(digits, radix) else {
        return Ok(None);
    };
    let code = code.cast_unsigned();
    if code > 0x10_FFFF {
        return Err(Fault::new(format!(
            "java.lang.IllegalArgumentException: Not a valid Unicode code point: 0x{code:X}"
        )));
    }
    // Half of a surrogate pair cannot stand alone in our texts.
    Ok(Some(
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    ))
}

/// `__escapeXml(text)`: for XML 1.0; what XML 1.0 cannot hold goes.
pub(super) fn escape_xml(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let raw = text(call, 0, cx)?;
    let mut escaped = String::with_capacity(raw.len());
    for character in raw.chars() {
        match character {
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            '\'' => escaped.push_str("&apos;"),
            '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => {
                escaped.push_str(&format!("&#{};", u32::from(character)));
            }
            _ => match markup(character) {
                Some(name) => escaped.push_str(&format!("&{name};")),
                None => escaped.push(character),
            },
        }
    }
    Ok(escaped)
}

/// `__urlencode(text)`: as a form's value, UTF-8.
pub(super) fn url_encode(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let raw = text(call, 0, cx)?;
    let mut encoded = String::with_capacity(raw.len());
    for byte in raw.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    Ok(encoded)
}

/// `__urldecode(text)`: from a form's value, UTF-8.
pub(super) fn url_decode(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let encoded = text(call, 0, cx)?;
    let mut raw = Vec::with_capacity(encoded.len());
    let mut bytes = encoded.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' => raw.push(b' '),
            b'%' => {
                let digit = |digit: Option<u8>| digit.and_then(|d| char::from(d).to_digit(16));
                let (Some(high), Some(low)) = (digit(bytes.next()), digit(bytes.next())) else {
                    return Err(Fault::new(
                        "java.lang.IllegalArgumentException: URLDecoder: Illegal hex characters \
                         in escape (%) pattern",
                    ));
                };
                raw.push((high * 16 + low) as u8);
            }
            _ => raw.push(byte),
        }
    }
    Ok(String::from_utf8_lossy(&raw).into_owned())
}

/// `__escapeOroRegexpChars(text[, variable])`: a pattern that matches the text.
pub(super) fn escape_pattern(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    #[expect(clippy::expect_used)] // A fixed pattern, which a test compiles.
    static OTHER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[^\p{L}\p{Nd}_]").expect("a pattern"));
    let raw = text(call, 0, cx)?;
    let escaped = OTHER.replace_all(&raw, r"\$0");
    save(call, 1, &escaped, cx)?;
    Ok(escaped.into_owned())
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::{fault, run};

    /// Values in this file: JMeter 5.6.3 on Java 17.
    fn one(name: &'static str, text: &str) -> String {
        run(name, &[text], &mut TestContext::with(&[]))
    }

    #[test]
    fn characters_come_by_number() {
        let mut cx = TestContext::with(&[]);
        assert_eq!(run("__char", &["65", " 0x42", "067", "x"], &mut cx), "AB7");
        assert_eq!(run("__char", &["0xD83D", "0xDE00"], &mut cx), "😀");
        assert_eq!(run("__char", &["65601"], &mut cx), "A");
        assert_eq!(cx.logged.len(), 1);
    }

    #[test]
    fn java_escapes_go() {
        assert_eq!(one("__unescape", r"a\tb\u0041\uu0042\101\q\x"), "a\tbABAqx");
        assert_eq!(one("__unescape", r"\18\400\777\0b\"), "\u{1}8 0?7\0b");
        assert_eq!(
            one("__unescape", r#"\b\f\n\r\t\\\"\'"#),
            "\u{8}\u{c}\n\r\t\\\"'"
        );
        assert_eq!(one("__unescape", r"\uD83D\uDE00é"), "😀é");
        let mut cx = TestContext::with(&[]);
        assert!(fault("__unescape", &[r"\u12"], &mut cx).contains("Less than 4"));
        assert!(fault("__unescape", &[r"\u12é4"], &mut cx).contains("IllegalArgument"));
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            one("__escapeHtml", "é€'\"<&>Αx"),
            "&eacute;&euro;'&quot;&lt;&amp;&gt;&Alpha;x"
        );
        assert_eq!(
            one(
                "__unescapeHtml",
                "&eacute;&euro;&#65;&#x42;&#X43;&nope;&apos;&amp"
            ),
            "é€ABC&nope;&apos;&amp"
        );
        assert_eq!(
            one("__unescapeHtml", "&#xZZ;&#;&#65 &lt;&LT;&#128;"),
            "&#xZZ;&#;&#65 <&LT;\u{80}"
        );
        let mut cx = TestContext::with(&[]);
        assert!(fault("__unescapeHtml", &["&#1114112;"], &mut cx).contains("0x110000"));
        assert_eq!(
            one("__escapeXml", "<&'\">\u{1}\u{85}\u{86}é"),
            "&lt;&amp;&apos;&quot;&gt;\u{85}&#134;é"
        );
    }

    #[test]
    fn form_values_are_encoded_and_decoded() {
        assert_eq!(
            one("__urlencode", "a b+c&é/~*-._"),
            "a+b%2Bc%26%C3%A9%2F%7E*-._"
        );
        assert_eq!(one("__urldecode", "a+b%20%C3%A9%ff"), "a b é\u{fffd}");
        let mut cx = TestContext::with(&[]);
        for wrong in ["%zz", "%4", "%-1"] {
            assert!(fault("__urldecode", &[wrong], &mut cx).contains("URLDecoder"));
        }
    }

    #[test]
    fn patterns_are_quoted() {
        let mut cx = TestContext::with(&[]);
        let quoted = run(
            "__escapeOroRegexpChars",
            &[r"a_b-c d\e,f中²é", "v"],
            &mut cx,
        );
        assert_eq!(quoted, r"a_b\-c\ d\\e\,f中\²é");
        assert_eq!(*cx.vars["v"], *quoted);
    }
}
