//! Where the value behind a name ends.

use crate::shapes::behind_scheme;
use crate::spans::Bare;

/// What stands before a name, which says what may end its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    /// The beginning of a line.
    Line,
    /// A bracket or comma.
    Flow,
    /// `?` or `&`.
    Query,
    /// `;`.
    Semicolon,
    /// A quote.
    Quote(u8),
    /// Something else.
    Other,
}

/// How name and value are written.
pub(crate) struct PairForm {
    pub(crate) lead: Lead,
    /// Where the line of the name begins.
    pub(crate) line: usize,
    /// `:` and not `=`.
    pub(crate) colon: bool,
    /// The name has quotes of its own.
    pub(crate) quoted_name: bool,
    /// A header whose value takes the rest of its line.
    pub(crate) header: bool,
}

/// A value's place.
pub(crate) enum Extent {
    /// One value, and where what follows it begins.
    Scalar {
        from: usize,
        to: usize,
        next: usize,
        bare: Bare,
    },
    /// The inside of brackets.
    List { from: usize, to: usize },
    /// A brace opens here.
    Map(usize),
    /// The lines of a block scalar.
    Block { from: usize, to: usize },
    /// The lines below, if they are indented, up to here.
    Below { from: usize, to: usize },
}

/// How many bytes may be looked at ahead, for all values of a text together: what is looked at ahead
/// is mostly the value, and so not looked at again, but it need not be.
pub(crate) struct LookAhead(pub(crate) usize);

impl LookAhead {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(bytes.len().saturating_mul(8).saturating_add(4096))
    }

    fn find(
        &mut self,
        bytes: &[u8],
        from: usize,
        wanted: impl FnMut(&u8) -> bool,
    ) -> Option<usize> {
        let end = bytes.len().min(from.saturating_add(self.0));
        let found = bytes[from..end].iter().position(wanted);
        self.0 -= found.unwrap_or(end - from);
        found.map(|found| from + found)
    }
}

/// The value that begins at `at`, behind the separator.
pub(crate) fn of(bytes: &[u8], at: usize, form: &PairForm, budget: &mut LookAhead) -> Extent {
    let blank = |c: &u8| match c {
        b' ' | b'\t' => true,
        b'\n' | b'\r' => form.quoted_name,
        _ => false,
    };
    let mut at = at + bytes[at..].iter().take_while(|c| blank(c)).count();
    if form.colon {
        at += yaml_tag(&bytes[at..]);
    }
    let rest = &bytes[at..];
    match rest {
        [] | [b'\n' | b'\r', ..] if form.colon && form.lead == Lead::Line => {
            let from = end_of_line(bytes, at);
            let to = lines_below(bytes, from, form.line, true);
            Extent::Below { from, to }
        }
        [b'|' | b'>', ..] if form.colon && is_block_head(rest) => {
            let from = end_of_line(bytes, at);
            let to = lines_below(bytes, from, form.line, false);
            Extent::Block { from, to }
        }
        [
            b'b' | b'r' | b'u' | b'f' | b'N' | b'@' | b'$' | b'B' | b'R',
            b'"' | b'\'',
            ..,
        ] => quoted(bytes, at + 1, budget),
        [b'"' | b'\'' | b'`', ..] => quoted(bytes, at, budget),
        [b'[', ..] => match closing(bytes, at, budget) {
            Some(to) => Extent::List { from: at + 1, to },
            None => bare(bytes, at, form),
        },
        [b'{', b'{', ..] => bare(bytes, at, form),
        [b'{', ..] => Extent::Map(at),
        _ => bare(bytes, at, form),
    }
}

/// The length of `!!str ` or `!vault `.
fn yaml_tag(text: &[u8]) -> usize {
    if !text.starts_with(b"!!") && !text.starts_with(b"!vault ") {
        return 0;
    }
    let word = text
        .iter()
        .take(32)
        .take_while(|c| !c.is_ascii_whitespace())
        .count();
    word + usize::from(text.get(word) == Some(&b' '))
}

fn is_block_head(text: &[u8]) -> bool {
    let line = text.split(|c| *c == b'\n').next().unwrap_or_default();
    let signs = line[1..]
        .iter()
        .take(3)
        .take_while(|c| matches!(c, b'+' | b'-' | b'1'..=b'9'))
        .count();
    let rest = line[1 + signs..].trim_ascii_start();
    (rest.is_empty() || rest[0] == b'#') && line.len() < text.len()
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1)
}

/// The end of the lines that are indented more than the one that begins at `line`. A list may stand
/// as far left as its name.
fn lines_below(bytes: &[u8], from: usize, line: usize, lists: bool) -> usize {
    let indent = |at: usize| bytes[at..].iter().take_while(|c| **c == b' ').count();
    let own = indent(line);
    let own_item = bytes[line + own..].starts_with(b"- ");
    let mut at = from;
    let mut end = from;
    while at < bytes.len() {
        let next = end_of_line(bytes, at);
        let deep = indent(at);
        let blank = bytes[at..next].trim_ascii().is_empty();
        let item = lists && !own_item && deep == own && bytes[at + deep..].starts_with(b"- ");
        if !blank && deep <= own && !item {
            break;
        }
        at = next;
        if !blank {
            end = next;
        }
    }
    end
}

/// What stands between quotes, also if several follow each other without a gap.
fn quoted(bytes: &[u8], at: usize, budget: &mut LookAhead) -> Extent {
    let quote = bytes[at];
    let triple = quote != b'`'
        && bytes[at..].starts_with(&[quote; 3])
        && !bytes[at..].starts_with(&[quote; 4]);
    let width = if triple { 3 } else { 1 };
    let mut close = close_of(bytes, at + width, quote, triple, budget);
    while let Some(end) = close
        && !triple
        && let Some(again @ (b'"' | b'\'')) = bytes.get(end + 1)
    {
        match close_of(bytes, end + 2, *again, false, budget) {
            Some(next) => close = Some(next),
            None => break,
        }
    }
    let from = at + width;
    let (to, next) = match close {
        Some(end) => (end, end + width),
        // Cut off, or no string at all.
        None => {
            let end = line_end(bytes, from);
            (end, end)
        }
    };
    Extent::Scalar {
        from,
        to,
        next,
        bare: Bare::No,
    }
}

fn close_of(
    bytes: &[u8],
    from: usize,
    quote: u8,
    triple: bool,
    budget: &mut LookAhead,
) -> Option<usize> {
    let mut at = from;
    loop {
        at = budget.find(bytes, at, |c| *c == quote || *c == b'\\')?;
        if bytes[at] == b'\\' {
            at = (at + 2).min(bytes.len());
        } else if !triple || bytes[at..].starts_with(&[quote; 3]) {
            return Some(at);
        } else {
            at += 1;
        }
    }
}

/// The end of the line, without what follows it and without spaces.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let end = memchr::memchr2(b'\n', b'\r', &bytes[from..]).map_or(bytes.len(), |end| from + end);
    from + bytes[from..end].trim_ascii_end().len()
}

/// The bracket that closes the one at `at`.
fn closing(bytes: &[u8], at: usize, budget: &mut LookAhead) -> Option<usize> {
    let mut depth = 0_usize;
    let mut place = at;
    loop {
        let is_mark = |c: &u8| matches!(c, b'[' | b']' | b'{' | b'}' | b'"');
        place = budget.find(bytes, place, is_mark)?;
        match bytes[place] {
            b'[' | b'{' => depth += 1,
            b'"' => place = close_of(bytes, place + 1, b'"', false, budget)?,
            _ => {
                depth -= 1;
                if depth == 0 {
                    return Some(place);
                }
            }
        }
        place += 1;
    }
}

fn bare(bytes: &[u8], from: usize, form: &PairForm) -> Extent {
    let colon = form.colon;
    let header =
        form.header && (colon || !matches!(form.lead, Lead::Query | Lead::Other | Lead::Flow));
    // A scheme and its credentials are one value.
    let scheme = if form.header && !header {
        behind_scheme(&bytes[from..]).unwrap_or(0)
    } else {
        0
    };
    let start = from;
    let from = from + scheme;
    let rest = &bytes[from..];
    let position = |ends: &dyn Fn(usize, u8) -> bool| {
        let found = rest
            .iter()
            .enumerate()
            .position(|(i, c)| is_newline(*c) || ends(i, *c));
        found.unwrap_or(rest.len())
    };
    let length = match form.lead {
        _ if form.quoted_name => {
            position(&|_, c| c.is_ascii_whitespace() || matches!(c, b',' | b'}' | b']' | b'"'))
        }
        Lead::Quote(quote) if header || colon => position(&|_, c| c == quote),
        Lead::Quote(quote) => position(&|i, c| c == quote || ends_pair(rest, i, c)),
        Lead::Line if header || colon => rest.len().min(line_end(bytes, from) - from),
        Lead::Line => position(&|i, c| ends_pair(rest, i, c)),
        _ if header => position(&|_, c| is_quote(c) || c == b'<'),
        Lead::Flow if colon => position(&|_, c| matches!(c, b',' | b'}' | b']' | b'"')),
        Lead::Query => position(&|i, c| {
            c.is_ascii_whitespace()
                || is_quote(c)
                || matches!(c, b'&' | b'#' | b'<' | b'>')
                || c == b';' && ends_pair(rest, i, c)
        }),
        Lead::Semicolon => position(&|_, c| {
            c.is_ascii_whitespace() || is_quote(c) || matches!(c, b';' | b'<' | b'>')
        }),
        _ => position(&|i, c| {
            c.is_ascii_whitespace()
                || is_quote(c)
                || matches!(c, b'<' | b'>')
                || ends_word(rest, i, c)
        }),
    };
    let to = from + rest[..length].trim_ascii_end().len();
    Extent::Scalar {
        from: start,
        to,
        next: from + length,
        bare: match form.quoted_name {
            true => Bare::Json,
            false if colon => Bare::Yaml,
            false => Bare::No,
        },
    }
}

fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Whether another `name=` or `--option` follows here.
fn ends_pair(rest: &[u8], at: usize, byte: u8) -> bool {
    if !matches!(byte, b' ' | b'\t' | b'&' | b';' | b',' | b'|') {
        return false;
    }
    let behind = &rest[at + 1..];
    let option = byte == b' '
        && matches!(behind, [b'-', next, ..] if *next == b'-' || next.is_ascii_alphabetic());
    let blanks = behind
        .iter()
        .take(8)
        .take_while(|c| matches!(c, b' ' | b'\t'))
        .count();
    option || begins_pair(&behind[blanks..], b"=")
}

/// Whether a text begins with a name and a separator.
fn begins_pair(text: &[u8], separators: &[u8]) -> bool {
    let is_name = |c: &&u8| c.is_ascii_alphanumeric() || b"_-.[]$%".contains(c);
    let name = text.iter().take(64).take_while(is_name).count();
    name > 0 && text.get(name).is_some_and(|c| separators.contains(c))
}

/// Whether a value in running text ends before this byte.
fn ends_word(rest: &[u8], at: usize, byte: u8) -> bool {
    if !matches!(byte, b'&' | b',' | b';' | b')' | b']' | b'}' | b'|') {
        return false;
    }
    match rest.get(at + 1) {
        None => true,
        Some(next) if next.is_ascii_whitespace() || is_quote(*next) => true,
        Some(b',' | b';' | b')' | b']' | b'}' | b'<' | b'.') => true,
        Some(_) => begins_pair(&rest[at + 1..], b"=:"),
    }
}
