//! Series of the application itself and of its clients, as its own metrics tell them
//! (OpenTelemetry: HTTP and database client metrics).

use super::{SeriesName, counter, gauge};

/// Requests served, by `http.request.method`, `http.response.status_code` and `http.route`.
pub const SERVER_REQUESTS: SeriesName = counter("http.server.request.duration.count", "{request}");
/// Time spent on them, by the same.
pub const SERVER_TIME: SeriesName = counter("http.server.request.duration.sum", "s");
/// Longest of the last minutes, by the same.
pub const SERVER_MAX: SeriesName = gauge("http.server.request.duration.max", "s");
/// Requests that are being served.
pub const SERVER_ACTIVE: SeriesName = gauge("http.server.active_requests", "{request}");
/// Requests sent to others, by `http.request.method`, `http.response.status_code`,
/// `server.address` and `url.template`.
pub const CLIENT_REQUESTS: SeriesName = counter("http.client.request.duration.count", "{request}");
/// Time spent on them, by the same.
pub const CLIENT_TIME: SeriesName = counter("http.client.request.duration.sum", "s");
/// Longest of the last minutes, by the same.
pub const CLIENT_MAX: SeriesName = gauge("http.client.request.duration.max", "s");
/// Commands sent to a database or cache, by `db.operation.name`, `db.system.name` and
/// `server.address`.
pub const DB_OPERATIONS: SeriesName = counter("db.client.operation.duration.count", "{operation}");
/// Time until they were complete, by the same.
pub const DB_TIME: SeriesName = counter("db.client.operation.duration.sum", "s");
/// Longest of the last minutes, by the same.
pub const DB_MAX: SeriesName = gauge("db.client.operation.duration.max", "s");
/// Time until the first of their response came, by the same.
pub const DB_FIRST_TIME: SeriesName = counter("db.client.operation.first_response.sum", "s");
/// Events written to the log, by `log.level`: error, warn, info, debug, trace.
pub const LOG_EVENTS: SeriesName = counter("logging.events", "{event}");
/// Threads of an executor that work, by `executor.name`.
pub const EXECUTOR_ACTIVE: SeriesName = gauge("executor.active", "{thread}");
/// Tasks that wait for a thread, by `executor.name`.
pub const EXECUTOR_QUEUED: SeriesName = gauge("executor.queued", "{task}");
/// Threads of an executor, by `executor.name`.
pub const EXECUTOR_SIZE: SeriesName = gauge("executor.pool.size", "{thread}");
/// Most threads of an executor, by `executor.name`.
pub const EXECUTOR_MAX: SeriesName = gauge("executor.pool.max", "{thread}");
/// 1 while the application calls itself healthy, else 0; by `health.component` too.
pub const HEALTH: SeriesName = gauge("application.health", "1");
