//! What a load thread opens its connections with.

use crate::clock::Clock;

/// Opens the connections of one load thread.
pub struct Dialer {
    pub(super) clock: Clock,
    pub(super) timed: bool,
}

impl Dialer {
    /// Those of a thread on this clock; `timed`: reads may ask for the kernel's receive times.
    #[must_use]
    pub fn new(clock: Clock, timed: bool) -> Self {
        Self { clock, timed }
    }
}
