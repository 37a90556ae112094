//! What `INFO` says, as series.

use std::sync::Arc;

use plimsoll_stats::series::Entity;

use crate::collector::Look;
use crate::names::SeriesName;
use crate::names::redis as names;

type Attributes = &'static [(&'static str, &'static str)];

const SERVER_USER: Attributes = &[("cpu.mode", "user"), ("redis.process", "server")];
const SERVER_SYSTEM: Attributes = &[("cpu.mode", "system"), ("redis.process", "server")];
const CHILD_USER: Attributes = &[("cpu.mode", "user"), ("redis.process", "children")];
const CHILD_SYSTEM: Attributes = &[("cpu.mode", "system"), ("redis.process", "children")];
const USER: Attributes = &[("cpu.mode", "user")];
const SYSTEM: Attributes = &[("cpu.mode", "system")];

/// Fields that are one series each: field, series, attributes, our unit in theirs.
static FIELDS: &[(&str, &SeriesName, Attributes, f64)] = &[
    ("connected_clients", &names::CLIENTS, &[], 1.0),
    ("blocked_clients", &names::CLIENTS_BLOCKED, &[], 1.0),
    (
        "client_recent_max_input_buffer",
        &names::MAX_INPUT,
        &[],
        1.0,
    ),
    ("total_connections_received", &names::CONNECTIONS, &[], 1.0),
    ("rejected_connections", &names::REJECTED, &[], 1.0),
    ("total_commands_processed", &names::COMMANDS, &[], 1.0),
    ("keyspace_hits", &names::HITS, &[], 1.0),
    ("keyspace_misses", &names::MISSES, &[], 1.0),
    ("evicted_keys", &names::EVICTED, &[], 1.0),
    ("expired_keys", &names::EXPIRED, &[], 1.0),
    ("used_cpu_user", &names::CPU_TIME, SERVER_USER, 1.0),
    ("used_cpu_sys", &names::CPU_TIME, SERVER_SYSTEM, 1.0),
    ("used_cpu_user_children", &names::CPU_TIME, CHILD_USER, 1.0),
    ("used_cpu_sys_children", &names::CPU_TIME, CHILD_SYSTEM, 1.0),
    (
        "used_cpu_user_main_thread",
        &names::MAIN_CPU_TIME,
        USER,
        1.0,
    ),
    (
        "used_cpu_sys_main_thread",
        &names::MAIN_CPU_TIME,
        SYSTEM,
        1.0,
    ),
    ("used_memory", &names::MEMORY_USED, &[], 1.0),
    ("used_memory_rss", &names::MEMORY_RSS, &[], 1.0),
    ("used_memory_peak", &names::MEMORY_PEAK, &[], 1.0),
    ("mem_fragmentation_ratio", &names::FRAGMENTATION, &[], 1.0),
    ("total_net_input_bytes", &names::NET_INPUT, &[], 1.0),
    ("total_net_output_bytes", &names::NET_OUTPUT, &[], 1.0),
    ("latest_fork_usec", &names::LATEST_FORK, &[], 1e-6),
    ("aof_delayed_fsync", &names::AOF_DELAYED, &[], 1.0),
    ("connected_slaves", &names::REPLICAS, &[], 1.0),
    ("uptime_in_seconds", &names::UPTIME, &[], 1.0),
];

/// Fields that are facts.
const FACTS: &[&str] = &[
    "redis_version",
    "valkey_version",
    "redis_mode",
    "role",
    "maxmemory_policy",
    "mem_allocator",
    "io_threads_active",
    "aof_enabled",
];

/// Commands that are told apart.
const MAX_COMMANDS: usize = 100;

/// Says everything of an `INFO all`.
pub(crate) fn tell(text: &str, entity: &Arc<Entity>, look: &mut Look) {
    let mut commands = 0;
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if let Some((_, metric, attributes, scale)) =
            FIELDS.iter().find(|(field, ..)| *field == name)
        {
            let value = value.parse().unwrap_or(f64::NAN);
            look.value(entity, metric, attributes, value * scale);
        } else if name == "maxmemory" {
            // 0 is no limit.
            let limit = value.parse().ok().filter(|limit| *limit > 0.0);
            look.value(entity, &names::MEMORY_MAX, &[], limit.unwrap_or(f64::NAN));
        } else if FACTS.contains(&name) {
            look.fact(
                entity,
                format!("redis.{}", name.trim_start_matches("redis_")),
                value,
            );
        } else if let Some(command) = name.strip_prefix("cmdstat_") {
            commands += 1;
            if commands <= MAX_COMMANDS {
                command_stats(command, value, entity, look);
            }
        } else if let Some(command) = name.strip_prefix("latency_percentiles_usec_") {
            latency(command, value, entity, look);
        } else if let Some(error) = name.strip_prefix("errorstat_") {
            let count = part(value, "count").unwrap_or(f64::NAN);
            look.value(entity, &names::ERRORS, &[("redis.error", error)], count);
        } else if name
            .strip_prefix("db")
            .is_some_and(|db| db.parse::<u32>().is_ok())
        {
            let db = [("redis.db", &name[2..])];
            let of = |field| part(value, field).unwrap_or(f64::NAN);
            look.value(entity, &names::KEYS, &db, of("keys"));
            look.value(entity, &names::KEYS_EXPIRING, &db, of("expires"));
        }
    }
}

/// `calls=1,usec=2,usec_per_call=2.00,rejected_calls=0,failed_calls=0`.
fn command_stats(command: &str, value: &str, entity: &Arc<Entity>, look: &mut Look) {
    let of = [("redis.cmd", command)];
    let number = |name| part(value, name).unwrap_or(f64::NAN);
    look.value(entity, &names::CMD_CALLS, &of, number("calls"));
    look.value(entity, &names::CMD_TIME, &of, number("usec") * 1e-6);
    look.value(entity, &names::CMD_FAILED, &of, number("failed_calls"));
}

/// `p50=1.003,p99=2.007,p99.9=9.023`.
fn latency(command: &str, value: &str, entity: &Arc<Entity>, look: &mut Look) {
    for (name, quantile) in [("p50", "0.5"), ("p99", "0.99"), ("p99.9", "0.999")] {
        if let Some(micros) = part(value, name) {
            let of = [("quantile", quantile), ("redis.cmd", command)];
            look.value(entity, &names::CMD_LATENCY, &of, micros * 1e-6);
        }
    }
}

fn part(value: &str, name: &str) -> Option<f64> {
    let mut parts = value.split(',').filter_map(|part| part.split_once('='));
    parts.find(|(known, _)| *known == name)?.1.parse().ok()
}

/// A field's number.
pub(super) fn number(text: &str, field: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(name, _)| *name == field)?.1.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use plimsoll_stats::series::EntityKind;
    use proptest::prelude::*;

    fn told(text: &str) -> Look {
        let mut look = Look::at(1);
        let entity = Entity::new(EntityKind::Cache, "redis:1", "h");
        tell(text, &entity, &mut look);
        look
    }

    #[test]
    fn fields_commands_and_keys() {
        let text = "# Server\r\nredis_version:7.0.15\r\nused_cpu_user:1.5\r\nmaxmemory:0\r\n\
                    cmdstat_get:calls=3,usec=6,usec_per_call=2.00,rejected_calls=0,failed_calls=1\r\n\
                    latency_percentiles_usec_get:p50=1.003,p99=2.007,p99.9=9.023\r\n\
                    errorstat_WRONGTYPE:count=2\r\ndb0:keys=10,expires=4,avg_ttl=0\r\nused_memory:x\r\n";
        let look = told(text);
        let points: Vec<_> = look
            .points()
            .map(|(key, value)| {
                let last = key
                    .attributes
                    .last()
                    .map_or("", |(_, value)| value.as_str());
                (key.name.as_ref(), last, (value * 1e9).round() / 1e9)
            })
            .collect();
        assert_eq!(
            points,
            [
                ("redis.cpu.time", "server", 1.5),
                ("redis.cmd.calls", "get", 3.0),
                ("redis.cmd.time", "get", 6e-6),
                ("redis.cmd.failed", "get", 1.0),
                ("redis.cmd.latency", "get", 1.003e-6),
                ("redis.cmd.latency", "get", 2.007e-6),
                ("redis.cmd.latency", "get", 9.023e-6),
                ("redis.errors", "WRONGTYPE", 2.0),
                ("redis.db.keys", "0", 10.0),
                ("redis.db.expires", "0", 4.0),
            ]
        );
        assert_eq!(look.facts()[0].name, "redis.version");
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "((cmdstat_|db|errorstat_|used_memory|latency_percentiles_usec_)?\\PC*\n)*") {
            let _ = told(&text);
        }
    }
}
