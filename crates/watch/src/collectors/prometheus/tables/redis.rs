//! redis_exporter: what `INFO` says.

use plimsoll_stats::series::EntityKind::Cache;

use super::super::facts::PrometheusFacts;
use super::super::rule::{LabelRule, PrometheusRule, label, rule};
use super::super::text::PrometheusSample;
use crate::names::redis as names;

const CMD: &[LabelRule] = &[label("cmd", "redis.cmd")];
const LATENCY: &[LabelRule] = &[
    label("cmd", "redis.cmd"),
    label("quantile", "quantile").values(&[("50", "0.5"), ("99", "0.99"), ("99.9", "0.999")]),
];
const ERROR: &[LabelRule] = &[label("err", "redis.error")];
/// `db0` is `0` to us.
const DB: &[LabelRule] = &[label("db", "redis.db").made(|sample| {
    let number = sample.label("db")?.strip_prefix("db")?;
    Some(number.to_owned())
})];
const SERVER_USER: &[(&str, &str)] = &[("cpu.mode", "user"), ("redis.process", "server")];
const SERVER_SYSTEM: &[(&str, &str)] = &[("cpu.mode", "system"), ("redis.process", "server")];
const CHILD_USER: &[(&str, &str)] = &[("cpu.mode", "user"), ("redis.process", "children")];
const CHILD_SYSTEM: &[(&str, &str)] = &[("cpu.mode", "system"), ("redis.process", "children")];
const USER: &[(&str, &str)] = &[("cpu.mode", "user")];
const SYSTEM: &[(&str, &str)] = &[("cpu.mode", "system")];

pub(super) static RULES: &[PrometheusRule] = &[
    rule("redis_connected_clients", Cache, &names::CLIENTS),
    rule("redis_blocked_clients", Cache, &names::CLIENTS_BLOCKED),
    rule(
        "redis_client_recent_max_input_buffer_bytes",
        Cache,
        &names::MAX_INPUT,
    ),
    rule(
        "redis_connections_received_total",
        Cache,
        &names::CONNECTIONS,
    ),
    rule("redis_rejected_connections_total", Cache, &names::REJECTED),
    rule("redis_commands_processed_total", Cache, &names::COMMANDS),
    rule("redis_commands_total", Cache, &names::CMD_CALLS).labels(CMD),
    rule(
        "redis_commands_duration_seconds_total",
        Cache,
        &names::CMD_TIME,
    )
    .labels(CMD),
    rule(
        "redis_commands_failed_calls_total",
        Cache,
        &names::CMD_FAILED,
    )
    .labels(CMD),
    rule("redis_latency_percentiles_usec", Cache, &names::CMD_LATENCY)
        .labels(LATENCY)
        .scale(1e-6),
    rule("redis_errors_total", Cache, &names::ERRORS).labels(ERROR),
    rule("redis_keyspace_hits_total", Cache, &names::HITS),
    rule("redis_keyspace_misses_total", Cache, &names::MISSES),
    rule("redis_db_keys", Cache, &names::KEYS).labels(DB),
    rule("redis_db_keys_expiring", Cache, &names::KEYS_EXPIRING).labels(DB),
    rule("redis_evicted_keys_total", Cache, &names::EVICTED),
    rule("redis_expired_keys_total", Cache, &names::EXPIRED),
    rule("redis_cpu_user_seconds_total", Cache, &names::CPU_TIME).fixed(SERVER_USER),
    rule("redis_cpu_sys_seconds_total", Cache, &names::CPU_TIME).fixed(SERVER_SYSTEM),
    rule(
        "redis_cpu_user_children_seconds_total",
        Cache,
        &names::CPU_TIME,
    )
    .fixed(CHILD_USER),
    rule(
        "redis_cpu_sys_children_seconds_total",
        Cache,
        &names::CPU_TIME,
    )
    .fixed(CHILD_SYSTEM),
    rule(
        "redis_cpu_user_main_thread_seconds_total",
        Cache,
        &names::MAIN_CPU_TIME,
    )
    .fixed(USER),
    rule(
        "redis_cpu_sys_main_thread_seconds_total",
        Cache,
        &names::MAIN_CPU_TIME,
    )
    .fixed(SYSTEM),
    rule("redis_memory_used_bytes", Cache, &names::MEMORY_USED),
    rule("redis_memory_used_rss_bytes", Cache, &names::MEMORY_RSS),
    rule("redis_memory_used_peak_bytes", Cache, &names::MEMORY_PEAK),
    rule("redis_memory_max_bytes", Cache, &names::MEMORY_MAX).positive(),
    rule(
        "redis_mem_fragmentation_ratio",
        Cache,
        &names::FRAGMENTATION,
    ),
    rule("redis_net_input_bytes_total", Cache, &names::NET_INPUT),
    rule("redis_net_output_bytes_total", Cache, &names::NET_OUTPUT),
    rule("redis_slowlog_last_id", Cache, &names::SLOW).last_number(),
    rule("redis_latest_fork_seconds", Cache, &names::LATEST_FORK),
    rule("redis_aof_delayed_fsync", Cache, &names::AOF_DELAYED),
    rule("redis_connected_slaves", Cache, &names::REPLICAS),
    rule("redis_uptime_in_seconds", Cache, &names::UPTIME),
];

/// Labels of the instance, and the settings that the exporter tells as numbers.
pub(super) fn facts(sample: &PrometheusSample<'_>) -> Option<PrometheusFacts> {
    if sample.name == "redis_instance_info" {
        return Some(PrometheusFacts::labels(
            sample,
            Cache,
            &[
                ("redis_version", "redis.version"),
                ("redis_mode", "redis.mode"),
                ("role", "redis.role"),
                ("maxmemory_policy", "redis.maxmemory_policy"),
            ],
        ));
    }
    let setting = sample.name.strip_prefix("redis_config_")?;
    let name = format!("redis.{}", setting.replace('_', "-"));
    Some(PrometheusFacts::one(Cache, name, sample.value.to_string()))
}
