//! Recordings of the JVM's flight recorder: read, and without secrets in them.

mod chunk;
mod masked;
mod metadata;
mod value;

pub use chunk::Chunk;
pub use masked::masked;
pub use metadata::Type;
pub use value::Value;

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
