//! `cases_xalan.txt` and `cases_saxon.txt` hold what JMeter 5.6.3 leaves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::super::testing::check_variables;
use crate::registry::bind;
use crate::testing::element;

#[test]
fn variables_are_those_of_jmeter() {
    let table = include_str!("cases_xalan.txt");
    check_variables("XPathExtractor", "XPathExtractor.", table);
    let table = include_str!("cases_saxon.txt");
    check_variables("XPath2Extractor", "XPathExtractor2.", table);
}

#[test]
fn what_needs_xpath_2_is_left_to_others() {
    for (query, ours) in [
        ("//a/@id", true),
        ("//a[@id='${id}']", true),
        ("//a[@id=${id}]", false),
        ("count(//div) div 2", false),
        ("string(//a)", false),
        ("string((//a)[1])", false),
        ("//n:c", true),
        ("", true),
        ("1 to 3", false),
        ("//a/string(@id)", false),
        ("upper-case(//b)", false),
        ("for $x in //a return $x/@id", false),
        ("//*:c", false),
    ] {
        let element = element("XPath2Extractor", &[("XPathExtractor2.xpathQuery", query)]);
        assert_eq!(bind(&element).is_some(), ours, "{query}");
    }
}
