//! Secrets in XML: `<password>…</password>`, `<stringProp name="….password">…</stringProp>`, and
//! elements that hold a name and a value.

use memchr::{memchr, memmem};

use crate::headers;
use crate::names::is_secret;
use crate::pairs::{OpenPairs, PairRole};
use crate::spans::SpanSink;

/// Elements of HTML that have no content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Attributes that name an element.
const NAMES: &[&str] = &["name", "key", "property", "field", "param"];

/// How many bytes tags may have, for each byte of the text.
const TAG_SHARE: usize = 16;

/// Masks the contents of elements that are named as secrets are.
pub(crate) fn find(bytes: &[u8], sink: &mut SpanSink<'_>) {
    const SIGNS: [&[u8]; 3] = [b"</", b"<![CDATA[", b"<input"];
    if SIGNS.iter().all(|sign| memmem::find(bytes, sign).is_none()) {
        return;
    }
    let mut scan = MarkupScan {
        bytes,
        sink,
        depth: 0,
        secret_depth: None,
        pairs: OpenPairs::new(),
        budget: bytes.len().saturating_mul(TAG_SHARE),
    };
    let mut at = 0;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at = scan.tag(at + found);
    }
}

struct MarkupScan<'a, 's> {
    bytes: &'a [u8],
    sink: &'a mut SpanSink<'s>,
    depth: usize,
    secret_depth: Option<usize>,
    pairs: OpenPairs<(usize, usize)>,
    budget: usize,
}

/// A start tag.
struct Tag {
    /// The element's name without its namespace.
    name: String,
    /// What its attributes call it.
    called: Option<String>,
    /// Where its value is, if its type says that this is a password.
    typed: Option<(usize, usize)>,
    /// It has no content.
    empty: bool,
    /// Where it ends.
    end: usize,
}

impl MarkupScan<'_, '_> {
    fn tag(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        match bytes.get(at + 1) {
            Some(b'/') => {
                self.depth = self.depth.saturating_sub(1);
                self.secret_depth = self.secret_depth.filter(|depth| *depth < self.depth);
                self.pairs.close();
                return at + 2;
            }
            Some(letter) if is_letter(*letter) || *letter == b'_' => {}
            _ => return at + 1,
        }
        let Some(tag) = self.start(at + 1) else {
            return at + 1;
        };
        if let Some((from, to)) = tag.typed {
            self.sink.hide(from, to);
        }
        if tag.empty || VOID.contains(&tag.name.to_ascii_lowercase().as_str()) {
            return tag.end;
        }
        let (from, to, next) = content(bytes, tag.end);
        // Nobody closes a tag whose end is not there: what is left is its content.
        let is_leaf = bytes[next..].starts_with(b"</") || next == bytes.len();
        self.element(&tag, from, to, is_leaf);
        if !is_leaf {
            return next;
        }
        next + usize::from(next < bytes.len()) * 2
    }

    fn element(&mut self, tag: &Tag, from: usize, to: usize, is_leaf: bool) {
        let called = tag.called.as_deref();
        let by_name = is_secret(&tag.name);
        let by_call = called.is_some_and(is_secret);
        let text = String::from_utf8_lossy(&self.bytes[from..to.min(from + 256)]);
        if by_name || by_call || self.secret_depth.is_some() {
            let name = if by_call {
                called.unwrap_or_default()
            } else {
                &tag.name
            };
            headers::hide(name, self.bytes, from, to, self.sink);
        } else if is_leaf {
            let found = match PairRole::of(called.unwrap_or(&tag.name)) {
                Some(PairRole::Name) => self.pairs.last().and_then(|pair| {
                    let value = pair.named(&text)?;
                    Some((text.to_string(), value))
                }),
                Some(PairRole::Value) => self.pairs.last().and_then(|pair| {
                    let value = pair.valued((from, to))?;
                    Some((pair.name.clone().unwrap_or_default(), value))
                }),
                None => None,
            };
            if let Some((name, (from, to))) = found {
                headers::hide(&name, self.bytes, from, to, self.sink);
            }
        }
        if !is_leaf {
            if by_name {
                self.secret_depth.get_or_insert(self.depth);
            }
            self.depth += 1;
            self.pairs.open(tag.called.clone().filter(|_| by_call));
        }
    }

    /// Reads the tag whose name begins at `at`.
    fn start(&mut self, at: usize) -> Option<Tag> {
        let bytes = self.bytes;
        let is_name = |c: &&u8| {
            is_letter(**c) || c.is_ascii_digit() || matches!(c, b'_' | b'-' | b'.' | b':')
        };
        let length = bytes[at..].iter().take(256).take_while(is_name).count();
        let name = String::from_utf8_lossy(&bytes[at..at + length]);
        let name = name.rsplit(':').next().unwrap_or_default().to_owned();
        let end = self.end_of_tag(at + length)?;
        let attributes = &bytes[at + length..end];
        Some(Tag {
            name,
            called: called(attributes),
            typed: typed(attributes).map(|(from, to)| (at + length + from, at + length + to)),
            empty: attributes.ends_with(b"/"),
            end: end + 1,
        })
    }

    fn end_of_tag(&mut self, from: usize) -> Option<usize> {
        let limit = self.bytes.len().min(from.saturating_add(self.budget));
        let mut quote = None;
        for at in from..limit {
            self.budget -= 1;
            match (self.bytes[at], quote) {
                (byte, Some(open)) if byte == open => quote = None,
                (_, Some(_)) => {}
                (byte @ (b'"' | b'\''), None) => quote = Some(byte),
                (b'>', None) => return Some(at),
                (b'<', None) => return None,
                _ => {}
            }
        }
        None
    }
}

/// The content of an element up to the next tag: where it begins and ends, and where the next tag is.
fn content(bytes: &[u8], at: usize) -> (usize, usize, usize) {
    const CDATA: &[u8] = b"<![CDATA[";
    let blanks = bytes[at..]
        .iter()
        .take(64)
        .take_while(|c| c.is_ascii_whitespace())
        .count();
    if bytes[at + blanks..].starts_with(CDATA) {
        let from = at + blanks + CDATA.len();
        let end = memmem::find(&bytes[from..], b"]]>").map(|end| from + end);
        let to = end.unwrap_or(bytes.len());
        let after = end.map_or(bytes.len(), |end| end + 3);
        let next = memchr(b'<', &bytes[after..]).map_or(bytes.len(), |next| after + next);
        return (from, to, next);
    }
    let next = memchr(b'<', &bytes[at..]).map_or(bytes.len(), |next| at + next);
    let text = &bytes[at..next];
    let from = at + (text.len() - text.trim_ascii_start().len());
    let to = (at + text.trim_ascii_end().len()).max(from);
    (from, to, next)
}

/// Names may be in any language (XML 1.0, 2.3).
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// Where the value of `<input type="password" value="…">` is, whatever it is called.
fn typed(attributes: &[u8]) -> Option<(usize, usize)> {
    let (from, to) = attribute(attributes, b"type")?;
    let is_password = attributes[from..to].eq_ignore_ascii_case(b"password");
    attribute(attributes, b"value").filter(|_| is_password)
}

/// Where the value of an attribute is.
fn attribute(attributes: &[u8], name: &[u8]) -> Option<(usize, usize)> {
    let mut at = 0;
    while at < attributes.len() {
        at += blanks(&attributes[at..]);
        let ends = |c: &u8| c.is_ascii_whitespace() || *c == b'=';
        let length = attributes[at..].iter().take_while(|c| !ends(c)).count();
        let found = attributes[at..at + length].eq_ignore_ascii_case(name);
        at += length;
        let equals = at + blanks(&attributes[at..]);
        if attributes.get(equals) != Some(&b'=') {
            at += usize::from(length == 0);
            continue;
        }
        at = equals + 1 + blanks(&attributes[equals + 1..]);
        let quote = attributes.get(at).filter(|c| matches!(c, b'"' | b'\''));
        at += usize::from(quote.is_some());
        let ends = |c: &u8| quote.map_or(c.is_ascii_whitespace(), |quote| c == quote);
        let to = at + attributes[at..].iter().take_while(|c| !ends(c)).count();
        if found {
            return Some((at, to));
        }
        at = to + usize::from(quote.is_some());
    }
    None
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|c| c.is_ascii_whitespace()).count()
}

/// What attributes call an element.
fn called(attributes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(attributes);
    NAMES.iter().find_map(|name| {
        let mut from = 0;
        while let Some(found) = text[from..].find(name) {
            let at = from + found;
            let rest = text[at + name.len()..].trim_start().strip_prefix('=');
            let alone = text[..at].ends_with(char::is_whitespace);
            if let Some(rest) = rest.map(str::trim_start)
                && alone
                && let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\''))
            {
                return rest[1..].split(quote).next().map(str::to_owned);
            }
            from = at + name.len();
        }
        None
    })
}
