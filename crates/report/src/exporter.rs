//! What every format of reports is.

use std::io::{self, Write};

use plimsoll_store::{Run, StoreError};
use plimsoll_text::{Lang, Message};

/// What a report may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReportOptions {
    /// The language of texts for people.
    pub lang: Lang,
}

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The run cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output cannot be written.
    #[error("the report could not be written: {0}")]
    Write(#[from] io::Error),
}

impl ReportError {
    /// What to tell a person; `path` is where the report was to go.
    #[must_use]
    pub fn message(&self, path: &str) -> Message {
        match self {
            Self::Store(error) => error.message(),
            Self::Write(error) => Message::new("report-file-failed")
                .with("path", path)
                .with("detail", error.to_string()),
        }
    }
}

/// What writes the report of a run.
pub(crate) type Export = fn(&Run, &ReportOptions, &mut dyn Write) -> Result<(), ReportError>;

/// A format of reports.
#[derive(Debug)]
pub struct Exporter {
    name: &'static str,
    extension: &'static str,
    export: Export,
}

impl Exporter {
    pub(crate) const fn new(name: &'static str, extension: &'static str, export: Export) -> Self {
        Self {
            name,
            extension,
            export,
        }
    }

    /// The name of the format, as `--format` takes it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The usual end of a file's name, without the dot.
    #[must_use]
    pub const fn extension(&self) -> &'static str {
        self.extension
    }

    /// Writes the report of a run.
    ///
    /// # Errors
    /// If the run cannot be read or the output not written.
    pub fn export(
        &self,
        run: &Run,
        options: &ReportOptions,
        out: &mut dyn Write,
    ) -> Result<(), ReportError> {
        (self.export)(run, options, out)
    }
}
