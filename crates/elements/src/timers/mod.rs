//! Timers. One file a class, one line in [`ENTRIES`].

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
pub const ENTRIES: &[Entry] = &[];
