//! A change as a person takes it over.

use serde::{Deserialize, Serialize};

/// A change that is ready to be taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragment {
    /// The file, or a component's start, environment, commands.
    pub of: String,
    /// Lines that go and lines that come: `-old`, `+new`.
    pub lines: Vec<String>,
}
