//! CSS selectors over HTML bodies.

use plimsoll_text::Message;
use scraper::Selector;

use super::{AnswerView, Each, bad_pattern};

/// A selector, with the attribute that is wanted; none: the element's text.
pub(crate) struct Css {
    selector: Selector,
    attribute: Option<String>,
    written: String,
}

impl Css {
    pub(super) fn new(selector: &str, attribute: Option<&str>) -> Result<Self, Message> {
        match Selector::parse(selector) {
            Ok(parsed) => Ok(Self {
                selector: parsed,
                attribute: attribute.map(str::to_owned),
                written: selector.to_owned(),
            }),
            Err(error) => Err(bad_pattern("extract-bad-css", selector, &error.to_string())),
        }
    }

    pub(super) fn written(&self) -> &str {
        &self.written
    }

    pub(super) fn find(&self, answer: &AnswerView<'_>, each: Each<'_>) {
        for element in answer.html().select(&self.selector) {
            let more = match &self.attribute {
                Some(name) => match element.attr(name) {
                    Some(value) => each(value),
                    None => continue,
                },
                None => each(element.text().collect::<String>().trim()),
            };
            if more.is_break() {
                return;
            }
        }
    }
}
