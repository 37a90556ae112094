//! Requests that are let through by the clock: as many in each second, by somebody who is idle meanwhile. A
//! server that works on one at a time looks the same from outside, but its work, its calls or its threads fill
//! the time.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::account::{Account, AccountPlateau, FullPlace, PartKind, thread_states};
use crate::evidence::SecondOfLoad;
use crate::figures::{counted, hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::processes::{is_database, stacks_of};
use crate::scene::Scene;
use crate::stacks::StackPlace;

pub(super) const ID: &str = "rate_limit_delay";

pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "a rate that is uneven or follows the load, or work that fills the time from one response to the next",
    look,
};

/// Numbers of responses in each second vary by so much of their mean at most; by chance, by all of it (the
/// index of dispersion of a Poisson process is 1: Cox and Lewis, "The statistical analysis of series of
/// events", 1966).
const EVEN: f64 = 0.1;
/// So many seconds and responses in each say so.
const LEAST_SECONDS: usize = 5;
const LEAST_PER_S: f64 = 4.0;
/// A whole number cannot vary less than its rounding does.
const ROUNDING: f64 = 0.25;
/// Requests that are worked on at a time, there and behind.
const IDLE: f64 = 0.3;
/// One at a time, or fewer.
const ONE: f64 = 1.5;
/// Threads that serve requests do so much of the process' work.
const WORKS: f64 = 0.3;
/// So many of the requests' threads wait for a lock.
const AT_LOCK: f64 = 0.25;
/// The first seconds, in which somebody finds nobody before him.
const FIRST_S: u32 = 3;
/// Where requests that find nobody take so much less than the time from one to the next, it is the clock.
const FREE: f64 = 0.5;
/// In a store others' commands decide when one goes on.
const STORES: [&str; 3] = ["redis", "valkey", "memcached"];
/// The rate of a configuration and that which was measured are the same.
const SAME_RATE: f64 = 0.05;

/// Responses in each second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct EvenRate {
    least: u64,
    most: u64,
    per_s: f64,
    /// Their variance by their mean.
    dispersion: f64,
}

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(account) = scene.account() else {
        return Vec::new();
    };
    let deepest = account.plateaus.iter().find(|place| place.deepest);
    let found = deepest.and_then(|place| delayed(scene, account, place));
    found.into_iter().collect()
}

fn delayed(scene: &Scene<'_>, account: &Account, place: &AccountPlateau) -> Option<Finding> {
    let name = place.process.as_str();
    let is_store = is_database(name) || STORES.iter().any(|store| name.starts_with(store));
    if place.place != FullPlace::Inside || is_store {
        return None;
    }
    let rate = even_rate(scene.seconds())?;
    // Where somebody has the place to himself for as long as from one to the next, it is never free.
    let alone_ms = alone_ms(scene).filter(|ms| ms / 1e3 * rate.per_s <= FREE);
    let zones = zones(scene, place, rate.per_s);
    // What a busy host makes of a request that is alone says little where the configuration has that rate.
    if zones.is_empty() && (alone_ms.is_none() || place.number > ONE) {
        return None;
    }
    let process = Entity::new(EntityKind::Process, name, place.host.as_str());
    let busy = worked_on(account, place) + threads_at_work(scene, &process);
    if busy > IDLE || at_locks(scene, &process) >= AT_LOCK * account.in_flight {
        return None;
    }
    let found = finding(account, place, (rate, busy));
    Some(shown(found, rate, alone_ms, &zones))
}

/// The rate of responses, if there are as many in each second.
fn even_rate<'s>(seconds: impl Iterator<Item = &'s SecondOfLoad>) -> Option<EvenRate> {
    let counts: Vec<u64> = seconds.map(|second| second.samples).collect();
    let (least, most) = (*counts.iter().min()?, *counts.iter().max()?);
    #[expect(clippy::cast_precision_loss, reason = "counts of a load")]
    let (number, values) = (
        counts.len() as f64,
        counts.iter().map(|count| *count as f64),
    );
    let per_s = values.clone().sum::<f64>() / number;
    let squares: f64 = values.map(|count| (count - per_s).powi(2)).sum();
    let variance = squares / (number - 1.0).max(1.0);
    let dispersion = variance.max(ROUNDING) / per_s.max(1e-9);
    let is_even = dispersion <= EVEN && counts.len() >= LEAST_SECONDS && per_s >= LEAST_PER_S;
    is_even.then_some(EvenRate {
        least,
        most,
        per_s,
        dispersion,
    })
}

/// Requests that are worked on at a time: in the process, but for those that wait in it, and behind it.
fn worked_on(account: &Account, place: &AccountPlateau) -> f64 {
    let depth = account.depth(&place.host, &place.process);
    let works = |kind| {
        matches!(
            kind,
            PartKind::Running
                | PartKind::CpuWait
                | PartKind::Disk
                | PartKind::GarbageCollection
                | PartKind::WaitingFor
        )
    };
    let share = account.share(|part| {
        let is_own = part.process == place.process && part.host == place.host;
        let behind = !is_own && account.depth(&part.host, &part.process) > depth;
        behind || is_own && works(part.kind)
    });
    share * account.in_flight
}

/// Threads that wait for a lock.
fn at_locks(scene: &Scene<'_>, process: &Entity) -> f64 {
    if let Some(stacks) = stacks_of(scene, process) {
        return stacks.count(|seen| seen.place == StackPlace::Lock);
    }
    let places = scene.wait_places_in((&process.host, &process.name), &["futex", "lock_file"]);
    let locks = places.iter().filter(|place| place.is_lock);
    locks.map(|place| place.threads).sum()
}

/// Threads that serve requests and wait for what is neither work to come nor another thread: pauses, files,
/// children, peers. Those that do none of the process' work may wait for anything.
fn threads_at_work(scene: &Scene<'_>, process: &Entity) -> f64 {
    // The kernel does not tell a JVM's pause from its other waits.
    if let Some(stacks) = stacks_of(scene, process) {
        let works = |place| {
            matches!(
                place,
                StackPlace::Sleep | StackPlace::File | StackPlace::Peer(_)
            )
        };
        return stacks.count(|seen| works(seen.place));
    }
    let Some(states) = thread_states(scene, process) else {
        return 0.0;
    };
    let runs: f64 = states.serving().map(|class| class.running).sum();
    let works = states
        .serving()
        .filter(|class| class.running >= WORKS * runs);
    let waits: f64 = works
        .map(|class| class.busy() - class.running - class.runnable)
        .sum();
    let blocked: f64 = states.event_loops.iter().map(|one| one.blocked).sum();
    waits.max(blocked)
}

fn finding(account: &Account, place: &AccountPlateau, (rate, busy): (EvenRate, f64)) -> Finding {
    let share = account.share_waiting(place);
    let about = FindingObject {
        kind: "process",
        name: place.process.clone(),
        host: place.host.clone(),
        process: place.process.clone(),
    };
    let even = Message::new("exhibit-rate-even")
        .with("least", rate.least)
        .with("most", rate.most)
        .with("rate", tenths(rate.per_s))
        .with("times", (1.0 / rate.dispersion).sqrt().round());
    let idle = Message::new("exhibit-rate-idle")
        .with("busy", hundredths(busy))
        .with("process", place.process.as_str());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    Finding::new(ID, Layer::Cause, about, explains)
        .with("rate", counted(rate.per_s))
        .with("waiting", tenths(place.waiting))
        .with("percent", percent(share))
        .shows(Exhibit::new(even))
        .shows(Exhibit::new(idle))
        .advises(advice(place, rate.per_s))
}

/// With what shows that the place is free between two requests, or what it is called.
fn shown(finding: Finding, rate: EvenRate, alone_ms: Option<f64>, zones: &[String]) -> Finding {
    let alone = alone_ms.map(|ms| {
        let text = Message::new("exhibit-rate-alone")
            .with("ms", tenths(ms))
            .with("rate", tenths(rate.per_s))
            .with("share", hundredths(ms / 1e3 * rate.per_s));
        Exhibit::new(text)
    });
    let named = (!zones.is_empty()).then(|| {
        let zones = zones.join("; ");
        Exhibit::new(Message::new("exhibit-limit-zones").with("zones", zones))
    });
    Finding {
        confidence: match named {
            Some(_) => 0.95,
            None => 0.85,
        },
        source: "index of dispersion, Cox and Lewis 1966",
        ..finding.shows_all(alone).shows_all(named)
    }
}

fn advice(place: &AccountPlateau, per_s: f64) -> Advice {
    let program = place.process.split('[').next().unwrap_or_default();
    let server = match program {
        "nginx" | "openresty" => "nginx",
        "haproxy" => "haproxy",
        _ => "other",
    };
    let why = Message::new("advice-rate-limit-delay")
        .with("server", server)
        .with("process", place.process.as_str())
        .with("rate", counted(per_s))
        .with("gap", tenths(1e3 / per_s.max(1e-9)));
    Advice::code(why)
}

/// How long the quickest request of the first seconds took, ms.
fn alone_ms(scene: &Scene<'_>) -> Option<f64> {
    let first = scene.load().seconds.iter();
    let first = first.filter(|second| second.second < FIRST_S && second.fastest_ms > 0.0);
    first.map(|second| second.fastest_ms).reduce(f64::min)
}

/// Limits of a proxy's configuration on that host that have this rate.
fn zones(scene: &Scene<'_>, place: &AccountPlateau, per_s: f64) -> Vec<String> {
    let facts = scene.facts_ending("limit_req_zone");
    let own = facts.filter(|(entity, ..)| entity.host == place.host);
    let program = place.process.split('[').next().unwrap_or_default();
    let own = own.filter(|_| matches!(program, "nginx" | "openresty"));
    let same = own.filter(|(.., value)| {
        let rates = value.split_ascii_whitespace().filter_map(rate_of);
        rates
            .into_iter()
            .any(|rate| (rate / per_s - 1.0).abs() <= SAME_RATE)
    });
    let mut zones: Vec<String> = same.map(|(.., value)| value.to_owned()).collect();
    zones.dedup();
    zones
}

/// Requests a second of `rate=110r/s` or `rate=30r/m`.
fn rate_of(word: &str) -> Option<f64> {
    let rate = word.strip_prefix("rate=")?;
    let (number, per) = rate.split_once("r/")?;
    let number: f64 = number.parse().ok()?;
    match per {
        "s" => Some(number),
        "m" => Some(number / 60.0),
        _ => None,
    }
}
