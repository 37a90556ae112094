//! Series of the watching itself.

use super::{SeriesName, counter};

/// CPU time that a `collector` has cost on the host where it looks.
pub const CPU_TIME: SeriesName = counter("plimsoll.watch.cpu.time", "s");
