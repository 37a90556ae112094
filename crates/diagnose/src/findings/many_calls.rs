//! Very many calls to one server for each request, by packets: each costs a round trip and CPU at both ends, of
//! whatever protocol they are, and however quick each of them is.

use plimsoll_stats::names;
use plimsoll_text::{Arg, Message};

use super::Rule;
use super::support::profiles;
use crate::about::seen_by_client;
use crate::account::{CallsOfKind, calls_by_kind};
use crate::cpu::{CpuUse, of_processes};
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::processes::process_of;
use crate::scene::Scene;

pub const ID: &str = "many_calls";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "few calls for a request, or calls that take little of the time and of the CPU",
    look,
};

/// So many calls for each request are many.
const MANY: f64 = 12.0;
/// They must be so much of the time that a request is in who calls, by their number and how long the half of
/// them takes: what few slow ones among them take is not for their number.
const SHARE: f64 = 0.2;
/// Where the host has no CPU left, so much of what is used must be the server's for such calls, …
const HOST_FULL: f64 = 0.85;
/// … each of which takes no more of it than this, ms: one that takes more is dear by itself.
const QUICK_MS: f64 = 1.0;
/// Libraries that make calls to databases, caches and services, by the beginnings of their names: what they compute is
/// computed for the calls.
const CLIENTS: [&str; 18] = [
    "sqlalchemy",
    "psycopg",
    "asyncpg",
    "pymysql",
    "MySQLdb",
    "aiomysql",
    "django.db",
    "peewee",
    "redis",
    "mysql",
    "pg",
    "sequelize",
    "typeorm",
    "knex",
    "ioredis",
    "active_record",
    "sequel",
    "gorm",
];
/// What the server or its driver tell of the same, statement by statement.
const TOLD: [&str; 2] = ["many_queries", "many_round_trips"];

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let all = calls_by_kind(scene).into_iter();
    let often =
        all.filter(|calls| calls.of_each(calls.calls_per_s) >= MANY && calls.protocol != "dns");
    let limiting = often.filter_map(|calls| {
        let cpu = cpu_of(scene, &calls);
        let of_cpu = cpu.as_ref().map_or(0.0, CpuOfCalls::share);
        let share = by_number(&calls).max(of_cpu);
        (share >= SHARE).then(|| finding(scene, &calls, cpu.as_ref(), share))
    });
    limiting.collect()
}

/// The share of the time in who calls that the number of calls makes, as far as they come one after the other.
fn by_number(calls: &CallsOfKind) -> f64 {
    let stay_ms = calls.requests_in_flight / calls.requests_per_s * 1e3;
    let quick_ms = calls.of_each(calls.calls_per_s) * calls.median_ms;
    (quick_ms / stay_ms.max(1e-9)).min(calls.share())
}

/// The CPU that is taken for the calls, where the CPU is what limits and each of them is quick.
struct CpuOfCalls {
    server: f64,
    /// By libraries of who calls.
    caller: f64,
    /// What all processes that are watched use.
    all: f64,
}

impl CpuOfCalls {
    fn share(&self) -> f64 {
        (self.server + self.caller) / self.all.max(1e-9)
    }
}

fn cpu_of(scene: &Scene<'_>, calls: &CallsOfKind) -> Option<CpuOfCalls> {
    let all = of_processes(scene);
    let of = |name: &str| {
        let is = |cpu: &&CpuUse| cpu.process.name == name && cpu.process.host == calls.host;
        all.iter().find(is)
    };
    let server = of(&calls.server)?;
    let is_quick = server.used / calls.calls_per_s.max(1e-9) * 1e3 <= QUICK_MS;
    let of_libraries = |cpu: &CpuUse| cpu.used * share_of_clients(scene, cpu);
    (server.host_used >= HOST_FULL && is_quick).then(|| CpuOfCalls {
        server: server.used,
        caller: of(&calls.process).map_or(0.0, of_libraries),
        all: all.iter().map(|cpu| cpu.used).sum(),
    })
}

/// The share of a process' CPU that libraries take which make calls.
fn share_of_clients(scene: &Scene<'_>, cpu: &CpuUse) -> f64 {
    let profiles = profiles(scene).into_iter();
    let mut own =
        profiles.filter(|profile| process_of(scene, &profile.jvm).as_ref() == Some(&cpu.process));
    let Some(profile) = own.next() else {
        return 0.0;
    };
    let libraries = profile.cpu.hot_libraries().into_iter();
    let clients = libraries.filter(|library| is_client(&library.name));
    clients.map(|library| library.share).fold(0.0, f64::max)
}

/// Whether a library is one of those, or a version or part of it, and not another word that begins so.
fn is_client(library: &str) -> bool {
    let mut rests = CLIENTS.iter().filter_map(|name| library.strip_prefix(name));
    rests.any(|rest| !rest.starts_with(char::is_alphabetic))
}

/// Where the CPU is what limits: how much of it is the server's.
fn cpu_exhibit(calls: &CallsOfKind, cpu: &CpuOfCalls) -> Exhibit {
    let text = Message::new("exhibit-many-calls-cpu")
        .with("server", calls.server.as_str())
        .with("used", hundredths(cpu.server))
        .with("all", hundredths(cpu.all))
        .with(
            "ms",
            hundredths(cpu.server / calls.calls_per_s.max(1e-9) * 1e3),
        );
    Exhibit::new(text).series(names::process::CPU_TIME)
}

/// They are this share of what limits: of the time in who calls, or of the CPU.
fn finding(
    scene: &Scene<'_>,
    calls: &CallsOfKind,
    cpu: Option<&CpuOfCalls>,
    share: f64,
) -> Finding {
    let each = calls.of_each(calls.calls_per_s);
    let about = FindingObject {
        host: calls.host.clone(),
        process: calls.place(scene).to_owned(),
        ..seen_by_client("hop", format!("{} → {}", calls.process, calls.server))
    };
    let kind = match calls.protocol.as_str() {
        "mysql" | "postgres" => "sql",
        "redis" => "redis",
        "http1" | "http2" => "http",
        _ => "other",
    };
    let shows = Message::new("exhibit-many-calls")
        .with("kind", kind)
        .with("process", calls.process.as_str())
        .with("server", calls.server.as_str())
        .with("requests", tenths(calls.requests_per_s))
        .with("calls", tenths(calls.calls_per_s))
        .with("ms", hundredths(calls.median_ms))
        .with("percent", percent(calls.share()));
    let why = Message::new("advice-many-calls").with("kind", kind);
    let explains = Explains::new(share.max(calls.share()), ShareOf::ResponseTime);
    let finding = Finding::new(ID, Layer::Cause, about, explains)
        .with("kind", kind)
        .with("count", tenths(each))
        .with("process", calls.process.as_str())
        .with("server", calls.server.as_str())
        .shows(Exhibit::new(shows))
        .shows_all(cpu.map(|cpu| cpu_exhibit(calls, cpu)))
        .advises(Advice::code(why));
    Finding {
        confidence: 0.85,
        source: "requests and their calls counted on the wire",
        ..finding
    }
}

/// Where who is called, or a driver, tells statements apart, that says more.
pub(super) fn settle(found: &mut Vec<Finding>) {
    let is_told = found.iter().any(|finding| TOLD.contains(&finding.id));
    found.retain(|finding| finding.id != ID || !is_told);
    let calls = found.iter().filter(|finding| finding.id == ID);
    let callers: Vec<Arg> = calls
        .filter_map(|one| one.arg("process").cloned())
        .collect();
    let is_of_calls = |finding: &Finding| {
        let by_client = matches!(finding.arg("library"), Some(Arg::Text(name)) if is_client(name));
        let process = Arg::from(finding.object.process.as_str());
        finding.id == "hot_code" && by_client && callers.contains(&process)
    };
    found.retain(|finding| !is_of_calls(finding));
}
