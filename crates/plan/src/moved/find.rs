//! Where secrets stand in bodies, addresses and other texts: under names that say so, and where
//! `plimsoll_secrets` sees them.

use std::ops::Range;

/// A secret in a text: its name, and where its value stands.
pub(crate) type FoundSecret = (String, Range<usize>);

/// Names that are those of secrets in a form or an address, though not everywhere.
const LIKELY: &[&str] = &["key", "auth", "session", "code", "sig", "signature"];

/// Whether what a form or an address has under a name is taken for a secret.
pub(crate) fn is_likely(name: &str) -> bool {
    plimsoll_secrets::is_secret(name) || LIKELY.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The values of secret names among `name=value&name=value`.
fn in_form(text: &str) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    let mut begin = 0;
    for pair in text.split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            let at = begin + name.len() + 1;
            let plain = url::form_urlencoded::parse(name.as_bytes()).next();
            let plain = plain.map_or_else(|| name.to_owned(), |(name, _)| name.into_owned());
            if !value.is_empty() && is_likely(&plain) {
                found.push((plain, at..at + value.len()));
            }
        }
        begin += pair.len() + 1;
    }
    found
}

/// The strings of a JSON text that stand under secret names: without their quotes, as they are
/// written.
fn in_json(text: &str) -> Vec<FoundSecret> {
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

/// The secrets of a body: a form, JSON, or another text.
pub(crate) fn in_body(text: &str) -> Vec<FoundSecret> {
    let by_name = match text.trim_start().chars().next() {
        Some('{' | '[') => in_json(text),
        Some('<') => Vec::new(),
        _ => in_form(text),
    };
    with_seen(text, by_name)
}

/// The secrets of a path or an address: in its query, and behind semicolons (`;jsessionid=…`).
pub(crate) fn in_address(text: &str) -> Vec<FoundSecret> {
    let end = text.find('#').unwrap_or(text.len());
    let query = text[..end].find('?').map_or(end, |at| at + 1);
    let mut found = in_path(&text[..query.min(end)]);
    let of_query = in_form(&text[query..end]).into_iter();
    found.extend(of_query.map(|(name, at)| (name, at.start + query..at.end + query)));
    with_seen(text, found)
}

/// The values of `;name=value` in a path.
fn in_path(path: &str) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    for (at, _) in path.match_indices(';') {
        let rest = &path[at + 1..];
        let rest = &rest[..rest.find([';', '/', '?']).unwrap_or(rest.len())];
        if let Some((name, value)) = rest.split_once('=')
            && !value.is_empty()
            && is_likely(name)
        {
            let begin = at + 1 + name.len() + 1;
            found.push((name.to_owned(), begin..begin + value.len()));
        }
    }
    found
}

/// The secrets of any text.
pub(crate) fn in_text(text: &str) -> Vec<FoundSecret> {
    match (
        text.contains(char::is_whitespace),
        text.contains("://") || text.starts_with('/'),
    ) {
        (false, true) => in_address(text),
        (false, false) => in_body(text),
        // Not a form: names in it are anybody's.
        (true, _) if text.starts_with(['{', '[', '<']) => in_body(text),
        (true, _) => with_seen(text, Vec::new()),
    }
}

/// What was found, and what else is masked wherever it is shown.
fn with_seen(text: &str, mut found: Vec<FoundSecret>) -> Vec<FoundSecret> {
    for place in plimsoll_secrets::places(text) {
        let name = name_before(&text[..place.start]);
        for at in values(text, place) {
            let is_known = found
                .iter()
                .any(|(_, known)| known.start < at.end && at.start < known.end);
            let value = &text[at.clone()];
            let says =
                value.contains(char::is_alphanumeric) && !plimsoll_secrets::says_nothing(value);
            if says && !is_known {
                found.push((name.clone(), at));
            }
        }
    }
    found.sort_by_key(|(_, at)| at.start);
    found
}

/// A place, or the strings in it when it is a list of them.
fn values(text: &str, place: Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes.get(place.start) != Some(&b'"') {
        return vec![place];
    }
    let mut found = Vec::new();
    let mut at = place.start;
    while at < place.end {
        if bytes[at] == b'"' {
            let Some(end) = end_of_string(bytes, at + 1).filter(|end| *end <= place.end) else {
                return vec![place];
            };
            found.push(at + 1..end);
            at = end;
        }
        at += 1;
    }
    found
}

/// The name that a value stands behind: the last word of secrets before it.
fn name_before(before: &str) -> String {
    let mut words = before.rsplit(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    let word = words.find(|word| !word.is_empty()).unwrap_or_default();
    match word.len() <= 40 && is_likely(word) {
        true => word.to_owned(),
        false => "secret".to_owned(),
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
        assert_eq!(
            values(r#"{"password": "open"#),
            [("password".to_owned(), "open")]
        );
        assert_eq!(values(r#"{"a": "pass", "x": "y"}"#), []);
    }

    #[test]
    fn secrets_within_other_forms_are_found() {
        for (text, found) in [
            (
                r#"{"variables":"{\"password\":\"s3cr3t1\"}"}"#,
                ("password", "s3cr3t1"),
            ),
            (
                r#"{"query":"mutation { login(user: \"a\", password: \"s3cr3t1\") { token } }"}"#,
                ("password", "s3cr3t1"),
            ),
            (
                "<a><password>s3cr3t1</password></a>",
                ("password", "s3cr3t1"),
            ),
            (r#"{"otp": 123456}"#, ("otp", "123456")),
            ("grant=x&code=s3cr3t1", ("code", "s3cr3t1")),
        ] {
            assert_eq!(values(text), [(found.0.to_owned(), found.1)], "{text}");
        }
        assert_eq!(
            values(r#"{"passwords": ["s3cr3t4","b5"]}"#),
            [
                ("passwords".to_owned(), "s3cr3t4"),
                ("passwords".to_owned(), "b5")
            ]
        );
        for (text, name) in [
            ("/a;jsessionid=s3cr3t1?x=1", "jsessionid"),
            ("/a?x=1&key=s3cr3t1#top", "key"),
            ("http://h/?access_token=s3cr3t1&y=1", "access_token"),
        ] {
            let found = in_address(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(
                (found[0].0.as_str(), &text[found[0].1.clone()]),
                (name, "s3cr3t1")
            );
        }
        assert_eq!(in_address("/a?x=1;y=2&token="), []);
    }
}
