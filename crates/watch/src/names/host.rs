//! Series of a host (OpenTelemetry: system metrics).

use super::{Metric, counter, gauge};

/// CPU time by `cpu.logical_number` and `cpu.mode` (user, system, nice, idle, iowait,
/// interrupt, steal).
pub const CPU_TIME: Metric = counter("system.cpu.time", "s");
/// Tasks that run or want to.
pub const RUN_QUEUE: Metric = gauge("system.cpu.run_queue", "{task}");
