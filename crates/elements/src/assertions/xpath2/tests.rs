//! `cases.txt` holds what JMeter 5.6.3 says.

use crate::assertions::testing::run_cases;

#[test]
fn messages_are_those_of_jmeter() {
    run_cases("XPath2Assertion", "XPath.", include_str!("cases.txt"));
}
