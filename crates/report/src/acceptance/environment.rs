//! What it was run on, as the runs and the watched target tell it.

use plimsoll_diagnose::Evidence;
use plimsoll_stats::LabelKind;
use plimsoll_stats::names::facts;
use plimsoll_stats::series::EntityKind;
use plimsoll_store::Run;
use plimsoll_text::Message;

use super::asked::Acceptance;
use crate::ReportError;
use crate::data::summary_of;
use crate::document::Say;
use crate::number::{bytes, percent, trimmed};

/// Facts of the target that a reader of the report asks for, in their order, and their names.
const TARGET: &[(&str, &str)] = &[
    ("os.description", "os"),
    ("kernel.osrelease", "kernel"),
    ("cpu.model", "cpu"),
    (facts::PROCESS_COMMAND_LINE, "command"),
    ("process.runtime.name", "runtime"),
    ("process.runtime.version", "runtime-version"),
    ("jvm.gc", "gc"),
    (facts::JVM_HEAP_MAX, "heap"),
    (facts::SERVER_TOMCAT_THREADS_MAX, "tomcat-threads"),
    ("server.tomcat.accept-count", "tomcat-backlog"),
    ("server.tomcat.max-connections", "tomcat-connections"),
    (facts::SERVER_JETTY_THREADS_MAX, "jetty-threads"),
    (facts::SERVER_UNDERTOW_THREADS_WORKER, "undertow-threads"),
    ("spring.datasource.hikari.maximum-pool-size", "hikari"),
    ("nginx.version", "nginx"),
    (facts::NGINX_WORKER_PROCESSES, "nginx-workers"),
    ("mysql.version", "mysql"),
    ("mysql.max_connections", "mysql-connections"),
    (facts::MYSQL_INNODB_BUFFER_POOL_SIZE, "mysql-buffer"),
    ("postgresql.server_version", "postgresql"),
    ("postgresql.max_connections", "postgresql-connections"),
    ("postgresql.shared_buffers", "postgresql-buffer"),
    ("redis.redis_version", "redis"),
];
/// More requests than this are no description.
const MAX_REQUESTS: usize = 20;
/// Servers of which a framework tells settings though another one serves.
const SERVERS: [&str; 3] = ["tomcat", "jetty", "undertow"];
/// Facts that are bytes.
const BYTES: [&str; 2] = [facts::JVM_HEAP_MAX, facts::MYSQL_INNODB_BUFFER_POOL_SIZE];
/// A command line longer than this says nothing to a reader.
const MAX_VALUE: usize = 200;

pub(super) fn facts(
    runs: &[Run],
    evidence: &[Evidence],
    asked: &Acceptance,
    say: Say,
) -> Result<Vec<(String, String)>, ReportError> {
    let metas = || runs.iter().map(Run::meta);
    let unique = |texts: Vec<String>| {
        let mut kept: Vec<String> = Vec::new();
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            if !kept.contains(&text) {
                kept.push(text);
            }
        }
        kept.join("\n")
    };
    let scenarios = metas().flat_map(|meta| &meta.scenarios);
    let loads = scenarios
        .map(|s| format!("{}: {}", s.name, crate::words::load(&s.load, say)))
        .collect();
    let zone = jiff::tz::TimeZone::system();
    let dates = runs
        .iter()
        .map(|run| local_time(run.meta().started_at_unix_ns, &zone));
    let tool = |meta: &plimsoll_store::RunMeta| format!("Plimsoll {}", meta.plimsoll_version);
    let generator = |meta: &plimsoll_store::RunMeta| generator(meta, say);
    let all = [
        (
            "acceptance-fact-target",
            unique(metas().map(|meta| meta.target.clone()).collect()),
        ),
        ("acceptance-fact-tool", unique(metas().map(tool).collect())),
        (
            "acceptance-fact-generator",
            unique(metas().map(generator).collect()),
        ),
        (
            "acceptance-column-case",
            unique(runs.iter().map(Run::id).collect()),
        ),
        ("acceptance-fact-testers", asked.testers.join(", ")),
        ("acceptance-fact-dates", unique(dates.collect())),
        ("acceptance-fact-method", unique(loads)),
        ("acceptance-fact-requests", unique(requests(runs, say)?)),
    ];
    let mut facts: Vec<(String, String)> = all
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(id, value)| (say.text(id), value))
        .collect();
    if let Some(first) = evidence.first() {
        facts.extend(of_target(first, say));
    }
    Ok(facts)
}

/// What the scenarios are made of: each request with its share, run by run.
fn requests(runs: &[Run], say: Say) -> Result<Vec<String>, ReportError> {
    let mut lines = Vec::new();
    for run in runs {
        let (summary, _) = summary_of(run)?;
        let of = summary.total.samples.max(1) as f64;
        let requests = summary.labels.iter();
        let requests = requests.filter(|label| label.kind == LabelKind::Request);
        let shares = requests.map(|label| {
            let share = percent(label.samples as f64 / of);
            format!("{} {share} %", label.label)
        });
        lines.push(
            shares
                .take(MAX_REQUESTS)
                .collect::<Vec<_>>()
                .join(crate::words::semicolon(say)),
        );
    }
    Ok(lines)
}

fn generator(meta: &plimsoll_store::RunMeta, say: Say) -> String {
    let host = &meta.environment;
    say.message(
        &Message::new("acceptance-host")
            .with("name", host.host_name.as_str())
            .with("os", host.os.as_str())
            .with("cpus", host.cpus)
            .with("model", host.cpu_model.as_str())
            .with("memory", bytes(host.memory_bytes)),
    )
}

/// What the target says of itself, thing by thing.
fn of_target(evidence: &Evidence, say: Say) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, id) in TARGET {
        if of_another_server(name, evidence) {
            continue;
        }
        let known = evidence.facts.iter().filter(|fact| fact.name == *name);
        for fact in known {
            // A JVM repeats its process's command line.
            if *name == facts::PROCESS_COMMAND_LINE && fact.entity.kind != EntityKind::Process {
                continue;
            }
            let mut value = match fact.value.parse() {
                Ok(size) if BYTES.contains(name) => memory(size),
                _ => fact.value.clone(),
            };
            if let Some((at, _)) = value.char_indices().nth(MAX_VALUE) {
                value.truncate(at);
                value.push('…');
            }
            let entry = (
                format!(
                    "{} · {}",
                    say.message(&crate::words::entity(&fact.entity)),
                    say.text(&format!("acceptance-target-{id}"))
                ),
                value,
            );
            if !found.contains(&entry) {
                found.push(entry);
            }
        }
    }
    found
}

/// A size that was set, in the units it is set in: `-Xmx384m` is 384 MiB.
fn memory(size: u64) -> String {
    const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = UNITS.iter().find(|(_, shift)| size >> shift > 0);
    match unit {
        Some((unit, shift)) => {
            #[expect(clippy::cast_precision_loss, reason = "a size to be read")]
            let size = size as f64 / (1_u64 << shift) as f64;
            format!("{} {unit}", trimmed((size * 10.0).round() / 10.0))
        }
        None => format!("{size} B"),
    }
}

/// Whether a setting is of a server that is not the one that was seen at work.
fn of_another_server(name: &str, evidence: &Evidence) -> bool {
    let at_work = |server: &str| {
        let prefix = format!("{server}.");
        let mut series = evidence.series.iter();
        series.any(|series| series.key.name.starts_with(&prefix))
    };
    let of = |server: &&&str| name.starts_with(&format!("server.{server}."));
    let Some(server) = SERVERS.iter().find(of) else {
        return false;
    };
    // Where none was seen at work, nothing says which is the wrong one: the usual one is kept.
    !at_work(server) && (*server != "tomcat" || SERVERS.iter().any(|other| at_work(other)))
}

/// A time as the reader's clock shows it, with its zone.
fn local_time(unix_ns: u64, zone: &jiff::tz::TimeZone) -> String {
    let time = i64::try_from(unix_ns / 1_000_000_000);
    let time = time.ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
    match time {
        Some(time) => time
            .to_zoned(zone.clone())
            .strftime("%Y-%m-%d %H:%M:%S %:z")
            .to_string(),
        None => plimsoll_store::rfc3339(unix_ns),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test")]
mod tests {
    use std::sync::Arc;

    use plimsoll_stats::series::{Entity, Fact};
    use plimsoll_text::Lang;

    use super::*;

    #[test]
    fn times_are_local_with_their_zone() {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(8));
        let shown = local_time(1_772_593_445_678_000_000, &zone);
        assert_eq!(shown, "2026-03-04 11:04:05 +08:00");
    }

    #[test]
    fn facts_have_names_and_units_and_are_of_the_server_at_work() {
        let root = tempfile::tempdir().unwrap();
        let writer = plimsoll_store::RunWriter::create(root.path(), &Default::default()).unwrap();
        let mut evidence = Evidence::of_run(&writer.into_run().unwrap()).unwrap();
        let entity = Entity::new(EntityKind::Jvm, "java[1]", "host");
        let facts = [
            ("jvm.heap.max", "402653184"),
            ("server.tomcat.threads.max", "150"),
            ("server.jetty.threads.max", "201"),
        ];
        for (name, value) in facts {
            evidence.facts.push(Fact {
                entity: Arc::clone(&entity),
                name: name.to_owned(),
                value: value.to_owned(),
            });
        }
        let shown = |evidence: &Evidence| format!("{:?}", of_target(evidence, Say(Lang::En)));
        let text = shown(&evidence);
        assert!(
            text.contains("maximum heap") && text.contains("384 MiB"),
            "{text}"
        );
        assert!(text.contains("150") && !text.contains("201"), "{text}");
        assert!(!text.contains("jvm.heap"), "{text}");
        let series = serde_json::json!({
            "key": {"entity": *entity, "name": "jetty.thread.count", "attributes": [],
                    "unit": "1", "kind": "gauge"},
            "at_ms": [0], "values": [1.0],
        });
        evidence
            .series
            .push(serde_json::from_value(series).unwrap());
        let text = shown(&evidence);
        assert!(text.contains("201") && !text.contains("150"), "{text}");
    }
}
