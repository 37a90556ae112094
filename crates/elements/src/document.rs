//! A body "as a document": the text that Apache Tika would find in it. Text types only: XML
//! without its tags, everything else as it stands. Office files and PDF need Tika itself.

use std::borrow::Cow;

use crate::result::SampleResult;
use crate::work::check_xml_size;

/// The text of a sample's body.
#[must_use]
pub fn text_of(sample: &SampleResult) -> Cow<'_, str> {
    let text = sample.text();
    if !text.trim_start_matches('\u{FEFF}').starts_with("<?xml") {
        return text;
    }
    match without_tags(&text) {
        Some(found) => Cow::Owned(found),
        None => text,
    }
}

/// Tika puts a blank where an element begins, and a line's end after all.
fn without_tags(xml: &str) -> Option<String> {
    check_xml_size(xml).ok()?;
    let document = uppsala::parse(xml).ok()?;
    let mut text = String::new();
    write(&document, document.document_element()?, &mut text, 0);
    text.push('\n');
    Some(text)
}

/// Elements in elements.
const DEEPEST: u32 = 2_000;

fn write(document: &uppsala::Document<'_>, node: uppsala::NodeId, text: &mut String, depth: u32) {
    use uppsala::NodeKind;
    match document.node_kind(node) {
        Some(NodeKind::Text(found) | NodeKind::CData(found)) => text.push_str(found),
        Some(NodeKind::Element(_)) if depth < DEEPEST => {
            text.push(' ');
            for child in document.children(node) {
                write(document, child, text, depth + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_loses_its_tags_and_other_texts_stay() {
        let text = |body: &str| {
            let mut sample = SampleResult::new("label");
            sample.body = body.as_bytes().to_vec();
            text_of(&sample).into_owned()
        };
        // As JMeter 5.6.3 with Tika 1.28.
        let xml = "<?xml version=\"1.0\"?><a><b>1</b><c x=\"2\"> z</c></a>";
        assert_eq!(text(xml), "  1  z\n");
        assert_eq!(text("<?xml broken"), "<?xml broken");
        assert_eq!(text("plain"), "plain");
    }
}
