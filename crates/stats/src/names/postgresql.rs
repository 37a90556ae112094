//! Series of PostgreSQL, by the names of OpenTelemetry's collector where it has any.

use super::{SeriesName, counter, gauge};

/// Clients' connections by `postgresql.state` (active, idle, idle in transaction …) and what they wait
/// for: `postgresql.wait_event_type` (Lock, LWLock, IO, Client, none) and
/// `postgresql.wait_event` (transactionid, WALWrite, ClientRead …).
pub const BACKENDS: SeriesName = gauge("postgresql.backends", "{connection}");
/// Clients' connections there are.
pub const CONNECTIONS: SeriesName = gauge("postgresql.connection.count", "{connection}");
/// Most connections (`max_connections`).
pub const CONNECTION_MAX: SeriesName = gauge("postgresql.connection.max", "{connection}");
/// Transactions that were committed.
pub const COMMITS: SeriesName = counter("postgresql.commits", "{transaction}");
/// Transactions that were rolled back.
pub const ROLLBACKS: SeriesName = counter("postgresql.rollbacks", "{transaction}");
/// Age of the oldest transaction that is open.
pub const OLDEST: SeriesName = gauge("postgresql.transaction.age.max", "s");
/// Rows by `postgresql.row.operation`: returned (read by scans), fetched (by an index), inserted,
/// updated, deleted.
pub const ROWS: SeriesName = counter("postgresql.rows", "{row}");
/// Blocks by `postgresql.block.source`: hit (in shared buffers), read (from the system).
pub const BLOCKS: SeriesName = counter("postgresql.blocks", "{block}");
/// Time of reads and writes of blocks by `disk.io.direction`, where `track_io_timing` is on.
pub const BLOCK_TIME: SeriesName = counter("postgresql.blocks.time", "s");
/// Temporary files that queries made, for sorts and hashes beyond `work_mem`.
pub const TEMP_FILES: SeriesName = counter("postgresql.temp_files", "{file}");
/// Bytes of these files.
pub const TEMP_IO: SeriesName = counter("postgresql.temp.io", "By");
/// Deadlocks that were ended.
pub const DEADLOCKS: SeriesName = counter("postgresql.deadlocks", "{deadlock}");
/// Checkpoints by `postgresql.checkpoint.cause`: scheduled (by time), requested (mostly by
/// `max_wal_size`).
pub const CHECKPOINTS: SeriesName = counter("postgresql.bgwriter.checkpoint.count", "{checkpoint}");
/// Time of checkpoints by `postgresql.checkpoint.phase`: write, sync.
pub const CHECKPOINT_TIME: SeriesName = counter("postgresql.bgwriter.duration", "s");
/// Bytes of the write-ahead log.
pub const WAL_WRITTEN: SeriesName = counter("postgresql.wal.written", "By");
/// Locks by `postgresql.lock.type` (relation, transactionid, tuple …) and `postgresql.lock.state`
/// (granted, waiting).
pub const LOCKS: SeriesName = gauge("postgresql.locks", "{lock}");
/// Connections held up, by `postgresql.holder`: the statement of who holds the lock; the fact
/// `postgresql.holder.ID` has its text and its state.
pub const HELD_UP: SeriesName = gauge("postgresql.locks.held_up", "{connection}");
/// How long who holds the lock has been in its transaction, by `postgresql.holder`.
pub const HOLDER_AGE: SeriesName = gauge("postgresql.locks.holder_age.max", "s");

/// Statements of one form, by `postgresql.query_id`; the fact `postgresql.statement.ID` has its
/// text. These need the extension pg_stat_statements.
pub const STATEMENT_COUNT: SeriesName = counter("postgresql.statement.count", "{query}");
/// Time of these statements.
pub const STATEMENT_TIME: SeriesName = counter("postgresql.statement.time", "s");
/// Longest of these statements since the statistics were reset.
pub const STATEMENT_MAX: SeriesName = gauge("postgresql.statement.max", "s");
/// Rows that these statements gave back or changed.
pub const STATEMENT_ROWS: SeriesName = counter("postgresql.statement.rows", "{row}");
/// Blocks that these statements looked at, by `postgresql.block.source`: hit, read.
pub const STATEMENT_BLOCKS: SeriesName = counter("postgresql.statement.blocks", "{block}");
/// Blocks that these statements wrote to temporary files.
pub const STATEMENT_TEMP: SeriesName = counter("postgresql.statement.temp_blocks", "{block}");
