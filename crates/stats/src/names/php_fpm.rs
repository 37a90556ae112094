//! Series of PHP-FPM's pools, each a thing of its own.

use super::{SeriesName, counter, gauge};

/// Processes that serve a request.
pub const ACTIVE: SeriesName = gauge("php_fpm.process.active.count", "{process}");
/// Processes that wait for a request.
pub const IDLE: SeriesName = gauge("php_fpm.process.idle.count", "{process}");
/// Processes there are.
pub const PROCESSES: SeriesName = gauge("php_fpm.process.count", "{process}");
/// Most processes that served at once since the start.
pub const ACTIVE_PEAK: SeriesName = gauge("php_fpm.process.active.peak", "{process}");
/// Most processes (`pm.max_children`), as its configuration on this host has it.
pub const LIMIT: SeriesName = gauge("php_fpm.process.limit", "{process}");
/// How often there were to be more processes than `pm.max_children`.
pub const LIMIT_REACHED: SeriesName = counter("php_fpm.process.limit_reached.count", "{event}");
/// Connections that wait for a process; PHP-FPM knows it of TCP only.
pub const QUEUE: SeriesName = gauge("php_fpm.queue.size", "{connection}");
/// Most connections that waited since the start; TCP only.
pub const QUEUE_PEAK: SeriesName = gauge("php_fpm.queue.peak", "{connection}");
/// Most connections that may wait; TCP only.
pub const QUEUE_LIMIT: SeriesName = gauge("php_fpm.queue.limit", "{connection}");
/// Connections taken, each for one request.
pub const ACCEPTED: SeriesName = counter("php_fpm.connection.accepted", "{connection}");
/// Requests that took longer than `request_slowlog_timeout`.
pub const SLOW: SeriesName = counter("php_fpm.request.slow.count", "{request}");
/// Time since the start.
pub const UPTIME: SeriesName = gauge("php_fpm.uptime", "s");
