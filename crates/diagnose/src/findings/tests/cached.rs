//! Caches as packets show them: items that are not taken, and lookups that miss.

use plimsoll_text::{Lang, render};
use serde_json::{Value, json};

use super::principles::{FRONT, calls, hop};
use crate::model::Layer;
use crate::testing::Made;

/// 100 requests a second of 100 ms, each with a lookup and an item; of a hundred so many are found and refused.
fn cached(found: u32, refused: u32, why: &str) -> Made {
    let mut cache = hop(FRONT, "memcached[11211]", "127.0.0.1:11211", 200.0, 1.0);
    cache["protocol"] = json!("memcached");
    // In three seconds.
    let missed = 100 - found;
    cache["cache"] = json!({
        "found": 3 * found, "missed": 3 * missed, "taken": 3 * missed.saturating_sub(refused),
        "refused": 3 * refused, "why": why,
    });
    calls(&[cache], 1.0, Value::Null)
}

#[test]
fn a_cache_that_does_not_take_what_is_looked_for_is_a_cause() {
    let made = cached(0, 100, "too_large");
    let finding = made.find("cache_refuses").unwrap();
    assert_eq!(
        (finding.object.name.as_str(), finding.layer),
        ("memcached[11211]", Layer::Cause)
    );
    // Ten are in flight, of which one is in the cache: the other nine are what the value would have spared.
    assert!((finding.explains.share - 0.9).abs() < 0.02, "{finding:?}");
    // What the requests cost is paid for by who calls, whatever passes in the cache.
    assert_eq!(finding.object.process, FRONT);
    assert!(made.find("cache_misses").is_none(), "one voice");
    // A rare one that is too large, and items that nobody looked for.
    assert!(cached(80, 10, "too_large").find("cache_refuses").is_none());
    assert!(
        cached(100, 100, "out_of_memory")
            .find("cache_refuses")
            .is_none()
    );
}

#[test]
fn a_cache_that_has_lost_what_it_took_is_a_cause() {
    let lost = |lost: u32, found: u32, protocol: &str| {
        let mut cache = hop(FRONT, "memcached[11211]", "127.0.0.1:11211", 200.0, 1.0);
        cache["protocol"] = json!(protocol);
        let missed = 3 * (100 - found);
        cache["cache"] = json!({
            "found": 3 * found, "missed": missed, "taken": missed, "refused": 0,
            "lost": 3 * lost, "lost_after_ms": 140.0,
        });
        calls(&[cache], 1.0, Value::Null)
    };
    for (protocol, en) in [("memcached", "30 days"), ("redis", "PX")] {
        let made = lost(90, 0, protocol);
        let finding = made.find("cache_loses").unwrap();
        assert_eq!(finding.layer, Layer::Cause);
        assert!((finding.explains.share - 0.81).abs() < 0.02, "{finding:?}");
        assert_eq!(finding.object.process, FRONT);
        assert!(made.find("cache_misses").is_none(), "one voice");
        let told = render(Lang::En, &finding.advice[0].why);
        assert!(told.contains(en), "{told}");
    }
    // Keys that nobody asked for twice, and few that are gone among many that are found.
    assert!(lost(0, 0, "redis").find("cache_loses").is_none());
    assert!(lost(10, 90, "redis").find("cache_loses").is_none());
}

#[test]
fn each_reason_says_what_to_do() {
    for (why, en) in [
        ("too_large", "memcached -I"),
        ("out_of_memory", "memcached -m"),
        ("read_only", "primary"),
        ("other", "error"),
    ] {
        let finding = cached(0, 100, why).find("cache_refuses").unwrap();
        let told = render(Lang::En, &finding.advice[0].why);
        assert!(told.contains(en), "{why}: {told}");
    }
}

#[test]
fn lookups_that_miss_are_a_remark_where_all_is_taken() {
    let made = cached(20, 0, "");
    assert_eq!(made.find("cache_misses").unwrap().layer, Layer::Hint);
    assert!(cached(80, 0, "").find("cache_misses").is_none());
}
