//! Addresses: joining, checking, labels, hosts.

use url::Url;

use crate::program::{Part, Template};

/// Whether a text begins with `scheme://`.
pub(super) fn is_absolute(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        return false;
    };
    let mut bytes = scheme.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// What a URL is, as far as it can be told before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UrlForm {
    /// It has a scheme.
    Absolute,
    /// It is joined to a target.
    Relative,
    /// Its beginning is not known yet.
    Unknown,
}

pub(super) fn form(url: &Template) -> UrlForm {
    match url.parts.as_slice() {
        [] => UrlForm::Relative,
        [Part::Text(text), ..] if is_absolute(text) => UrlForm::Absolute,
        [Part::Text(_), ..] => UrlForm::Relative,
        // `${scheme}://…`
        [_, Part::Text(text), ..] if text.starts_with("://") => UrlForm::Absolute,
        _ => UrlForm::Unknown,
    }
}

/// A path joined to a target, with one `/` between.
pub(super) fn join(target: &Template, path: &Template) -> Template {
    let mut parts = target.parts.clone();
    let first = match path.parts.first() {
        None => return target.clone(),
        Some(Part::Text(text)) => text.chars().next(),
        Some(_) => None,
    };
    if let Some(Part::Text(text)) = parts.last_mut()
        && first != Some('?')
        && text.ends_with('/')
    {
        *text = text[..text.len() - 1].into();
    }
    if !matches!(first, Some('/' | '?')) {
        parts.push(Part::Text("/".into()));
    }
    parts.extend(path.parts.iter().cloned());
    together(parts)
}

/// Pieces with neighbouring texts made one.
fn together(parts: Vec<Part>) -> Template {
    let mut all: Vec<Part> = Vec::new();
    for part in parts {
        match (all.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(text)) => {
                *before = format!("{before}{text}").into()
            }
            (_, Part::Text(text)) if text.is_empty() => {}
            (_, part) => all.push(part),
        }
    }
    Template { parts: all }
}

/// A URL without its fragment.
pub(super) fn without_fragment(url: Template) -> Template {
    let mut parts = Vec::new();
    for part in url.parts {
        if let Part::Text(text) = &part
            && let Some((before, _)) = text.split_once('#')
        {
            parts.push(Part::Text(before.into()));
            break;
        }
        parts.push(part);
    }
    together(parts)
}

/// The scheme and authority of an absolute URL, as a URL of their own, when they are known.
///
/// The error is the text that should be an address and is not.
pub(super) fn authority(url: &Template) -> Result<Option<Url>, String> {
    let Some(Part::Text(text)) = url.parts.first() else {
        return Ok(None);
    };
    let Some((scheme, rest)) = text.split_once("://") else {
        // Where a path has begun no scheme will come any more.
        return match url.parts.len() == 1 || text.contains(['/', '?', '#']) {
            true => Err(text.to_string()),
            false => Ok(None),
        };
    };
    let end = rest.find(['/', '?', '#', '\\']);
    if end.is_none() && url.parts.len() > 1 {
        return Ok(None);
    }
    let address = format!("{scheme}://{}/", &rest[..end.unwrap_or(rest.len())]);
    match Url::parse(&address) {
        Ok(parsed) if matches!(parsed.scheme(), "http" | "https") => Ok(Some(parsed)),
        _ => Err(text.to_string()),
    }
}

/// `host:port`, lower case.
pub(super) fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    format!("{host}:{}", url.port_or_known_default().unwrap_or(80))
}

/// User name and password of a URL, decoded, when it has them.
pub(super) fn user_info(url: &Url) -> Option<(String, String)> {
    let decoded = |text: &str| {
        let pair = format!("x={}", text.replace('+', "%2B"));
        let mut pairs = url::form_urlencoded::parse(pair.as_bytes());
        pairs
            .next()
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    let password = url.password().unwrap_or_default();
    if url.username().is_empty() && password.is_empty() {
        return None;
    }
    Some((decoded(url.username()), decoded(password)))
}

/// An absolute URL whose beginning is known, without user name and password.
pub(super) fn without_user_info(url: Template) -> Template {
    let mut parts = url.parts;
    if let Some(Part::Text(text)) = parts.first_mut()
        && let Some((scheme, rest)) = text.split_once("://")
    {
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        if let Some(at) = rest[..end].rfind('@') {
            *text = format!("{scheme}://{}", &rest[at + 1..]).into();
        }
    }
    Template { parts }
}

/// The path a default label shows: no scheme, authority, query or fragment. `plain` says of
/// each byte whether it stands outside of `${…}`.
pub(super) fn label_path(url: &str, plain: &[bool]) -> String {
    let is_plain = |at: usize| plain.get(at).copied().unwrap_or(false);
    let find = |from: usize, wanted: &[u8]| {
        (from..url.len()).find(|at| is_plain(*at) && wanted.contains(&url.as_bytes()[*at]))
    };
    let end = find(0, b"?#").unwrap_or(url.len());
    let scheme = url
        .match_indices("://")
        .map(|(at, _)| at)
        .find(|at| is_plain(*at) && *at < end);
    let start = match scheme {
        Some(at) => find(at + 3, b"/")
            .filter(|slash| *slash < end)
            .unwrap_or(end),
        None => 0,
    };
    let path = &url[start..end];
    let variable_first = !path.is_empty() && !is_plain(start);
    if path.starts_with('/') || variable_first {
        path.to_owned()
    } else {
        format!("/{path}")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::program::Slot;

    /// `$` stands for a variable.
    fn template(text: &str) -> Template {
        let slot = || Part::Slot {
            slot: Slot(0),
            literal: "${v}".into(),
        };
        let mut parts = Vec::new();
        for (index, piece) in text.split('$').enumerate() {
            if index > 0 {
                parts.push(slot());
            }
            if !piece.is_empty() {
                parts.push(Part::Text(piece.into()));
            }
        }
        Template { parts }
    }

    fn show(template: &Template) -> String {
        let one = |part: &Part| match part {
            Part::Text(text) => text.to_string(),
            _ => "$".to_owned(),
        };
        template.parts.iter().map(one).collect()
    }

    #[test]
    fn paths_join_with_one_slash() {
        let joined = |target: &str, path: &str| show(&join(&template(target), &template(path)));
        assert_eq!(joined("http://h", "/x"), "http://h/x");
        assert_eq!(joined("http://h/", "/x"), "http://h/x");
        assert_eq!(joined("http://h/a/", "x"), "http://h/a/x");
        assert_eq!(joined("http://h/a", "?q"), "http://h/a?q");
        assert_eq!(joined("http://h/a", ""), "http://h/a");
        assert_eq!(joined("http://$", "$/x"), "http://$/$/x");
        assert_eq!(join(&template("http://h"), &template("/x")).parts.len(), 1);
    }

    #[test]
    fn forms_are_told_by_the_beginning() {
        assert_eq!(form(&template("http://h")), UrlForm::Absolute);
        assert_eq!(form(&template("$://h")), UrlForm::Absolute);
        assert_eq!(form(&template("/x?u=http://h")), UrlForm::Relative);
        assert_eq!(form(&template("")), UrlForm::Relative);
        assert_eq!(form(&template("$/x")), UrlForm::Unknown);
    }

    #[test]
    fn authorities_are_known_or_not() {
        let known = |url: &str| {
            authority(&template(url))
                .unwrap()
                .map(|url| host_and_port(&url))
        };
        assert_eq!(known("HTTP://Ex.COM/$").as_deref(), Some("ex.com:80"));
        assert_eq!(known("https://[::1]?q=$").as_deref(), Some("[::1]:443"));
        assert_eq!(known("http://h:8080").as_deref(), Some("h:8080"));
        assert_eq!(known("http://h$/x"), None);
        assert_eq!(known("http://h:$/x"), None);
        assert!(authority(&template("ftp://h/")).is_err());
        assert!(authority(&template("http://h:99999/")).is_err());
        assert!(authority(&template("http:///x")).is_err());
    }

    #[test]
    fn user_names_leave_the_address() {
        let url = template("http://u%40x:p+w@h/$@");
        let known = authority(&url).unwrap().unwrap();
        assert_eq!(
            user_info(&known),
            Some(("u@x".to_owned(), "p+w".to_owned()))
        );
        assert_eq!(show(&without_user_info(url)), "http://h/$@");
    }

    #[test]
    fn labels_show_the_path() {
        let label = |url: &str| label_path(url, &vec![true; url.len()]);
        assert_eq!(label("http://h:80/a/b?c#d"), "/a/b");
        assert_eq!(label("http://h?c"), "/");
        assert_eq!(label("a/b"), "/a/b");
        assert_eq!(label(""), "/");
        assert_eq!(label("/go?to=http://h/x"), "/go");
        let plain: Vec<bool> = "/a/${= b?c:d }/e?f"
            .bytes()
            .enumerate()
            .map(|(i, _)| !(3..14).contains(&i))
            .collect();
        assert_eq!(label_path("/a/${= b?c:d }/e?f", &plain), "/a/${= b?c:d }/e");
    }

    #[test]
    fn fragments_go() {
        assert_eq!(
            show(&without_fragment(template("http://h/$#x$"))),
            "http://h/$"
        );
    }
}
