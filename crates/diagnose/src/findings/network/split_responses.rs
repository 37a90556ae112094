//! Responses that come in two pieces, the second some 40 ms after the first: their server holds it
//! back until the first is acknowledged (Nagle's algorithm), and their client waits a while before
//! it acknowledges. More users bring more throughput, but no request is quicker than that.

use plimsoll_stats::PhaseTimes;
use plimsoll_stats::names;
use plimsoll_text::Message;

use crate::about::seen_by_client;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub(in crate::findings) const ID: &str = "split_responses";
/// How long Linux waits before it acknowledges, ms: `TCP_DELACK_MIN` in `include/net/tcp.h`; with
/// what its timers add, and less where not every response is held up.
const HELD_MS: (f64, f64) = (28.0, 50.0);
/// Larger responses take several round trips anyway (RFC 6928: ten segments at once).
const MAX_BYTES: f64 = 14_000.0;
/// The least share of the response time that is worth a word.
const LEAST: f64 = 0.1;
/// So many late acknowledgements must be counted for each response.
const SEEN: f64 = 0.5;
/// From so much of it on it is what takes the time, whatever else is seen of the target.
const MOST: f64 = 0.5;
/// The server of the JDK sends head and body apart.
const JDK_SERVER: &str = "sun.net.httpserver.";

/// Responses that are held up so, if they are.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
pub(super) fn find(scene: &Scene<'_>) -> Option<Finding> {
    let total = scene.total();
    let samples = (total.samples as f64).max(1.0);
    let PhaseTimes { mean_ms, count, .. } = total.phases.receive;
    let held_ms = mean_ms * count as f64 / samples;
    let share = (held_ms / total.service_time_ms.mean.max(1e-9)).min(1.0);
    let (least_ms, most_ms) = HELD_MS;
    let is_small = total.received_bytes as f64 / samples <= MAX_BYTES;
    if !(least_ms..most_ms).contains(&held_ms) || share < LEAST || !is_small {
        return None;
    }
    let late = scene.series(names::host::TCP_DELAYED_ACKS).by_thing();
    let late = late.values().filter_map(|of_host| of_host.mean());
    let late_per_s = late.fold(0.0, f64::max);
    if late_per_s < SEEN * scene.throughput_per_s() {
        return None;
    }
    let text = Message::new("exhibit-split-responses")
        .with("ms", tenths(held_ms))
        .with("percent", percent(share))
        .with("rate", tenths(late_per_s));
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let about = seen_by_client("target", scene.load().target.as_str());
    let layer = match share >= MOST {
        true => Layer::Cause,
        false => Layer::Hint,
    };
    let finding = Finding::new(ID, layer, about, explains)
        .with("ms", tenths(held_ms))
        .shows(Exhibit::new(text).series(names::host::TCP_DELAYED_ACKS))
        .advises(advice(scene));
    Some(Finding {
        confidence: 0.85,
        source: "RFC 896 (Nagle); RFC 1122, section 4.2.3.2 (delayed acknowledgements)",
        ..finding
    })
}

fn advice(scene: &Scene<'_>) -> Advice {
    let why = Message::new("advice-split-responses");
    let mut threads = scene.stacks().iter().flat_map(|stacks| &stacks.threads);
    let is_jdk = threads.any(|seen| seen.is_in(JDK_SERVER));
    match is_jdk {
        true => Advice::setting(
            "-Dsun.net.httpserver.nodelay",
            Some("false".to_owned()),
            "true",
            why,
        ),
        false => Advice::code(why),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use plimsoll_stats::series::EntityKind;

    use crate::testing::{Made, thing};

    #[test]
    fn responses_in_two_pieces_are_told_by_late_acknowledgements() {
        let found = |receive_ms: f64, bytes: u64, late_per_s: f64| {
            let host = thing(EntityKind::Host, "");
            let made = Made::load(100.0, 90.0)
                .receives(receive_ms)
                .received(bytes)
                .counter(&host, "system.tcp.delayed_acks", &[], late_per_s);
            made.find("split_responses")
        };
        let finding = found(41.5, 80, 100.0).unwrap();
        assert!((finding.explains.share - 0.46).abs() < 0.01, "{finding:?}");
        // Slow otherwise; large; acknowledged with the next request.
        for (receive_ms, bytes, late_per_s) in [
            (10.0, 80, 100.0),
            (80.0, 80, 100.0),
            (41.5, 50_000, 100.0),
            (41.5, 80, 3.0),
        ] {
            assert_eq!(found(receive_ms, bytes, late_per_s), None);
        }
    }
}
