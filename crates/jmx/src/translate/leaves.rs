//! Leaves: each is carried as it is into the scope where it stands. Only the CSV Data Set is
//! taken apart, since its rows are shared by users, threads and machines.

use plimsoll_plan::model::{
    AtEnd, Check, CheckOf, CsvData, DataOrder, Processor, Scope, ScopePause, SharedBy, Test,
};

use super::element::{flag, flag_or, flat, text};
use super::perf_mon;
use super::translator::Translator;
use crate::classes::{Category, category, works_on_pass};
use crate::read::JmxNode;

impl Translator<'_> {
    /// Puts a leaf into the scope.
    pub(super) fn leaf(&mut self, node: &JmxNode, scope: &mut Scope) {
        let element = || node.element.clone();
        match (category(&node.element.class), node.element.class.as_str()) {
            // Those are the plan's variables, wherever they stand.
            (_, "Arguments") => {}
            (_, "CSVDataSet") => {
                if let Some(data) = self.csv(node) {
                    scope.data.push(data);
                }
            }
            (_, "com.blazemeter.jmeter.RandomCSVDataSetConfig") => {
                if let Some(data) = self.random_csv(node) {
                    scope.data.push(data);
                }
            }
            (_, class) if works_on_pass(class) => scope.push_on_pass(element()),
            // These set their variables when a pass begins instead of before each sampler.
            (_, "UserParameters") if flag(&node.element, "UserParameters.per_iteration") => {
                scope.push_on_pass(element());
            }
            (_, perf_mon::CLASS) => {
                self.agents(node);
                scope.elements.push(element());
            }
            (Some(Category::Config | Category::Listener), _) => scope.elements.push(element()),
            (Some(Category::Pre), _) => scope.before.push(Processor::Element(element())),
            (Some(Category::Post), _) => scope.after.push(Processor::Element(element())),
            (Some(Category::Timer), _) => scope.pauses.push(ScopePause::Element(element())),
            (Some(Category::Assertion), _) => scope.checks.push(Check {
                of: CheckOf::Element(element()),
                test: Test::Truthy,
                at: node.at,
            }),
            // Unknown ones are told of by the table; tools and dropped ones do nothing.
            _ => {}
        }
    }

    /// JMeter 5.6.3, `CSVDataSet`.
    fn csv(&mut self, node: &JmxNode) -> Option<CsvData> {
        let element = &node.element;
        let mut columns = self.columns(node);
        for name in &mut columns {
            *name = name.trim().to_owned();
        }
        let (delimiter, separator) = self.delimiter(node, flag(element, "quotedData"))?;
        let encoding = self.fixed(node, "fileEncoding").unwrap_or_default();
        let at_end = match (
            flag_or(element, "recycle", true),
            flag(element, "stopThread"),
        ) {
            (true, _) => AtEnd::Recycle,
            (false, true) => AtEnd::StopUser,
            (false, false) => AtEnd::Marker,
        };
        let (shared_by, group) = match flat(element, "shareMode").as_str() {
            "" | "shareMode.all" | "All threads" => (SharedBy::All, None),
            "shareMode.group" | "Current thread group" => (SharedBy::Scenario, None),
            "shareMode.thread" | "Current thread" => (SharedBy::User, None),
            key => (SharedBy::All, Some(key.to_owned())),
        };
        let mut path = text(element, "filename");
        path.raw = path.raw.trim().to_owned();
        Some(CsvData {
            name: element.name.raw.clone(),
            path,
            has_header: columns.is_empty() || flag(element, "ignoreFirstLine"),
            columns,
            delimiter,
            separator,
            encoding: or_utf_8(&encoding),
            order: DataOrder::Sequential,
            at_end,
            shared_by,
            group,
            quoted: flag(element, "quotedData"),
            verbatim: false,
            elements_behind: 0,
            at: node.at,
        })
    }

    /// The names of the variables; none: they are in the first line. JMeter passes over empty ones
    /// (5.6.3, `JOrphanUtils.split`).
    fn columns(&mut self, node: &JmxNode) -> Vec<String> {
        let columns = self.fixed(node, "variableNames").unwrap_or_default();
        let names = columns.split(',').filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }

    /// The plugins' Random CSV Data Set (0.8, `RandomCSVDataSetConfig`): its users share one list even
    /// where the form says that each has its own, since they are handed the same reader.
    fn random_csv(&mut self, node: &JmxNode) -> Option<CsvData> {
        let element = &node.element;
        let columns = self.columns(node);
        let encoding = self.fixed(node, "fileEncoding").unwrap_or_default();
        let (delimiter, separator) = self.delimiter(node, true)?;
        Some(CsvData {
            name: element.name.raw.clone(),
            path: text(element, "filename"),
            has_header: columns.is_empty() || flag(element, "ignoreFirstLine"),
            columns,
            delimiter,
            separator,
            encoding: or_utf_8(&encoding),
            order: match flag(element, "randomOrder") {
                true => DataOrder::Shuffled,
                false => DataOrder::Sequential,
            },
            at_end: match flag(element, "rewindOnTheEndOfList") {
                true => AtEnd::Recycle,
                false => AtEnd::StopUser,
            },
            shared_by: SharedBy::All,
            group: None,
            quoted: true,
            verbatim: true,
            elements_behind: 0,
            at: node.at,
        })
    }

    /// What is between columns: JMeter takes the first character where fields may be quoted, and else all of the
    /// text (5.6.3, `CSVDataSet.iterationStart`).
    fn delimiter(&mut self, node: &JmxNode, quoted: bool) -> Option<(u8, Option<String>)> {
        let written = match node.element.text("delimiter") {
            Some(_) => self.fixed(node, "delimiter")?,
            None => String::new(),
        };
        let counts = match (written.as_str(), quoted) {
            ("", _) => ",",
            ("\\t", _) => "\t",
            (text, true) => {
                text.split_at(text.chars().next().map_or(0, char::len_utf8))
                    .0
            }
            (text, false) => text,
        };
        Some(match counts.as_bytes() {
            [one] => (*one, None),
            _ => (b',', Some(counts.to_owned())),
        })
    }
}

fn or_utf_8(encoding: &str) -> String {
    match encoding.trim() {
        "" => "UTF-8".to_owned(),
        known => known.to_owned(),
    }
}

/// Whether nothing is in a scope.
pub(super) fn is_empty(scope: &Scope) -> bool {
    scope.data.is_empty()
        && scope.counters.is_empty()
        && scope.before.is_empty()
        && scope.pauses.is_empty()
        && scope.after.is_empty()
        && scope.checks.is_empty()
        && scope.elements.is_empty()
        && scope.on_pass.is_empty()
}
