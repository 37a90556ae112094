//! What it was run on, as the runs and the watched target tell it.

use plimsoll_diagnose::Evidence;
use plimsoll_stats::series::EntityKind;
use plimsoll_store::Run;
use plimsoll_text::Message;

use super::Acceptance;
use crate::document::Say;
use crate::number::bytes;

/// Facts of the target that a reader of the report asks for, in their order.
const TARGET: &[&str] = &[
    "os.description",
    "kernel.osrelease",
    "cpu.model",
    "process.command_line",
    "process.runtime.name",
    "process.runtime.version",
    "jvm.gc",
    "jvm.heap.max",
    "server.tomcat.threads.max",
    "server.tomcat.accept-count",
    "server.tomcat.max-connections",
    "server.jetty.threads.max",
    "server.undertow.threads.worker",
    "spring.datasource.hikari.maximum-pool-size",
    "nginx.version",
    "nginx.worker_processes",
    "mysql.version",
    "mysql.max_connections",
    "mysql.innodb_buffer_pool_size",
    "redis.redis_version",
];
/// A command line longer than this says nothing to a reader.
const MAX_VALUE: usize = 200;

pub(super) fn facts(
    runs: &[Run],
    evidence: &[Evidence],
    asked: &Acceptance,
    say: Say,
) -> Vec<(String, String)> {
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
    let dates = runs
        .iter()
        .map(|run| plimsoll_store::rfc3339(run.meta().started_at_unix_ns));
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
        ("acceptance-fact-testers", asked.testers.join(", ")),
        ("acceptance-fact-dates", unique(dates.collect())),
        ("acceptance-fact-method", unique(loads)),
    ];
    let mut facts: Vec<(String, String)> = all
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(id, value)| (say.text(id), value))
        .collect();
    if let Some(first) = evidence.first() {
        facts.extend(of_target(first, say));
    }
    facts
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
    for name in TARGET {
        let known = evidence.facts.iter().filter(|fact| fact.name == *name);
        for fact in known {
            // A JVM repeats its process's command line.
            if *name == "process.command_line" && fact.entity.kind != EntityKind::Process {
                continue;
            }
            let mut value = fact.value.clone();
            if let Some((at, _)) = value.char_indices().nth(MAX_VALUE) {
                value.truncate(at);
                value.push('…');
            }
            let entry = (
                format!(
                    "{} · {name}",
                    say.message(&crate::words::entity(&fact.entity))
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
