//! A response as extractions and checks see it.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use encoding_rs::{Encoding, UTF_8};
use plimsoll_elements::work::{DocumentRefused, check_json_size};

use super::tree::{self, Tree};

/// Values that are looked for in a JSON body before a tree of it is made, which costs about as
/// much as so many scans and serves all that come later.
const JSON_SCANS: u8 = 3;

/// A response: what came, and what was made of it so far. Text, JSON and trees are made at the
/// first use and serve all extractions and checks of the response.
pub struct ResponseView<'a> {
    status: u16,
    head: &'a [u8],
    body: &'a [u8],
    url: &'a str,
    time_ns: u64,
    /// The body in another encoding than UTF-8, or with broken UTF-8 mended; none: it is UTF-8.
    mended: OnceCell<Option<String>>,
    json: OnceCell<Result<serde_json::Value, String>>,
    json_scans: Cell<u8>,
    html: OnceCell<Result<scraper::Html, DocumentRefused>>,
    tree: OnceCell<Result<Tree, DocumentRefused>>,
}

impl<'a> ResponseView<'a> {
    /// A view of a response: its status, its header section as it came (status line and all),
    /// its body without transfer and content coding, the address that was asked, and the
    /// service time.
    #[must_use]
    pub fn new(status: u16, head: &'a [u8], body: &'a [u8], url: &'a str, time_ns: u64) -> Self {
        Self {
            status,
            head,
            body,
            url,
            time_ns,
            mended: OnceCell::new(),
            json: OnceCell::new(),
            json_scans: Cell::new(0),
            html: OnceCell::new(),
            tree: OnceCell::new(),
        }
    }

    /// The status code.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The header section as it came.
    #[must_use]
    pub const fn head(&self) -> &'a [u8] {
        self.head
    }

    /// The body, decoded.
    #[must_use]
    pub const fn body(&self) -> &'a [u8] {
        self.body
    }

    /// The address that was asked; after redirects the last one.
    #[must_use]
    pub const fn url(&self) -> &'a str {
        self.url
    }

    /// The service time, nanoseconds.
    #[must_use]
    pub const fn time_ns(&self) -> u64 {
        self.time_ns
    }

    /// The headers in their order.
    pub fn headers(&self) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> + use<'a> {
        headers(self.head)
    }

    /// The values of a header, compared without regard to case.
    pub fn header<'s>(&self, name: &'s str) -> impl Iterator<Item = Cow<'a, str>> + use<'a, 's> {
        let named = move |(other, _): &(&str, _)| other.eq_ignore_ascii_case(name);
        self.headers().filter(named).map(|(_, value)| value)
    }

    /// The body as text, in the charset of `Content-Type`, else by its byte order mark, else
    /// UTF-8. What is wrong in it becomes U+FFFD.
    #[must_use]
    pub fn text(&self) -> &str {
        let mended = self.mended.get_or_init(|| {
            let content_type = self.header("content-type").next();
            let charset = content_type.as_deref().and_then(charset).unwrap_or(UTF_8);
            match charset.decode(self.body) {
                (Cow::Owned(text), ..) => Some(text),
                // A byte order mark was taken off.
                (Cow::Borrowed(text), ..) if text.len() != self.body.len() => Some(text.to_owned()),
                (Cow::Borrowed(_), ..) => None,
            }
        });
        match mended {
            Some(text) => text,
            // It was seen to be UTF-8; checking once more costs little and needs no proof.
            None => std::str::from_utf8(self.body).unwrap_or_default(),
        }
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// What is wrong with it, in the parser's words.
    pub fn json(&self) -> Result<&serde_json::Value, &str> {
        let json = self.json.get_or_init(|| {
            check_json_size(self.text()).map_err(|refused| refused.to_string())?;
            serde_json::from_str(self.text()).map_err(|error| error.to_string())
        });
        json.as_ref().map_err(String::as_str)
    }

    /// Whether one value is found sooner by a scan of the body than in its tree. Counts.
    pub(super) fn may_scan_json(&self) -> bool {
        let scans = self.json_scans.get();
        self.json_scans.set(scans.saturating_add(1));
        scans < JSON_SCANS && self.json.get().is_none()
    }

    /// The body as a tree for XPath.
    pub(super) fn tree(&self) -> Result<&Tree, DocumentRefused> {
        let tree = self.tree.get_or_init(|| {
            let content_type = self.header("content-type").next().unwrap_or_default();
            tree::parse(&content_type, self.text(), || self.html())
        });
        tree.as_ref().map_err(|refused| *refused)
    }

    /// The body as HTML. Anything is HTML, more or less.
    pub(super) fn html(&self) -> Result<&scraper::Html, DocumentRefused> {
        let html = self
            .html
            .get_or_init(|| plimsoll_elements::html::parse(self.text()));
        html.as_ref().map_err(|refused| *refused)
    }
}

/// The headers of a header section: its lines after the first, names as written.
pub fn headers(head: &[u8]) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
    let mut rest = head;
    next_line(&mut rest);
    std::iter::from_fn(move || {
        loop {
            let line = next_line(&mut rest)?;
            if line.is_empty() {
                return None;
            }
            let Some(colon) = line.iter().position(|&byte| byte == b':') else {
                continue;
            };
            let Ok(name) = std::str::from_utf8(line[..colon].trim_ascii()) else {
                continue;
            };
            let mut value = String::from_utf8_lossy(line[colon + 1..].trim_ascii());
            // Obsolete line folding (RFC 9112, 5.2): one space.
            while rest
                .first()
                .is_some_and(|byte| matches!(byte, b' ' | b'\t'))
            {
                let more = next_line(&mut rest).unwrap_or_default();
                let value = value.to_mut();
                value.push(' ');
                value.push_str(&String::from_utf8_lossy(more.trim_ascii()));
            }
            return Some((name, value));
        }
    })
}

/// Takes the next line off, without its end.
fn next_line<'h>(rest: &mut &'h [u8]) -> Option<&'h [u8]> {
    if rest.is_empty() {
        return None;
    }
    let (line, after) = match memchr::memchr(b'\n', rest) {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (*rest, &rest[rest.len()..]),
    };
    *rest = after;
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

/// The charset of a `Content-Type`.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let named = name.trim().eq_ignore_ascii_case("charset");
        named.then(|| Encoding::for_label(value.trim().trim_matches('"').as_bytes()))?
    })
}
