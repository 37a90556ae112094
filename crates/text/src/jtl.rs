//! JMeter's CSV of results: the names of its columns and its quoting (`CSVSaveService`). Never
//! localised.

use std::borrow::Cow;

/// All columns in JMeter's order, and whether JMeter writes them unless it is told otherwise.
pub const COLUMNS: [(&str, bool); 22] = [
    ("timeStamp", true),
    ("elapsed", true),
    ("label", true),
    ("responseCode", true),
    ("responseMessage", true),
    ("threadName", true),
    ("dataType", true),
    ("success", true),
    ("failureMessage", true),
    ("bytes", true),
    ("sentBytes", true),
    ("grpThreads", true),
    ("allThreads", true),
    ("URL", true),
    ("Filename", false),
    ("Latency", true),
    ("Encoding", false),
    ("SampleCount", false),
    ("ErrorCount", false),
    ("Hostname", false),
    ("IdleTime", true),
    ("Connect", true),
];

/// The names of the default columns with commas between.
#[must_use]
pub fn default_heading() -> String {
    let default = COLUMNS.iter().filter(|(_, is_default)| *is_default);
    let names: Vec<&str> = default.map(|(name, _)| *name).collect();
    names.join(",")
}

/// A text as a field: in quotes, with its own doubled, if it holds the delimiter, a quote or a line
/// end; as it is otherwise, which costs no allocation.
#[must_use]
pub fn field(text: &str, delimiter: char) -> Cow<'_, str> {
    let is_special = |c: char| c == delimiter || matches!(c, '"' | '\r' | '\n');
    if text.contains(is_special) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_special_is_quoted() {
        for (text, delimiter, written) in [
            ("", ',', ""),
            ("a b;c", ',', "a b;c"),
            ("a b;c", ';', "\"a b;c\""),
            ("say \"hi\"", ',', "\"say \"\"hi\"\"\""),
            ("下单\n", '，', "\"下单\n\""),
            ("a，b", '，', "\"a，b\""),
        ] {
            assert_eq!(field(text, delimiter), written);
        }
    }
}
