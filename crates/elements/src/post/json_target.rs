//! Where the extractors of JSON put what they find.

use std::borrow::Cow;

use plimsoll_plan::program::Template;

use super::numbered::{clear_numbered, pick};
use crate::context::{Context, Fault};
use crate::json::Json;

/// The variables of one path.
pub(super) struct JsonTarget<'a> {
    /// The extractor's own name.
    pub own: &'a Template,
    pub variable: &'a str,
    pub default: &'a str,
    pub number: i64,
    /// All matches are set as one text, too.
    pub concatenates: bool,
    /// Matches are counted even where any of them is taken.
    pub counts_any: bool,
}

impl JsonTarget<'_> {
    /// Sets what was found, if there was anything to look at, in the place of what is left of
    /// earlier uses. A match without a text has the default's.
    pub(super) fn set(
        &self,
        cx: &mut dyn Context,
        found: Option<Result<Vec<Json<'_>>, String>>,
        text: impl for<'v> Fn(&'v Json<'_>) -> Option<Cow<'v, str>>,
    ) -> Result<(), Fault> {
        clear_numbered(cx, self.variable);
        match found {
            Some(Ok(values)) => self.write(cx, &values, text),
            Some(Err(reason)) => {
                let name = cx.text(self.own)?;
                cx.log(&format!(
                    "Error processing JSON content in {name}, message: {reason}"
                ));
                cx.set(self.variable, self.default);
            }
            None => cx.set(self.variable, self.default),
        }
        Ok(())
    }

    fn write<'v, 'j>(
        &'v self,
        cx: &mut dyn Context,
        values: &'v [Json<'j>],
        text: impl Fn(&'v Json<'j>) -> Option<Cow<'v, str>>,
    ) {
        let text = |value| text(value).unwrap_or(Cow::Borrowed(self.default));
        let variable = self.variable;
        if values.is_empty() {
            cx.set(variable, self.default);
        } else if self.number < 0 {
            for (number, value) in (1..).zip(values) {
                cx.set(&format!("{variable}_{number}"), &text(value));
            }
        } else {
            // A single value is the match of every number.
            let number = if values.len() == 1 { 1 } else { self.number };
            match pick(values, number, cx) {
                Some(value) => cx.set(variable, &text(value)),
                None => cx.set(variable, self.default),
            }
        }
        if self.number < 0 && self.concatenates {
            let all: Vec<Cow<'_, str>> = values.iter().map(text).collect();
            cx.set(&format!("{variable}_ALL"), &all.join(","));
        }
        if values.is_empty() || self.number != 0 || self.counts_any {
            cx.set(&format!("{variable}_matchNr"), &values.len().to_string());
        }
    }
}
