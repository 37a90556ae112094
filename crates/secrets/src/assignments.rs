//! Values behind names: `password=…`, `"token": "…"`, `Authorization: …`, `secret: |`, in forms,
//! queries, JSON, YAML, properties, heads, logs and code.

use memchr::memmem;

use crate::extent::{self, Extent, Lead, LookAhead, PairForm};
use crate::headers;
use crate::names::{is_one_of, is_secret};
use crate::pairs::{OpenPairs, PairRole};
use crate::spans::{Bare, SpanSink};
use crate::views;

/// Longer names are judged by their end.
pub(crate) const MAX_NAME: usize = 256;

/// Fields of a secret object that are none.
const OPEN_FIELDS: &[&str] = &[
    "env",
    "file",
    "path",
    "type",
    "user",
    "username",
    "host",
    "port",
    "description",
    "scope",
    "issuer",
    "expires",
    "expires_in",
    "name",
    "id",
    "kind",
];

/// Masks what stands behind the names of secrets.
pub(crate) fn find(bytes: &[u8], sink: &mut SpanSink<'_>) {
    let mut scan = AssignmentScan {
        bytes,
        sink,
        lead: Lead::Line,
        outer: Lead::Line,
        line: 0,
        depth: 0,
        secret_depth: None,
        secret_until: 0,
        pairs: OpenPairs::new(),
        words: [(0, 0); 2],
        budget: LookAhead::of(bytes),
    };
    let mut at = 0;
    while at < bytes.len() {
        at = scan.step(at);
    }
}

/// A text being looked through.
pub(crate) struct AssignmentScan<'a, 's> {
    pub(crate) bytes: &'a [u8],
    pub(crate) sink: &'a mut SpanSink<'s>,
    pub(crate) lead: Lead,
    /// What stood before the quote, if `lead` is one.
    outer: Lead,
    pub(crate) line: usize,
    depth: usize,
    /// Everything in the object of this depth is secret.
    secret_depth: Option<usize>,
    /// Everything before here is secret.
    secret_until: usize,
    pairs: OpenPairs<(usize, usize, Bare)>,
    /// The two words before.
    pub(crate) words: [(usize, usize); 2],
    pub(crate) budget: LookAhead,
}

impl AssignmentScan<'_, '_> {
    /// Looks at what is at `at` and says where to go on.
    fn step(&mut self, at: usize) -> usize {
        match self.bytes[at] {
            b'\n' | b'\r' => {
                self.lead = Lead::Line;
                self.line = at + 1;
            }
            b' ' | b'\t' => {}
            quote @ (b'"' | b'\'' | b'`') => {
                if !matches!(self.lead, Lead::Quote(_)) {
                    self.outer = self.lead;
                }
                self.lead = Lead::Quote(quote);
            }
            b'{' => {
                self.depth += 1;
                self.pairs.open(None);
                self.lead = Lead::Flow;
            }
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.secret_depth = self.secret_depth.filter(|depth| *depth < self.depth);
                self.pairs.close();
                self.lead = Lead::Other;
            }
            b',' | b'(' | b'[' => self.lead = Lead::Flow,
            b'?' | b'&' => self.lead = Lead::Query,
            b'#' | b'>' | b'*' if self.lead == Lead::Line => {}
            b'#' => self.lead = Lead::Query,
            b'<' => {
                self.pairs.again();
                if self.lead != Lead::Line {
                    self.lead = Lead::Other;
                }
            }
            b';' => self.lead = Lead::Semicolon,
            b'%' if name_length(&self.bytes[at..]) == 0
                && views::percent(&self.bytes[at..]).is_some() =>
            {
                self.lead = Lead::Other;
                return at + 3;
            }
            byte if byte != b']' && name_length(&self.bytes[at..]) > 0 => return self.name(at),
            _ => self.lead = Lead::Other,
        }
        at + 1
    }

    fn name(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let length = name_length(&bytes[at..]);
        let end = at + length.max(1);
        let word = &bytes[at..end];
        if word.iter().all(|c| *c == b'-') {
            if self.lead == Lead::Line {
                self.pairs.again();
            } else {
                self.lead = Lead::Other;
            }
            return end;
        }
        let shown = &word[word.len().saturating_sub(MAX_NAME)..];
        let name = views::percent_decoded(shown);
        let name = String::from_utf8_lossy(&name);
        let quoted_name = matches!(self.lead, Lead::Quote(quote) if bytes.get(end) == Some(&quote));
        let behind = end + usize::from(quoted_name);
        // `row['password'] = …`
        let indexed = quoted_name && bytes.get(behind) == Some(&b']');
        let behind = behind + usize::from(indexed);
        let next = match separator(bytes, behind, quoted_name) {
            Some((value, colon)) => {
                let form = PairForm {
                    lead: if quoted_name { self.outer } else { self.lead },
                    line: self.line,
                    colon,
                    quoted_name,
                    header: headers::is_header(&name),
                };
                self.lead = Lead::Other;
                self.assigned(&name, value, &form)
            }
            None => self.spaced(&name, end, quoted_name),
        };
        self.words = [self.words[1], (at, end)];
        next
    }

    /// A name with a value.
    fn assigned(&mut self, name: &str, value: usize, form: &PairForm) -> usize {
        let inherits = value < self.secret_until || self.secret_depth.is_some();
        if is_secret(name) || inherits && !is_one_of(OPEN_FIELDS, name.as_bytes()) {
            return self.secret(name, value, form);
        }
        let Some(role) = PairRole::of(name) else {
            return value;
        };
        let Extent::Scalar {
            from,
            to,
            next,
            bare,
        } = extent::of(self.bytes, value, form, &mut self.budget)
        else {
            return value;
        };
        let text = String::from_utf8_lossy(&self.bytes[from..to.min(from + MAX_NAME)]);
        match role {
            PairRole::Name if self.is_disposition() && is_secret(&text) => return self.part(next),
            PairRole::Name => {
                let found = self.pairs.last().and_then(|pair| pair.named(&text));
                if let Some((from, to, bare)) = found {
                    headers::hide_scalar(&text, self.bytes, from, to, bare, self.sink);
                }
            }
            PairRole::Value => {
                let pair = self.pairs.last();
                let found = pair.and_then(|pair| {
                    let value = pair.valued((from, to, bare))?;
                    Some((pair.name.clone().unwrap_or_default(), value))
                });
                if let Some((name, (from, to, bare))) = found {
                    headers::hide_scalar(&name, self.bytes, from, to, bare, self.sink);
                    return next;
                }
            }
        }
        value
    }

    /// Masks a value that is secret by its name.
    pub(crate) fn secret(&mut self, name: &str, value: usize, form: &PairForm) -> usize {
        match extent::of(self.bytes, value, form, &mut self.budget) {
            Extent::Scalar {
                from,
                to,
                next,
                bare,
            } => {
                headers::hide_scalar(name, self.bytes, from, to, bare, self.sink);
                next.max(value)
            }
            Extent::List { from, to } => {
                let bare = match form.quoted_name {
                    true => Bare::Json,
                    false => Bare::Yaml,
                };
                let inside = self.bytes[from..to].trim_ascii();
                if !inside.is_empty() {
                    self.sink.hide_scalar(from, to, bare);
                }
                to
            }
            Extent::Map(brace) => {
                self.secret_depth.get_or_insert(self.depth);
                brace
            }
            Extent::Block { from, to } => {
                self.lines(from, to, false);
                to
            }
            Extent::Below { from, to } => {
                if from >= self.secret_until && from < to {
                    self.secret_until = to;
                    self.lines(from, to, true);
                }
                from.saturating_sub(1).max(value)
            }
        }
    }

    /// Masks lines, except those with names of their own.
    fn lines(&mut self, from: usize, to: usize, may_have_names: bool) {
        let mut at = from;
        for line in self.bytes[from..to].split_inclusive(|c| *c == b'\n') {
            let start = at;
            at += line.len();
            let mut text = line.trim_ascii_start();
            while may_have_names && text.starts_with(b"- ") {
                text = text[2..].trim_ascii_start();
            }
            let begin = start + line.len() - text.len();
            let end = begin + text.trim_ascii_end().len();
            if may_have_names && has_name(text) || headers::is_open(text) {
                continue;
            }
            self.sink.hide_scalar(begin, end, Bare::Yaml);
        }
    }

    /// Whether this line is the head of a part of a form.
    fn is_disposition(&self) -> bool {
        const HEAD: &[u8] = b"content-disposition";
        let line = &self.bytes[self.line..];
        line.len() > HEAD.len() && line[..HEAD.len()].eq_ignore_ascii_case(HEAD)
    }

    /// Masks the content of a part of a form.
    fn part(&mut self, at: usize) -> usize {
        let head = &self.bytes[at..self.bytes.len().min(at + 1024)];
        let blank = |mark: &[u8]| memmem::find(head, mark).map(|found| at + found + mark.len());
        let Some(from) = [blank(b"\r\n\r\n"), blank(b"\n\n")]
            .into_iter()
            .flatten()
            .min()
        else {
            return at;
        };
        let rest = &self.bytes[from..];
        let end = memmem::find(rest, b"\n--").map_or(rest.len(), |found| found);
        let to = from + rest[..end].trim_ascii_end().len();
        self.sink.hide(from, to);
        from + end
    }
}

/// Whether a line has a name and a colon.
fn has_name(line: &[u8]) -> bool {
    let colon = line.iter().take(MAX_NAME).position(|c| *c == b':');
    colon.is_some_and(|colon| {
        let behind = line.get(colon + 1);
        let name = &line[..colon];
        let is_name = name
            .iter()
            .all(|c| is_name_byte(*c) || matches!(c, b'"' | b'\''));
        is_name && behind.is_none_or(u8::is_ascii_whitespace)
    })
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'$' | b'[' | b']')
        || byte >= 0x80
}

/// The length of a name; full-width separators end it, letters may be percent-encoded.
fn name_length(text: &[u8]) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += match rest.first() {
            Some(b'%') if views::percent(rest).is_some_and(is_name_byte) => 3,
            Some(byte) if is_name_byte(*byte) && is_wide(rest).is_none() => 1,
            _ => return length,
        };
    }
}

/// Whether a full-width `：` or `＝` is here, and whether it is a colon.
fn is_wide(text: &[u8]) -> Option<bool> {
    match text {
        [0xef, 0xbc, 0x9a, ..] => Some(true),
        [0xef, 0xbc, 0x9d, ..] => Some(false),
        _ => None,
    }
}

/// Where the value behind a separator begins, and whether the separator is a colon.
fn separator(bytes: &[u8], from: usize, quoted_name: bool) -> Option<(usize, bool)> {
    let blank = |c: &&u8| match c {
        b' ' | b'\t' => true,
        b'\n' | b'\r' => quoted_name,
        _ => false,
    };
    let blanks = bytes[from..].iter().take(64).take_while(blank).count();
    let at = from + blanks;
    let rest = &bytes[at..];
    if let Some(colon) = is_wide(rest) {
        return Some((at + 3, colon));
    }
    match rest {
        [b':', b':', ..] | [b':', b'/', b'/', ..] => None,
        [b':' | b'+' | b'?' | b'!', b'=', ..] => Some((at + 2, false)),
        [b':', ..] => Some((at + 1, true)),
        [b'=', b'=', b'=', ..] => Some((at + 3, false)),
        [b'=', b'=' | b'>' | b'~', ..] => Some((at + 2, false)),
        [b'=', ..] => Some((at + 1, false)),
        _ => None,
    }
}
