//! Timers. One line a class in [`ENTRIES`]. `SyncTimer` waits for other users: it is the
//! engine's.

mod constant_throughput;
mod precise_throughput;
mod random;
pub(crate) mod shaping;
#[cfg(test)]
pub(crate) mod testing;

use crate::leaf::Bind;

/// The classes, by name.
pub const ENTRIES: &[(&str, Bind)] = &[
    ("ConstantThroughputTimer", constant_throughput::bind),
    ("ConstantTimer", random::constant),
    ("GaussianRandomTimer", random::gaussian),
    ("PoissonRandomTimer", random::poisson),
    ("PreciseThroughputTimer", precise_throughput::bind),
    ("UniformRandomTimer", random::uniform),
    (
        "kg.apc.jmeter.timers.VariableThroughputTimer",
        shaping::bind,
    ),
];
