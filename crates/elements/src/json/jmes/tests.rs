//! `cases.txt` holds what JMeter 5.6.3's jmespath-java finds: a document after `DOC`, then
//! expression and what it finds, apart by a tab; `!` is an exception.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::parse_strict;
use super::*;
use crate::json::path::tests::plain;

#[test]
fn expressions_find_what_jmespath_java_finds() {
    let mut document = String::new();
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for line in include_str!("cases.txt").lines() {
        let fields: Vec<String> = line.split('\t').map(plain).collect();
        if fields[0] == "DOC" {
            document = fields[1].clone();
            continue;
        }
        let [expression, expected] = &fields[..] else {
            panic!("two fields: {line}");
        };
        checked += 1;
        let value = parse_strict(&document).unwrap();
        let found = Jmes::new(expression).and_then(|jmes| jmes.search(&value));
        let found = match found {
            Ok(value) => value.jackson(),
            Err(reason) => format!("!{reason}"),
        };
        // The parser's own words are not those of ANTLR.
        let same = match expected.contains("syntax error") {
            true => found.starts_with("!Unable to compile expression"),
            false => found == *expected,
        };
        if !same {
            wrong.push(format!("{expression}\n finds {found}\n not   {expected}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
    assert!(checked > 150);
}
