//! What is checked of responses.

use super::base::*;
use super::saves::{
    InHeaders, PatternForm, RegexGroup, SavedPart, TwoTexts, check_pattern, extractors,
};
use crate::model::{Check, CheckOf, Comparison, Element, Extractor, Span, Test, Text};
use crate::units::{parse_duration, parse_size};
use crate::yaml::condition::OPERATORS;

/// Reads one key of a check, which may stand for several checks.
type ReadCheck = fn(&mut Decoder<'_>, &Name, &Node, &mut Vec<Check>);

macro_rules! checks {
    ($($key:literal: $slot:ty, $doc:literal => $read:path;)*) => {
        static CHECK: Object = Object {
            id: "check",
            parts: &parts!($([$key: Maybe<$slot>, $doc])*),
            groups: &[],
        };

        fn reader(key: &str) -> Option<ReadCheck> {
            match key {
                $($key => Some($read),)*
                _ => None,
            }
        }
    };
}
checks! {
    "status": OneOrMore<Status>, "check-status" => status;
    "text": OneOrMore<AnyText>, "check-text" => text;
    "not-text": OneOrMore<AnyText>, "check-not-text" => text;
    "json": Tests, "check-json" => values;
    "header": Tests, "check-header" => values;
    "cookie": Tests, "check-cookie" => values;
    "regex": Tests, "check-regex" => values;
    "css": Tests, "check-css" => values;
    "xpath": Tests, "check-xpath" => values;
    "size": SizeTest, "check-size" => bounds;
    "time": TimeTest, "check-time" => bounds;
    "js": ScriptText, "check-js" => script;
    "value": CheckedValue, "check-value" => value;
    "element": Element, "element" => element;
}

/// A comparison of a value: its key, its sign, whether it is turned round.
macro_rules! tests {
    ($($key:literal: $op:ident, $turned:literal, $doc:literal;)*) => {
        const TESTS: &[(&str, Comparison, bool)] = &[$(($key, Comparison::$op, $turned)),*];

        /// The tests of a value.
        pub(crate) struct TestKeys;

        impl TestKeys {
            const PARTS: &'static [Part] = &parts!(
                $([$key: Maybe<AnyText>, $doc])*
                ["exists": Maybe<Flag>, "test-exists"]
                ["count": Maybe<CountTest>, "test-count"]
                ["not": Maybe<TestObject>, "test-not"]
            );
        }
    };
}
tests! {
    "equals": Equal, false, "test-equals";
    "not-equals": NotEqual, false, "test-not-equals";
    "contains": Contains, false, "test-contains";
    "not-contains": Contains, true, "test-not-contains";
    "matches": Matches, false, "test-matches";
    "not-matches": Matches, true, "test-not-matches";
    "less-than": Less, false, "test-less-than";
    "at-most": AtMost, false, "test-at-most";
    "greater-than": Greater, false, "test-greater-than";
    "at-least": AtLeast, false, "test-at-least";
}

macro_rules! bounds_of {
    ($id:literal, $form:ty) => {
        const { &Object {
            id: $id,
            parts: &parts!(["at-least": Maybe<$form>, "test-at-least"] ["at-most": Maybe<$form>, "test-at-most"]),
            groups: &[],
        } }
    };
}
kinds! {
    /// Tests of values by how they are found.
    Tests = Kind::Map(|| Kind::OneOf(&[AnyText::kind, TestObject::kind]));
    TestObject = Kind::Object(const { &Object { id: "test", parts: TestKeys::PARTS, groups: &[] } });
    CountTest = Kind::OneOf(&[CountOrZero::kind, || Kind::Object(bounds_of!("count-test", CountOrZero))]);
    SizeTest = Kind::OneOf(&[ComparedSize::kind, || Kind::Object(bounds_of!("size-test", Size))]);
    TimeTest = Kind::OneOf(&[ComparedTime::kind, || Kind::Object(bounds_of!("time-test", Time))]);
}

extractors! {
    /// The long form: how a value is found and what it must be.
    struct CheckedValue = "value-check" ..TestKeys,
    ["check-json", "check-regex", "check-css", "check-xpath", "check-header", "check-cookie", "check-boundary", "check-part"]
}

/// A mapping of what must hold.
struct CheckItem;

impl Form for CheckItem {
    type Of = Vec<Check>;

    fn kind() -> Kind {
        Kind::Object(&CHECK)
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<Check>> {
        let mut checks = Vec::new();
        for (key, value) in node.map()? {
            match reader(&key.name) {
                Some(read) => read(decoder, key, value, &mut checks),
                None => decoder.broken(value),
            }
        }
        Some(checks)
    }

    fn write(checks: &Vec<Check>) -> Yaml {
        let mut map = Map::default();
        for (key, value) in checks.iter().map(written) {
            map.put(key, value);
        }
        map.into()
    }
}

/// Checks: a mapping of what must hold, or a list of such. Written, each is an item of its own.
pub(crate) struct Checks;

impl Form for Checks {
    type Of = Vec<Check>;

    fn kind() -> Kind {
        OneOrMore::<CheckItem>::kind()
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<Check>> {
        Some(List::<CheckItem>::read(decoder, node)?.concat())
    }

    fn write(checks: &Vec<Check>) -> Yaml {
        let items = checks
            .iter()
            .map(|check| CheckItem::write(&vec![check.clone()]));
        Yaml::List(items.collect())
    }
}

fn status(decoder: &mut Decoder<'_>, key: &Name, node: &Node, checks: &mut Vec<Check>) {
    let ranges = OneOrMore::<Status>::read(decoder, node).unwrap_or_default();
    match ranges.is_empty() {
        true => decoder.broken(node),
        false => checks.push(check(CheckOf::Status, Test::StatusIn(ranges), key.at)),
    }
}

fn text(decoder: &mut Decoder<'_>, key: &Name, node: &Node, checks: &mut Vec<Check>) {
    for with in OneOrMore::<AnyText>::read(decoder, node).unwrap_or_default() {
        let test = turned_if(key.name == "not-text", compare(Comparison::Contains, with));
        checks.push(check(CheckOf::Value(Extractor::Body), test, key.at));
    }
}

fn script(decoder: &mut Decoder<'_>, key: &Name, node: &Node, checks: &mut Vec<Check>) {
    let script = decoder.value::<ScriptText>(node);
    checks.extend(script.map(|script| check(CheckOf::Script(script), Test::Truthy, key.at)));
}

fn element(decoder: &mut Decoder<'_>, key: &Name, node: &Node, checks: &mut Vec<Check>) {
    let element = decoder.value::<Element>(node);
    checks.extend(element.map(|element| check(CheckOf::Element(element), Test::Truthy, key.at)));
}

fn value(decoder: &mut Decoder<'_>, key: &Name, node: &Node, checks: &mut Vec<Check>) {
    if let Some(extractor) = CheckedValue::read(decoder, node) {
        tests(decoder, &extractor, node, key.at, checks);
    }
}

/// Values of one kind, each with its tests: `json: {$.a: 1}`.
fn values(decoder: &mut Decoder<'_>, key: &Name, node: &Node, checks: &mut Vec<Check>) {
    for (name, value) in node.map().unwrap_or_default() {
        let text = name.name.clone();
        let extractor = match key.name.as_str() {
            "json" => Extractor::JsonPath(text),
            "header" => Extractor::Header(text),
            "cookie" => Extractor::Cookie(text),
            "xpath" => Extractor::XPath(text),
            "css" => Extractor::Css {
                selector: text,
                attribute: None,
            },
            _ => {
                let groups = check_pattern(decoder, &text, name.at);
                let pattern = Text {
                    raw: text,
                    at: name.at,
                };
                Extractor::Regex {
                    group: RegexGroup::of(decoder, value, &pattern, groups),
                    in_headers: InHeaders::get(decoder, value, "in", "body").unwrap_or_default(),
                    pattern: pattern.raw,
                }
            }
        };
        tests(decoder, &extractor, value, name.at, checks);
    }
}

fn check(of: CheckOf, test: Test, at: Span) -> Check {
    Check { of, test, at }
}

fn compare(op: Comparison, with: Text) -> Test {
    Test::Compare { op, with }
}

fn turned_if(turned: bool, test: Test) -> Test {
    match turned {
        true => Test::Not(Box::new(test)),
        false => test,
    }
}

/// The tests that a value must pass: a text it equals, or a mapping of tests.
fn tests(
    decoder: &mut Decoder<'_>,
    of: &Extractor,
    node: &Node,
    at: Span,
    checks: &mut Vec<Check>,
) {
    let before = checks.len();
    let valued = |test| check(CheckOf::Value(of.clone()), test, at);
    if let Some(with) = node.text() {
        return checks.push(valued(compare(Comparison::Equal, with)));
    }
    for (key, op, turned) in TESTS {
        let Some(with) = Maybe::<AnyText>::get(decoder, node, key, "").flatten() else {
            continue;
        };
        if *op == Comparison::Matches {
            check_pattern(decoder, &with.raw, with.at);
        }
        checks.push(valued(turned_if(*turned, compare(*op, with))));
    }
    if let Some(inner) = node.get("not") {
        let mut turned = Vec::new();
        tests(decoder, of, inner, at, &mut turned);
        let turned = turned.into_iter();
        checks.extend(turned.map(|each| check(each.of, turned_if(true, each.test), at)));
    }
    if let Some(exists) = Maybe::<Flag>::get(decoder, node, "exists", "").flatten() {
        checks.push(valued(turned_if(!exists, Test::Exists)));
    }
    if let Some(count) = node.get("count") {
        compared_in(decoder, &CheckOf::Count(of.clone()), count, at, checks);
    }
    if checks.len() == before {
        // `$.a: {}` checks nothing, which nobody means.
        decoder.error(node.at, "plan-check-empty");
    }
}

fn bounds(decoder: &mut Decoder<'_>, key: &Name, node: &Node, checks: &mut Vec<Check>) {
    let of = match key.name.as_str() {
        "size" => CheckOf::SizeBytes,
        _ => CheckOf::TimeMs,
    };
    compared_in(decoder, &of, node, key.at, checks);
}

/// `<= 64KB`, or `at-least` and `at-most`, of a size, a time or a count.
fn compared_in(
    decoder: &mut Decoder<'_>,
    of: &CheckOf,
    node: &Node,
    at: Span,
    checks: &mut Vec<Check>,
) {
    let before = checks.len();
    let mut push = |decoder: &mut Decoder<'_>, node: &Node, usual| match in_units(of, node) {
        Some((op, with)) => checks.push(check(of.clone(), compare(op.unwrap_or(usual), with), at)),
        None => decoder.broken(node),
    };
    if node.map().is_none() {
        let usual = match of {
            CheckOf::TimeMs => Comparison::AtMost,
            _ => Comparison::Equal,
        };
        return push(decoder, node, usual);
    }
    for (key, op) in [
        ("at-least", Comparison::AtLeast),
        ("at-most", Comparison::AtMost),
    ] {
        if let Some(bound) = node.get(key) {
            push(decoder, bound, op);
        }
    }
    if checks.len() == before {
        decoder.error(node.at, "plan-check-empty");
    }
}

/// The sign before a number, if there is one, and the number in the unit of what is checked.
fn in_units(of: &CheckOf, node: &Node) -> Option<(Option<Comparison>, Text)> {
    let (sign, value) = compared(node.scalar()?);
    let raw = match of {
        CheckOf::SizeBytes => parse_size(value)?.to_string(),
        CheckOf::TimeMs => milliseconds(parse_duration(value)?),
        _ => value.to_owned(),
    };
    let of_sign = |sign: &str| OPERATORS.iter().find(|(known, _)| *known == sign);
    let op = sign.and_then(of_sign).map(|(_, op)| *op);
    Some((op, Text { raw, at: node.at }))
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

/// A check's key and value.
fn written(check: &Check) -> (&'static str, Yaml) {
    let sign = |op: Comparison, number: &str, unit: &str| {
        let is_sign = |(sign, known): &&(&str, _)| *known == op && !sign.starts_with(' ');
        let found = OPERATORS.iter().find(is_sign);
        let sign = found.map_or("==", |(sign, _)| sign);
        Yaml::Text(format!("{sign} {number}{unit}"))
    };
    match (&check.of, &check.test) {
        (CheckOf::Status, Test::StatusIn(ranges)) => ("status", List::<Status>::write(ranges)),
        (CheckOf::Script(script), _) => ("js", ScriptText::write(script)),
        (CheckOf::Element(each), _) => ("element", Element::write(each)),
        (CheckOf::SizeBytes, Test::Compare { op, with }) => ("size", sign(*op, &with.raw, "")),
        (CheckOf::TimeMs, Test::Compare { op, with }) => ("time", sign(*op, &with.raw, "ms")),
        (CheckOf::Value(how), test) => ("value", written_value(how, test, false)),
        (CheckOf::Count(how), test) => ("value", written_value(how, test, true)),
        (_, test) => ("value", written_value(&Extractor::Status, test, false)),
    }
}

fn written_value(how: &Extractor, test: &Test, counted: bool) -> Yaml {
    let mut map = Map::default();
    <CheckedValue as Cases>::write_case(how, &mut map);
    let (key, value) = written_test(test, counted);
    map.put(key, value);
    map.into()
}

fn written_test(test: &Test, counted: bool) -> (&'static str, Yaml) {
    let key = |op: Comparison, turned: bool| {
        let mut found = TESTS
            .iter()
            .filter(|(_, known, turns)| *known == op && *turns == turned);
        found.next().map(|(key, ..)| *key)
    };
    match test {
        Test::Compare { op, with } if counted => written_count(*op, with),
        Test::Compare { op, with } => (key(*op, false).unwrap_or_default(), with.into()),
        Test::Not(inner) => match &**inner {
            Test::Exists => ("exists", plain(false)),
            Test::Compare { op, with } if !counted && key(*op, true).is_some() => {
                (key(*op, true).unwrap_or_default(), with.into())
            }
            other => ("not", single(written_test(other, counted))),
        },
        // Of statuses and of scripts, which have keys of their own, only these would be left.
        Test::Exists | Test::StatusIn(_) | Test::Truthy => ("exists", plain(true)),
    }
}

fn single((key, value): (&str, Yaml)) -> Yaml {
    Yaml::Map(vec![(key.to_owned(), value)])
}

/// How many matches there are: whole numbers.
fn written_count(op: Comparison, with: &Text) -> (&'static str, Yaml) {
    let number: u64 = with.raw.trim().parse().unwrap_or(0);
    let bound = |key, number: u64| ("count", single((key, plain(number))));
    match op {
        Comparison::AtLeast => bound("at-least", number),
        Comparison::AtMost => bound("at-most", number),
        Comparison::Greater => bound("at-least", number + 1),
        Comparison::Less => bound("at-most", number.saturating_sub(1)),
        Comparison::NotEqual => ("not", single(("count", plain(number)))),
        Comparison::Equal | Comparison::Contains | Comparison::Matches => ("count", plain(number)),
    }
}
