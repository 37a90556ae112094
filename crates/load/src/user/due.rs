//! When a request is meant to start.

use crate::clock::Nanos;

/// When a request is meant to start, and from when on the generator could have started it: not
/// before its user had the response before and had waited as it is meant to.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// When it is meant to start.
    pub intended_ns: Nanos,
    /// From when on it could have been started.
    pub ready_ns: Nanos,
}

impl Due {
    /// Of a request that starts then; without an intention it is due when its user is free.
    #[must_use]
    pub fn of(intended_ns: Option<Nanos>, free_ns: Nanos, start_ns: Nanos) -> Self {
        let intended_ns = intended_ns.unwrap_or(free_ns).min(start_ns);
        Self {
            intended_ns,
            ready_ns: intended_ns.max(free_ns).min(start_ns),
        }
    }
}
