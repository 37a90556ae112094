//! Configuration files of watched processes: read below their own roots, with their own rights.

pub(crate) mod glob;
mod source;

pub(crate) use source::ConfigSource;
