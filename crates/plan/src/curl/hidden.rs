//! Secrets in bodies and queries, told by the names that they stand under.

use std::ops::Range;

/// A secret in a text: its name, and where its value stands.
pub(super) type HiddenValue = (String, Range<usize>);

/// The values of secret names among `name=value&name=value`.
pub(super) fn in_form(text: &str) -> Vec<HiddenValue> {
    let mut found = Vec::new();
    let mut begin = 0;
    for pair in text.split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            let at = begin + name.len() + 1;
            let plain = url::form_urlencoded::parse(name.as_bytes()).next();
            let plain = plain.map_or_else(|| name.to_owned(), |(name, _)| name.into_owned());
            if !value.is_empty() && plimsoll_secrets::is_secret(&plain) {
                found.push((plain, at..at + value.len()));
            }
        }
        begin += pair.len() + 1;
    }
    found
}

/// The strings of a JSON text that stand under secret names: without their quotes, as they are
/// written.
pub(super) fn in_json(text: &str) -> Vec<HiddenValue> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The last string, if a colon followed it.
    let mut name: Option<String> = None;
    let mut last: Option<Range<usize>> = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let Some(end) = end_of_string(bytes, at + 1) else {
                    break;
                };
                let inside = at + 1..end;
                if let Some(name) = name.take()
                    && !inside.is_empty()
                    && plimsoll_secrets::is_secret(&name)
                {
                    found.push((name, inside.clone()));
                }
                last = Some(inside);
                at = end;
            }
            b':' => name = last.take().map(|name| text[name].to_owned()),
            byte if byte.is_ascii_whitespace() => {}
            _ => (name, last) = (None, None),
        }
        at += 1;
    }
    found
}

fn end_of_string(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The secrets of a body: a form or JSON.
pub(super) fn in_body(text: &str) -> Vec<HiddenValue> {
    match text.trim_start().starts_with(['{', '[']) {
        true => in_json(text),
        false => in_form(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, &str)> {
        let found = in_body(text).into_iter();
        found.map(|(name, at)| (name, &text[at])).collect()
    }

    #[test]
    fn secrets_are_found_by_their_names() {
        assert_eq!(
            values("user=ann&password=p%26q&x"),
            [("password".to_owned(), "p%26q")]
        );
        assert_eq!(
            values(r#"{"user": "ann", "password" : "a\"b", "n": {"token": "t"}, "k": ["token"]}"#),
            [
                ("password".to_owned(), r#"a\"b"#),
                ("token".to_owned(), "t")
            ]
        );
        assert_eq!(values("password="), []);
        assert_eq!(values(r#"{"password": "open"#), []);
        assert_eq!(values(r#"{"password": 5, "x": "y"}"#), []);
    }
}
