//! The variables that the XPath extractors leave: `NAME`, `NAME_1`, …, `NAME_matchNr`.

use crate::context::Context;

/// The variables of one extraction.
pub(super) struct Numbered<'v> {
    variable: &'v str,
    /// How many there were before.
    before: usize,
}

impl<'v> Numbered<'v> {
    /// Sets what holds if nothing is found, or the text cannot be read.
    pub(super) fn begin(cx: &mut dyn Context, variable: &'v str, default: &str) -> Self {
        cx.set(variable, default);
        let count = format!("{variable}_matchNr");
        let before = cx.get(&count).and_then(|text| text.parse().ok());
        cx.set(&count, "0");
        cx.remove(&format!("{variable}_1"));
        Self {
            variable,
            before: before.unwrap_or(0),
        }
    }

    /// Sets what was found. A match without a value leaves its variable as it was.
    pub(super) fn end(self, cx: &mut dyn Context, values: &[Option<String>]) {
        let variable = self.variable;
        cx.set(&format!("{variable}_matchNr"), &values.len().to_string());
        if let Some(Some(first)) = values.first() {
            cx.set(variable, first);
        }
        for (number, value) in (1..).zip(values) {
            if let Some(value) = value {
                cx.set(&format!("{variable}_{number}"), value);
            }
        }
        let next = values.len() + 1;
        for left_over in next..=self.before.max(next) {
            cx.remove(&format!("{variable}_{left_over}"));
        }
    }
}
