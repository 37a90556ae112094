//! Errors that come when something happens on the target: a restart, a full collection, a full
//! accept queue, no local port, a pool that gave no connection in time.

use plimsoll_stats::coincidence::Coincidence;
use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::about::object;
use crate::evidence::SecondOfLoad;
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::{Scene, SeriesQuery};

pub const RULE: Rule = Rule {
    ids: &["errors_with_event"],
    refuted_by: "errors that come at other times than the event",
    look,
};

/// The chance of being wrong about any of the things that happened (Bonferroni).
const ALPHA: f64 = 0.05;
/// So much of the errors must come with it.
const SHARE_OF_ERRORS: f64 = 0.5;
/// A request that fails is told of when it ends: later than what it failed of, by a request's
/// time, but not by more than this.
const LATEST_S: f64 = 5.0;

/// Something that happened at times.
struct Happened {
    /// What: `restart`, `full_gc` …; part of text ids.
    kind: &'static str,
    series: SeriesName,
    to: Entity,
    /// When, ms from the run's start.
    between_ms: Vec<(i64, i64)>,
}

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let load = scene.load();
    let seconds: Vec<&SecondOfLoad> = load
        .seconds
        .iter()
        .filter(|second| second.second >= load.warm_up_s)
        .collect();
    let Some(whole) = whole(scene, &seconds) else {
        return Vec::new();
    };
    let happened = happened(&whole);
    #[expect(clippy::cast_precision_loss, reason = "a few things")]
    let alpha = ALPHA / happened.len().max(1) as f64;
    let counts: Vec<u64> = seconds.iter().map(|second| second.errors).collect();
    let tied = happened.iter().filter_map(|event| {
        let inside = marked(scene, &seconds, event);
        let found = Coincidence::of(&counts, &inside)?;
        let counts =
            found.share >= SHARE_OF_ERRORS && found.share > found.expected && found.p <= alpha;
        counts.then(|| finding(scene, event, &found))
    });
    tied.collect()
}

/// The whole measured time with the target's side of it; none without errors.
fn whole<'a>(scene: &Scene<'a>, seconds: &[&SecondOfLoad]) -> Option<Scene<'a>> {
    let (first, last) = (seconds.first()?, seconds.last()?);
    let failed = seconds.iter().any(|second| second.errors > 0);
    let over = failed.then_some((first.second, last.second + 1))?;
    Scene::over(scene.evidence(), over)
}

fn happened(scene: &Scene<'_>) -> Vec<Happened> {
    let mut found = Vec::new();
    let mut add =
        |kind, series, times: fn(&SeriesQuery<'_>) -> Vec<(i64, i64)>, query: SeriesQuery<'_>| {
            for (to, query) in query.by_thing() {
                let between_ms = times(&query);
                if !between_ms.is_empty() {
                    found.push(Happened {
                        kind,
                        series,
                        to,
                        between_ms,
                    });
                }
            }
        };
    let full = ["end of major GC"];
    let no_port = ["no_local_port"];
    let counted: fn(&SeriesQuery<'_>) -> Vec<(i64, i64)> = |query| query.counted_between();
    let fell: fn(&SeriesQuery<'_>) -> Vec<(i64, i64)> = |query| query.fell_between();
    let named = |name: SeriesName| scene.series(name);
    add("restart", UPTIME, fell, restarted(scene));
    let collections = named(GC).with_any(attributes::JVM_GC_ACTION, &full);
    add("full_gc", GC, counted, collections);
    add("accept_queue", OVERFLOWS, counted, named(OVERFLOWS));
    let refused = named(NGINX_ERRORS).with_any(attributes::NGINX_ERROR, &no_port);
    add("no_port", NGINX_ERRORS, counted, refused);
    add("pool_timeout", TIMEOUTS, counted, named(TIMEOUTS));
    found
}

const UPTIME: SeriesName = names::process::UPTIME;
const GC: SeriesName = names::jvm::GC_PAUSE_COUNT;
const OVERFLOWS: SeriesName = names::host::TCP_LISTEN_OVERFLOWS;
const NGINX_ERRORS: SeriesName = names::nginx::ERRORS;
const TIMEOUTS: SeriesName = names::pool::TIMEOUTS;

/// Time since the start of processes; of JVMs where no process was seen.
fn restarted<'a>(scene: &Scene<'a>) -> SeriesQuery<'a> {
    let processes = scene.series(UPTIME);
    if processes.is_empty() {
        return scene.series(names::jvm::UPTIME);
    }
    processes
}

/// The seconds in which requests would have failed of it.
fn marked(scene: &Scene<'_>, seconds: &[&SecondOfLoad], event: &Happened) -> Vec<bool> {
    let later_s = scene.service_s().clamp(1.0, LATEST_S);
    #[expect(clippy::cast_possible_truncation, reason = "a few seconds")]
    let later_ms = (later_s * 1e3) as i64;
    let inside = |second: &&SecondOfLoad| {
        let begins = i64::from(second.second) * 1_000;
        let overlaps = |(from, to): &(i64, i64)| *from < begins + 1_000 && *to + later_ms > begins;
        event.between_ms.iter().any(overlaps)
    };
    seconds.iter().map(inside).collect()
}

fn finding(scene: &Scene<'_>, event: &Happened, found: &Coincidence) -> Finding {
    // What other rules name as a cause with its setting is only timed here.
    let own = matches!(event.kind, "restart" | "full_gc");
    let layer = Layer::cause_if(own && scene.failed_enough());
    let name = match event.to.kind {
        EntityKind::Host => event.to.host.as_str(),
        _ => event.to.name.as_str(),
    };
    let what = Message::new(format!("event-of-target-{}", event.kind.replace('_', "-")))
        .with("name", name);
    let explains = Explains::new(found.share, ShareOf::Errors);
    let text = Message::new("exhibit-errors-with-event")
        .with("event", what.clone())
        .with("count", event.between_ms.len())
        .with("percent", percent(found.share))
        .with("expected", percent(found.expected))
        .with("p", (found.p * 1_000.0).round() / 1_000.0);
    let why = Message::new(format!("advice-event-{}", event.kind.replace('_', "-")));
    let finding = Finding::new(
        "errors_with_event",
        layer,
        object(event.kind, name, &event.to),
        explains,
    )
    .with("event", what)
    .shows(Exhibit::new(text).series(event.series))
    .advises(Advice::code(why));
    Finding {
        confidence: (1.0 - found.p).clamp(0.0, 0.95),
        source: "permutation test over shifts in time, Besag and Clifford 1989; plimsoll_stats::coincidence",
        ..finding
    }
}

#[cfg(test)]
mod tests;
