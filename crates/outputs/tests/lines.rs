//! Whatever names and texts hold, a line is one line, and reads back as what was written.

#![allow(clippy::unwrap_used)]

use plimsoll_text::line_protocol::{LineField, ProtocolLines};
use proptest::prelude::*;

/// Splits at a separator that is not escaped; in fields, not within quotes either.
fn split(text: &str, at: char, quotes: bool) -> Vec<String> {
    let (mut parts, mut quoted, mut escaped) = (vec![String::new()], false, false);
    for c in text.chars() {
        let part = parts.last_mut().unwrap();
        match c {
            _ if escaped => part.push(c),
            '"' if quotes => {
                quoted = !quoted;
                part.push(c);
            }
            c if c == at && !quoted => {
                parts.push(String::new());
                continue;
            }
            c => part.push(c),
        }
        escaped = !escaped && c == '\\';
    }
    parts
}

/// A name without its escapes.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let escapes = c == '\\' && rest.peek().is_some_and(|next| ",= ".contains(*next));
        if !escapes {
            out.push(c);
        }
    }
    out
}

proptest! {
    #[test]
    fn a_line_reads_back(measurement in "[a-z]{1,9}", value in ".{1,40}", text in ".{0,40}", number in any::<u64>()) {
        let mut lines = ProtocolLines::default();
        let fields = [("text", LineField::Text(&text)), ("n", LineField::Integer(number))];
        lines.line(&measurement, &[("label", &value)], &fields, 17);
        let all = lines.as_str().strip_suffix('\n').unwrap();
        let series = split(all, ' ', false).remove(0);
        let parts = split(&all[series.len() + 1..], ' ', true);
        prop_assert_eq!(parts.len(), 2, "{}", all);
        prop_assert_eq!(&parts[1], "17");
        let tags = split(&series, ',', false);
        prop_assert_eq!(tags.len(), 2, "{}", all);
        let tag = split(&tags[1], '=', false);
        prop_assert_eq!(tag.len(), 2, "{}", all);
        let told = |c: char| if c.is_control() { ' ' } else { c };
        let wanted: String = value.chars().map(told).filter(|c| *c != '\\').collect();
        prop_assert_eq!(plain(&tag[1]).replace('\\', ""), wanted);
        let fields = split(&parts[0], ',', true);
        prop_assert_eq!(&fields[1], &format!("n={number}i"));
        let quoted = fields[0].strip_prefix("text=\"").unwrap().strip_suffix('"').unwrap();
        prop_assert_eq!(quoted.replace("\\\"", "\"").replace("\\\\", "\\"), text);
    }
}

#[test]
fn what_cannot_be_said_is_left_out() {
    let mut lines = ProtocolLines::default();
    lines.line(
        "a",
        &[("empty", "")],
        &[("x", LineField::Float(f64::NAN))],
        1,
    );
    assert_eq!(lines.as_str(), "");
    let fields = [
        ("x", LineField::Float(f64::INFINITY)),
        ("y", LineField::Float(0.5)),
    ];
    lines.line("a b", &[("empty", ""), ("t", "x=y")], &fields, 1);
    assert_eq!(lines.as_str(), "a\\ b,t=x\\=y y=0.5 1\n");
}
