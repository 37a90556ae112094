//! What the controller does next.

use crate::share::Assignment;

/// What the controller does next.
#[derive(Debug, Clone, PartialEq)]
pub enum FleetAction {
    /// Tell that a worker is silent since then.
    Silent {
        /// The worker.
        worker: usize,
        /// Its last sign of life, on the run's clock.
        since_ns: u64,
    },
    /// Tell that a worker is heard again.
    Back {
        /// The worker.
        worker: usize,
        /// On the run's clock.
        at_ns: u64,
    },
    /// Give a share to another worker.
    Give {
        /// Who works on what, from when.
        to: Assignment,
        /// Who did before.
        from: usize,
    },
    /// Tell that a share stays without a worker.
    Unserved {
        /// The share.
        share: u32,
        /// Since when, on the run's clock.
        since_ns: u64,
    },
}
