//! A report whose pieces somebody else has put together, in the forms that reports have: a page, Markdown, a
//! workbook.

mod picture;
mod workbook;

use std::io::Write;

use crate::document::{ReportBlock, Say};
use crate::html::simple_page;
use crate::markdown::{escape, to_markdown};
use crate::{AcceptanceForm, ReportError};

pub use picture::{PaperLine, picture};

/// A title and pieces in the order of reading.
#[derive(Debug, Clone)]
pub struct Paper {
    /// The language of what the forms add themselves.
    pub say: Say,
    /// Above all.
    pub title: String,
    /// What comes before the first heading is the summary.
    pub blocks: Vec<ReportBlock>,
}

impl Paper {
    /// Writes it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, form: AcceptanceForm, out: &mut dyn Write) -> Result<(), ReportError> {
        match form {
            AcceptanceForm::Html => {
                out.write_all(simple_page(self.say, &self.title, &self.blocks).as_bytes())?;
            }
            AcceptanceForm::Markdown => {
                let body = to_markdown(&self.without_pictures());
                out.write_all(format!("# {}\n\n{body}", escape(&self.title)).as_bytes())?;
            }
            AcceptanceForm::Xlsx => {
                let blocks = self.without_pictures();
                out.write_all(&workbook::workbook(self.say, &self.title, &blocks)?)?
            }
        }
        Ok(())
    }

    /// Where no pictures are, a heading above nothing else is none.
    fn without_pictures(&self) -> Vec<ReportBlock> {
        let is_heading = |block: &ReportBlock| matches!(block, ReportBlock::Heading(_));
        let mut blocks: Vec<ReportBlock> = Vec::new();
        let shown = self.blocks.iter();
        for block in shown.filter(|block| !matches!(block, ReportBlock::Picture(_))) {
            if is_heading(block) && blocks.last().is_some_and(is_heading) {
                blocks.pop();
            }
            blocks.push(block.clone());
        }
        if blocks.last().is_some_and(is_heading) {
            blocks.pop();
        }
        blocks
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
