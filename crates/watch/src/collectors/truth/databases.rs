//! MySQL, Redis and nginx by their own words and by exporters.

use std::fmt::Write;

use plimsoll_stats::series::{Entity, EntityKind};

use super::said::{Said, Shown, Truth, compare, exposed};
use crate::collector::Look;
use crate::collectors::redis::resp::Reply;
use crate::collectors::{mysql, nginx, redis};

/// What an exporter makes of a variable's name: families with labels, else the name as it is.
fn exporters_name(variable: &str) -> String {
    let small = variable.to_lowercase();
    for (begin, family, label) in [
        ("com_", "commands_total", "command"),
        ("handler_", "handlers_total", "handler"),
        ("connection_errors_", "connection_errors_total", "error"),
        ("innodb_rows_", "innodb_row_ops_total", "operation"),
    ] {
        if let Some(rest) = small.strip_prefix(begin) {
            return format!("mysql_global_status_{family}{{{label}=\"{rest}\"}}");
        }
    }
    match small.strip_prefix("innodb_buffer_pool_pages_") {
        Some("dirty") => "mysql_global_status_buffer_pool_dirty_pages".to_owned(),
        Some(state) => format!("mysql_global_status_buffer_pool_pages{{state=\"{state}\"}}"),
        None => format!("mysql_global_status_{small}"),
    }
}

fn mysqls(truth: &Truth) -> [Said; 2] {
    let entity = Entity::new(EntityKind::Database, "m", "h");
    let (mut rows, mut text, mut look) = (Vec::new(), String::new(), Look::at(1));
    for variable in mysql::variables() {
        let value = match variable {
            // All pages are these.
            "Innodb_buffer_pool_pages_total" => ["data", "free", "misc"]
                .map(|state| truth.n(&format!("Innodb_buffer_pool_pages_{state}")))
                .iter()
                .sum(),
            _ => truth.n(variable),
        };
        rows.push(vec![Some(variable.to_owned()), Some(value.to_string())]);
        if variable != "Innodb_buffer_pool_pages_total" {
            let _ = writeln!(text, "{} {value}", exporters_name(variable));
        }
    }
    mysql::tell_status(&rows, &entity, &mut look);
    let digest = "0123456789abcdef";
    let mut row = vec![
        Some(digest.to_owned()),
        Some("shop".to_owned()),
        Some("select ?".to_owned()),
    ];
    for (column, family) in [
        "total",
        "seconds_total",
        "lock_time_seconds_total",
        "",
        "rows_examined_total",
        "rows_sent_total",
        "no_index_used_total",
        "errors_total",
        "tmp_disk_tables_total",
    ]
    .iter()
    .enumerate()
    {
        let value = truth.n(&format!("digest {column}"));
        row.push(Some(value.to_string()));
        let labels = format!("digest=\"{digest}\",digest_text=\"select ?\",schema=\"shop\"");
        if !family.is_empty() {
            let _ = writeln!(
                text,
                "mysql_perf_schema_events_statements_{family}{{{labels}}} {value}"
            );
        }
    }
    mysql::tell_statements(&[row], &entity, &mut look);
    [Said::new("mysql", &look), exposed("mysqld_exporter", &text)]
}

/// Fields of `INFO`, and the exporter's names for them.
const REDIS: &[(&str, &str)] = &[
    ("connected_clients", "connected_clients"),
    ("blocked_clients", "blocked_clients"),
    (
        "client_recent_max_input_buffer",
        "client_recent_max_input_buffer_bytes",
    ),
    ("total_connections_received", "connections_received_total"),
    ("rejected_connections", "rejected_connections_total"),
    ("total_commands_processed", "commands_processed_total"),
    ("keyspace_hits", "keyspace_hits_total"),
    ("keyspace_misses", "keyspace_misses_total"),
    ("evicted_keys", "evicted_keys_total"),
    ("expired_keys", "expired_keys_total"),
    ("used_cpu_user", "cpu_user_seconds_total"),
    ("used_cpu_sys", "cpu_sys_seconds_total"),
    ("used_cpu_user_children", "cpu_user_children_seconds_total"),
    ("used_cpu_sys_children", "cpu_sys_children_seconds_total"),
    (
        "used_cpu_user_main_thread",
        "cpu_user_main_thread_seconds_total",
    ),
    (
        "used_cpu_sys_main_thread",
        "cpu_sys_main_thread_seconds_total",
    ),
    ("used_memory", "memory_used_bytes"),
    ("used_memory_rss", "memory_used_rss_bytes"),
    ("used_memory_peak", "memory_used_peak_bytes"),
    ("maxmemory", "memory_max_bytes"),
    ("mem_fragmentation_ratio", "mem_fragmentation_ratio"),
    ("total_net_input_bytes", "net_input_bytes_total"),
    ("total_net_output_bytes", "net_output_bytes_total"),
    ("aof_delayed_fsync", "aof_delayed_fsync"),
    ("connected_slaves", "connected_slaves"),
    ("uptime_in_seconds", "uptime_in_seconds"),
];

fn redises(truth: &Truth) -> [Said; 2] {
    let entity = Entity::new(EntityKind::Cache, "r", "h");
    let (mut info, mut text, mut look) = (String::new(), String::new(), Look::at(1));
    for (field, exported) in REDIS {
        let _ = writeln!(info, "{field}:{}", truth.n(field));
        let _ = writeln!(text, "redis_{exported} {}", truth.n(field));
    }
    let n = |what: &str| truth.n(what);
    let (calls, usec, failed) = (n("calls"), n("usec"), n("failed"));
    let _ = writeln!(info, "latest_fork_usec:{}", n("fork"));
    let _ = writeln!(text, "redis_latest_fork_seconds {}", n("fork") as f64 / 1e6);
    let _ = writeln!(
        info,
        "cmdstat_get:calls={calls},usec={usec},failed_calls={failed}"
    );
    for (name, value) in [
        ("commands_total", calls as f64),
        ("commands_duration_seconds_total", usec as f64 / 1e6),
        ("commands_failed_calls_total", failed as f64),
    ] {
        let _ = writeln!(text, "redis_{name}{{cmd=\"get\"}} {value}");
    }
    let (half, most) = (n("p50"), n("p99"));
    let _ = writeln!(info, "latency_percentiles_usec_get:p50={half},p99={most}");
    for (quantile, value) in [("50", half), ("99", most)] {
        let labels = format!("cmd=\"get\",quantile=\"{quantile}\"");
        let _ = writeln!(text, "redis_latency_percentiles_usec{{{labels}}} {value}");
    }
    let _ = writeln!(info, "errorstat_ERR:count={}", n("errors"));
    let _ = writeln!(text, "redis_errors_total{{err=\"ERR\"}} {}", n("errors"));
    let _ = writeln!(info, "db3:keys={},expires={}", n("keys"), n("expires"));
    let _ = writeln!(text, "redis_db_keys{{db=\"db3\"}} {}", n("keys"));
    let _ = writeln!(
        text,
        "redis_db_keys_expiring{{db=\"db3\"}} {}",
        n("expires")
    );
    redis::info::tell(&info, &entity, &mut look);
    let last = i64::try_from(n("slow")).unwrap();
    let log = Reply::List(vec![Reply::List(vec![Reply::Number(last)])]);
    redis::tell_slow(Some(&log), &mut None, &entity, &mut look);
    let _ = writeln!(text, "redis_slowlog_last_id {last}");
    [Said::new("redis", &look), exposed("redis_exporter", &text)]
}

fn nginxes(truth: &Truth) -> [Said; 2] {
    let entity = Entity::new(EntityKind::Proxy, "n", "h");
    let mut look = Look::at(1);
    let n = |what: &str| truth.n(what);
    let page = format!(
        "Active connections: {} \nserver accepts handled requests\n {} {} {} \nReading: {} Writing: {} Waiting: {} \n",
        n("active"),
        n("accepted"),
        n("handled"),
        n("requests"),
        n("reading"),
        n("writing"),
        n("waiting")
    );
    nginx::status::tell(&page, &entity, &mut look).unwrap();
    let mut text = String::new();
    for state in [
        "active", "reading", "writing", "waiting", "accepted", "handled",
    ] {
        let _ = writeln!(text, "nginx_connections_{state} {}", n(state));
    }
    let _ = writeln!(text, "nginx_http_requests_total {}", n("requests"));
    [Said::new("nginx", &look), exposed("nginx exporter", &text)]
}

pub(super) fn compare_all(truth: &Truth, shown: &mut Shown) {
    compare(&mysqls(truth), shown);
    compare(&redises(truth), shown);
    compare(&nginxes(truth), shown);
}
