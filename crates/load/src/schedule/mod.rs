//! When: the load as a pure function of time, without a clock.
//!
//! Closed loads say from when to when each user is there ([`windows`]); open loads say when
//! each arrival is due ([`Arrivals`]). Both are computed from whole numbers, so that a
//! worker or a load thread computes its own share without asking anybody.

mod arrivals;
mod exact;
mod profile;
mod users;

pub use arrivals::{Arrivals, total_ns as arrivals_end_ns};
pub use exact::ExactArrivals;
pub use profile::profile;
pub use users::{Window, begins_at_once, end_ns as users_end_ns, peak, windows};

use plimsoll_plan::model::ArrivalLoad;

use crate::clock::Nanos;

/// The arrivals of an open load, in order, as nanoseconds from its start. The seed is that of
/// the run, and matters where arrivals are random and the plan names none.
pub fn arrivals(load: &ArrivalLoad, seed: u64) -> Box<dyn Iterator<Item = Nanos>> {
    let own = load.seed.filter(|seed| *seed != 0);
    if load.exact_counts {
        let seed = own.unwrap_or(seed.cast_signed());
        return Box::new(ExactArrivals::new(load, seed));
    }
    let seed = own.map_or(seed, i64::cast_unsigned);
    Box::new(Arrivals::new(&load.stages, load.spacing, seed))
}
