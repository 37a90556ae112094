//! What is taken from responses, what is checked, where data comes from, what is aimed at.

use std::time::Duration;

use super::{Comparison, Script, Span, Text};

/// A value taken from a response.
#[derive(Debug, Clone)]
pub struct Extract {
    /// Variable that gets it.
    pub variable: String,
    /// How it is found.
    pub how: Extractor,
    /// Which match.
    pub which: Which,
    /// Value when there is none; without one the sample fails.
    pub default: Option<Text>,
    /// Where it is written.
    pub at: Span,
}

/// How a value is found in a response.
#[derive(Debug, Clone, PartialEq)]
pub enum Extractor {
    /// RFC 9535 JSONPath over the body.
    JsonPath(String),
    /// A regular expression over the body; the group is saved.
    Regex {
        /// The expression.
        pattern: String,
        /// The group; 0: the whole match.
        group: u32,
        /// Over the header section instead of the body.
        in_headers: bool,
    },
    /// CSS selector over an HTML body: an attribute, or the text.
    Css {
        /// The selector.
        selector: String,
        /// The attribute; none: the element's text.
        attribute: Option<String>,
    },
    /// XPath over an XML or HTML body.
    XPath(String),
    /// A header's value.
    Header(String),
    /// A cookie's value, as the response sets it.
    Cookie(String),
    /// What stands between two texts.
    Boundary {
        /// Text before.
        left: Text,
        /// Text after.
        right: Text,
    },
    /// The whole body.
    Body,
    /// The status code.
    Status,
    /// The address of the last request of a redirect chain.
    Url,
}

/// Which of several matches is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The n-th, from 1.
    Nth(u32),
    /// One at random.
    Random,
    /// All: `NAME_1`, `NAME_2` …, `NAME_matchNr`.
    All,
}

/// A check; one that fails makes the sample an error with a readable reason.
#[derive(Debug, Clone)]
pub struct Check {
    /// What is looked at.
    pub of: CheckOf,
    /// How.
    pub test: Test,
    /// Where it is written.
    pub at: Span,
}

/// What a check looks at.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckOf {
    /// The status code.
    Status,
    /// A value found as an extraction finds it (first match).
    Value(Extractor),
    /// How many matches there are.
    Count(Extractor),
    /// Bytes of the decoded body.
    SizeBytes,
    /// Response time in milliseconds (service time).
    TimeMs,
    /// A script's value must be truthy.
    Script(Script),
    /// Another engine's assertion must hold.
    Element(super::Element),
}

/// The test of a check.
#[derive(Debug, Clone)]
pub enum Test {
    /// One of these statuses or ranges, both ends in.
    StatusIn(Vec<(u16, u16)>),
    /// Compared with a text; as numbers when both are.
    Compare {
        /// How.
        op: Comparison,
        /// With what.
        with: Text,
    },
    /// Is there.
    Exists,
    /// The opposite.
    Not(Box<Test>),
    /// Truthy (scripts).
    Truthy,
}

/// Variables from the rows of a CSV file.
#[derive(Debug, Clone, Default)]
pub struct CsvData {
    /// Name shown in messages.
    pub name: String,
    /// Path, from the plan's folder.
    pub path: Text,
    /// Variable for each column; empty: the first row names them.
    pub columns: Vec<String>,
    /// Whether the first row is names and not data.
    pub has_header: bool,
    /// Between the columns.
    pub delimiter: u8,
    /// The text between the columns where it is no single byte: then it counts, and `delimiter` does not. Plans
    /// from JMeter have it.
    pub separator: Option<String>,
    /// The file's encoding, a label of the WHATWG Encoding standard.
    pub encoding: String,
    /// Which row comes next.
    pub order: DataOrder,
    /// What comes after the last row.
    pub at_end: AtEnd,
    /// Who shares the cursor.
    pub shared_by: super::SharedBy,
    /// Data of one group and one path share a cursor, wherever they are written.
    pub group: Option<String>,
    /// Whether quotes may enclose a field (RFC 4180).
    pub quoted: bool,
    /// Whether a byte order mark is part of the text, and blanks are part of the names in the first
    /// row (a Random CSV Data Set from JMeter).
    pub verbatim: bool,
    /// How many elements that are told of a pass stand behind it: in plans from JMeter these are told first.
    pub elements_behind: u64,
    /// Where it is written.
    pub at: Span,
}

/// Which row comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataOrder {
    /// One after the other.
    #[default]
    Sequential,
    /// Any.
    Random,
    /// Each once, in random order; then each once more in another.
    Shuffled,
    /// Each user has its own row for life; no two users the same.
    UniquePerUser,
}

/// What comes after the last row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtEnd {
    /// The first row again.
    #[default]
    Recycle,
    /// The user ends.
    StopUser,
    /// Variables hold `<EOF>` (JMeter).
    Marker,
}

/// A goal.
#[derive(Debug, Clone, PartialEq)]
pub struct GoalSpec {
    /// What must hold.
    pub goal: plimsoll_stats::Goal,
    /// The run is ended as soon as the goal is missed for so long.
    pub abort_after: Option<Duration>,
    /// Where it is written.
    pub at: Span,
}

/// What ends a run early: a condition that held for a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Guard {
    /// The condition that must hold (a guard trips when it is broken).
    pub metric: GuardMetric,
    /// For how long it must be broken without a break.
    pub for_at_least: Duration,
    /// Where it is written.
    pub at: Span,
}

/// What a guard watches.
#[derive(Debug, Clone, PartialEq)]
pub enum GuardMetric {
    /// A goal's expression over the last seconds.
    Goal(plimsoll_stats::Goal),
    /// 99th percentile of send lateness at most this.
    SendLateness(Duration),
}

/// Who hears the run while it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutputTarget {
    /// The kind of output: `influxdb`, `jsonl` …
    pub output: String,
    /// Where it goes.
    pub address: String,
    /// Further settings by the plan's own keys.
    pub settings: std::collections::BTreeMap<String, String>,
    /// What everything is marked with.
    pub tags: std::collections::BTreeMap<String, String>,
    /// Where it is written.
    pub at: Span,
}

/// Something of the target that is watched while the load runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WatchSource {
    /// The kind of source: `auto`, `host`, `actuator`, `mysql` …
    pub source: String,
    /// Where it is; empty where the kind says enough.
    pub address: String,
    /// Further settings by the plan's own keys.
    pub options: std::collections::BTreeMap<String, String>,
    /// Where it is written.
    pub at: Span,
}
