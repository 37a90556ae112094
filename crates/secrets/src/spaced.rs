//! Values behind names without a separator, and behind names that are an argument.

use crate::assignments::{AssignmentScan, MAX_NAME};
use crate::extent::{self, Extent, Lead, PairForm};
use crate::headers;
use crate::names::{is_one_of, is_secret};

/// Words before a name at the beginning of a line.
const BEFORE_NAMES: &[&str] = &[
    "export", "set", "env", "ENV", "ARG", "const", "let", "var", "declare", "local", "final",
    "setx", "val", "static", "private", "public", "SET",
];

/// Directives with a name and a value: nginx, Apache, Redis.
const DIRECTIVES: &[&str] = &[
    "proxy_set_header",
    "add_header",
    "fastcgi_param",
    "uwsgi_param",
    "scgi_param",
    "setenv",
    "more_set_headers",
    "more_set_input_headers",
    "grpc_set_header",
    "set",
    "RequestHeader",
    "SetEnv",
    "proxy_hide_header",
    "config",
];

/// Names whose value stands behind a space.
const SPACED: &[&str] = &["requirepass", "masterauth", "auth-pass", "bindpw", "rootpw"];

impl AssignmentScan<'_, '_> {
    /// A name without a separator: `requirepass x`, `proxy_set_header Authorization x`,
    /// `IDENTIFIED BY 'x'`.
    pub(crate) fn spaced(&mut self, name: &str, end: usize, quoted_name: bool) -> usize {
        let bytes = self.bytes;
        let blanks = bytes[end..]
            .iter()
            .take_while(|c| matches!(c, b' ' | b'\t'))
            .count();
        let at = end + blanks;
        let is_directive = is_one_of(DIRECTIVES, self.before(1)) && is_secret(name);
        let has_value = blanks > 0
            && (is_directive
                || !quoted_name && (SPACED.contains(&name) || self.is_property(name, at))
                || self.is_netrc(name)
                || self.is_quoted_value(name, at, quoted_name));
        if self.lead == Lead::Line && BEFORE_NAMES.contains(&name) {
            return end;
        }
        let lead = std::mem::replace(&mut self.lead, Lead::Other);
        let form = |lead| PairForm {
            lead,
            line: self.line,
            colon: false,
            quoted_name: false,
            header: false,
        };
        if let Some(value) = self.argument(name, end, quoted_name) {
            return self.secret(name, value, &form(lead));
        }
        if !has_value {
            return end;
        }
        let form = form(match is_directive {
            true => Lead::Semicolon,
            false => Lead::Other,
        });
        let Extent::Scalar {
            from,
            to,
            next,
            bare,
        } = extent::of(bytes, at, &form, &mut self.budget)
        else {
            return end;
        };
        // A directive's value goes to its semicolon.
        let to = match is_directive && !is_quote(bytes.get(at)) {
            true => memchr::memchr3(b';', b'\n', b'\r', &bytes[to..])
                .map_or(bytes.len(), |found| to + found),
            false => to,
        };
        headers::hide_scalar(name, bytes, from, to, bare, self.sink);
        next.max(to)
    }

    /// The word so many places before the name.
    fn before(&self, back: usize) -> &[u8] {
        let (from, to) = self.words[2 - back];
        &self.bytes[from..to]
    }

    /// `login x password y`
    fn is_netrc(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("password") && self.before(2).eq_ignore_ascii_case(b"login")
    }

    /// Whether a text in quotes begins at `value` that is the name's: `IDENTIFIED BY 'x'`,
    /// `password 'x'`.
    fn is_quoted_value(&self, name: &str, value: usize, quoted_name: bool) -> bool {
        let is = |back, word: &[u8]| self.before(back).eq_ignore_ascii_case(word);
        let is_identified = is_one_of(&["by", "as"], name.as_bytes())
            && (is(1, b"identified") || is(2, b"with") || is(1, b"password"));
        is_quote(self.bytes.get(value)) && (is_identified || !quoted_name && is_strong(name))
    }

    /// Whether a line is a property with a space between name and value.
    fn is_property(&self, name: &str, value: usize) -> bool {
        let rest = &self.bytes[value..];
        let word = rest
            .iter()
            .take(MAX_NAME)
            .take_while(|c| !c.is_ascii_whitespace())
            .count();
        let alone = rest.get(word).is_none_or(|c| matches!(c, b'\n' | b'\r'));
        self.lead == Lead::Line && word > 0 && alone && name.contains('.') && is_secret(name)
    }

    /// Where the value begins in `put("password", "…")`, for a name that ends at `end`.
    fn argument(&self, name: &str, end: usize, quoted_name: bool) -> Option<usize> {
        let opening = (end - 1)
            .checked_sub(name.len())
            .map(|quote| quote.wrapping_sub(1));
        let called = opening.is_some_and(|at| {
            let before = self.bytes.get(..=at).unwrap_or_default();
            let blanks = before
                .iter()
                .rev()
                .take(4)
                .take_while(|c| **c == b' ')
                .count();
            before.len() > blanks && before[before.len() - 1 - blanks] == b'('
        });
        if !quoted_name || !called || !is_secret(name) {
            return None;
        }
        let rest = self.bytes[end + 1..].trim_ascii_start();
        let rest = rest.strip_prefix(b",")?.trim_ascii_start();
        let at = self.bytes.len() - rest.len();
        matches!(rest.first(), Some(b'"' | b'\'')).then_some(at)
    }
}

fn is_quote(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'"' | b'\''))
}

/// Names that say secret even if only a quoted text follows.
fn is_strong(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "authorization",
        "pwd",
    ];
    ends.iter().any(|end| name.ends_with(end)) && is_secret(&name)
}
