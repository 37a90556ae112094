//! InfluxDB's line protocol: `measurement,tag=value field=value timestamp`
//! (<https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/>), as the protocol has it and as
//! JMeter writes it.

use std::fmt::Write as _;

/// Lines as they are written, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProtocolLines {
    text: String,
    spelling: LineSpelling,
}

/// How names, texts and numbers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LineSpelling {
    /// As the protocol says. What it cannot say, a line break or a backslash before what is escaped, is left
    /// out, and so is a tag without a value.
    #[default]
    Protocol,
    /// As JMeter's `InfluxdbBackendListenerClient` (5.6.3) writes them, byte for byte: names are trimmed, a
    /// line break is `\n`, a tag without a value stays, whole numbers have no `i`.
    JMeter,
    /// Numbers as JMeter's; names stand as they are given: its raw client escapes one of its tags alone.
    Given,
}

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LineField<'a> {
    /// A whole number.
    Integer(u64),
    /// A number; what is not finite cannot be said and is left out.
    Float(f64),
    /// A number that is written already.
    Written(&'a str),
    /// A text.
    Text(&'a str),
}

impl LineSpelling {
    /// A name or a tag's value.
    #[must_use]
    pub fn name(self, text: &str) -> String {
        let mut out = String::new();
        self.write_name(&mut out, text, TAG);
        out
    }

    fn write_name(self, out: &mut String, text: &str, escaped: &[char]) {
        match self {
            Self::Protocol => name(out, text, escaped),
            Self::JMeter => {
                for c in text.trim().chars() {
                    match c {
                        '\n' => out.push_str("\\n"),
                        ' ' | ',' | '=' => out.extend(['\\', c]),
                        c => out.push(c),
                    }
                }
            }
            Self::Given => out.push_str(text),
        }
    }

    fn write_field(self, out: &mut String, field: &LineField<'_>) {
        // Writing to a string cannot fail.
        let _ = match (field, self) {
            (LineField::Integer(number), Self::Protocol) => write!(out, "{number}i"),
            (LineField::Integer(number), _) => write!(out, "{number}"),
            (LineField::Float(number), _) => write!(out, "{number}"),
            (LineField::Written(number), _) => write!(out, "{number}"),
            (LineField::Text(text), Self::Protocol) => write!(out, "\"{}\"", quoted(text)),
            (LineField::Text(text), _) => {
                write!(out, "\"{}\"", text.trim().replace('"', "\\\""))
            }
        };
    }
}

impl ProtocolLines {
    /// No lines yet.
    #[must_use]
    pub const fn new(spelling: LineSpelling) -> Self {
        Self {
            text: String::new(),
            spelling,
        }
    }

    /// Adds a line; one without a field is left out.
    pub fn line(
        &mut self,
        measurement: &str,
        tags: &[(&str, &str)],
        fields: &[(&str, LineField<'_>)],
        unix_ns: u64,
    ) {
        let (spelling, out) = (self.spelling, &mut self.text);
        let begin = out.len();
        spelling.write_name(out, measurement, &[',', ' ']);
        for (key, value) in tags {
            if value.is_empty() && spelling == LineSpelling::Protocol {
                continue;
            }
            out.push(',');
            spelling.write_name(out, key, TAG);
            out.push('=');
            spelling.write_name(out, value, TAG);
        }
        let mut separator = ' ';
        for (key, value) in fields {
            if matches!(value, LineField::Float(number) if !number.is_finite()) {
                continue;
            }
            out.push(separator);
            separator = ',';
            spelling.write_name(out, key, TAG);
            out.push('=');
            spelling.write_field(out, value);
        }
        match separator {
            ' ' => out.truncate(begin),
            _ => {
                let _ = writeln!(out, " {unix_ns}");
            }
        }
    }

    /// The lines.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Begins anew, in the memory that is there.
    pub fn clear(&mut self) {
        self.text.clear();
    }
}

/// What is escaped in names and values of tags.
const TAG: &[char] = &[',', '=', ' '];

/// A name or a tag's value. The protocol cannot say a line break, nor a backslash before what is
/// escaped or at the end: the one becomes a blank, the other is left out.
fn name(out: &mut String, text: &str, escaped: &[char]) {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut rest = text.chars().map(plain).peekable();
    while let Some(c) = rest.next() {
        if c == '\\'
            && rest
                .peek()
                .is_none_or(|next| *next == '\\' || escaped.contains(next))
        {
            continue;
        }
        if escaped.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jmeter_spells_names_its_own_way() {
        let mut lines = ProtocolLines::new(LineSpelling::JMeter);
        let tags = [("application", ""), (" my tag ", "a=b, c\nd\\ ")];
        let fields = [
            ("count", LineField::Integer(3)),
            ("avg", LineField::Written("1.0E7")),
            ("text", LineField::Text(" Test \"x\" \\ ")),
        ];
        lines.line("j m=", &tags, &fields, 5_000_000);
        let wanted = "j\\ m\\=,application=,my\\ tag=a\\=b\\,\\ c\\nd\\ count=3,avg=1.0E7,text=\"Test \\\"x\\\" \\\" 5000000\n";
        assert_eq!(lines.as_str(), wanted);
        lines.clear();
        assert_eq!(lines.as_str(), "");
        assert_eq!(LineSpelling::Given.name(" a=b "), " a=b ");
    }
}
