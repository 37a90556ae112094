//! mysqld_exporter: `SHOW GLOBAL STATUS`, `SHOW GLOBAL VARIABLES` and statement digests.

use plimsoll_stats::series::EntityKind::Database;

use super::super::facts::PrometheusFacts;
use super::super::rule::{LabelRule, PrometheusRule, label, rule};
use super::super::text::PrometheusSample;
use crate::collectors::mysql::SETTINGS;
use crate::names::SeriesName;
use crate::names::mysql as names;
use crate::statement::{SqlDialect, digest_id, without_literals};

/// Those that the server's own status is asked for.
const COMMAND: &[LabelRule] = &[label("command", "mysql.command").among(&[
    "select",
    "insert",
    "update",
    "delete",
    "replace",
    "commit",
    "rollback",
    "begin",
    "set_option",
    "stmt_prepare",
    "stmt_execute",
])];
const HANDLER: &[LabelRule] = &[label("handler", "mysql.handler").among(&[
    "read_first",
    "read_key",
    "read_last",
    "read_next",
    "read_prev",
    "read_rnd",
    "read_rnd_next",
    "write",
    "update",
    "delete",
])];
const ROW: &[LabelRule] = &[
    label("operation", "mysql.row.operation").among(&["read", "inserted", "updated", "deleted"])
];
const PAGE: &[LabelRule] = &[label("state", "mysql.page.state").among(&["data", "free", "misc"])];
const CONNECTION_ERROR: &[LabelRule] =
    &[label("error", "mysql.connection.error").among(&["max_connections", "internal", "accept"])];
const DIGEST: &[LabelRule] = &[label("digest", "mysql.digest").made(digest)];

const fn status(name: &'static str, metric: &'static SeriesName) -> PrometheusRule {
    rule(name, Database, metric)
}

const fn thread(
    name: &'static str,
    kind: &'static [(&'static str, &'static str)],
) -> PrometheusRule {
    rule(name, Database, &names::THREADS).fixed(kind)
}

const fn statements(name: &'static str, metric: &'static SeriesName) -> PrometheusRule {
    rule(name, Database, metric).labels(DIGEST)
}

/// The exporter leaves the sum out.
const fn part_of_all_pages(state: &'static [(&'static str, &'static str)]) -> PrometheusRule {
    status("mysql_global_status_buffer_pool_pages", &names::POOL_PAGES)
        .only(state)
        .fixed(&[("mysql.page.state", "total")])
}

pub(super) static RULES: &[PrometheusRule] = &[
    status("mysql_global_status_queries", &names::QUERIES),
    status("mysql_global_status_slow_queries", &names::SLOW_QUERIES),
    status("mysql_global_status_commands_total", &names::COMMANDS).labels(COMMAND),
    thread(
        "mysql_global_status_threads_connected",
        &[("mysql.thread.kind", "connected")],
    ),
    thread(
        "mysql_global_status_threads_running",
        &[("mysql.thread.kind", "running")],
    ),
    thread(
        "mysql_global_status_threads_cached",
        &[("mysql.thread.kind", "cached")],
    ),
    status(
        "mysql_global_status_threads_created",
        &names::THREADS_CREATED,
    ),
    status("mysql_global_status_connections", &names::CONNECTIONS),
    status(
        "mysql_global_status_max_used_connections",
        &names::CONNECTIONS_PEAK,
    ),
    status(
        "mysql_global_status_aborted_clients",
        &names::CONNECTION_ERRORS,
    )
    .fixed(&[("mysql.connection.error", "aborted_client")]),
    status(
        "mysql_global_status_aborted_connects",
        &names::CONNECTION_ERRORS,
    )
    .fixed(&[("mysql.connection.error", "aborted_connect")]),
    status(
        "mysql_global_status_connection_errors_total",
        &names::CONNECTION_ERRORS,
    )
    .labels(CONNECTION_ERROR),
    status("mysql_global_status_handlers_total", &names::HANDLERS).labels(HANDLER),
    status(
        "mysql_global_status_innodb_row_ops_total",
        &names::ROW_OPERATIONS,
    )
    .labels(ROW),
    status(
        "mysql_global_status_innodb_row_lock_waits",
        &names::ROW_LOCK_WAITS,
    ),
    status(
        "mysql_global_status_innodb_row_lock_time",
        &names::ROW_LOCK_TIME,
    )
    .scale(1e-3),
    status(
        "mysql_global_status_innodb_row_lock_current_waits",
        &names::ROW_LOCK_CURRENT,
    ),
    status("mysql_global_status_innodb_deadlocks", &names::DEADLOCKS),
    status(
        "mysql_global_status_table_locks_immediate",
        &names::TABLE_LOCKS,
    )
    .fixed(&[("mysql.lock", "immediate")]),
    status(
        "mysql_global_status_table_locks_waited",
        &names::TABLE_LOCKS,
    )
    .fixed(&[("mysql.lock", "waited")]),
    status("mysql_global_status_buffer_pool_pages", &names::POOL_PAGES)
        .labels(PAGE)
        .also(),
    part_of_all_pages(&[("state", "data")]),
    part_of_all_pages(&[("state", "free")]),
    part_of_all_pages(&[("state", "misc")]),
    status(
        "mysql_global_status_buffer_pool_dirty_pages",
        &names::POOL_PAGES,
    )
    .fixed(&[("mysql.page.state", "dirty")]),
    status(
        "mysql_global_status_innodb_buffer_pool_read_requests",
        &names::POOL_REQUESTS,
    ),
    status(
        "mysql_global_status_innodb_buffer_pool_reads",
        &names::POOL_READS,
    ),
    status(
        "mysql_global_status_innodb_buffer_pool_wait_free",
        &names::POOL_WAITS,
    ),
    status("mysql_global_status_innodb_log_waits", &names::LOG_WAITS),
    status(
        "mysql_global_status_innodb_os_log_written",
        &names::LOG_WRITTEN,
    ),
    status("mysql_global_status_innodb_os_log_fsyncs", &names::FSYNCS)
        .fixed(&[("mysql.file", "log")]),
    status("mysql_global_status_innodb_data_fsyncs", &names::FSYNCS)
        .fixed(&[("mysql.file", "data")]),
    status("mysql_global_status_innodb_data_read", &names::DATA_IO)
        .fixed(&[("disk.io.direction", "read")]),
    status("mysql_global_status_innodb_data_written", &names::DATA_IO)
        .fixed(&[("disk.io.direction", "write")]),
    status("mysql_global_status_bytes_received", &names::CLIENT_IO)
        .fixed(&[("network.io.direction", "receive")]),
    status("mysql_global_status_bytes_sent", &names::CLIENT_IO)
        .fixed(&[("network.io.direction", "transmit")]),
    status("mysql_global_status_created_tmp_tables", &names::TMP_TABLES)
        .fixed(&[("mysql.tmp_table", "memory")]),
    status(
        "mysql_global_status_created_tmp_disk_tables",
        &names::TMP_TABLES,
    )
    .fixed(&[("mysql.tmp_table", "disk")]),
    status("mysql_global_status_select_scan", &names::SCANS).fixed(&[("mysql.scan", "select")]),
    status("mysql_global_status_select_full_join", &names::SCANS)
        .fixed(&[("mysql.scan", "full_join")]),
    status("mysql_global_status_sort_scan", &names::SCANS).fixed(&[("mysql.scan", "sort")]),
    status("mysql_global_status_sort_merge_passes", &names::SORT_MERGES),
    status("mysql_global_status_sort_rows", &names::SORT_ROWS),
    status("mysql_global_status_opened_tables", &names::TABLES_OPENED),
    status("mysql_global_status_uptime", &names::UPTIME),
    statements(
        "mysql_perf_schema_events_statements_total",
        &names::DIGEST_COUNT,
    ),
    statements(
        "mysql_perf_schema_events_statements_seconds_total",
        &names::DIGEST_TIME,
    ),
    statements(
        "mysql_perf_schema_events_statements_lock_time_seconds_total",
        &names::DIGEST_LOCK_TIME,
    ),
    statements(
        "mysql_perf_schema_events_statements_rows_examined_total",
        &names::DIGEST_EXAMINED,
    ),
    statements(
        "mysql_perf_schema_events_statements_rows_sent_total",
        &names::DIGEST_SENT,
    ),
    statements(
        "mysql_perf_schema_events_statements_no_index_used_total",
        &names::DIGEST_NO_INDEX,
    ),
    statements(
        "mysql_perf_schema_events_statements_errors_total",
        &names::DIGEST_ERRORS,
    ),
    statements(
        "mysql_perf_schema_events_statements_tmp_disk_tables_total",
        &names::DIGEST_TMP_DISK,
    ),
];

fn digest(sample: &PrometheusSample<'_>) -> Option<String> {
    let digest = sample.label("digest")?;
    // So the exporter says that a statement is of no schema.
    let schema = sample.label("schema").filter(|schema| *schema != "NONE");
    Some(digest_id(digest, schema.unwrap_or_default()))
}

/// Settings that are switches: the exporter makes numbers of them.
const SWITCHES: &[&str] = &[
    "general_log",
    "innodb_doublewrite",
    "log_bin",
    "log_queries_not_using_indexes",
    "performance_schema",
    "query_cache_type",
    "read_only",
    "skip_name_resolve",
    "slow_query_log",
];

/// The version, settings and texts of statements.
pub(super) fn facts(sample: &PrometheusSample<'_>) -> Option<PrometheusFacts> {
    if let Some(name) = sample.name.strip_prefix("mysql_global_variables_") {
        return Some(setting(name, sample.value));
    }
    let names = match sample.name {
        "mysql_version_info" => &[
            ("version", "mysql.version"),
            ("version_comment", "mysql.version_comment"),
        ][..],
        "mysql_transaction_isolation" => &[("level", "mysql.transaction_isolation")],
        "mysql_perf_schema_events_statements_total" => {
            let name = format!("mysql.digest.{}", digest(sample)?);
            let text = without_literals(sample.label("digest_text")?, SqlDialect::MySql);
            return Some(PrometheusFacts::one(Database, name, text));
        }
        _ => return None,
    };
    Some(PrometheusFacts::labels(sample, Database, names))
}

fn setting(name: &str, value: f64) -> PrometheusFacts {
    if !SETTINGS.contains(&name) {
        return PrometheusFacts::none(Database);
    }
    let value = match (SWITCHES.contains(&name), value == 0.0) {
        (true, true) => "OFF".to_owned(),
        (true, false) => "ON".to_owned(),
        (false, _) => value.to_string(),
    };
    PrometheusFacts::one(Database, format!("mysql.{name}"), value)
}
