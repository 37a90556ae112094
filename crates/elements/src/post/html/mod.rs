//! `HtmlExtractor` (CSS Selector Extractor): texts or attributes of elements.

#[cfg(test)]
mod tests;

use plimsoll_plan::limits::TEXT_BYTES;
use plimsoll_plan::program::Template;

use super::numbered::{leave, take_count};
use super::subject::log_missing;
use crate::compiled::Compiled;
use crate::context::{Context, Fault};
use crate::css::{CssSelector, Element, attribute, inner_text, raw_text};
use crate::fields::{Field, Fields};
use crate::leaf::{Bound, PostProcessor};
use crate::result::SampleResult;
use crate::scope::{ElementScope, ScopeValue};
use crate::work::{CpuPatience, DocumentRefused};

struct HtmlExtractor {
    name: Template,
    scope: ElementScope,
    selector: Compiled<CssSelector>,
    attribute: Field,
    variable: Field,
    number: Field,
    default: Field,
    default_is_empty: Field,
    engine: Field,
}

pub(super) fn bind(fields: Fields<'_>) -> Bound {
    let field = |name: &str| fields.field(&format!("HtmlExtractor.{name}"));
    let compile = |selector: &str, _: &dyn Context| CssSelector::new(selector);
    Bound::Post(Box::new(HtmlExtractor {
        name: fields.0.name.clone(),
        scope: ElementScope::of_post(fields),
        selector: Compiled::new(field("expr"), fields.0.site, 0, compile),
        attribute: field("attribute"),
        variable: field("refname"),
        number: field("match_number"),
        default: field("default"),
        default_is_empty: field("default_empty_value"),
        engine: field("extractor_impl"),
    }))
}

impl PostProcessor for HtmlExtractor {
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault> {
        let variable = self.variable.text(cx)?;
        let wanted = WantedOfElements {
            attribute: self.attribute.text(cx)?.into_owned(),
            number: self.number.whole(cx, 0)?,
            jodd: &*self.engine.text(cx)? == "JODD",
        };
        let default = self.default.text(cx)?;
        if !default.is_empty() || self.default_is_empty.truth(cx, false)? {
            cx.set(&variable, &default);
        }
        match self.found(&wanted, cx, sample)? {
            Ok(found) => {
                let before = take_count(cx, &variable);
                leave(
                    cx,
                    &variable,
                    wanted.number,
                    &found,
                    Option::as_deref,
                    before,
                );
            }
            Err(reason) => {
                let name = cx.text(&self.name)?;
                cx.log(&format!("{name}: Error while generating result. {reason}"));
            }
        }
        Ok(())
    }
}

impl HtmlExtractor {
    /// What it finds in its scope; or why it cannot say.
    fn found(
        &self,
        wanted: &WantedOfElements,
        cx: &mut dyn Context,
        sample: &SampleResult,
    ) -> Result<Result<Vec<Option<String>>, String>, Fault> {
        let ready = self.selector.ready(cx)?;
        let selector = match &*ready {
            Ok(selector) => selector,
            Err(reason) => return Ok(Err(reason.clone())),
        };
        let mut found = Vec::new();
        let mut refused = Ok(());
        match self.scope.which(cx)? {
            ScopeValue::Variable(name) => match cx.get(&name) {
                Some(text) if text.is_empty() => {}
                Some(text) => refused = wanted.collect(selector, &text, &mut found),
                None => {
                    let own = cx.text(&self.name)?;
                    log_missing(cx, &name, "CSS Selector Extractor", &own);
                }
            },
            which => {
                for sample in which.samples(sample) {
                    refused = refused.and(wanted.collect(selector, &sample.text(), &mut found));
                }
            }
        }
        Ok(refused.map(|()| found).map_err(|reason| reason.to_string()))
    }
}

/// What is taken of the elements found.
struct WantedOfElements {
    /// An attribute; the text when it is blank.
    attribute: String,
    number: i64,
    jodd: bool,
}

impl WantedOfElements {
    fn collect(
        &self,
        selector: &CssSelector,
        text: &str,
        found: &mut Vec<Option<String>>,
    ) -> Result<(), DocumentRefused> {
        let enough = usize::try_from(self.number)
            .ok()
            .filter(|number| *number > 0);
        if enough.is_some_and(|enough| found.len() >= enough) {
            return Ok(());
        }
        let html = crate::html::parse(text)?;
        let patience = CpuPatience::new();
        let elements: Box<dyn Iterator<Item = Result<Element<'_>, DocumentRefused>>> =
            match self.jodd {
                true => {
                    let found = selector.find_by_steps(&html, &patience)?;
                    Box::new(found.into_iter().map(Ok))
                }
                false => Box::new(selector.find(&html, &patience)),
            };
        let mut bytes = 0;
        for element in elements {
            // An element's text is that of all within it: each level has it once more.
            patience.step()?;
            let value = self.value(element?);
            bytes += value.as_ref().map_or(0, String::len);
            if bytes > TEXT_BYTES {
                return Err(DocumentRefused::TooMuchText);
            }
            found.push(value);
            if Some(found.len()) == enough {
                break;
            }
        }
        Ok(())
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
