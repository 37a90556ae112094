//! Pre-processors, and what works when its scope is entered. One file a class, one line in
//! [`ENTRIES`].

mod counter;
mod directory_listing;
mod number;
mod random_variable;
mod raw_data_source;
mod sample_timeout;
#[cfg(test)]
mod testing;
mod user_parameters;

use crate::leaf::{Bind, Bound};

pub use sample_timeout::SampleTimeout;

/// The classes, by name.
pub const ENTRIES: &[(&str, Bind)] = &[
    ("CounterConfig", counter::bind),
    ("RandomVariableConfig", random_variable::bind),
    ("SampleTimeout", |fields| {
        Bound::Timeout(SampleTimeout::new(fields))
    }),
    ("UserParameters", user_parameters::bind),
    (
        "com.blazemeter.jmeter.DirectoryListingConfig",
        directory_listing::bind,
    ),
    (
        "kg.apc.jmeter.modifiers.RawRequestSourcePreProcessor",
        raw_data_source::bind,
    ),
];
