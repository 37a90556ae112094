//! Series of Redis and its like (names as OpenTelemetry's collector has them).

use super::{SeriesName, counter, gauge};

/// Clients that are connected.
pub const CLIENTS: SeriesName = gauge("redis.clients.connected", "{client}");
/// Clients that wait in a blocking command.
pub const CLIENTS_BLOCKED: SeriesName = gauge("redis.clients.blocked", "{client}");
/// Largest input buffer of a client.
pub const MAX_INPUT: SeriesName = gauge("redis.clients.max_input_buffer", "By");
/// Largest output buffer of a client: big responses, or clients that read slowly.
pub const MAX_OUTPUT: SeriesName = gauge("redis.clients.max_output_buffer", "By");
/// Output buffers of all clients.
pub const OUTPUT: SeriesName = gauge("redis.clients.output_buffer", "By");
/// Connections accepted.
pub const CONNECTIONS: SeriesName = counter("redis.connections.received", "{connection}");
/// Connections refused because of `maxclients`.
pub const REJECTED: SeriesName = counter("redis.connections.rejected", "{connection}");
/// Commands processed.
pub const COMMANDS: SeriesName = counter("redis.commands.processed", "{command}");
/// Calls by `redis.cmd`.
pub const CMD_CALLS: SeriesName = counter("redis.cmd.calls", "{call}");
/// Time in the server by `redis.cmd`.
pub const CMD_TIME: SeriesName = counter("redis.cmd.time", "s");
/// Calls that failed, by `redis.cmd`.
pub const CMD_FAILED: SeriesName = counter("redis.cmd.failed", "{call}");
/// Time of a call by `redis.cmd` and `quantile` (0.5, 0.99, 0.999), since the start.
pub const CMD_LATENCY: SeriesName = gauge("redis.cmd.latency", "s");
/// Errors by `redis.error` (WRONGTYPE, OOM …).
pub const ERRORS: SeriesName = counter("redis.errors", "{error}");
/// Keys found.
pub const HITS: SeriesName = counter("redis.keyspace.hits", "{key}");
/// Keys looked for in vain.
pub const MISSES: SeriesName = counter("redis.keyspace.misses", "{key}");
/// Keys by `redis.db`.
pub const KEYS: SeriesName = gauge("redis.db.keys", "{key}");
/// Keys that expire, by `redis.db`.
pub const KEYS_EXPIRING: SeriesName = gauge("redis.db.expires", "{key}");
/// Keys thrown out because memory was full.
pub const EVICTED: SeriesName = counter("redis.keys.evicted", "{key}");
/// Keys that ran out.
pub const EXPIRED: SeriesName = counter("redis.keys.expired", "{key}");
/// CPU time by `cpu.mode` (user, system) and `redis.process` (server, children).
pub const CPU_TIME: SeriesName = counter("redis.cpu.time", "s");
/// CPU time of the thread that runs commands, by `cpu.mode`: full at one second a second.
pub const MAIN_CPU_TIME: SeriesName = counter("redis.cpu.main_thread.time", "s");
/// Memory that Redis has given out.
pub const MEMORY_USED: SeriesName = gauge("redis.memory.used", "By");
/// Memory in RAM, as the system sees it.
pub const MEMORY_RSS: SeriesName = gauge("redis.memory.rss", "By");
/// Most memory given out since the start.
pub const MEMORY_PEAK: SeriesName = gauge("redis.memory.peak", "By");
/// Memory that may be used; absent without limit.
pub const MEMORY_MAX: SeriesName = gauge("redis.memory.limit", "By");
/// Memory in RAM for each byte given out.
pub const FRAGMENTATION: SeriesName = gauge("redis.memory.fragmentation_ratio", "1");
/// Bytes received.
pub const NET_INPUT: SeriesName = counter("redis.net.input", "By");
/// Bytes sent.
pub const NET_OUTPUT: SeriesName = counter("redis.net.output", "By");
/// Time that the last fork took, in which nothing else was done.
pub const LATEST_FORK: SeriesName = gauge("redis.latest_fork", "s");
/// Writes of the append-only file that waited for the disk.
pub const AOF_DELAYED: SeriesName = counter("redis.aof.fsync.delayed", "{write}");
/// Commands that were slow enough for the slow log.
pub const SLOW: SeriesName = counter("redis.slowlog.count", "{command}");
/// Replicas.
pub const REPLICAS: SeriesName = gauge("redis.replicas.connected", "{replica}");
/// Time since the start.
pub const UPTIME: SeriesName = gauge("redis.uptime", "s");
