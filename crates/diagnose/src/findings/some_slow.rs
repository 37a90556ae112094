//! A part of the requests that takes much longer than the others: which, and what keeps them. A mean hides that,
//! and a cure for all of them helps nobody.

use plimsoll_stats::series::Entity;
use plimsoll_stats::{LabelKind, LabelSummary};
use plimsoll_text::Message;

use super::Rule;
use super::cpu::{advice, stops_exhibit};
use crate::about::{object, seen_by_client};
use crate::account::{Account, SlowReplica, SlowestKind, SlowestPart, slow_replicas};
use crate::cpu::of_processes;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::processes::is_loaded;
use crate::scene::Scene;
use crate::throttled::{self, PERIOD_S, QuotaStops};

pub const RULE: Rule = Rule {
    ids: &["some_requests_slow"],
    refuted_by: "a slowest request that is as slow as queueing makes it, or time that is not lost by those that are named",
    look,
};

/// The slow ones take so many times as long as the middle one. What queues before one place takes 4.3 times
/// (M/M/1: ln 20 / ln 2), so that alone says nothing: somebody must be seen to keep them.
const FAR: f64 = 3.0;
/// So much of all the time must be what the slow ones take too long.
const LEAST_LOST: f64 = 0.15;
/// Requests of a kind that are slow are a part, not most.
const PART: f64 = 0.5;
/// So much of what is too long must be theirs, or at one place.
const LEAST_OF_EXCESS: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut replicas = slow_replicas(scene);
    replicas.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    let times = scene.total().response_time_ms;
    let lost = (times.mean - times.p50) / times.mean.max(1e-9);
    if times.p50 <= 0.0 || times.p95 < FAR * times.p50 || lost < LEAST_LOST {
        // One of several servers may be slow and still not show in the percentiles of all.
        let much = replicas
            .into_iter()
            .filter(|replica| replica.lost >= LEAST_LOST);
        return much.take(1).map(|slow| by_replica(scene, &slow)).collect();
    }
    let replica = replicas.first().map(|slow| by_replica(scene, slow));
    let account = scene.account();
    let found = replica
        .or_else(|| by_label(scene))
        .or_else(|| by_quota(scene))
        .or_else(|| by_part(scene, account?, lost));
    found.into_iter().collect()
}

/// How far the slow ones are from the middle.
fn spread(scene: &Scene<'_>) -> Exhibit {
    let times = scene.total().response_time_ms;
    Exhibit::new(
        Message::new("exhibit-spread")
            .with("p50", tenths(times.p50))
            .with("p95", tenths(times.p95))
            .with("mean", tenths(times.mean)),
    )
}

fn finding(
    scene: &Scene<'_>,
    (how, of): (&'static str, &str),
    layer: Layer,
    about: FindingObject,
    share: f64,
) -> Finding {
    let explains = Explains::new(share.clamp(0.0, 1.0), ShareOf::ResponseTime);
    let finding = Finding::new("some_requests_slow", layer, about, explains)
        .with("how", how)
        .with("of", of)
        .shows(spread(scene));
    Finding {
        confidence: 0.75,
        source: "Dean, Barroso, The Tail at Scale, CACM 56(2), 2013",
        ..finding
    }
}

/// One of several servers that do the same is slow.
fn by_replica(scene: &Scene<'_>, slow: &SlowReplica) -> Finding {
    let about = FindingObject {
        host: slow.host.clone(),
        process: slow.process.clone(),
        ..seen_by_client("hop", slow.server.as_str())
    };
    let text = Message::new("exhibit-slow-replica")
        .with("process", slow.process.as_str())
        .with("server", slow.server.as_str())
        .with("ms", tenths(slow.ms))
        .with("others", slow.others)
        .with("others_ms", tenths(slow.others_ms))
        .with("percent", percent(slow.share));
    let why = Message::new("advice-slow-replica").with("server", slow.server.as_str());
    finding(
        scene,
        ("replica", &slow.server),
        Layer::Cause,
        about,
        slow.lost,
    )
    .shows(Exhibit::new(text))
    .advises(Advice::code(why))
}

/// Requests of some kinds are the slow ones.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn by_label(scene: &Scene<'_>) -> Option<Finding> {
    let total = scene.total();
    let p50 = total.response_time_ms.p50;
    let requests = scene.load().labels.iter();
    let requests = requests.filter(|label| label.kind == LabelKind::Request && label.samples > 0);
    let (slow, others): (Vec<&LabelSummary>, Vec<&LabelSummary>) =
        requests.partition(|label| label.response_time_ms.p50 >= FAR * p50);
    let most = slow
        .iter()
        .max_by(|a, b| longer(a, p50).total_cmp(&longer(b, p50)))?;
    let count: u64 = slow.iter().map(|label| label.samples).sum();
    let share = count as f64 / scene.requests();
    let too_long: f64 = slow.iter().map(|label| longer(label, p50)).sum();
    let all = (total.response_time_ms.mean - p50) * scene.requests();
    if others.is_empty() || share > PART || too_long < LEAST_OF_EXCESS * all {
        return None;
    }
    let text = Message::new("exhibit-slow-label")
        .with("label", most.label.as_str())
        .with(
            "share",
            tenths(most.samples as f64 / scene.requests() * 100.0),
        )
        .with("ms", tenths(most.response_time_ms.mean))
        .with("p50", tenths(p50));
    let about = seen_by_client("label", most.label.as_str());
    let lost = too_long / (total.response_time_ms.mean * scene.requests()).max(1e-9);
    let why = Message::new("advice-slow-label").with("label", most.label.as_str());
    let found = finding(scene, ("label", &most.label), Layer::Hint, about, lost);
    Some(found.shows(Exhibit::new(text)).advises(Advice::code(why)))
}

/// How much longer the requests of a kind take together than the middle one of all.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn longer(label: &LabelSummary, p50: f64) -> f64 {
    (label.response_time_ms.mean - p50).max(0.0) * label.samples as f64
}

/// A quota stops the process in some of its periods: requests that are there then wait for the next one. Where most
/// are, the CPU is used up, which is a finding of its own.
fn by_quota(scene: &Scene<'_>) -> Option<Finding> {
    let times = scene.total().response_time_ms;
    let processes = of_processes(scene).into_iter();
    let stopped = processes
        // One that is used up stops all of them in the end: that is told as a CPU that is full.
        .filter(|cpu| cpu.quota && !cpu.is_full() && is_on_the_way(scene, &cpu.process))
        .filter_map(|cpu| Some((throttled::stops(scene, &cpu.process)?, cpu)));
    let lost = |stops: &QuotaStops| stops.requests * stops.stop_s;
    let (stops, cpu) = stopped.max_by(|a, b| lost(&a.0).total_cmp(&lost(&b.0)))?;
    // Of what a slow one takes longer much must be one stop or several.
    let several = (times.p95 / 1e3 / PERIOD_S * stops.periods).max(1.0);
    let reaches = stops.stop_s * several >= LEAST_OF_EXCESS * (times.p95 - times.p50) / 1e3;
    let share = stops.requests * stops.stop_s / 2.0 / scene.service_s().max(1e-9);
    if stops.requests > PART || !reaches || share < LEAST_LOST {
        return None;
    }
    let name = cpu.process.name.as_str();
    let about = object("process", name, &cpu.process);
    let found = finding(scene, ("quota", name), Layer::Cause, about, share);
    Some(
        found
            .shows(stops_exhibit(&stops))
            .advises(advice(scene, &cpu)),
    )
}

/// Whether requests come through a process.
fn is_on_the_way(scene: &Scene<'_>, process: &Entity) -> bool {
    let account = scene.account().filter(|account| account.is_by_packets);
    match account {
        Some(account) => account.depth(&process.host, &process.name).is_some(),
        None => is_loaded(scene, process),
    }
}

/// Packets followed the slow ones to the place that keeps them.
fn by_part(scene: &Scene<'_>, account: &Account, lost: f64) -> Option<Finding> {
    let slowest = account.slowest.as_ref()?;
    let (part, share) = slowest.most_longer()?;
    if share < LEAST_OF_EXCESS {
        return None;
    }
    let (how, of) = kept_by(part);
    // That the slowest wait in a process in which all wait is how queues are.
    let layer = Layer::cause_if(part.kind == SlowestKind::WaitingFor);
    let about = FindingObject {
        host: part.host.clone(),
        process: part.process.clone(),
        ..seen_by_client("hop", of)
    };
    let text = Message::new("exhibit-slow-part")
        .with("part", part.name())
        .with("ms", tenths(part.ms))
        .with("all_ms", tenths(part.all_ms.unwrap_or(0.0)))
        .with("percent", percent(share));
    let why = Message::new("advice-slow-part")
        .with("how", how)
        .with("of", of);
    let found = finding(scene, (how, of), layer, about, lost * share);
    Some(found.shows(Exhibit::new(text)).advises(Advice::code(why)))
}

fn kept_by(part: &SlowestPart) -> (&'static str, &str) {
    match part.kind {
        SlowestKind::WaitingFor => ("peer", &part.peer),
        SlowestKind::Inside | SlowestKind::Undecided => ("process", &part.process),
    }
}
