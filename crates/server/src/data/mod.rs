//! What is made of stored runs: sums over minutes, points of charts, tables of a stretch, diagnoses.

pub(crate) mod columns;
pub(crate) mod diagnoses;
pub(crate) mod rollup;
pub(crate) mod stretch;
pub(crate) mod target;
