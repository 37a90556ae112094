//! Collectors: one file or folder a source.

pub mod host;
