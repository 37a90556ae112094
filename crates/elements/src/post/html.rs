//! `HtmlExtractor` (CSS Selector Extractor): texts or attributes of elements.

#[cfg(test)]
mod tests;

use plimsoll_plan::program::Template;
use plimsoll_text::Message;
use scraper::Html;

use super::{PostProcessor, pick, take_count};
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::css::{Element, Selector, attribute, inner_text, raw_text};
use crate::fields::{Field, Fields};
use crate::registry::Bound;
use crate::result::SampleResult;
use crate::scope::{Scope, Which};

struct HtmlExtractor {
    name: Template,
    scope: Scope,
    selector: Compiled<Selector>,
    attribute: Field,
    variable: Field,
    number: Field,
    default: Field,
    default_is_empty: Field,
    engine: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Result<Bound, Message> {
    let field = |name: &str| fields.field(&format!("HtmlExtractor.{name}"));
    let compile = |selector: &str, _: &dyn Context| Selector::new(selector);
    Ok(Bound::Post(Box::new(HtmlExtractor {
        name: fields.0.name.clone(),
        scope: Scope::of_post(fields),
        selector: Compiled::new(field("expr"), fields.0.site, 0, compile),
        attribute: field("attribute"),
        variable: field("refname"),
        number: field("match_number"),
        default: field("default"),
        default_is_empty: field("default_empty_value"),
        engine: field("extractor_impl"),
    })))
}

impl PostProcessor for HtmlExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let variable = self.variable.text(cx)?;
        let wanted = Wanted {
            attribute: self.attribute.text(cx)?.into_owned(),
            number: self.number.whole(cx, 0)?,
            jodd: &*self.engine.text(cx)? == "JODD",
        };
        let default = self.default.text(cx)?;
        if !default.is_empty() || self.default_is_empty.truth(cx, false)? {
            cx.set(&variable, &default);
        }
        let ready = self.selector.ready(cx)?;
        let selector = match &*ready {
            Ok(selector) => selector,
            Err(reason) => {
                let name = cx.text(&self.name)?;
                cx.log(&format!("{name}: Error while generating result. {reason}"));
                return Ok(());
            }
        };
        let mut found = Vec::new();
        match self.scope.which(cx)? {
            Which::Variable(name) => match cx.get(&name) {
                Some(text) if text.is_empty() => {}
                Some(text) => wanted.collect(selector, &text, &mut found),
                None => {
                    let own = cx.text(&self.name)?;
                    cx.log(&format!(
                        "No variable '{name}' found to process by CSS Selector Extractor '{own}', skipping processing"
                    ));
                }
            },
            which => {
                for sample in which.samples(sample) {
                    wanted.collect(selector, &sample.text(), &mut found);
                }
            }
        }
        let before = take_count(cx, &variable);
        let mut kept = 0;
        if wanted.number >= 0 {
            if let Some(Some(found)) = pick(&found, wanted.number, cx) {
                cx.set(&variable, found);
            }
        } else {
            kept = found.len();
            cx.set(&format!("{variable}_matchNr"), &kept.to_string());
            for (number, found) in (1..).zip(&found) {
                if let Some(found) = found {
                    cx.set(&format!("{variable}_{number}"), found);
                }
            }
        }
        for left_over in kept + 1..=before {
            cx.remove(&format!("{variable}_{left_over}"));
        }
        Ok(())
    }
}

/// What is taken of the elements found.
struct Wanted {
    /// An attribute; the text when it is blank.
    attribute: String,
    number: i64,
    jodd: bool,
}

impl Wanted {
    fn collect(&self, selector: &Selector, text: &str, found: &mut Vec<Option<String>>) {
        let enough = usize::try_from(self.number)
            .ok()
            .filter(|number| *number > 0);
        if enough.is_some_and(|enough| found.len() >= enough) {
            return;
        }
        let html = Html::parse_document(text);
        let elements: Box<dyn Iterator<Item = Element<'_>>> = match self.jodd {
            true => Box::new(selector.find_by_steps(&html).into_iter()),
            false => Box::new(selector.find(&html)),
        };
        for element in elements {
            found.push(self.value(element));
            if Some(found.len()) == enough {
                return;
            }
        }
    }

    fn value(&self, element: Element<'_>) -> Option<String> {
        if !self.attribute.trim().is_empty() {
            let value = attribute(element, &self.attribute).map(str::to_owned);
            // Jodd tells an attribute that is not there from an empty one.
            return match self.jodd {
                true => value,
                false => Some(value.unwrap_or_default()),
            };
        }
        Some(match self.jodd {
            true => raw_text(element, false).trim().to_owned(),
            false => inner_text(element, false),
        })
    }
}
