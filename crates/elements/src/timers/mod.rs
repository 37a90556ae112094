//! Timers. One line a class in [`ENTRIES`]. `SyncTimer` waits for other users: it is the
//! engine's.

mod constant_throughput;
mod precise_throughput;
mod random;
#[cfg(test)]
pub(crate) mod testing;

use crate::context::{Context, Fault};
use crate::registry::Entry;

/// Says how long to wait before a sampler. The delays of all timers are added up.
pub trait Timer: Send + Sync {
    /// Milliseconds to wait from now.
    ///
    /// # Errors
    /// When a property cannot be evaluated.
    fn delay_ms(&self, cx: &mut dyn Context) -> Result<u64, Fault>;
}

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry {
        class: "ConstantThroughputTimer",
        bind: constant_throughput::bind,
    },
    Entry {
        class: "ConstantTimer",
        bind: random::constant,
    },
    Entry {
        class: "GaussianRandomTimer",
        bind: random::gaussian,
    },
    Entry {
        class: "PoissonRandomTimer",
        bind: random::poisson,
    },
    Entry {
        class: "PreciseThroughputTimer",
        bind: precise_throughput::bind,
    },
    Entry {
        class: "UniformRandomTimer",
        bind: random::uniform,
    },
];
