//! What is made of stored seconds: sums over minutes, points of charts, tables of a stretch.

pub(crate) mod columns;
pub(crate) mod rollup;
pub(crate) mod stretch;
pub(crate) mod target;
