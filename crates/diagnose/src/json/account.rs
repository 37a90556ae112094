//! Where the response time goes, as JSON.

use plimsoll_text::{Lang, render};
use serde::Serialize;

use crate::account::{Account, SlowestRequests};

#[derive(Debug, Serialize)]
pub(super) struct AccountJson {
    response_ms: f64,
    requests_per_s: f64,
    in_flight: f64,
    measured_share: f64,
    parts: Vec<PartJson>,
    plateaus: Vec<PlateauJson>,
    together: Option<TogetherJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_once: Option<AtOnceJson>,
    slowest: Option<SlowestRequestsJson>,
}

#[derive(Debug, Serialize)]
struct SlowestRequestsJson {
    percentile: u32,
    requests: u64,
    from_ms: f64,
    mean_ms: f64,
    parts: Vec<SlowestPartJson>,
    text: String,
}

#[derive(Debug, Serialize)]
struct SlowestPartJson {
    kind: &'static str,
    process: String,
    host: String,
    peer: String,
    ms: f64,
    all_ms: Option<f64>,
    text: String,
}

#[derive(Debug, Serialize)]
struct TogetherJson {
    few: f64,
    few_ms: f64,
    many: f64,
    many_ms: f64,
    apart: bool,
    text: String,
}

#[derive(Debug, Serialize)]
struct AtOnceJson {
    requests: f64,
    within_ms: f64,
    in_flight: f64,
    text: String,
}

#[derive(Debug, Serialize)]
struct PartJson {
    kind: &'static str,
    process: String,
    host: String,
    peer: String,
    state: &'static str,
    ms: f64,
    basis: &'static str,
    text: String,
}

#[derive(Debug, Serialize)]
struct PlateauJson {
    process: String,
    host: String,
    place: &'static str,
    peer: String,
    number: f64,
    share_of_time: f64,
    waiting: f64,
    deepest: bool,
    text: String,
}

pub(super) fn of_account(account: &Account, lang: Lang) -> AccountJson {
    let parts = account.parts.iter().map(|part| PartJson {
        kind: part.kind.name(),
        process: part.process.clone(),
        host: part.host.clone(),
        peer: part.peer.clone(),
        state: part.state,
        ms: part.ms,
        basis: part.basis.name(),
        text: render(lang, &part.name()),
    });
    let plateaus = account.plateaus.iter().map(|full| PlateauJson {
        process: full.process.clone(),
        host: full.host.clone(),
        place: full.place.name(),
        peer: full.peer.clone(),
        number: full.number,
        share_of_time: full.share_of_time,
        waiting: full.waiting,
        deepest: full.deepest,
        text: render(lang, &full.message()),
    });
    AccountJson {
        response_ms: account.response_ms,
        requests_per_s: account.requests_per_s,
        in_flight: account.in_flight,
        measured_share: account.measured_share(),
        parts: parts.collect(),
        plateaus: plateaus.collect(),
        together: account.together.times.map(|times| TogetherJson {
            few: times.few,
            few_ms: times.few_ms,
            many: times.many,
            many_ms: times.many_ms,
            apart: times.is_apart(),
            text: render(lang, &times.message()),
        }),
        at_once: account.together.at_once.map(|done| AtOnceJson {
            requests: done.requests,
            within_ms: done.within_ms,
            in_flight: done.in_flight,
            text: render(lang, &done.message()),
        }),
        slowest: account
            .slowest
            .as_ref()
            .map(|slowest| of_slowest(slowest, lang)),
    }
}

fn of_slowest(slowest: &SlowestRequests, lang: Lang) -> SlowestRequestsJson {
    let parts = slowest.parts.iter().map(|part| SlowestPartJson {
        kind: part.kind.name(),
        process: part.process.clone(),
        host: part.host.clone(),
        peer: part.peer.clone(),
        ms: part.ms,
        all_ms: part.all_ms,
        text: render(lang, &part.name()),
    });
    SlowestRequestsJson {
        percentile: slowest.percentile,
        requests: slowest.requests,
        from_ms: slowest.from_ms,
        mean_ms: slowest.mean_ms,
        parts: parts.collect(),
        text: render(lang, &slowest.message()),
    }
}
