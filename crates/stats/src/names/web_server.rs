//! Series of web servers inside a JVM: Tomcat, Jetty, Undertow (names as OpenTelemetry's JMX
//! metrics have them, where it has any).

use super::{SeriesName, counter, gauge};

/// Worker threads there are, by `tomcat.thread.pool.name` (`http-nio-8080`).
pub const TOMCAT_THREADS: SeriesName = gauge("tomcat.thread.count", "{thread}");
/// Worker threads that serve a request, by `tomcat.thread.pool.name`.
pub const TOMCAT_BUSY: SeriesName = gauge("tomcat.thread.busy.count", "{thread}");
/// Most worker threads, by `tomcat.thread.pool.name`.
pub const TOMCAT_THREAD_LIMIT: SeriesName = gauge("tomcat.thread.limit", "{thread}");
/// Connections that are open, by `tomcat.thread.pool.name`.
pub const TOMCAT_CONNECTIONS: SeriesName = gauge("tomcat.connection.count", "{connection}");
/// Open connections between two requests, by `tomcat.thread.pool.name`.
pub const TOMCAT_KEEP_ALIVE: SeriesName =
    gauge("tomcat.connection.keep_alive.count", "{connection}");
/// Most connections that are accepted, by `tomcat.thread.pool.name`.
pub const TOMCAT_CONNECTION_LIMIT: SeriesName = gauge("tomcat.connection.limit", "{connection}");
/// Connections the kernel may hold before Tomcat accepts them, by `tomcat.thread.pool.name`.
pub const TOMCAT_ACCEPT_LIMIT: SeriesName = gauge("tomcat.connection.accept.limit", "{connection}");
/// Requests served, by `tomcat.request.processor.name`.
pub const TOMCAT_REQUESTS: SeriesName = counter("tomcat.request.count", "{request}");
/// Requests that failed, by `tomcat.request.processor.name`.
pub const TOMCAT_ERRORS: SeriesName = counter("tomcat.error.count", "{request}");
/// Time spent on requests, by `tomcat.request.processor.name`.
pub const TOMCAT_REQUEST_TIME: SeriesName = counter("tomcat.request.duration.sum", "s");
/// Longest request since the start, by `tomcat.request.processor.name`.
pub const TOMCAT_REQUEST_MAX: SeriesName = gauge("tomcat.request.duration.max", "s");
/// Bytes by `network.io.direction` (receive, transmit) and `tomcat.request.processor.name`.
pub const TOMCAT_IO: SeriesName = counter("tomcat.network.io", "By");
/// Sessions that are kept, of all contexts.
pub const TOMCAT_SESSIONS: SeriesName = gauge("tomcat.session.active.count", "{session}");
/// Most sessions that were kept at once since the start.
pub const TOMCAT_SESSIONS_PEAK: SeriesName = gauge("tomcat.session.active.peak", "{session}");
/// Sessions created.
pub const TOMCAT_SESSIONS_CREATED: SeriesName =
    counter("tomcat.session.created.count", "{session}");
/// Sessions that ran out.
pub const TOMCAT_SESSIONS_EXPIRED: SeriesName =
    counter("tomcat.session.expired.count", "{session}");
/// Sessions refused because there were too many.
pub const TOMCAT_SESSIONS_REJECTED: SeriesName =
    counter("tomcat.session.rejected.count", "{session}");

/// Threads there are.
pub const JETTY_THREADS: SeriesName = gauge("jetty.thread.count", "{thread}");
/// Threads that work.
pub const JETTY_BUSY: SeriesName = gauge("jetty.thread.busy.count", "{thread}");
/// Threads that wait for work.
pub const JETTY_IDLE: SeriesName = gauge("jetty.thread.idle.count", "{thread}");
/// Most threads.
pub const JETTY_THREAD_LIMIT: SeriesName = gauge("jetty.thread.limit", "{thread}");
/// Jobs that wait for a thread.
pub const JETTY_QUEUE: SeriesName = gauge("jetty.thread.queue.size", "{job}");
/// Connections that are open.
pub const JETTY_CONNECTIONS: SeriesName = gauge("jetty.connection.count", "{connection}");
/// Sessions created.
pub const JETTY_SESSIONS_CREATED: SeriesName = counter("jetty.session.created.count", "{session}");

/// Worker threads there are, by `undertow.worker.name`.
pub const UNDERTOW_THREADS: SeriesName = gauge("undertow.thread.count", "{thread}");
/// Worker threads that work, by `undertow.worker.name`; absent where XNIO does not tell.
pub const UNDERTOW_BUSY: SeriesName = gauge("undertow.thread.busy.count", "{thread}");
/// Most worker threads, by `undertow.worker.name`.
pub const UNDERTOW_THREAD_LIMIT: SeriesName = gauge("undertow.thread.limit", "{thread}");
/// Input and output threads, by `undertow.worker.name`.
pub const UNDERTOW_IO_THREADS: SeriesName = gauge("undertow.io_thread.count", "{thread}");
/// Requests that wait for a worker thread, by `undertow.worker.name`.
pub const UNDERTOW_QUEUE: SeriesName = gauge("undertow.thread.queue.size", "{job}");
/// Connections that are open, by `undertow.worker.name`.
pub const UNDERTOW_CONNECTIONS: SeriesName = gauge("undertow.connection.count", "{connection}");
/// Requests served (Quarkus, WildFly, Micrometer binders).
pub const UNDERTOW_REQUESTS: SeriesName = counter("undertow.request.count", "{request}");
/// Requests that failed.
pub const UNDERTOW_ERRORS: SeriesName = counter("undertow.error.count", "{request}");
/// Sessions that are kept.
pub const UNDERTOW_SESSIONS: SeriesName = gauge("undertow.session.active.count", "{session}");
