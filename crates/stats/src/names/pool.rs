//! Series of pools of connections: HikariCP and its like (OpenTelemetry: database client
//! connection pools). All have the attribute `db.client.connection.pool.name`.

use super::{SeriesName, counter, gauge};

/// Connections by `db.client.connection.state`: used, idle.
pub const CONNECTIONS: SeriesName = gauge("db.client.connection.count", "{connection}");
/// Most connections.
pub const MAX: SeriesName = gauge("db.client.connection.max", "{connection}");
/// Idle connections that are kept at least.
pub const IDLE_MIN: SeriesName = gauge("db.client.connection.idle.min", "{connection}");
/// Threads that wait for a connection.
pub const PENDING: SeriesName = gauge("db.client.connection.pending_requests", "{request}");
/// Threads that gave up waiting for a connection.
pub const TIMEOUTS: SeriesName = counter("db.client.connection.timeouts", "{timeout}");
/// Connections that were used and given back.
pub const USE_COUNT: SeriesName = counter("db.client.connection.use_time.count", "{use}");
/// Time for which they were out.
pub const USE_TIME: SeriesName = counter("db.client.connection.use_time.sum", "s");
/// Longest use of the last minutes.
pub const USE_MAX: SeriesName = gauge("db.client.connection.use_time.max", "s");
/// Connections that were asked for and had.
pub const WAIT_COUNT: SeriesName = counter("db.client.connection.wait_time.count", "{wait}");
/// Time it took to get them.
pub const WAIT_TIME: SeriesName = counter("db.client.connection.wait_time.sum", "s");
/// Longest wait of the last minutes.
pub const WAIT_MAX: SeriesName = gauge("db.client.connection.wait_time.max", "s");
/// Connections that were made.
pub const CREATE_COUNT: SeriesName =
    counter("db.client.connection.create_time.count", "{connection}");
/// Time it took to make them.
pub const CREATE_TIME: SeriesName = counter("db.client.connection.create_time.sum", "s");
/// Longest making of a connection in the last minutes.
pub const CREATE_MAX: SeriesName = gauge("db.client.connection.create_time.max", "s");
