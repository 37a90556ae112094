//! How a plan is translated.

use std::io;
use std::path::{Path, PathBuf};

use crate::properties::Properties;

/// Reads a file another one names.
pub type ReadFile<'o> = &'o dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// How a plan is translated.
pub struct TranslateOptions<'o> {
    /// JMeter's properties, those of the command line among them.
    pub properties: &'o Properties,
    /// The plan's folder, for the files it names.
    pub folder: PathBuf,
    /// The plan's file as it was named, for problems.
    pub plan_file: String,
    /// Whether a plan with elements that are not supported is translated nonetheless.
    pub allow_unsupported: bool,
    /// Reads the files of Include Controllers.
    pub read_file: ReadFile<'o>,
}
