//! `cases.txt` holds what JMeter 5.6.3's jmespath-java finds: a document after `DOC`, then
//! expression and what it finds, apart by a tab; `!` is an exception.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::parse_strict;
use super::*;
use crate::testing::check_table;

#[test]
fn expressions_find_what_jmespath_java_finds() {
    check_table(
        include_str!("cases.txt"),
        150,
        |document, expression, wanted| {
            let value = parse_strict(document).unwrap();
            let found = Jmes::new(expression).and_then(|jmes| jmes.search(&value));
            let found = match found {
                Ok(value) => value.jackson(),
                Err(reason) => format!("!{reason}"),
            };
            // The parser's own words are not those of ANTLR.
            let refused = found.starts_with("!Unable to compile expression");
            match refused && wanted[0].contains("syntax error") {
                true => wanted.to_vec(),
                false => vec![found],
            }
        },
    );
}
