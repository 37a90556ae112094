//! The texts of the help.

use plimsoll_text::{Lang, Message, render};

/// A text of the help; one that is nowhere is its id.
pub(super) fn text(lang: Lang, id: &str) -> String {
    let formats: Vec<&str> = plimsoll_report::exporters()
        .iter()
        .map(plimsoll_report::Exporter::name)
        .collect();
    render(lang, &Message::new(id).with("formats", formats.join(", ")))
}

/// A text, if there is one.
pub(super) fn find(lang: Lang, id: &str) -> Option<String> {
    // A text that is nowhere renders as its id.
    Some(text(lang, id)).filter(|text| text != id)
}
