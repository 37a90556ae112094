//! Addresses as Java reads them (`java.net.URL`, RFC 2396 with Java's habits): nothing is
//! encoded or decoded on the way, and what is illegal is only found when a request is made
//! (`java.net.URI`).

use std::fmt;

use super::legal::{BadUrl, check, put_ascii, quoted};

/// An address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JavaUrl {
    /// `http`, `https` or `file`, lower case.
    pub scheme: String,
    /// User and password, as written.
    pub user: Option<String>,
    /// Host as written; an IPv6 address in brackets.
    pub host: String,
    /// Port as written; one out of range is found when it is connected to.
    pub port: Option<u32>,
    /// There is an authority, if an empty one.
    pub has_authority: bool,
    /// Path as written.
    pub path: String,
    /// Query as written.
    pub query: Option<String>,
    /// Fragment as written.
    pub fragment: Option<String>,
}

/// The schemes that Java's own library knows.
const KNOWN: [&str; 6] = ["http", "https", "file", "ftp", "jar", "mailto"];

impl JavaUrl {
    /// An address from its parts, as JMeter puts that of a sampler together; `file` is path,
    /// query and fragment.
    ///
    /// # Errors
    /// An unknown scheme.
    pub fn of_parts(
        scheme: &str,
        host: Option<&str>,
        port: Option<i64>,
        file: &str,
    ) -> Result<Self, BadUrl> {
        let scheme = scheme.to_ascii_lowercase();
        if !KNOWN.contains(&scheme.as_str()) {
            return Err(BadUrl::malformed(format!("unknown protocol: {scheme}")));
        }
        let port = port.and_then(|port| u32::try_from(port).ok());
        let (file, fragment) = cut(file, '#');
        let (path, query) = cut(file, '?');
        let host_text = host.unwrap_or_default();
        let host_text = if host_text.contains(':') && !host_text.starts_with('[') {
            format!("[{host_text}]")
        } else {
            host_text.to_owned()
        };
        Ok(Self {
            scheme,
            user: None,
            host: host_text,
            port,
            has_authority: host.is_some(),
            path: path.to_owned(),
            query: query.map(str::to_owned),
            fragment: fragment.map(str::to_owned),
        })
    }

    /// Reads an absolute address.
    ///
    /// # Errors
    /// When Java would not read it.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        Self::parse_in(None, text)
    }

    /// Reads an address as found in a document at this address.
    ///
    /// # Errors
    /// When Java would not read it.
    pub fn join(&self, text: &str) -> Result<Self, BadUrl> {
        Self::parse_in(Some(self), text)
    }

    fn parse_in(base: Option<&Self>, written: &str) -> Result<Self, BadUrl> {
        let text = written.trim_matches(|c| c <= ' ');
        let text = match text.get(..4) {
            Some(start) if start.eq_ignore_ascii_case("url:") => &text[4..],
            _ => text,
        };
        let (scheme, rest) = split_scheme(text);
        let mut base = base;
        if let (Some(scheme), Some(with)) = (&scheme, base) {
            let same = scheme.eq_ignore_ascii_case(&with.scheme) && with.path.starts_with('/');
            if !same {
                base = None;
            }
        }
        let mut url = match (base, scheme) {
            (Some(base), _) => base.clone(),
            (None, Some(scheme)) => Self {
                scheme: scheme.to_ascii_lowercase(),
                ..Self::default()
            },
            (None, None) => {
                return Err(BadUrl::malformed(format!("no protocol: {written}")));
            }
        };
        if !KNOWN.contains(&url.scheme.as_str()) {
            let message = format!("unknown protocol: {}", url.scheme);
            return Err(BadUrl::malformed(message));
        }
        let (rest, fragment) = cut(rest, '#');
        let keeps_all = base.is_some() && rest.is_empty();
        if fragment.is_some() || !keeps_all {
            url.fragment = fragment.map(str::to_owned);
        }
        if !keeps_all {
            url.query = None;
            url.read(rest)?;
        }
        Ok(url)
    }

    /// Reads what follows the scheme, over what is inherited.
    fn read(&mut self, text: &str) -> Result<(), BadUrl> {
        let (mut rest, query) = cut(text, '?');
        let query_only = rest.is_empty() && query.is_some();
        if let Some(query) = query {
            self.query = Some(query.to_owned());
        }
        if rest.starts_with("//") && !rest.starts_with("////") {
            let end = rest[2..].find('/').map_or(rest.len(), |at| at + 2);
            self.read_authority(&rest[2..end])?;
            rest = &rest[end..];
            if end > 2 {
                self.path.clear();
            }
        }
        if rest.starts_with('/') {
            rest.clone_into(&mut self.path);
        } else if !rest.is_empty() {
            self.path = match self.path.rfind('/') {
                Some(at) => format!("{}{rest}", &self.path[..=at]),
                None if self.has_authority => format!("/{rest}"),
                None => rest.to_owned(),
            };
        } else if query_only {
            let folder = self.path.rfind('/').unwrap_or(0);
            self.path.truncate(folder);
            self.path.push('/');
        }
        self.path = without_dots(&self.path);
        Ok(())
    }

    fn read_authority(&mut self, authority: &str) -> Result<(), BadUrl> {
        self.has_authority = true;
        self.port = None;
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user.to_owned()), place),
            None => (None, authority),
        };
        self.user = user;
        let after_host = match place.strip_prefix('[').and_then(|inner| inner.find(']')) {
            Some(end) => end + 2,
            None => place.find(':').unwrap_or(place.len()),
        };
        let (host, port) = place.split_at(after_host);
        host.clone_into(&mut self.host);
        if let Some(port) = port.strip_prefix(':')
            && !port.is_empty()
        {
            self.port = Some(
                port.parse()
                    .map_err(|_| BadUrl::malformed(format!("For input string: \"{port}\"")))?,
            );
        }
        Ok(())
    }

    /// Whether both lead to one host and port by one scheme: what is secret between them may be
    /// sent again.
    #[must_use]
    pub fn has_origin_of(&self, other: &Self) -> bool {
        self.scheme == other.scheme
            && self.host.eq_ignore_ascii_case(&other.host)
            && self.port_or_default() == other.port_or_default()
    }

    /// The port that is connected to; 0 when it is out of range.
    #[must_use]
    pub fn port_or_default(&self) -> u16 {
        match self.port {
            Some(port) => u16::try_from(port).unwrap_or(0),
            None if self.scheme == "https" => 443,
            None => 80,
        }
    }

    /// `host` or `host:port`, as the `Host` header has it.
    #[must_use]
    pub fn authority(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        }
    }

    /// Whether it can be asked for (`java.net.URI`).
    ///
    /// # Errors
    /// The first character that is illegal where it stands.
    pub fn check(&self) -> Result<(), BadUrl> {
        let text = self.to_string();
        let mut at = self.scheme.len() + 1;
        if self.shows_authority() {
            let end = at + 2 + self.authority_text().len();
            if end == at + 2 && self.path.is_empty() {
                return Err(BadUrl::syntax("Expected authority", at + 2, &text));
            }
            let inner = self.host.strip_prefix('[');
            if let Some(inner) = inner.map(|inner| inner.trim_end_matches(']')) {
                let address = inner.split('%').next().unwrap_or_default();
                if address.parse::<std::net::Ipv6Addr>().is_err() {
                    return Err(BadUrl::syntax("Malformed IPv6 address", at + 3, &text));
                }
            }
            check(&text, at + 2, end, "authority", "[]@:%")?;
            at = end;
        }
        let path_end = at + self.path.len();
        check(&text, at, path_end, "path", "/@:")?;
        let query_end = path_end + self.query.as_ref().map_or(0, |query| query.len() + 1);
        check(&text, path_end + 1, query_end, "query", "/@:?[]")?;
        check(&text, query_end + 1, text.len(), "fragment", "/@:?[]")
    }

    /// The same address, with what is illegal encoded if anything is; a `%` is then encoded
    /// as well (`java.net.URI` with several arguments).
    #[must_use]
    pub fn sanitized(&self) -> Self {
        if self.check().is_ok() {
            return self.clone();
        }
        Self {
            path: quoted(&self.path, "/@:"),
            query: self.query.as_ref().map(|query| quoted(query, "/@:?[]")),
            fragment: self.fragment.as_ref().map(|text| quoted(text, "/@:?[]")),
            ..self.clone()
        }
    }

    /// The same address without `.` and `..`.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        self.path = without_dots(&self.path);
        self
    }

    /// Java's addresses show none that is empty.
    fn shows_authority(&self) -> bool {
        self.has_authority && !(self.host.is_empty() && self.port.is_none())
    }

    fn authority_text(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}@{}", self.authority()),
            None => self.authority(),
        }
    }

    /// Path and query as they stand in a request line: empty segments of the path are taken
    /// out (HttpClient 4.5, `URIUtils.rewriteURI`), characters beyond ASCII encoded.
    pub fn put_target(&self, out: &mut Vec<u8>) {
        if self.path.is_empty() {
            out.push(b'/');
        }
        let mut slash = false;
        let last = self.path.len().saturating_sub(1);
        for (at, byte) in self.path.bytes().enumerate() {
            let doubled = slash && byte == b'/';
            slash = byte == b'/';
            if doubled && at <= last {
                continue;
            }
            put_ascii(byte, out);
        }
        if let Some(query) = &self.query {
            out.push(b'?');
            query.bytes().for_each(|byte| put_ascii(byte, out));
        }
    }
}

impl fmt::Display for JavaUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.scheme)?;
        if self.shows_authority() {
            f.write_str("//")?;
            if let Some(user) = &self.user {
                write!(f, "{user}@")?;
            }
            f.write_str(&self.host)?;
            if let Some(port) = self.port {
                write!(f, ":{port}")?;
            }
        }
        f.write_str(&self.path)?;
        if let Some(query) = &self.query {
            write!(f, "?{query}")?;
        }
        match &self.fragment {
            Some(fragment) => write!(f, "#{fragment}"),
            None => Ok(()),
        }
    }
}

/// What stands before and behind the first such character.
fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

fn split_scheme(text: &str) -> (Option<&str>, &str) {
    let end = text
        .find([':', '/'])
        .filter(|at| text[*at..].starts_with(':'));
    let Some(end) = end else {
        return (None, text);
    };
    let scheme = &text[..end];
    let fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-'));
    match fits {
        true => (Some(scheme), &text[end + 1..]),
        false => (None, text),
    }
}

/// A path without `.` and `..` as far as they lead somewhere; those that lead above the root
/// stay.
fn without_dots(path: &str) -> String {
    if !path.contains('.') {
        return path.to_owned();
    }
    let mut path = path.to_owned();
    while let Some(at) = path.find("/./") {
        path.replace_range(at..at + 2, "");
    }
    let mut from = 0;
    while let Some(at) = path[from..].find("/../").map(|at| at + from) {
        match path[..at].rfind('/') {
            Some(before) if !path[before..].starts_with("/../") => {
                path.replace_range(before..at + 3, "");
                from = 0;
            }
            _ => from = at + 3,
        }
    }
    while let Some(at) = path.strip_suffix("/..").map(str::len) {
        match path[..at].rfind('/') {
            Some(before) if !path[before..].starts_with("/../") => path.truncate(before + 1),
            _ => break,
        }
    }
    if path.starts_with("./") && path.len() > 2 {
        path.replace_range(..2, "");
    }
    if path.ends_with("/.") {
        path.pop();
    }
    path
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn target(url: &JavaUrl) -> String {
        let mut out = Vec::new();
        url.put_target(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn addresses_of_parts_are_kept_as_written() {
        let url = JavaUrl::of_parts("HTTP", Some("h"), Some(81), "/a%2f//b;c?x=é#f").unwrap();
        assert_eq!(url.to_string(), "http://h:81/a%2f//b;c?x=é#f");
        assert_eq!(target(&url), "/a%2f/b;c?x=%C3%A9");
        url.check().unwrap();
        let v6 = JavaUrl::of_parts("http", Some("::1"), None, "/").unwrap();
        assert_eq!(v6.to_string(), "http://[::1]/");
        v6.check().unwrap();
        let unknown = JavaUrl::of_parts("xyz", Some("h"), None, "/").unwrap_err();
        assert_eq!(unknown.message, "unknown protocol: xyz");
        let file = JavaUrl::of_parts("file", None, None, "bin/a.txt").unwrap();
        assert_eq!(file.to_string(), "file:bin/a.txt");
    }

    #[test]
    fn joined_as_java_does() {
        let base = JavaUrl::parse("http://u@h:8080/a/b/c?q=1#f").unwrap();
        for (written, whole) in [
            ("x", "http://u@h:8080/a/b/x"),
            ("/x", "http://u@h:8080/x"),
            ("../x?y=/../z", "http://u@h:8080/a/x?y=/../z"),
            ("../../../x", "http://u@h:8080/../x"),
            ("./x/.", "http://u@h:8080/a/b/x/"),
            ("?n=2", "http://u@h:8080/a/b/?n=2"),
            ("#g", "http://u@h:8080/a/b/c?q=1#g"),
            ("//o/x", "http://o/x"),
            ("https://o:1", "https://o:1"),
            (" x y ", "http://u@h:8080/a/b/x y"),
            ("http:x", "http://u@h:8080/a/b/x"),
            ("..", "http://u@h:8080/a/"),
        ] {
            assert_eq!(base.join(written).unwrap().to_string(), whole, "{written}");
        }
        let unknown = base.join("javascript:void(0)").unwrap_err();
        assert_eq!(unknown.message, "unknown protocol: javascript");
        assert!(JavaUrl::parse("/x").is_err());
    }

    #[test]
    fn illegal_characters_are_named_by_their_place() {
        let bad = |file: &str| {
            let url = JavaUrl::of_parts("http", Some("127.0.0.1"), Some(18371), file).unwrap();
            url.check().unwrap_err().message
        };
        assert_eq!(
            bad("/a|b{c}"),
            "Illegal character in path at index 24: http://127.0.0.1:18371/a|b{c}"
        );
        assert_eq!(
            bad("/a%zz"),
            "Malformed escape pair at index 24: http://127.0.0.1:18371/a%zz"
        );
        let v6 = JavaUrl::of_parts("http", Some("1.2.3.4:5"), None, "/").unwrap();
        let message = "Malformed IPv6 address at index 8: http://[1.2.3.4:5]/";
        assert_eq!(v6.check().unwrap_err().message, message);
        let bare = JavaUrl::of_parts("http", Some(""), None, "/a|b").unwrap();
        let message = "Illegal character in path at index 7: http:/a|b";
        assert_eq!(bare.check().unwrap_err().message, message);
        assert!(bad("/?a=|").starts_with("Illegal character in query at index 26"));
    }
}
