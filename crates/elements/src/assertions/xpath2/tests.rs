//! `cases.txt` holds what JMeter 5.6.3 says.

use crate::assertions::testing::check_verdicts;

#[test]
fn messages_are_those_of_jmeter() {
    check_verdicts("XPath2Assertion", "XPath.", include_str!("cases.txt"));
}
