//! What would refute each rule, and evidence that is contradicted by the run's own figures: no finding stands
//! against them.

use plimsoll_stats::ErrorKind;
use plimsoll_stats::series::EntityKind;

use super::super::RULES;
use super::{COMPUTES, HOLDS_LOCK_IN_CALL, JVM, WAITS_FOR_LOCK, with};
use crate::model::{Finding, Layer, ShareOf};
use crate::testing::{Chance, Made, thing};

#[test]
fn every_rule_names_what_would_refute_it() {
    for rule in RULES {
        assert!(rule.refuted_by.len() > 20, "{:?}", rule.ids);
    }
    let mut lines: Vec<&str> = RULES.iter().map(|rule| rule.refuted_by).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), RULES.len(), "each has its own");
}

fn limits(found: &[Finding], of: ShareOf) -> Vec<&'static str> {
    let limiting = found.iter().filter(|finding| {
        matches!(finding.layer, Layer::Cause | Layer::Resource) && finding.explains.of == of
    });
    limiting.map(|finding| finding.id).collect()
}

/// Threads of a JVM that wait, beside a load of so many requests in flight.
fn waiting(threads: usize, in_flight: f64) -> Made {
    let made = Made::load(100.0, in_flight * 10.0)
        .at("http://127.0.0.1:8080/")
        .process(JVM, 0.2, 2.0);
    let groups = [
        (threads, WAITS_FOR_LOCK),
        (1, HOLDS_LOCK_IN_CALL),
        (1, COMPUTES),
    ];
    with(made, &groups)
}

#[test]
fn nothing_keeps_more_requests_than_there_are() {
    let mut chance = Chance(17);
    for _ in 0..30 {
        let threads = usize::try_from(10 + chance.below(60)).unwrap();
        #[allow(clippy::cast_precision_loss)]
        let own = threads as f64;
        // As many requests as threads: it limits. Hardly any: those threads are somebody else's.
        let fits = waiting(threads, own + 2.0).all();
        assert!(
            limits(&fits, ShareOf::ResponseTime).contains(&"lock"),
            "{fits:?}"
        );
        let refuted = waiting(threads, (own - 8.0).max(0.0) / 12.0).all();
        assert_eq!(
            limits(&refuted, ShareOf::ResponseTime),
            Vec::<&str>::new(),
            "{threads}"
        );
        assert!(
            refuted.iter().any(|finding| finding.id == "lock"),
            "told as a remark"
        );
    }
}

/// Everything that may explain failures, at limits by chance, while nobody fails.
#[test]
fn what_fails_nobody_explains_no_failures() {
    let mut chance = Chance(23);
    let process = thing(EntityKind::Process, JVM);
    let cache = thing(EntityKind::Cache, "redis:6379");
    let database = thing(EntityKind::Database, "mysql:3306");
    for _ in 0..60 {
        let mut pick =
            |made: Made, add: fn(Made, &Limited) -> Made, with: &Limited| match chance.below(2) {
                0 => made,
                _ => add(made, with),
            };
        let things = Limited {
            process: process.clone(),
            cache: cache.clone(),
            database: database.clone(),
        };
        let made = Made::load(100.0, 50.0).process(JVM, 0.2, 2.0);
        let made = pick(made, descriptors, &things);
        let made = pick(made, clients, &things);
        let made = pick(made, refused, &things);
        let made = pick(made, left_open, &things);
        let healthy = made.all();
        assert_eq!(limits(&healthy, ShareOf::Errors), Vec::<&str>::new());
        // The same while requests fail: what is at a limit may say so.
        let failing = made.errors(ErrorKind::CheckFailed, 400).all();
        let named = ["file_descriptors", "connection_limit"];
        let at_limit = failing.iter().any(|finding| named.contains(&finding.id));
        let told = limits(&failing, ShareOf::Errors);
        assert!(
            !at_limit || told.iter().any(|id| named.contains(id)),
            "{told:?}"
        );
    }
}

/// Things with limits.
struct Limited {
    process: std::sync::Arc<plimsoll_stats::series::Entity>,
    cache: std::sync::Arc<plimsoll_stats::series::Entity>,
    database: std::sync::Arc<plimsoll_stats::series::Entity>,
}

fn descriptors(made: Made, of: &Limited) -> Made {
    made.gauge(
        &of.process,
        "process.unix.file_descriptor.count",
        &[],
        1_024.0,
    )
    .gauge(
        &of.process,
        "process.unix.file_descriptor.limit",
        &[],
        1_024.0,
    )
}

fn clients(made: Made, of: &Limited) -> Made {
    made.gauge(&of.cache, "redis.clients.connected", &[], 100.0)
        .fact(&of.cache, "redis.maxclients", "100")
}

fn refused(made: Made, of: &Limited) -> Made {
    let connected = [("mysql.thread.kind", "connected")];
    made.gauge(&of.database, "mysql.threads", &connected, 151.0)
        .fact(&of.database, "mysql.max_connections", "151")
        .unseen("mysql 127.0.0.1:3306", (2, None), "watch-server-full")
}

fn left_open(made: Made, of: &Limited) -> Made {
    let name = "process.unix.file_descriptor.count";
    made.level(&of.process, name, &[], (20.0, 1_020.0))
}
