//! Assertions. One file a class, one line in [`ENTRIES`].

mod binary_content;
mod compare;
mod duration;
mod finding;
mod jmespath;
mod json_path;
mod json_value;
mod md5;
mod plugin_json;
mod response;
mod size;
#[cfg(test)]
pub(crate) mod testing;
mod xml;
mod xpath;
mod xpath2;

use crate::leaf::Bind;

/// The classes, by name.
pub const ENTRIES: &[(&str, Bind)] = &[
    ("CompareAssertion", compare::bind),
    ("DurationAssertion", duration::bind),
    ("JMESPathAssertion", jmespath::bind),
    ("JSONPathAssertion", json_path::bind),
    ("MD5HexAssertion", md5::bind),
    ("ResponseAssertion", response::bind),
    ("SizeAssertion", size::bind),
    ("XMLAssertion", xml::bind),
    ("XPath2Assertion", xpath2::bind),
    ("XPathAssertion", xpath::bind),
    (
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion",
        plugin_json::bind,
    ),
    (
        "eu.luminis.jmeter.assertions.BinaryContentAssertion",
        binary_content::bind,
    ),
];

#[cfg(test)]
mod tests {
    //! What JMeter 5.6.3's result files have of assertions that hold.

    use super::testing::assert_on;
    use crate::context::testing::TestContext;
    use crate::testing::{element, sample};

    #[test]
    fn some_have_a_message_even_if_they_hold() {
        let xml = "<a><b/></a>";
        for (class, properties, body, message) in [
            ("DurationAssertion", &[][..], "x", None),
            ("XMLAssertion", &[], xml, None),
            (
                "JSONPathAssertion",
                &[("JSON_PATH", "$.a")],
                "{\"a\":1}",
                Some(""),
            ),
            (
                "JMESPathAssertion",
                &[("JMES_PATH", "a")],
                "{\"a\":1}",
                Some(""),
            ),
            ("XPathAssertion", &[("XPath.xpath", "//b")], xml, Some("")),
            (
                "XPathAssertion",
                &[("XPath.xpath", "//c"), ("XPath.negate", "true")],
                xml,
                Some("No Nodes Matched //c"),
            ),
            (
                "XPathAssertion",
                &[("XPath.xpath", "1=1")],
                xml,
                Some("No Nodes Matched for 1=1"),
            ),
            (
                "XPath2Assertion",
                &[("XPath.xpath", "//b")],
                xml,
                Some("No Nodes Matched for //b"),
            ),
            ("XPath2Assertion", &[("XPath.xpath", "")], xml, Some("")),
        ] {
            let mut cx = TestContext::with(&[]);
            let found = assert_on(&element(class, properties), &mut cx, &mut sample(body));
            assert!(!found.failure && !found.error, "{class} {found:?}");
            assert_eq!(found.message.as_deref(), message, "{class} {properties:?}");
        }
    }
}
