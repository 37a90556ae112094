//! Series of nginx and OpenResty (names of stub_status as OpenTelemetry's collector has
//! them). What comes from logs is counted since watching began.

use super::{SeriesName, counter, gauge};

/// Connections by `nginx.connection.state`: active (all), reading, writing, waiting.
pub const CONNECTIONS: SeriesName = gauge("nginx.connections_current", "{connection}");
/// Connections accepted.
pub const ACCEPTED: SeriesName = counter("nginx.connections_accepted", "{connection}");
/// Connections served; fewer than accepted when a limit was reached.
pub const HANDLED: SeriesName = counter("nginx.connections_handled", "{connection}");
/// Requests of clients.
pub const REQUESTS: SeriesName = counter("nginx.requests", "{request}");
/// Worker processes.
pub const WORKERS: SeriesName = gauge("nginx.worker.count", "{process}");

/// Lines of the error log by `log.level` and `nginx.error`: what they are about, such as
/// `no_local_port`, `upstream_timed_out`, `worker_connections`, `other`.
pub const ERRORS: SeriesName = counter("nginx.error_log.events", "{event}");
/// Requests in the access log by `http.response.status_code`.
pub const LOGGED: SeriesName = counter("nginx.access_log.requests", "{request}");
/// Body bytes sent, by the access log.
pub const SENT: SeriesName = counter("nginx.access_log.body_bytes_sent", "By");
/// Requests whose time the access log tells.
pub const REQUEST_COUNT: SeriesName = counter("nginx.request.duration.count", "{request}");
/// Time of requests: from the first byte of the client to the last byte to it.
pub const REQUEST_TIME: SeriesName = counter("nginx.request.duration.sum", "s");
/// Longest of them since the point before.
pub const REQUEST_MAX: SeriesName = gauge("nginx.request.duration.max", "s");
/// Requests passed to an upstream, by `server.address`.
pub const UPSTREAM_COUNT: SeriesName = counter("nginx.upstream.duration.count", "{request}");
/// Time until an upstream's response came, by `server.address`.
pub const UPSTREAM_TIME: SeriesName = counter("nginx.upstream.duration.sum", "s");
/// Longest of them since the point before, by `server.address`.
pub const UPSTREAM_MAX: SeriesName = gauge("nginx.upstream.duration.max", "s");
/// Time it took to connect to an upstream, by `server.address`; 0 with keep-alive.
pub const CONNECT_TIME: SeriesName = counter("nginx.upstream.connect_time.sum", "s");
/// Connects whose time the access log tells, by `server.address`.
pub const CONNECT_COUNT: SeriesName = counter("nginx.upstream.connect_time.count", "{connection}");
/// Of these, connects that took no measurable time: connections that were kept.
pub const CONNECT_KEPT: SeriesName = counter("nginx.upstream.connect_time.zero", "{connection}");
/// Bytes of a `nginx.log` (error, access) that were not read because it grew too quickly.
pub const UNREAD: SeriesName = counter("nginx.log.unread", "By");
