//! Series of an agent and of the way to it.

use super::{SeriesName, counter, gauge};

/// CPU time that an agent's process has cost.
pub const CPU_TIME: SeriesName = counter("plimsoll.agent.cpu.time", "s");
/// The agent's clock less the controller's; times are corrected by it.
pub const CLOCK_OFFSET: SeriesName = gauge("plimsoll.clock.offset", "s");
/// At most so wrong is the offset.
pub const CLOCK_ERROR: SeriesName = gauge("plimsoll.clock.error", "s");
/// Time from a look's request to its response, without the agent's own time.
pub const ROUND_TRIP: SeriesName = gauge("plimsoll.agent.round_trip", "s");
