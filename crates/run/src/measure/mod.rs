//! What several runs tell together: the most load that meets the goals, the hops of a chain, the
//! ceiling of this load generator, two plans in turn, one run again and again.

pub mod calibrate;
pub mod capacity;
pub mod hops;
pub mod interleave;
pub mod repeat;
mod scale;
mod scratch;
mod series;

pub use series::{MeasureError, RunSeries};
