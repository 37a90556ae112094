//! What is saved from responses and what is checked.

use plimsoll_text::Message;

use super::Decoder;
use crate::error::Problem;
use crate::model::{Check, CheckOf, Comparison, Extract, Extractor, Span, Test, Text, Which};
use crate::units::{parse_duration, parse_size};
use crate::yaml::node::{Key, Node};
use crate::yaml::table;

/// Tests of a value: the key, the comparison, whether it is turned round.
const TESTS: &[(&str, Comparison, bool)] = &[
    ("equals", Comparison::Equal, false),
    ("not-equals", Comparison::NotEqual, false),
    ("contains", Comparison::Contains, false),
    ("not-contains", Comparison::Contains, true),
    ("matches", Comparison::Matches, false),
    ("not-matches", Comparison::Matches, true),
    ("less-than", Comparison::Less, false),
    ("at-most", Comparison::AtMost, false),
    ("greater-than", Comparison::Greater, false),
    ("at-least", Comparison::AtLeast, false),
];

impl Decoder<'_> {
    /// Values to save, under the key `save`.
    pub(super) fn saves(&mut self, node: &Node) -> Vec<Extract> {
        let entries = self
            .value(node, "save", Node::map_entries)
            .unwrap_or_default();
        entries
            .iter()
            .filter_map(|(name, value)| self.save(name, value))
            .collect()
    }

    fn save(&mut self, name: &Key, node: &Node) -> Option<Extract> {
        self.check_name(&name.name, name.at);
        let variable = name.name.clone();
        let at = name.at;
        if let Some(text) = node.scalar() {
            let how = match text {
                "body" => Extractor::Body,
                "status" => Extractor::Status,
                "url" => Extractor::Url,
                path => Extractor::JsonPath(path.to_owned()),
            };
            return Some(Extract {
                variable,
                how,
                which: Which::Nth(1),
                default: None,
                at,
            });
        }
        let how = self.extractor(node)?;
        let which = self.value(node, "which", |node| match node.scalar()? {
            "random" => Some(Which::Random),
            "all" => Some(Which::All),
            number => number.parse().ok().map(Which::Nth),
        });
        let default = self.text(node, "default");
        Some(Extract {
            variable,
            how,
            which: which.unwrap_or(Which::Nth(1)),
            default,
            at,
        })
    }

    /// How a value is found, by the object's own key.
    fn extractor(&mut self, node: &Node) -> Option<Extractor> {
        if let Some(path) = self.string(node, "json") {
            return Some(Extractor::JsonPath(path));
        }
        if let Some(pattern) = self.text(node, "regex") {
            return Some(self.regex(node, pattern));
        }
        if let Some(selector) = self.string(node, "css") {
            return Some(Extractor::Css {
                selector,
                attribute: self.string(node, "attribute"),
            });
        }
        if let Some(path) = self.string(node, "xpath") {
            return Some(Extractor::XPath(path));
        }
        if let Some(name) = self.string(node, "header") {
            return Some(Extractor::Header(name));
        }
        if let Some(name) = self.string(node, "cookie") {
            return Some(Extractor::Cookie(name));
        }
        if let Some(bounds) = node.get("boundary") {
            let texts: Vec<Text> = bounds.one_or_many().iter().filter_map(Node::text).collect();
            return match <[Text; 2]>::try_from(texts) {
                Ok([left, right]) => Some(Extractor::Boundary { left, right }),
                Err(_) => {
                    self.error(bounds.at, "plan-two-bounds");
                    None
                }
            };
        }
        let parts = [
            ("body", Extractor::Body),
            ("status", Extractor::Status),
            ("url", Extractor::Url),
        ];
        let part = self.string(node, "part");
        let found = parts
            .into_iter()
            .find(|(name, _)| Some(*name) == part.as_deref());
        if found.is_none() {
            self.broken(node);
        }
        found.map(|(_, extractor)| extractor)
    }

    fn regex(&mut self, node: &Node, pattern: Text) -> Extractor {
        let groups = self.check_pattern(&pattern.raw, pattern.at);
        // With variables in it, the expression is known only later: trust its look.
        let has_group = groups.map_or(pattern.raw.contains('('), |groups| groups > 0);
        let usual = u32::from(has_group);
        let group: u32 = self.int(node, "group").unwrap_or(usual);
        if groups.is_some_and(|groups| group > groups) {
            let message = Message::new("plan-regex-no-group").with("group", group);
            let remedy = Message::new("plan-regex-no-group.remedy");
            self.problems
                .push(Problem::error(pattern.at, message).remedy(remedy));
        }
        let in_headers = [("body", false), ("headers", true)];
        let in_headers = self.word(node, "in", &in_headers).unwrap_or(false);
        Extractor::Regex {
            pattern: pattern.raw,
            group,
            in_headers,
        }
    }

    /// Checks a regular expression that holds no variables; its number of groups.
    fn check_pattern(&mut self, pattern: &str, at: Span) -> Option<u32> {
        if table::is_template(pattern) {
            return None;
        }
        match regex::Regex::new(pattern) {
            Ok(regex) => u32::try_from(regex.captures_len() - 1).ok(),
            Err(error) => {
                let detail = error.to_string();
                let detail = detail.lines().last().unwrap_or_default().trim();
                let message = Message::new("plan-bad-regex")
                    .with("detail", detail.trim_start_matches("error: "));
                let remedy = Message::new("plan-bad-regex.remedy");
                self.problems
                    .push(Problem::error(at, message).remedy(remedy));
                None
            }
        }
    }

    /// Checks, under the key `check`.
    pub(super) fn checks(&mut self, node: &Node) -> Vec<Check> {
        let mut checks = Vec::new();
        let Some(list) = node.get("check") else {
            return checks;
        };
        for item in list.one_or_many() {
            for (key, value) in item.map().unwrap_or_default() {
                self.check(item, key, value, &mut checks);
            }
        }
        checks
    }

    /// One key of a check; it may stand for several checks.
    fn check(&mut self, item: &Node, key: &Key, node: &Node, checks: &mut Vec<Check>) {
        let at = key.at;
        let mut push = |of, test| checks.push(Check { of, test, at });
        match key.name.as_str() {
            "status" => {
                let status = |node: &Node| table::status_range(node.scalar()?);
                let ranges: Vec<_> = node.one_or_many().iter().filter_map(status).collect();
                match ranges.is_empty() {
                    false => push(CheckOf::Status, Test::StatusIn(ranges)),
                    true => self.broken(node),
                }
            }
            "text" | "not-text" => {
                for text in node.one_or_many().iter().filter_map(Node::text) {
                    let test = Test::Compare {
                        op: Comparison::Contains,
                        with: text,
                    };
                    let test = match key.name.as_str() {
                        "text" => test,
                        _ => Test::Not(Box::new(test)),
                    };
                    push(CheckOf::Value(Extractor::Body), test);
                }
            }
            "size" => self.bounds(node, &CheckOf::SizeBytes, at, checks),
            "time" => self.bounds(node, &CheckOf::TimeMs, at, checks),
            "js" => match self.script(item, "js") {
                Some(script) => push(CheckOf::Script(script), Test::Truthy),
                None => self.broken(node),
            },
            "value" => {
                if let Some(extractor) = self.extractor(node) {
                    self.tests(&extractor, node, at, checks);
                }
            }
            "element" => push(CheckOf::Element(self.element_value(node)), Test::Truthy),
            kind => self.value_checks(kind, node, checks),
        }
    }

    /// Values of one kind, each with its tests: `json: {$.a: 1}`.
    fn value_checks(&mut self, kind: &str, node: &Node, checks: &mut Vec<Check>) {
        for (name, value) in node.map().unwrap_or_default() {
            let text = Text {
                raw: name.name.clone(),
                at: name.at,
            };
            let extractor = match kind {
                "json" => Extractor::JsonPath(text.raw),
                "header" => Extractor::Header(text.raw),
                "cookie" => Extractor::Cookie(text.raw),
                "css" => Extractor::Css {
                    selector: text.raw,
                    attribute: None,
                },
                "xpath" => Extractor::XPath(text.raw),
                "regex" => self.regex(value, text),
                _ => return self.broken(node),
            };
            self.tests(&extractor, value, name.at, checks);
        }
    }

    /// The tests that a value must pass: a text it equals, or a mapping of tests.
    fn tests(&mut self, of: &Extractor, node: &Node, at: Span, checks: &mut Vec<Check>) {
        let before = checks.len();
        let mut push = |test| {
            checks.push(Check {
                of: CheckOf::Value(of.clone()),
                test,
                at,
            })
        };
        if let Some(with) = node.text() {
            return push(Test::Compare {
                op: Comparison::Equal,
                with,
            });
        }
        let turned_if = |turned, test| {
            if turned {
                Test::Not(Box::new(test))
            } else {
                test
            }
        };
        for (key, op, turned) in TESTS {
            let Some(with) = self.text(node, key) else {
                continue;
            };
            if *op == Comparison::Matches {
                self.check_pattern(&with.raw, with.at);
            }
            push(turned_if(*turned, Test::Compare { op: *op, with }));
        }
        if let Some(inner) = node.get("not") {
            let mut turned = Vec::new();
            self.tests(of, inner, at, &mut turned);
            checks.extend(turned.into_iter().map(|check| Check {
                test: Test::Not(Box::new(check.test)),
                ..check
            }));
        }
        let mut push = |test| {
            checks.push(Check {
                of: CheckOf::Value(of.clone()),
                test,
                at,
            })
        };
        if let Some(exists) = self.bool(node, "exists") {
            push(turned_if(!exists, Test::Exists));
        }
        if let Some(count) = node.get("count") {
            self.bounds(count, &CheckOf::Count(of.clone()), at, checks);
        }
        if checks.len() == before {
            // `$.a: {}` checks nothing, which nobody means.
            self.error(node.at, "plan-check-empty");
        }
    }

    /// `<= 64KB`, or `at-least` and `at-most`, of a size, a time or a count.
    fn bounds(&mut self, node: &Node, of: &CheckOf, at: Span, checks: &mut Vec<Check>) {
        let in_units = |node: &Node| {
            let (op, value) = table::compared(node.scalar()?);
            let number = match of {
                CheckOf::SizeBytes => parse_size(value)?.to_string(),
                CheckOf::TimeMs => milliseconds(parse_duration(value)?),
                _ => value.to_owned(),
            };
            Some((
                op,
                Text {
                    raw: number,
                    at: node.at,
                },
            ))
        };
        let mut push = |op, with| {
            checks.push(Check {
                of: of.clone(),
                test: Test::Compare { op, with },
                at,
            });
        };
        if node.map().is_none() {
            let Some((op, with)) = in_units(node) else {
                return self.broken(node);
            };
            let usual = if *of == CheckOf::TimeMs {
                Comparison::AtMost
            } else {
                Comparison::Equal
            };
            push(op.map_or(usual, comparison_of), with);
            return;
        }
        let mut any = false;
        for (key, op) in [
            ("at-least", Comparison::AtLeast),
            ("at-most", Comparison::AtMost),
        ] {
            if let Some((_, with)) = self.value(node, key, in_units) {
                push(op, with);
                any = true;
            }
        }
        if !any {
            self.error(node.at, "plan-check-empty");
        }
    }
}

fn comparison_of(operator: &str) -> Comparison {
    match operator {
        "!=" => Comparison::NotEqual,
        "<" => Comparison::Less,
        "<=" => Comparison::AtMost,
        ">" => Comparison::Greater,
        ">=" => Comparison::AtLeast,
        _ => Comparison::Equal,
    }
}

/// A time as a decimal number of milliseconds, exactly.
fn milliseconds(time: std::time::Duration) -> String {
    let (whole, rest) = (time.as_nanos() / 1_000_000, time.as_nanos() % 1_000_000);
    match rest {
        0 => whole.to_string(),
        _ => format!("{whole}.{rest:06}")
            .trim_end_matches('0')
            .to_owned(),
    }
}
