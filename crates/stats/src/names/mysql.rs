//! Series of MySQL and MariaDB, by the names of OpenTelemetry's collector where it has any.

use super::{SeriesName, counter, gauge};

/// Statements, those of stored programs included.
pub const QUERIES: SeriesName = counter("mysql.query.count", "{query}");
/// Statements that took longer than `long_query_time`.
pub const SLOW_QUERIES: SeriesName = counter("mysql.query.slow.count", "{query}");
/// Statements by `mysql.command`: select, insert, update, delete, commit …
pub const COMMANDS: SeriesName = counter("mysql.commands", "{command}");
/// Threads by `mysql.thread.kind`: connected, running, cached.
pub const THREADS: SeriesName = gauge("mysql.threads", "{thread}");
/// Threads made for connections.
pub const THREADS_CREATED: SeriesName = counter("mysql.threads.created", "{thread}");
/// Connections by what they do: `mysql.thread.command` (Query, Sleep) and
/// `mysql.thread.state` (Sending data, Waiting for table metadata lock …).
pub const PROCESSES: SeriesName = gauge("mysql.process.count", "{thread}");
/// Attempts to connect.
pub const CONNECTIONS: SeriesName = counter("mysql.connection.count", "{connection}");
/// Most connections at once since the start.
pub const CONNECTIONS_PEAK: SeriesName = gauge("mysql.connection.peak", "{connection}");
/// Connections that failed, by `mysql.connection.error`: aborted_client, aborted_connect,
/// max_connections …
pub const CONNECTION_ERRORS: SeriesName = counter("mysql.connection.errors", "{error}");
/// Rows handled by the storage engines, by `mysql.handler`: read_key by an index, read_rnd_next
/// by a scan, …
pub const HANDLERS: SeriesName = counter("mysql.handlers", "{row}");
/// Rows of InnoDB by `mysql.row.operation`: read, inserted, updated, deleted.
pub const ROW_OPERATIONS: SeriesName = counter("mysql.row_operations", "{row}");
/// Waits for row locks.
pub const ROW_LOCK_WAITS: SeriesName = counter("mysql.row_locks.waits", "{wait}");
/// Time of waits for row locks.
pub const ROW_LOCK_TIME: SeriesName = counter("mysql.row_locks.time", "s");
/// Threads that wait for a row lock now.
pub const ROW_LOCK_CURRENT: SeriesName = gauge("mysql.row_locks.waiting", "{thread}");
/// Deadlocks that InnoDB ended.
pub const DEADLOCKS: SeriesName = counter("mysql.deadlocks", "{deadlock}");
/// Table locks by `mysql.lock`: immediate, waited.
pub const TABLE_LOCKS: SeriesName = counter("mysql.table_locks", "{lock}");
/// Pages of the buffer pool by `mysql.page.state`: data, free, dirty, misc, total.
pub const POOL_PAGES: SeriesName = gauge("mysql.buffer_pool.pages", "{page}");
/// Reads that the buffer pool was asked for.
pub const POOL_REQUESTS: SeriesName = counter("mysql.buffer_pool.read_requests", "{page}");
/// Of these, reads that had to go to the disk.
pub const POOL_READS: SeriesName = counter("mysql.buffer_pool.reads", "{page}");
/// Waits for a free page of the buffer pool.
pub const POOL_WAITS: SeriesName = counter("mysql.buffer_pool.wait_free", "{wait}");
/// Waits because the log buffer was too small.
pub const LOG_WAITS: SeriesName = counter("mysql.log.waits", "{wait}");
/// Bytes written to the redo log.
pub const LOG_WRITTEN: SeriesName = counter("mysql.log.written", "By");
/// Flushes to disk by `mysql.file` (data, log).
pub const FSYNCS: SeriesName = counter("mysql.fsyncs", "{operation}");
/// Bytes of InnoDB's data files by `disk.io.direction`: read, write.
pub const DATA_IO: SeriesName = counter("mysql.data.io", "By");
/// Bytes by `network.io.direction`: receive, transmit.
pub const CLIENT_IO: SeriesName = counter("mysql.client.network.io", "By");
/// Temporary tables by `mysql.tmp_table` (memory: all, disk: those on disk).
pub const TMP_TABLES: SeriesName = counter("mysql.tmp_tables", "{table}");
/// Queries that read a whole table, by `mysql.scan`: select (the first), full_join (a later
/// one), sort (to sort it).
pub const SCANS: SeriesName = counter("mysql.scans", "{query}");
/// Merge passes of sorts that did not fit into memory.
pub const SORT_MERGES: SeriesName = counter("mysql.sort.merge_passes", "{pass}");
/// Rows sorted.
pub const SORT_ROWS: SeriesName = counter("mysql.sort.rows", "{row}");
/// Tables opened that were not in the cache.
pub const TABLES_OPENED: SeriesName = counter("mysql.table.opened", "{table}");
/// Time since the start.
pub const UPTIME: SeriesName = gauge("mysql.uptime", "s");

/// Statements of one form, by `mysql.digest`; the fact `mysql.digest.ID` has its text.
pub const DIGEST_COUNT: SeriesName = counter("mysql.statement.count", "{query}");
/// Time of these statements.
pub const DIGEST_TIME: SeriesName = counter("mysql.statement.time", "s");
/// Of that, time of waits for table locks.
pub const DIGEST_LOCK_TIME: SeriesName = counter("mysql.statement.lock_time", "s");
/// Longest of these statements since the statistics were reset.
pub const DIGEST_MAX: SeriesName = gauge("mysql.statement.max", "s");
/// Rows that these statements looked at.
pub const DIGEST_EXAMINED: SeriesName = counter("mysql.statement.rows_examined", "{row}");
/// Rows that these statements gave back.
pub const DIGEST_SENT: SeriesName = counter("mysql.statement.rows_sent", "{row}");
/// How many of these statements used no index.
pub const DIGEST_NO_INDEX: SeriesName = counter("mysql.statement.no_index.count", "{query}");
/// How many of these statements failed.
pub const DIGEST_ERRORS: SeriesName = counter("mysql.statement.errors", "{error}");
/// Temporary tables on disk made for these statements.
pub const DIGEST_TMP_DISK: SeriesName = counter("mysql.statement.tmp_disk_tables", "{table}");
