//! The result of a command that is a document: into a file, as JSON, or as text.

use std::path::{Path, PathBuf};

use plimsoll_run::reasons::file_failed;
use plimsoll_text::Message;
use serde::Serialize;

use crate::say::out;

/// Where a result goes.
pub struct ResultOutput<'a> {
    /// The file for it, as JSON.
    pub output: &'a Option<PathBuf>,
    /// It is said as JSON, too, not as text.
    pub json: bool,
    /// Nothing is said as text.
    pub quiet: bool,
}

impl ResultOutput<'_> {
    /// Writes and says the document; the text is made only where it is said.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn give(
        &self,
        document: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Message> {
        let mut json = serde_json::to_string_pretty(document)
            .map_err(|error| file_failed(Path::new("-"), &error))?;
        json.push('\n');
        if let Some(path) = self.output {
            std::fs::write(path, &json).map_err(|error| file_failed(path, &error))?;
        }
        if self.json {
            out(&json);
        } else if !self.quiet {
            out(&text());
        }
        Ok(())
    }
}
