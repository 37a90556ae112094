//! Series of the watching itself.

use super::{Metric, counter};

/// CPU time that a `collector` has cost on the host where it looks.
pub const CPU_TIME: Metric = counter("plimsoll.watch.cpu.time", "s");
