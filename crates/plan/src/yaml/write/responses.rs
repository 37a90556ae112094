//! What is taken from responses and what is checked.

use super::element::element;
use super::emit::{Map, Yaml, plain};
use crate::model::{Check, CheckOf, Comparison, Extract, Extractor, Test, Text, Which};

/// Values to save by their variables.
pub(super) fn saves(extracts: &[&Extract]) -> Map {
    let mut map = Map::default();
    for extract in extracts {
        let mut value = extractor(&extract.how);
        match extract.which {
            Which::Nth(1) => {}
            Which::Nth(number) => value.put("which", plain(number)),
            Which::Random => value.put("which", plain("random")),
            Which::All => value.put("which", plain("all")),
        }
        value.put_some("default", extract.default.as_ref());
        map.put(extract.variable.as_str(), value);
    }
    map
}

fn extractor(how: &Extractor) -> Map {
    let mut map = Map::default();
    match how {
        Extractor::JsonPath(path) => map.put("json", path),
        Extractor::Regex {
            pattern,
            group,
            in_headers,
        } => {
            map.put("regex", pattern);
            map.put("group", plain(group));
            if *in_headers {
                map.put("in", plain("headers"));
            }
        }
        Extractor::Css {
            selector,
            attribute,
        } => {
            map.put("css", selector);
            map.put_some("attribute", attribute.as_ref());
        }
        Extractor::XPath(path) => map.put("xpath", path),
        Extractor::Header(name) => map.put("header", name),
        Extractor::Cookie(name) => map.put("cookie", name),
        Extractor::Boundary { left, right } => {
            map.put("boundary", vec![Yaml::from(left), Yaml::from(right)]);
        }
        Extractor::Body => map.put("part", plain("body")),
        Extractor::Status => map.put("part", plain("status")),
        Extractor::Url => map.put("part", plain("url")),
    }
    map
}

/// Checks in their order, each an item of the list.
pub(super) fn checks(checks: &[Check]) -> Vec<Yaml> {
    checks.iter().map(|one| check(one).into()).collect()
}

fn check(check: &Check) -> Map {
    let mut map = Map::default();
    match (&check.of, &check.test) {
        (CheckOf::Status, Test::StatusIn(ranges)) => {
            let range = |(from, to): &(u16, u16)| match from == to {
                true => plain(from),
                false => plain(format!("{from}..{to}")),
            };
            map.put("status", ranges.iter().map(range).collect::<Vec<_>>());
        }
        (CheckOf::Script(script), _) => map.put("js", &script.source),
        (CheckOf::Element(each), _) => map.put("element", element(each)),
        (CheckOf::SizeBytes, Test::Compare { op, with }) => {
            map.put("size", compared(*op, &with.raw, ""));
        }
        (CheckOf::TimeMs, Test::Compare { op, with }) => {
            map.put("time", compared(*op, &with.raw, "ms"));
        }
        (CheckOf::Value(how), other) => map.put("value", value(how, other, false)),
        (CheckOf::Count(how), other) => map.put("value", value(how, other, true)),
        (_, other) => map.put("value", value(&Extractor::Status, other, false)),
    }
    map
}

fn compared(op: Comparison, number: &str, unit: &str) -> Yaml {
    let op = match op {
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
        Comparison::Equal | Comparison::Contains | Comparison::Matches => "==",
    };
    Yaml::Text(format!("{op} {number}{unit}"))
}

fn value(how: &Extractor, tested: &Test, counted: bool) -> Map {
    let mut map = extractor(how);
    test(tested, counted, &mut map);
    map
}

fn test(tested: &Test, counted: bool, map: &mut Map) {
    match tested {
        Test::Exists => map.put("exists", plain(true)),
        Test::Not(inner) => match &**inner {
            Test::Exists => map.put("exists", plain(false)),
            Test::Compare {
                op: Comparison::Contains,
                with,
            } if !counted => map.put("not-contains", with),
            Test::Compare {
                op: Comparison::Matches,
                with,
            } if !counted => map.put("not-matches", with),
            other => {
                let mut turned = Map::default();
                test(other, counted, &mut turned);
                map.put("not", turned);
            }
        },
        Test::Compare { op, with } if counted => count(*op, with, map),
        Test::Compare { op, with } => {
            let key = match op {
                Comparison::Equal => "equals",
                Comparison::NotEqual => "not-equals",
                Comparison::Less => "less-than",
                Comparison::AtMost => "at-most",
                Comparison::Greater => "greater-than",
                Comparison::AtLeast => "at-least",
                Comparison::Contains => "contains",
                Comparison::Matches => "matches",
            };
            map.put(key, with);
        }
        // Only of statuses and of scripts, which have keys of their own.
        Test::StatusIn(_) | Test::Truthy => map.put("exists", plain(true)),
    }
}

/// How many matches there are: whole numbers.
fn count(op: Comparison, with: &Text, map: &mut Map) {
    let number: u64 = with.raw.trim().parse().unwrap_or(0);
    let bound = |key: &str, number: u64| {
        let mut bound = Map::default();
        bound.put(key, plain(number));
        Yaml::from(bound)
    };
    match op {
        Comparison::AtLeast => map.put("count", bound("at-least", number)),
        Comparison::AtMost => map.put("count", bound("at-most", number)),
        Comparison::Greater => map.put("count", bound("at-least", number + 1)),
        Comparison::Less => map.put("count", bound("at-most", number.saturating_sub(1))),
        Comparison::NotEqual => {
            let mut turned = Map::default();
            turned.put("count", plain(number));
            map.put("not", turned);
        }
        Comparison::Equal | Comparison::Contains | Comparison::Matches => {
            map.put("count", plain(number));
        }
    }
}
