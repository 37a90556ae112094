//! Which variables of the server are series, and which are facts.

use crate::names::SeriesName;
use crate::names::mysql as names;

/// A status variable as a series.
pub(super) struct StatusVariable {
    pub(super) variable: &'static str,
    pub(super) metric: &'static SeriesName,
    pub(super) attribute: Option<(&'static str, &'static str)>,
    /// Our unit in theirs.
    pub(super) scale: f64,
}

const fn plain(variable: &'static str, metric: &'static SeriesName) -> StatusVariable {
    StatusVariable {
        variable,
        metric,
        attribute: None,
        scale: 1.0,
    }
}

const fn with(
    variable: &'static str,
    metric: &'static SeriesName,
    name: &'static str,
    value: &'static str,
) -> StatusVariable {
    StatusVariable {
        variable,
        metric,
        attribute: Some((name, value)),
        scale: 1.0,
    }
}

const fn command(variable: &'static str, command: &'static str) -> StatusVariable {
    with(variable, &names::COMMANDS, "mysql.command", command)
}

const fn thread(variable: &'static str, kind: &'static str) -> StatusVariable {
    with(variable, &names::THREADS, "mysql.thread.kind", kind)
}

const fn handler(variable: &'static str, handler: &'static str) -> StatusVariable {
    with(variable, &names::HANDLERS, "mysql.handler", handler)
}

const fn rows(variable: &'static str, operation: &'static str) -> StatusVariable {
    with(
        variable,
        &names::ROW_OPERATIONS,
        "mysql.row.operation",
        operation,
    )
}

const fn pages(variable: &'static str, state: &'static str) -> StatusVariable {
    with(variable, &names::POOL_PAGES, "mysql.page.state", state)
}

const fn error(variable: &'static str, error: &'static str) -> StatusVariable {
    with(
        variable,
        &names::CONNECTION_ERRORS,
        "mysql.connection.error",
        error,
    )
}

/// Variables of `SHOW GLOBAL STATUS`.
pub(super) static STATUS: &[StatusVariable] = &[
    plain("Queries", &names::QUERIES),
    plain("Slow_queries", &names::SLOW_QUERIES),
    command("Com_select", "select"),
    command("Com_insert", "insert"),
    command("Com_update", "update"),
    command("Com_delete", "delete"),
    command("Com_replace", "replace"),
    command("Com_commit", "commit"),
    command("Com_rollback", "rollback"),
    command("Com_begin", "begin"),
    command("Com_set_option", "set_option"),
    command("Com_stmt_prepare", "stmt_prepare"),
    command("Com_stmt_execute", "stmt_execute"),
    thread("Threads_connected", "connected"),
    thread("Threads_running", "running"),
    thread("Threads_cached", "cached"),
    plain("Threads_created", &names::THREADS_CREATED),
    plain("Connections", &names::CONNECTIONS),
    plain("Max_used_connections", &names::CONNECTIONS_PEAK),
    error("Aborted_clients", "aborted_client"),
    error("Aborted_connects", "aborted_connect"),
    error("Connection_errors_max_connections", "max_connections"),
    error("Connection_errors_internal", "internal"),
    error("Connection_errors_accept", "accept"),
    handler("Handler_read_first", "read_first"),
    handler("Handler_read_key", "read_key"),
    handler("Handler_read_last", "read_last"),
    handler("Handler_read_next", "read_next"),
    handler("Handler_read_prev", "read_prev"),
    handler("Handler_read_rnd", "read_rnd"),
    handler("Handler_read_rnd_next", "read_rnd_next"),
    handler("Handler_write", "write"),
    handler("Handler_update", "update"),
    handler("Handler_delete", "delete"),
    rows("Innodb_rows_read", "read"),
    rows("Innodb_rows_inserted", "inserted"),
    rows("Innodb_rows_updated", "updated"),
    rows("Innodb_rows_deleted", "deleted"),
    plain("Innodb_row_lock_waits", &names::ROW_LOCK_WAITS),
    StatusVariable {
        scale: 1e-3,
        ..plain("Innodb_row_lock_time", &names::ROW_LOCK_TIME)
    },
    plain("Innodb_row_lock_current_waits", &names::ROW_LOCK_CURRENT),
    plain("Innodb_deadlocks", &names::DEADLOCKS),
    with(
        "Table_locks_immediate",
        &names::TABLE_LOCKS,
        "mysql.lock",
        "immediate",
    ),
    with(
        "Table_locks_waited",
        &names::TABLE_LOCKS,
        "mysql.lock",
        "waited",
    ),
    pages("Innodb_buffer_pool_pages_data", "data"),
    pages("Innodb_buffer_pool_pages_free", "free"),
    pages("Innodb_buffer_pool_pages_dirty", "dirty"),
    pages("Innodb_buffer_pool_pages_misc", "misc"),
    pages("Innodb_buffer_pool_pages_total", "total"),
    plain("Innodb_buffer_pool_read_requests", &names::POOL_REQUESTS),
    plain("Innodb_buffer_pool_reads", &names::POOL_READS),
    plain("Innodb_buffer_pool_wait_free", &names::POOL_WAITS),
    plain("Innodb_log_waits", &names::LOG_WAITS),
    plain("Innodb_os_log_written", &names::LOG_WRITTEN),
    with("Innodb_os_log_fsyncs", &names::FSYNCS, "mysql.file", "log"),
    with("Innodb_data_fsyncs", &names::FSYNCS, "mysql.file", "data"),
    with(
        "Innodb_data_read",
        &names::DATA_IO,
        "disk.io.direction",
        "read",
    ),
    with(
        "Innodb_data_written",
        &names::DATA_IO,
        "disk.io.direction",
        "write",
    ),
    with(
        "Bytes_received",
        &names::CLIENT_IO,
        "network.io.direction",
        "receive",
    ),
    with(
        "Bytes_sent",
        &names::CLIENT_IO,
        "network.io.direction",
        "transmit",
    ),
    with(
        "Created_tmp_tables",
        &names::TMP_TABLES,
        "mysql.tmp_table",
        "memory",
    ),
    with(
        "Created_tmp_disk_tables",
        &names::TMP_TABLES,
        "mysql.tmp_table",
        "disk",
    ),
    with("Select_scan", &names::SCANS, "mysql.scan", "select"),
    with("Select_full_join", &names::SCANS, "mysql.scan", "full_join"),
    with("Sort_scan", &names::SCANS, "mysql.scan", "sort"),
    plain("Sort_merge_passes", &names::SORT_MERGES),
    plain("Sort_rows", &names::SORT_ROWS),
    plain("Opened_tables", &names::TABLES_OPENED),
    plain("Uptime", &names::UPTIME),
];

/// Variables of `SHOW GLOBAL VARIABLES` that are facts.
pub(crate) static SETTINGS: &[&str] = &[
    "version",
    "version_comment",
    "max_connections",
    "max_user_connections",
    "back_log",
    "thread_cache_size",
    "thread_handling",
    "thread_pool_size",
    "innodb_buffer_pool_size",
    "innodb_buffer_pool_instances",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_file_size",
    "innodb_log_buffer_size",
    "innodb_redo_log_capacity",
    "innodb_thread_concurrency",
    "innodb_lock_wait_timeout",
    "innodb_read_io_threads",
    "innodb_write_io_threads",
    "innodb_doublewrite",
    "sync_binlog",
    "log_bin",
    "binlog_format",
    "table_open_cache",
    "table_definition_cache",
    "open_files_limit",
    "tmp_table_size",
    "max_heap_table_size",
    "sort_buffer_size",
    "join_buffer_size",
    "read_buffer_size",
    "query_cache_type",
    "query_cache_size",
    "slow_query_log",
    "long_query_time",
    "log_queries_not_using_indexes",
    "general_log",
    "performance_schema",
    "transaction_isolation",
    "tx_isolation",
    "wait_timeout",
    "skip_name_resolve",
    "read_only",
    "max_allowed_packet",
    "character_set_server",
];
