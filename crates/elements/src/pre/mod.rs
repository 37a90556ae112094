//! Pre-processors, and what works when its scope is entered. One file a class, one line in
//! [`ENTRIES`].

mod counter;
mod number;
mod random_variable;
mod sample_timeout;
#[cfg(test)]
mod testing;
mod user_parameters;

use crate::leaf::{Bound, Entry};

pub use sample_timeout::SampleTimeout;

/// The classes.
pub const ENTRIES: &[Entry] = &[
    Entry::new("CounterConfig", counter::bind),
    Entry::new("RandomVariableConfig", random_variable::bind),
    Entry::new("SampleTimeout", |fields| {
        Ok(Bound::Timeout(SampleTimeout::new(fields)))
    }),
    Entry::new("UserParameters", user_parameters::bind),
];
