//! Post-processors. One file a class, one line in [`ENTRIES`].

use crate::context::{Context, Fault};
use crate::registry::Entry;
use crate::result::SampleResult;

/// Works on the result of a sampler before the assertions.
pub trait PostProcessor: Send + Sync {
    /// Takes what it wants; may change the result (its sub-samples, say).
    ///
    /// # Errors
    /// When a property cannot be evaluated; JMeter logs it and goes on, so does the engine.
    fn process(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault>;
}

/// The classes.
pub const ENTRIES: &[Entry] = &[];
