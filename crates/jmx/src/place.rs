//! Lines and columns of a text.

use plimsoll_plan::model::Span;

/// Tells places that are asked for in rising order, by walking over the text once.
pub struct RisingPlaces<'t> {
    text: &'t str,
    offset: usize,
    here: Span,
}

impl<'t> RisingPlaces<'t> {
    /// The beginning of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            offset: 0,
            here: Span { line: 1, column: 1 },
        }
    }

    /// The place of a byte; one before the last asked for gives the last.
    pub fn at(&mut self, offset: usize) -> Span {
        let end = offset.min(self.text.len());
        for (index, c) in self.text[self.offset..].char_indices() {
            if self.offset + index >= end {
                break;
            }
            if c == '\n' {
                self.here.line = self.here.line.saturating_add(1);
                self.here.column = 1;
            } else {
                self.here.column = self.here.column.saturating_add(1);
            }
        }
        if end > self.offset {
            // Never within a character.
            self.offset = (end..=self.text.len())
                .find(|at| self.text.is_char_boundary(*at))
                .unwrap_or(self.text.len());
        }
        self.here
    }
}
