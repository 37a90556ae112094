//! The clocks of the workers: how far each is from the controller's, and how well that is known.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Desk, FleetError};
use crate::clock::{ClockExchange, Estimator};
use crate::wire::{self, WorkerOrder, WorkerResponse};

/// Questions before a run; the one with the shortest round trip counts.
pub const EXCHANGES: usize = 16;

/// A question that takes longer says nothing of clocks.
const WAIT: Duration = Duration::from_secs(2);

/// A worker's clock as the controller knows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockFix {
    /// What has to be added to the controller's clock for the worker's.
    pub offset_ns: i64,
    /// The offset is known to within this.
    pub error_ns: u64,
    /// The worker's time of day less the controller's.
    pub wall_ns: i64,
    /// When it was measured, on the controller's clock.
    #[serde(default)]
    pub at_ns: u64,
}

/// Measures a worker's clock by so many exchanges of four time stamps (RFC 5905, section 8).
///
/// # Errors
/// A worker that does not respond.
pub async fn measure(
    desk: &Desk,
    subject: &str,
    exchanges: usize,
    to_unix_ns: i64,
) -> Result<ClockFix, FleetError> {
    let question = wire::encode(&WorkerOrder::Clock)?;
    let mut estimator = Estimator::default();
    let mut to_unix_there_ns = 0;
    let mut failed = None;
    for _ in 0..exchanges {
        let sent_ns = signed((desk.now)());
        let response = match desk.link.request(subject, question.clone(), WAIT).await {
            Ok(response) => response,
            Err(error) => {
                failed = Some(error);
                continue;
            }
        };
        let back_ns = signed((desk.now)());
        if let WorkerResponse::Clock(clock) = wire::decode(&response)? {
            to_unix_there_ns = clock.to_unix_ns;
            estimator.add(ClockExchange {
                sent_ns,
                received_ns: signed(clock.received_ns),
                responded_ns: signed(clock.sent_ns),
                back_ns,
            });
        }
    }
    match (estimator.offset_at(signed((desk.now)())), failed) {
        (Some(offset), _) => Ok(ClockFix {
            offset_ns: offset.offset_ns,
            error_ns: offset.error_ns,
            wall_ns: offset.offset_ns + (to_unix_there_ns - to_unix_ns),
            at_ns: (desk.now)(),
        }),
        (None, Some(error)) => Err(error.into()),
        (None, None) => Err(wire::WireError::Damaged {
            reason: "no response about the clock".to_owned(),
        }
        .into()),
    }
}

/// A reading of a clock that began with the machine fits.
pub(super) fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// A moment of the controller's clock on the worker's.
#[must_use]
pub fn on_worker(at_ns: u64, fix: ClockFix) -> u64 {
    at_ns.saturating_add_signed(fix.offset_ns)
}
