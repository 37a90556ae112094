//! `cases.txt` holds what JMeter 5.6.3 leaves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::testing::{after, check_variables};
use crate::context::testing::TestContext;
use crate::testing::keyed;

#[test]
fn variables_are_those_of_jmeter() {
    check_variables("HtmlExtractor", "HtmlExtractor.", include_str!("cases.txt"));
}

#[test]
fn old_variables_are_taken_away() {
    let properties = [("refname", "v"), ("expr", "p"), ("match_number", "-1")];
    let properties = keyed("HtmlExtractor.", &properties);
    let old = [("v_matchNr", "4"), ("v_3", "x"), ("v_4", "y")];
    let cx = TestContext::with(&old);
    let left = after("HtmlExtractor", &properties, "<p>1</p><p>2</p>", cx);
    assert_eq!(left, "v_1=1|v_2=2|v_matchNr=2");
}
