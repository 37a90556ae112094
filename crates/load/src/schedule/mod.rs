//! When: the load as a pure function of time, without a clock.
//!
//! Closed loads say from when to when each user is there ([`windows`]); open loads say when
//! each arrival is due ([`Arrivals`]). Both are computed from whole numbers, so that a
//! worker or a load thread computes its own share without asking anybody. A load that is changed while it
//! runs is a [`Course`]: the plan's up to the change, and something else from then on.

mod arrivals;
mod change;
mod course;
mod exact;
mod own;
mod profile;
mod users;

pub use arrivals::{Arrivals, total_ns as arrivals_end_ns};
pub use change::{ChangeError, LoadChange, NewLoad, TimedChange};
pub use course::{Course, LinePart};
pub use exact::ExactArrivals;
pub use own::{OwnArrivals, OwnNumbers};
pub use profile::{profile, profile_of};
pub use users::{UserWindow, begins_at_once, end_ns as users_end_ns, peak, windows};

use plimsoll_plan::model::{ArrivalLoad, Load};

use crate::clock::Nanos;

/// The arrivals of an open load, in order, as nanoseconds from its start. The seed is that of
/// the run, and matters where arrivals are random and the plan names none.
pub fn arrivals(load: &ArrivalLoad, seed: u64) -> Box<dyn Iterator<Item = Nanos>> {
    Course::new(&Load::Arrivals(load.clone()), None).arrivals(seed)
}
