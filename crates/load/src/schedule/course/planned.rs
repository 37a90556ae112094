//! Arrivals as a course computes them, and where it holds a load longer.

use crate::clock::Nanos;
use crate::schedule::arrivals::Arrivals;

/// Arrivals as they are computed.
pub(crate) enum Planned {
    /// By the rate.
    Rates(Arrivals),
    /// Stage by stage.
    Exact(Box<dyn Iterator<Item = Nanos>>),
}

/// Where a load is held longer: at the end of what it holds last, or at the end of a load that ends at
/// its height, else now.
pub(super) fn held_from(
    at_ns: Nanos,
    last_hold_ns: Option<Nanos>,
    end_ns: Nanos,
    ends_high: bool,
) -> Nanos {
    let by_plan = last_hold_ns.or(ends_high.then_some(end_ns));
    by_plan.filter(|hold_ns| *hold_ns >= at_ns).unwrap_or(at_ns)
}
