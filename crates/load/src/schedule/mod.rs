//! When: the load as a pure function of time, without a clock.
//!
//! Closed loads say from when to when each user is there ([`windows`]); open loads say when
//! each arrival is due ([`Arrivals`]). Both are computed from whole numbers, so that a
//! worker or a load thread computes its own share without asking anybody.

mod arrivals;
mod users;

pub use arrivals::{Arrivals, total_ns as arrivals_end_ns};
pub use users::{Window, end_ns as users_end_ns, peak, windows};
