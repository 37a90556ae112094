//! Caches such as Redis: a round trip for each key, commands that hold up all others, keys that
//! are thrown out.

use std::collections::BTreeMap;
use std::sync::Arc;

use plimsoll_stats::names::{self, SeriesName, attributes, facts};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;
use serde_json::Value;

use super::Rule;
use super::support::{most_in, with_example};
use crate::about::object;
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;
use crate::stacks::{Peer, SeenThread, frames};

/// Most lookups miss.
pub(super) const MISSES: &str = "cache_misses";
pub const RULE: Rule = Rule {
    ids: &[
        "many_round_trips",
        "slow_command",
        MISSES,
        "cache_evictions",
    ],
    refuted_by: "commands that are as few as requests, or threads that are not in calls of the cache",
    look,
};

/// One command must be sent so often for a request.
const MANY: f64 = 8.0;
/// So much of the requests must be in calls to the cache.
const SHARE_IN_CALLS: f64 = 0.3;
/// Commands of one kind must keep the one thread that runs them busy for this share of the time.
const BUSY: f64 = 0.5;
/// From this share on nearly all calls find others before them.
const NEARLY_ALWAYS: f64 = 0.85;
/// A command that takes less is not slow, s.
const SLOW_S: f64 = 0.000_5;
/// Commands of clients and watchers that no request asks for.
const HOUSEKEEPING: &[&str] = &[
    "AUTH", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "HELLO", "INFO", "LATENCY", "PING",
    "REPLCONF", "SELECT", "SLOWLOG",
];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = round_trips(scene).into_iter().collect();
    for cache in scene.things(EntityKind::Cache) {
        found.extend(slow_command(scene, &cache));
        found.extend(misses(scene, &cache));
        found.extend(evictions(scene, &cache));
    }
    found
}

fn calls_cache(seen: &SeenThread) -> bool {
    frames::calls(&seen.thread, Peer::Cache)
}

/// A command with its calls a second, as the cache or, where that was not watched, its clients
/// count them.
struct SentCommand {
    command: String,
    by: Arc<Entity>,
    rate_per_s: f64,
    series: SeriesName,
}

fn sent(scene: &Scene<'_>) -> Vec<SentCommand> {
    let caches = scene.things(EntityKind::Cache);
    let by_caches = caches.into_iter().flat_map(|cache| {
        let calls = scene
            .of(&cache, names::redis::CMD_CALLS)
            .by(attributes::REDIS_CMD);
        rates(&cache, names::redis::CMD_CALLS, calls)
    });
    let found: Vec<SentCommand> = by_caches.collect();
    if !found.is_empty() {
        return found;
    }
    let clients = scene.things(EntityKind::Client);
    let by_clients = clients.into_iter().flat_map(|client| {
        let calls = scene
            .of(&client, names::application::DB_OPERATIONS)
            .with_any(attributes::DB_SYSTEM_NAME, &["redis", "valkey"])
            .by(attributes::DB_OPERATION_NAME);
        rates(&client, names::application::DB_OPERATIONS, calls)
    });
    by_clients.collect()
}

fn rates(
    by: &Arc<Entity>,
    series: SeriesName,
    calls: BTreeMap<String, crate::scene::SeriesQuery<'_>>,
) -> Vec<SentCommand> {
    let sent = calls.into_iter().filter_map(|(command, calls)| {
        let command = command.to_uppercase();
        let first = command.split(['|', ' ']).next().unwrap_or_default();
        if HOUSEKEEPING.contains(&first) {
            return None;
        }
        Some(SentCommand {
            rate_per_s: calls.mean()?,
            by: Arc::clone(by),
            command,
            series,
        })
    });
    sent.collect()
}

/// The same command, sent again and again for one request.
fn round_trips(scene: &Scene<'_>) -> Option<Finding> {
    let throughput = scene.throughput_per_s();
    let all = sent(scene);
    let most = all
        .iter()
        .max_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s))?;
    let per_request = most.rate_per_s / throughput.max(1e-9);
    if throughput <= 0.0 || per_request < MANY {
        return None;
    }
    let total: f64 = all.iter().map(|each| each.rate_per_s).sum();
    let (stacks, in_calls) = most_in(scene, calls_cache)?;
    let share = in_calls * most.rate_per_s / total;
    if share < SHARE_IN_CALLS {
        return None;
    }
    let code = stacks.code(calls_cache).unwrap_or_default();
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let counted = Message::new("exhibit-commands-per-request")
        .with("command", most.command.as_str())
        .with("count", tenths(per_request))
        .with("rate", most.rate_per_s.round());
    let threads = Message::new("exhibit-cache-code")
        .with("percent", percent(in_calls))
        .with("code", code.as_str());
    let about = object("redis_command", most.command.as_str(), &most.by);
    let finding = Finding::new("many_round_trips", Layer::Cause, about, explains)
        .with("count", tenths(per_request))
        .shows(Exhibit::new(counted).series(most.series))
        .shows(with_example(Exhibit::new(threads), stacks, calls_cache));
    let proposed = at_once(&most.command);
    let why = Message::new("advice-many-round-trips")
        .with("code", code)
        .with("proposed", proposed);
    Some(Finding {
        confidence: 0.95,
        source: "one round trip for each key (N+1); field case F21",
        ..finding.advises(Advice::code(why))
    })
}

/// The command that does for many keys what this one does for one; else pipelining.
fn at_once(command: &str) -> &'static str {
    match command {
        "GET" => "MGET",
        "SET" => "MSET",
        "HGET" => "HMGET",
        "HSET" => "HSET key field value field value …",
        "EXISTS" => "EXISTS key key …",
        "DEL" | "UNLINK" => "DEL key key …",
        "SISMEMBER" => "SMISMEMBER",
        "ZSCORE" => "ZMSCORE",
        "SADD" | "LPUSH" | "RPUSH" => "several values in one call",
        _ => "a pipeline",
    }
}

/// A command that takes long and, because one thread runs all commands, holds up all others.
fn slow_command(scene: &Scene<'_>, cache: &Arc<Entity>) -> Option<Finding> {
    let times = scene
        .of(cache, names::redis::CMD_TIME)
        .by(attributes::REDIS_CMD);
    let busy = times.into_iter().filter_map(|(command, time)| {
        let calls = scene.of(cache, names::redis::CMD_CALLS);
        let rate = calls.with(attributes::REDIS_CMD, &command).mean()?;
        let busy = time.mean()?;
        Some((command.to_uppercase(), busy, busy / rate.max(1e-9)))
    });
    let (command, busy, each_s) = busy.max_by(|a, b| a.1.total_cmp(&b.1))?;
    if busy < BUSY || each_s < SLOW_S {
        return None;
    }
    let waiting = most_in(scene, calls_cache);
    let share = waiting.map_or_else(|| held_up(scene, busy), |(_, share)| share);
    let share = share.min(1.0);
    if share < SHARE_IN_CALLS {
        return None;
    }
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let text = Message::new("exhibit-slow-command")
        .with("command", command.as_str())
        .with("ms", hundredths(each_s * 1e3))
        .with("percent", percent(busy.min(1.0)));
    let exhibit = Exhibit::new(text)
        .series(names::redis::CMD_TIME)
        .captured(slowlog(scene, cache, &command));
    let about = object("redis_command", command.as_str(), cache);
    let code = waiting.and_then(|(stacks, _)| stacks.code(calls_cache));
    let finding = Finding::new("slow_command", Layer::Cause, about, explains)
        .with("ms", hundredths(each_s * 1e3))
        .shows(exhibit);
    let why = Message::new("advice-slow-command").with("code", code.unwrap_or_default());
    Some(Finding {
        confidence: 0.9,
        source: "commands run one after the other: utilization of one thread; Redis, Diagnosing latency issues",
        ..finding.advises(Advice::code(why))
    })
}

/// The share of the requests in flight that are at one thread which is so busy, where nobody saw them there: with calls that
/// come by chance, as many as a queue of that utilization has (M/M/1).
fn held_up(scene: &Scene<'_>, busy: f64) -> f64 {
    if busy >= NEARLY_ALWAYS {
        return busy;
    }
    (busy / (1.0 - busy) / scene.in_flight().max(1e-9)).min(busy)
}

/// Entries of the slow log with that command.
fn slowlog(scene: &Scene<'_>, cache: &Entity, command: &str) -> Option<(i64, Vec<String>)> {
    let captures = scene.captures("slow_commands");
    let mut own = captures.filter(|capture| capture.entity == *cache);
    own.find_map(|capture| {
        let entries: Value = serde_json::from_str(&capture.text).ok()?;
        let all = entries.as_array()?.iter();
        let fitting = all.filter(|entry| entry["command"] == command);
        let lines: Vec<String> = fitting
            .take(5)
            .map(|entry| {
                let key = entry["key"].as_str().unwrap_or_default();
                format!("{command} {key} ({} µs)", entry["time_us"])
            })
            .collect();
        (!lines.is_empty()).then_some((capture.number, lines))
    })
}

/// Keys that are looked for in vain, more often than not.
fn misses(scene: &Scene<'_>, cache: &Arc<Entity>) -> Option<Finding> {
    let missed = scene.of(cache, names::redis::MISSES).mean()?;
    let found = scene.of(cache, names::redis::HITS).mean()?;
    let shown = mostly_missed(found, missed, scene.throughput_per_s())?;
    Some(hint(cache, MISSES).shows(shown.series(names::redis::MISSES)))
}

/// What shows that most lookups miss, and that requests feel it; all of them a second.
pub(super) fn mostly_missed(found: f64, missed: f64, requests: f64) -> Option<Exhibit> {
    let share = missed / (missed + found).max(1e-9);
    if share < 0.5 || missed < 0.5 * requests {
        return None;
    }
    let text = Message::new("exhibit-cache-misses")
        .with("percent", percent(share))
        .with("rate", missed.round());
    Some(Exhibit::new(text))
}

/// Keys that are thrown out because memory is full.
fn evictions(scene: &Scene<'_>, cache: &Arc<Entity>) -> Option<Finding> {
    let evicted = scene.of(cache, names::redis::EVICTED).mean()?;
    if evicted < 1.0 {
        return None;
    }
    let text = Message::new("exhibit-cache-evictions").with("rate", evicted.round());
    let limit = scene.fact(cache, facts::REDIS_MAXMEMORY).map(str::to_owned);
    let doubled = limit.as_deref().and_then(|limit| limit.parse::<u64>().ok());
    let doubled = doubled.map_or_else(String::new, |bytes| bytes.saturating_mul(2).to_string());
    let why = Message::new("advice-cache-evictions");
    let finding = hint(cache, "cache_evictions");
    Some(Finding {
        advice: vec![Advice::setting("maxmemory", limit, doubled, why)],
        ..finding.shows(Exhibit::new(text).series(names::redis::EVICTED))
    })
}

/// A remark of a cache itself.
fn hint(cache: &Entity, id: &'static str) -> Finding {
    Finding {
        source: "Redis INFO stats",
        ..remark(id, object("cache", cache.name.as_str(), cache))
    }
}

/// A remark: what a miss costs is with whom is asked instead.
pub(super) fn remark(id: &'static str, about: FindingObject) -> Finding {
    let explains = Explains::new(0.0, ShareOf::ResponseTime);
    let why = Message::new(format!("advice-{}", id.replace('_', "-")));
    let finding = Finding::new(id, Layer::Hint, about, explains).advises(Advice::code(why));
    Finding {
        confidence: 0.9,
        ..finding
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use crate::testing::{Made, thing};

    const IN_GET: &[&str] = &[
        "jdk.internal.misc.Unsafe.park",
        "io.lettuce.core.LettuceFutures.awaitOrCancel",
        "org.springframework.data.redis.core.DefaultValueOperations.get",
        "com.shop.Prices.each",
    ];
    const AT_WORK: &[&str] = &["com.shop.Prices.sum"];

    fn scene(gets: f64, waiting: usize, working: usize) -> Made {
        let cache = thing(EntityKind::Cache, "redis:6379");
        let calls = |command| [("redis.cmd", command)];
        Made::load(200.0, 80.0)
            .counter(&cache, "redis.cmd.calls", &calls("get"), gets)
            .counter(&cache, "redis.cmd.calls", &calls("info"), 900_000.0)
            .counter(&cache, "redis.cmd.time", &calls("get"), 0.05)
            .threads(&[(waiting, IN_GET), (working, AT_WORK)])
    }

    #[test]
    fn a_round_trip_for_each_key_is_found_by_its_command() {
        let finding = scene(10_000.0, 12, 4).find("many_round_trips").unwrap();
        assert_eq!(finding.object.name, "GET");
        assert!((finding.explains.share - 0.75).abs() < 0.01);
        let lines = &finding.evidence[1].lines;
        assert!(
            lines
                .iter()
                .any(|line| line.contains("com.shop.Prices.each")),
            "{lines:?}"
        );
    }

    #[test]
    fn many_commands_that_cost_no_time_are_no_finding() {
        assert_eq!(scene(10_000.0, 1, 15).find("many_round_trips"), None);
        assert_eq!(scene(1_000.0, 12, 4).find("many_round_trips"), None);
    }

    #[test]
    fn a_slow_command_is_shown_with_its_slow_log() {
        let cache = thing(EntityKind::Cache, "redis:6379");
        let keys = [("redis.cmd", "keys")];
        let log = r#"[{"command":"KEYS","key":"cart:*","time_us":9000,"arguments":1}]"#;
        let made = |each_s: f64| {
            Made::load(100.0, 90.0)
                .counter(&cache, "redis.cmd.calls", &keys, 100.0)
                .counter(&cache, "redis.cmd.time", &keys, 100.0 * each_s)
                .capture(&cache, "slow_commands", "steady", log)
                .threads(&[(9, IN_GET), (1, AT_WORK)])
        };
        let finding = made(0.009).find("slow_command").unwrap();
        assert_eq!(finding.object.name, "KEYS");
        assert_eq!(finding.evidence[0].lines, ["KEYS cart:* (9000 µs)"]);
        assert_eq!(made(0.000_1).find("slow_command"), None);
    }

    #[test]
    fn a_store_that_is_busy_at_times_is_not_what_nearly_all_wait_for() {
        let cache = thing(EntityKind::Cache, "redis:6379");
        let hash = [("redis.cmd", "hgetall")];
        let found = |busy: f64| {
            // 200 requests in flight, nobody has seen their threads.
            let made = Made::load(1_000.0, 200.0)
                .counter(&cache, "redis.cmd.calls", &hash, busy / 0.002)
                .counter(&cache, "redis.cmd.time", &hash, busy);
            made.find("slow_command").map(|it| it.explains.share)
        };
        assert_eq!(found(0.55), None);
        assert!(found(0.97).unwrap() > 0.9);
    }

    #[test]
    fn misses_and_evictions_are_remarks() {
        let cache = thing(EntityKind::Cache, "redis:6379");
        let made = Made::load(100.0, 10.0)
            .counter(&cache, "redis.keyspace.misses", &[], 90.0)
            .counter(&cache, "redis.keyspace.hits", &[], 10.0)
            .counter(&cache, "redis.keys.evicted", &[], 5.0)
            .fact(&cache, "redis.maxmemory", "1000");
        for id in ["cache_misses", "cache_evictions"] {
            assert_eq!(made.find(id).unwrap().layer, Layer::Hint);
        }
        let advice = &made.find("cache_evictions").unwrap().advice[0];
        assert_eq!(advice.proposed.as_deref(), Some("2000"));
    }
}
