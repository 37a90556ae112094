//! What is wrong with a recording.

/// Why a recording cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JfrError {
    /// It does not begin as one, or is of a version that is not known.
    #[error("no recording of a version that is known")]
    Unknown,
    /// It ends too early, or its parts do not fit together.
    #[error("damaged at byte {0}")]
    Damaged(usize),
}
