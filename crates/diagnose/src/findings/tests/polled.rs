//! Locks between processes that are asked for again and again.

use plimsoll_text::{Lang, render};
use serde_json::{Value, json};

use super::principles::{FRONT, calls, hop};
use crate::model::Layer;
use crate::testing::Made;

/// 100 requests a second of 100 ms, of which the calls to Redis have half a request at a time; so many tries a second,
/// so many of them in vain, for so many keys.
fn polled(tries: u32, refused: u32, keys: u32) -> Made {
    let mut redis = hop(FRONT, "redis-server[6379]", "127.0.0.1:6379", 200.0, 0.5);
    redis["protocol"] = json!("redis");
    // In three seconds.
    redis["tries"] = json!({ "tries": 3 * tries, "refused": 3 * refused, "keys": keys });
    calls(&[redis], 0.5, Value::Null)
}

#[test]
fn a_key_that_is_tried_for_again_and_again_is_a_cause() {
    for (keys, en) in [(1, "same key"), (40, "must not happen twice")] {
        let made = polled(400, 300, keys);
        let finding = made.find("polled_lock").unwrap();
        assert_eq!(
            (finding.object.name.as_str(), finding.layer),
            ("redis-server[6379]", Layer::Cause)
        );
        assert_eq!(finding.object.process, FRONT);
        assert!(finding.explains.share > 0.8, "{finding:?}");
        let told = render(Lang::En, &finding.advice[0].why);
        assert!(told.contains(en), "{told}");
        // The pause in between is that waiting, and nothing of its own.
        assert!(made.find("own_wait").is_none());
        assert_eq!(made.diagnose().findings[0].id, "polled_lock");
    }
}

#[test]
fn keys_that_are_taken_or_refused_once_are_no_lock_that_is_polled() {
    // All are taken; requests that were done before are turned away at once; hardly any request tries.
    assert!(polled(100, 0, 0).find("polled_lock").is_none());
    assert!(polled(100, 15, 15).find("polled_lock").is_none());
    // Half of them find a mark that is there already.
    assert!(polled(100, 50, 50).find("polled_lock").is_none());
    assert!(polled(20, 15, 1).find("polled_lock").is_none());
}
