//! Timers. One line a class in [`ENTRIES`]. `SyncTimer` waits for other users: it is the
//! engine's.

mod constant_throughput;
mod precise_throughput;
mod random;
#[cfg(test)]
pub(crate) mod testing;

use crate::leaf::Entry;

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry::new("ConstantThroughputTimer", constant_throughput::bind),
    Entry::new("ConstantTimer", random::constant),
    Entry::new("GaussianRandomTimer", random::gaussian),
    Entry::new("PoissonRandomTimer", random::poisson),
    Entry::new("PreciseThroughputTimer", precise_throughput::bind),
    Entry::new("UniformRandomTimer", random::uniform),
];
