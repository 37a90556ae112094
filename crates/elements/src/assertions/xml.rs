//! `XMLAssertion`: the body is XML, without a DTD.

use plimsoll_plan::program::Template;

use super::finding::{failure_for_null, holds};
use crate::context::{Context, Fault};
use crate::fields::Fields;
use crate::leaf::{Assertion, Bound};
use crate::result::{AssertionResult, SampleResult};
use crate::xml;

struct XmlAssertion {
    name: Template,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let name = fields.0.name.clone();
    Bound::Assertion(Box::new(XmlAssertion { name }))
}

impl Assertion for XmlAssertion {
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault> {
        let found = holds(&self.name, cx)?;
        let body = sample.text();
        if body.is_empty() {
            return Ok(failure_for_null(found));
        }
        Ok(match xml::check_without_dtd(&body) {
            Ok(()) => found,
            // Both, in JMeter.
            Err(no_xml) => AssertionResult {
                failure: true,
                error: true,
                message: Some(no_xml.message),
                ..found
            },
        })
    }
}

#[cfg(test)]
mod tests {
    //! Expected values are those of JMeter 5.6.3.
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::assertions::testing::verdict;
    use crate::testing::{element, sample};

    #[test]
    fn messages_are_those_of_java() {
        let preceding =
            "The markup in the document preceding the root element must be well-formed.";
        let following =
            "The markup in the document following the root element must be well-formed.";
        let same_entity = "XML document structures must start and end within the same entity.";
        for (body, said) in [
            ("<a>", same_entity),
            (
                "<a></b>",
                "The element type \"a\" must be terminated by the matching end-tag \"</a>\".",
            ),
            ("plain", "Content is not allowed in prolog."),
            ("{\"a\":1}", "Content is not allowed in prolog."),
            (
                "<a>&nope;</a>",
                "The entity \"nope\" was referenced, but not declared.",
            ),
            (
                "<!DOCTYPE a><a/>",
                "DOCTYPE is disallowed when the feature \"http://apache.org/xml/features/disallow-doctype-decl\" set to true.",
            ),
            ("<a/><b/>", following),
            (
                "<a b=c/>",
                "Open quote is expected for attribute \"b\" associated with an  element type  \"a\".",
            ),
            (
                "<a b=\"1\" b=\"2\"/>",
                "Attribute \"b\" was already specified for element \"a\".",
            ),
            (
                "<a>\n<b></a>",
                "The element type \"b\" must be terminated by the matching end-tag \"</b>\".",
            ),
            (
                " <?xml version=\"1.0\"?><a/>",
                "The processing instruction target matching \"[xX][mM][lL]\" is not allowed.",
            ),
            (
                "<a>\u{1}</a>",
                "An invalid XML character (Unicode: 0x1) was found in the element content of the document.",
            ),
            (
                "<html><br></html>",
                "The element type \"br\" must be terminated by the matching end-tag \"</br>\".",
            ),
            ("<a", same_entity),
            (
                "<a b></a>",
                "Attribute name \"b\" associated with an element type \"a\" must be followed by the ' = ' character.",
            ),
            (
                "<a>x</a> trailing",
                "Content is not allowed in trailing section.",
            ),
            (
                "<a>&</a>",
                "The entity name must immediately follow the '&' in the entity reference.",
            ),
            (
                "<a b=\"<\"/>",
                "The value of attribute \"b\" associated with an element type \"a\" must not contain the '<' character.",
            ),
            ("<1a/>", preceding),
            ("</a>", preceding),
            ("<a><b/></a><c>", following),
            (
                "<a>]]></a>",
                "The character sequence \"]]>\" must not appear in content unless used to mark the end of a CDATA section.",
            ),
            (
                "<a b=\"1\"c=\"2\"/>",
                "Element type \"a\" must be followed by either attribute specifications, \">\" or \"/>\".",
            ),
        ] {
            let found = verdict(&element("XMLAssertion", &[]), &sample(body));
            assert_eq!(found, format!("both: {said}"), "{body}");
        }
    }

    #[test]
    fn xml_holds() {
        for body in [
            "<a/>",
            "<?xml version=\"1.0\"?><a x=\"1\"/>",
            "<a><![CDATA[x]]></a>",
            "<a>&amp;</a>",
            "<x:a/>",
            "<a/>\n\n",
            "<!-- c --><a/>",
        ] {
            assert_eq!(
                verdict(&element("XMLAssertion", &[]), &sample(body)),
                "ok",
                "{body}"
            );
        }
        let found = verdict(&element("XMLAssertion", &[]), &sample(""));
        assert_eq!(found, "fail: Response was null");
    }
}
