//! Why a path has no value.

/// Why a path has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathError {
    /// There is nothing there (`PathNotFoundException`).
    NotFound(String),
    /// It cannot be evaluated.
    Bad(String),
}

impl PathError {
    /// What Java's exception says.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::NotFound(message) | Self::Bad(message) => message,
        }
    }
}
