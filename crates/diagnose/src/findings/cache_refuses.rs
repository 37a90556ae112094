//! A cache that does not take what it is given, or has lost it when it is looked for again: that is made anew each time,
//! and is to be put there again. Packets tell it of any client of memcached and Redis.

use plimsoll_stats::series::EntityKind;
use plimsoll_text::Message;

use super::Rule;
use super::cache::{MISSES, mostly_missed, remark};
use crate::about::object;
use crate::account::{CallsOfKind, SeenCache, calls_by_kind};
use crate::figures::{hundredths, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const ID: &str = "cache_refuses";
const LOSES: &str = "cache_loses";
pub const RULE: Rule = Rule {
    ids: &[ID, LOSES, MISSES],
    refuted_by: "items that the cache takes and keeps, or that nobody looked for before",
    look,
};

/// So many items for a request are more than a rare one that is too large.
const OFTEN: f64 = 0.2;
/// So many of those that were looked for in vain must be what was not taken.
const LOOKED_FOR: f64 = 0.5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    // A cache that is watched says itself how many lookups miss.
    let says_itself = !scene.things(EntityKind::Cache).is_empty();
    let calls = calls_by_kind(scene);
    let own = calls
        .iter()
        .filter_map(|calls| Some((calls, calls.cache.as_ref()?)));
    own.flat_map(|(calls, cache)| {
        let told = refuses(scene, calls, cache).or_else(|| loses(scene, calls, cache));
        let is_told = says_itself || told.is_some();
        let missed = (!is_told).then(|| misses(calls, cache)).flatten();
        told.into_iter().chain(missed)
    })
    .collect()
}

/// That so many items a second are not in the cache, though they were given to it: all that such a request does but
/// call the cache the value would have spared. Rare ones, and those that nobody looks for, are no finding.
fn unkept(
    scene: &Scene<'_>,
    id: &'static str,
    calls: &CallsOfKind,
    (per_s, missed_per_s): (f64, f64),
) -> Option<Finding> {
    let of_each = calls.of_each(per_s);
    if of_each < OFTEN || missed_per_s < LOOKED_FOR * per_s {
        return None;
    }
    let of_all = calls.requests_in_flight / scene.account()?.in_flight.max(1e-9);
    let share = (of_each.min(1.0) * (1.0 - calls.share()) * of_all).min(1.0);
    // What the cache does not hold is paid for by who calls.
    let about = object("cache", calls.server.as_str(), &calls.caller());
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let finding = Finding::new(id, Layer::Cause, about, explains)
        .with("process", calls.process.as_str())
        .with("count", hundredths(of_each));
    Some(Finding {
        source: "requests and their calls counted on the wire; memcached, protocol.txt; Redis, Key eviction",
        ..finding
    })
}

/// What the cache has taken is gone when it is looked for again.
fn loses(scene: &Scene<'_>, calls: &CallsOfKind, cache: &SeenCache) -> Option<Finding> {
    // Most of what is missed must be what was lost.
    if cache.lost_per_s < LOOKED_FOR * cache.missed_per_s {
        return None;
    }
    let finding = unkept(scene, LOSES, calls, (cache.lost_per_s, cache.missed_per_s))?;
    let text = Message::new("exhibit-cache-loses")
        .with("lost", tenths(cache.lost_per_s))
        .with("missed", tenths(cache.missed_per_s))
        .with("found", tenths(cache.found_per_s))
        .with("ms", tenths(cache.lost_after_ms.unwrap_or_default()));
    let advice = Message::new("advice-cache-loses").with("protocol", calls.protocol.as_str());
    Some(Finding {
        confidence: 0.9,
        ..finding
            .shows(Exhibit::new(text))
            .advises(Advice::code(advice))
    })
}

fn refuses(scene: &Scene<'_>, calls: &CallsOfKind, cache: &SeenCache) -> Option<Finding> {
    let finding = unkept(scene, ID, calls, (cache.refused_per_s, cache.missed_per_s))?;
    let why = cache.why.as_deref().unwrap_or("other");
    let text = Message::new("exhibit-cache-refuses")
        .with("process", calls.process.as_str())
        .with("requests", tenths(calls.requests_per_s))
        .with("refused", tenths(cache.refused_per_s))
        .with("taken", tenths(cache.taken_per_s))
        .with("missed", tenths(cache.missed_per_s));
    let advice = Message::new("advice-cache-refuses")
        .with("why", why)
        .with("protocol", calls.protocol.as_str());
    Some(Finding {
        confidence: 0.95,
        ..finding
            .with("why", why)
            .shows(Exhibit::new(text))
            .advises(Advice::code(advice))
    })
}

/// A remark where nobody asked the cache itself.
fn misses(calls: &CallsOfKind, cache: &SeenCache) -> Option<Finding> {
    let shown = mostly_missed(cache.found_per_s, cache.missed_per_s, calls.requests_per_s)?;
    let about = object("cache", calls.server.as_str(), &calls.caller());
    Some(Finding {
        source: "requests and their calls counted on the wire",
        ..remark(MISSES, about).shows(shown)
    })
}
