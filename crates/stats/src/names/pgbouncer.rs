//! Series of PgBouncer beside those of any pool of connections, which have the attribute
//! `db.client.connection.pool.name`: the database and the user.

use super::{SeriesName, counter, gauge};

/// Clients by `pgbouncer.state` (active, waiting) and `db.client.connection.pool.name`.
pub const CLIENTS: SeriesName = gauge("pgbouncer.client.count", "{connection}");
/// Connections to the server by `pgbouncer.state` (active, idle, used: idle and to be tested first,
/// tested, login) and `db.client.connection.pool.name`.
pub const SERVERS: SeriesName = gauge("pgbouncer.server.count", "{connection}");
/// How long the client that waits longest has waited, by `db.client.connection.pool.name`.
pub const OLDEST_WAIT: SeriesName = gauge("pgbouncer.client.wait.max", "s");
/// Most clients (`max_client_conn`).
pub const CLIENT_LIMIT: SeriesName = gauge("pgbouncer.client.limit", "{connection}");
/// Transactions by `db.namespace`.
pub const TRANSACTIONS: SeriesName = counter("pgbouncer.transaction.count", "{transaction}");
/// Queries by `db.namespace`.
pub const QUERIES: SeriesName = counter("pgbouncer.query.count", "{query}");
/// Time in transactions by `db.namespace`.
pub const TRANSACTION_TIME: SeriesName = counter("pgbouncer.transaction.time", "s");
/// Time in queries by `db.namespace`.
pub const QUERY_TIME: SeriesName = counter("pgbouncer.query.time", "s");
/// Time that clients waited for a server by `db.namespace`.
pub const WAIT_TIME: SeriesName = counter("pgbouncer.client.wait.time", "s");
/// Bytes by `network.io.direction` (receive, transmit) and `db.namespace`.
pub const CLIENT_IO: SeriesName = counter("pgbouncer.client.network.io", "By");
