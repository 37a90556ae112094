//! Values that are known to be secret, in all forms in which they are written.

use aho_corasick::{AhoCorasick, MatchKind};

use crate::spans::{MASK, SpanSink};

/// Shorter values would blot out half of a text.
const MIN_BYTES: usize = 3;

/// A lower-case word shorter than this is masked only where a name calls it a secret: a password
/// "admin" would otherwise take every path and label with it, and tell what it is by doing so.
const MIN_WORD_BYTES: usize = 8;

/// Shorter lines of a secret stand in many texts.
const MIN_LINE_BYTES: usize = 8;

/// Whether a value can be looked for in any text.
fn can_be_looked_for(value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase());
    value.len() >= if is_word { MIN_WORD_BYTES } else { MIN_BYTES }
}

/// A line of a secret of several that says something of it: not a frame, which many secrets have.
fn is_telling(line: &str) -> bool {
    line.len() >= MIN_LINE_BYTES && !line.starts_with("-----")
}

/// Secrets that are known, such as those that a plan calls so.
#[derive(Debug, Clone, Default)]
pub struct Known(Option<AhoCorasick>);

impl Known {
    /// Looks for these values. Those of one or two bytes, and short words, are left out.
    #[must_use]
    pub fn new<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Self {
        let mut forms: Vec<String> = Vec::new();
        for value in values {
            let value = value.as_ref();
            // A key in PEM may be told a line at a time.
            let lines = value.lines().map(str::trim).filter(|line| is_telling(line));
            let lines = lines.filter(|line| *line != value);
            for value in std::iter::once(value).chain(lines) {
                if can_be_looked_for(value) {
                    forms.extend(written(value));
                }
            }
        }
        forms.sort_unstable();
        forms.dedup();
        if forms.is_empty() {
            return Self(None);
        }
        let machine = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&forms);
        // It fails for gigabytes of patterns only.
        Self(machine.ok())
    }

    pub(crate) fn find(&self, text: &[u8], sink: &mut SpanSink<'_>) {
        if let Some(machine) = &self.0 {
            for hit in machine.find_iter(text) {
                sink.hide(hit.start(), hit.end());
            }
        }
    }
}

/// A value as it stands in texts, queries, forms, paths, JSON, XML and base64.
fn written(value: &str) -> Vec<String> {
    let percent = |plain: &dyn Fn(u8) -> bool| -> String {
        let byte = |byte: u8| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        value.bytes().map(byte).collect()
    };
    let form = percent(&|b| b.is_ascii_alphanumeric() || b"*-._".contains(&b));
    let path = percent(&|b| b.is_ascii_graphic() && !b"\"#<>?`{}%".contains(&b));
    let strict = percent(&|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b));
    let component = percent(&|b| b.is_ascii_alphanumeric() || b"-._~!'()*".contains(&b));
    let slashed = percent(&|b| b.is_ascii_alphanumeric() || b"-._~/".contains(&b));
    let kept = percent(&|b| b.is_ascii_graphic() && !b"\"#<>?`{}".contains(&b));
    let xml = value.replace('&', "&amp;").replace('<', "&lt;");
    let xml_text = xml.replace('>', "&gt;");
    let xml_all = xml_text.replace('"', "&quot;").replace('\'', "&apos;");
    // Of one with an `@` in a URL the rule for URLs hides what is before that.
    let tails = value.match_indices('@').map(|(at, _)| &value[at..]);
    let tails = tails.filter(|tail| can_be_looked_for(tail));
    let mut all: Vec<String> = tails.map(|tail| format!("{MASK}{tail}")).collect();
    all.extend([
        value.to_owned(),
        slashed,
        form.replace("%20", "+"),
        form.to_lowercase().replace("%20", "+"),
        form,
        path,
        kept,
        strict.to_lowercase(),
        strict,
        component,
        json(value),
        xml_all.replace("&apos;", "&#39;"),
        xml_all,
        xml_text,
        xml,
        base64(value.as_bytes()),
    ]);
    all
}

/// The inside of a JSON string.
fn json(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for block in bytes.chunks(3) {
        let byte = |i: usize| u32::from(block.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..=block.len() {
            out.push(char::from(LETTERS[(bits >> (18 - 6 * i) & 63) as usize]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_secret_is_hidden_too() {
        let key = "-----BEGIN KEY-----\nMIIEvBODY0001\nMIIEvBODY0002\n-----END KEY-----\n";
        let known = Known::new(["p@ss/W0rd-zz!", key]);
        for (text, shown) in [
            // The rule for URLs was there first.
            ("at app:***@ss/W0rd-zz!@db:5432", "at app:***@db:5432"),
            ("quoted p%40ss/W0rd-zz%21", "quoted ***"),
            ("bad key MIIEvBODY0002 here", "bad key *** here"),
            ("-----BEGIN KEY-----", "-----BEGIN KEY-----"),
            ("mail@example.org", "mail@example.org"),
        ] {
            assert_eq!(known.text(text), shown);
        }
    }
}
