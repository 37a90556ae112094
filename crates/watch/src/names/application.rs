//! Series of the application itself and of its clients, as its own metrics tell them
//! (OpenTelemetry: HTTP and database client metrics).

use super::{Metric, counter, gauge};

/// Requests served, by `http.request.method`, `http.response.status_code` and `http.route`.
pub const SERVER_REQUESTS: Metric = counter("http.server.request.duration.count", "{request}");
/// Time spent on them, by the same.
pub const SERVER_TIME: Metric = counter("http.server.request.duration.sum", "s");
/// Longest of the last minutes, by the same.
pub const SERVER_MAX: Metric = gauge("http.server.request.duration.max", "s");
/// Requests that are being served.
pub const SERVER_ACTIVE: Metric = gauge("http.server.active_requests", "{request}");
/// Requests sent to others, by `http.request.method`, `http.response.status_code`,
/// `server.address` and `url.template`.
pub const CLIENT_REQUESTS: Metric = counter("http.client.request.duration.count", "{request}");
/// Time spent on them, by the same.
pub const CLIENT_TIME: Metric = counter("http.client.request.duration.sum", "s");
/// Longest of the last minutes, by the same.
pub const CLIENT_MAX: Metric = gauge("http.client.request.duration.max", "s");
/// Commands sent to a database or cache, by `db.operation.name`, `db.system.name` and
/// `server.address`.
pub const DB_OPERATIONS: Metric = counter("db.client.operation.duration.count", "{operation}");
/// Time until they were complete, by the same.
pub const DB_TIME: Metric = counter("db.client.operation.duration.sum", "s");
/// Longest of the last minutes, by the same.
pub const DB_MAX: Metric = gauge("db.client.operation.duration.max", "s");
/// Time until the first of their response came, by the same.
pub const DB_FIRST_TIME: Metric = counter("db.client.operation.first_response.sum", "s");
/// Events written to the log, by `log.level`: error, warn, info, debug, trace.
pub const LOG_EVENTS: Metric = counter("logging.events", "{event}");
/// Threads of an executor that work, by `executor.name`.
pub const EXECUTOR_ACTIVE: Metric = gauge("executor.active", "{thread}");
/// Tasks that wait for a thread, by `executor.name`.
pub const EXECUTOR_QUEUED: Metric = gauge("executor.queued", "{task}");
/// Threads of an executor, by `executor.name`.
pub const EXECUTOR_SIZE: Metric = gauge("executor.pool.size", "{thread}");
/// Most threads of an executor, by `executor.name`.
pub const EXECUTOR_MAX: Metric = gauge("executor.pool.max", "{thread}");
/// 1 while the application calls itself healthy, else 0; by `health.component` too.
pub const HEALTH: Metric = gauge("application.health", "1");
