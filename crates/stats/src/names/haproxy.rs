//! Series of HAProxy, by the names of OpenTelemetry's collector where it has any. All but those of the
//! whole process have the attributes `haproxy.proxy_name` and `haproxy.service_name` (FRONTEND,
//! BACKEND, or a server).

use super::{SeriesName, counter, gauge};

/// Requests that wait for a server.
pub const QUEUED: SeriesName = gauge("haproxy.requests.queued", "{request}");
/// Most requests that waited since the start.
pub const QUEUED_PEAK: SeriesName = gauge("haproxy.requests.queued.peak", "{request}");
/// Sessions that are open.
pub const SESSIONS: SeriesName = gauge("haproxy.sessions.count", "{session}");
/// Most sessions that were open since the start.
pub const SESSIONS_PEAK: SeriesName = gauge("haproxy.sessions.peak", "{session}");
/// Most sessions that may be open (`maxconn`).
pub const SESSIONS_LIMIT: SeriesName = gauge("haproxy.sessions.limit", "{session}");
/// Sessions there were.
pub const SESSIONS_TOTAL: SeriesName = counter("haproxy.sessions.total", "{session}");
/// Requests there were.
pub const REQUESTS: SeriesName = counter("haproxy.requests.total", "{request}");
/// Requests and responses that rules refused, by `haproxy.direction`: request, response.
pub const DENIED: SeriesName = counter("haproxy.requests.denied", "{request}");
/// Errors by `haproxy.error`: request (of clients), connection (to servers), response (of servers).
pub const ERRORS: SeriesName = counter("haproxy.errors", "{error}");
/// Connections to a server that were tried again.
pub const RETRIES: SeriesName = counter("haproxy.connections.retries", "{retry}");
/// Requests that went to another server.
pub const REDISPATCHES: SeriesName = counter("haproxy.requests.redispatched", "{request}");
/// Responses by `haproxy.status_class`: 1xx to 5xx, other.
pub const RESPONSES: SeriesName = counter("haproxy.responses", "{response}");
/// Mean time of the last 1024 requests by `haproxy.phase`: queue, connect, response, total.
pub const TIME: SeriesName = gauge("haproxy.time.mean", "s");
/// Bytes by `network.io.direction`: receive, transmit.
pub const CLIENT_IO: SeriesName = counter("haproxy.network.io", "By");
/// Whether a server or backend is up: 1 or 0; the fact `haproxy.status.PROXY/SERVICE` has the word.
pub const HEALTH: SeriesName = gauge("haproxy.health", "1");
/// Connections of the process.
pub const CONNECTIONS: SeriesName = gauge("haproxy.connections.count", "{connection}");
/// Most connections of the process (`maxconn` of the section global).
pub const CONNECTIONS_LIMIT: SeriesName = gauge("haproxy.connections.limit", "{connection}");
/// Share of the time in which the process had nothing to do.
pub const IDLE: SeriesName = gauge("haproxy.idle", "1");
/// Time since the start.
pub const UPTIME: SeriesName = gauge("haproxy.uptime", "s");
