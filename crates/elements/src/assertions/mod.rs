//! Assertions. One file a class, one line in [`ENTRIES`].

use crate::context::{Context, Fault};
use crate::registry::Entry;
use crate::result::{AssertionResult, SampleResult};

/// Says whether a sample holds.
pub trait Assertion: Send + Sync {
    /// What it finds. Sub-samples are the assertion's own business (its scope).
    ///
    /// # Errors
    /// When a property cannot be evaluated; the sample fails with it.
    fn check(&self, cx: &mut dyn Context, sample: &SampleResult) -> Result<AssertionResult, Fault>;
}

/// The classes.
pub const ENTRIES: &[Entry] = &[];
