//! InfluxDB's line protocol: `measurement,tag=value field=value timestamp`
//! (<https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/>).

use std::fmt::Write as _;

/// Lines as they are written, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProtocolLines(String);

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LineField<'a> {
    /// A whole number.
    Integer(u64),
    /// A number; what is not finite cannot be said and is left out.
    Float(f64),
    /// A text.
    Text(&'a str),
}

impl ProtocolLines {
    /// Adds a line. Tags without a value are left out, as the protocol has none; so is the whole line
    /// without a field.
    pub fn line(
        &mut self,
        measurement: &str,
        tags: &[(&str, &str)],
        fields: &[(&str, LineField<'_>)],
        unix_ns: u64,
    ) {
        let begin = self.0.len();
        name(&mut self.0, measurement, &[',', ' ']);
        for (key, value) in tags.iter().filter(|(_, value)| !value.is_empty()) {
            self.0.push(',');
            name(&mut self.0, key, &[',', '=', ' ']);
            self.0.push('=');
            name(&mut self.0, value, &[',', '=', ' ']);
        }
        let mut separator = ' ';
        for (key, value) in fields {
            if matches!(value, LineField::Float(number) if !number.is_finite()) {
                continue;
            }
            self.0.push(separator);
            separator = ',';
            name(&mut self.0, key, &[',', '=', ' ']);
            self.0.push('=');
            // Writing to a string cannot fail.
            let _ = match value {
                LineField::Integer(number) => write!(self.0, "{number}i"),
                LineField::Float(number) => write!(self.0, "{number}"),
                LineField::Text(text) => write!(self.0, "\"{}\"", quoted(text)),
            };
        }
        match separator {
            ' ' => self.0.truncate(begin),
            _ => {
                let _ = writeln!(self.0, " {unix_ns}");
            }
        }
    }

    /// The lines.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

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
