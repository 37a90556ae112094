//! Recordings of the JVM's flight recorder: read, and without secrets in them.

mod chunk;
mod error;
mod masked;
mod metadata;
mod value;

pub use chunk::Chunk;
pub use error::JfrError;
pub use masked::masked;
pub use metadata::JfrType;
pub use value::JfrValue;
