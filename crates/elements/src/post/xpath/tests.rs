//! `cases.txt` holds what JMeter 5.6.3 leaves.

use super::super::testing::run_cases;

#[test]
fn variables_are_those_of_jmeter() {
    run_cases(
        "XPathExtractor",
        "XPathExtractor.",
        include_str!("cases.txt"),
    );
}
