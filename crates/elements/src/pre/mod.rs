//! Pre-processors, and what works when its scope is entered. One file a class, one line in
//! [`ENTRIES`].

mod counter;
mod number;
mod random_variable;
mod sample_timeout;
#[cfg(test)]
mod testing;
mod user_parameters;

use crate::context::{Context, Fault};
use crate::registry::Entry;

pub use sample_timeout::SampleTimeout;

/// Works before a sampler.
pub trait PreProcessor: Send + Sync {
    /// Does its work.
    ///
    /// # Errors
    /// When a property cannot be evaluated; JMeter logs it and goes on, so does the engine.
    fn process(&self, cx: &mut dyn Context) -> Result<(), Fault>;
}

/// Works each time its scope is entered (JMeter's `LoopIterationListener`).
pub trait PassListener: Send + Sync {
    /// Does its work.
    ///
    /// # Errors
    /// When a property cannot be evaluated.
    fn pass(&self, cx: &mut dyn Context) -> Result<(), Fault>;
}

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry {
        class: "CounterConfig",
        bind: counter::bind,
    },
    Entry {
        class: "RandomVariableConfig",
        bind: random_variable::bind,
    },
    Entry {
        class: "SampleTimeout",
        bind: sample_timeout::bind,
    },
    Entry {
        class: "UserParameters",
        bind: user_parameters::bind,
    },
];
