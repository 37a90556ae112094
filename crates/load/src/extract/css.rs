//! CSS selectors over HTML bodies.

use plimsoll_elements::work::{CpuPatience, DocumentRefused};
use plimsoll_text::Message;
use scraper::{ElementRef, Html, Selector};

use super::matching::{Each, bad_pattern};
use super::response::ResponseView;

/// A selector, with the attribute that is wanted; none: the element's text.
pub(crate) struct Css {
    selector: Selector,
    attribute: Option<String>,
    written: String,
    /// Places among siblings are remembered from one element to the next.
    counts: bool,
}

impl Css {
    pub(super) fn new(selector: &str, attribute: Option<&str>) -> Result<Self, Message> {
        match Selector::parse(selector) {
            Ok(parsed) => Ok(Self {
                selector: parsed,
                attribute: attribute.map(str::to_owned),
                written: selector.to_owned(),
                counts: selector.contains("nth-") && !selector.contains('~'),
            }),
            Err(error) => Err(bad_pattern(
                "extract-bad-css",
                selector,
                &reason(&error.to_string()),
            )),
        }
    }

    pub(super) fn written(&self) -> &str {
        &self.written
    }

    pub(super) fn find(
        &self,
        response: &ResponseView<'_>,
        each: Each<'_>,
    ) -> Result<(), DocumentRefused> {
        let html = response.html()?;
        let patience = CpuPatience::new();
        for element in self.elements(html, &patience) {
            let element = element?;
            let more = match &self.attribute {
                Some(name) => match element.attr(name) {
                    Some(value) => each(value),
                    None => continue,
                },
                None => each(element.text().collect::<String>().trim()),
            };
            if more.is_break() {
                break;
            }
            patience.step()?;
        }
        Ok(())
    }

    /// The elements that are meant, looked for as long as there is patience.
    fn elements<'h>(
        &'h self,
        html: &'h Html,
        patience: &'h CpuPatience,
    ) -> Box<dyn Iterator<Item = Result<ElementRef<'h>, DocumentRefused>> + 'h> {
        if self.counts {
            return Box::new(html.select(&self.selector).map(Ok));
        }
        let all = html.tree.root().descendants();
        Box::new(all.filter_map(ElementRef::wrap).filter_map(|element| {
            match (patience.step(), self.selector.matches(&element)) {
                (Err(refused), _) => Some(Err(refused)),
                (Ok(()), true) => Some(Ok(element)),
                (Ok(()), false) => None,
            }
        }))
    }
}

/// What the library says, in words: of some mistakes it says the name alone, and that its
/// developers would like to hear of it.
fn reason(told: &str) -> String {
    let Some((_, name)) = told.split_once("report this to the developer") else {
        return told.to_owned();
    };
    let mut words = String::new();
    for letter in name
        .trim()
        .chars()
        .take_while(|letter| letter.is_alphanumeric())
    {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
