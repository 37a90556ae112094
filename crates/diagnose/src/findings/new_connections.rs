//! Clients that make a new connection for each request, since the server closes them or the plan
//! wants it: each costs a round trip, and with TLS several and the CPU of a handshake.

use plimsoll_stats::{ErrorKind, PhaseTimes};
use plimsoll_text::Message;

use super::Rule;
use crate::about::seen_by_client;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["new_connections"],
    refuted_by: "connections that are kept, or that take little of the time",
    look,
};

/// So much of the requests must make one: more than the first of each user.
const SHARE_MAKING_ONE: f64 = 0.5;
/// Making it limits from this share of the response time on; below the other, nothing is said.
const SHARE_OF_TIME: f64 = 0.3;
const LEAST: f64 = 0.05;
/// Where more than that fails, connections are made anew since requests fail, and late since the
/// server is full.
const FAILING: f64 = 0.02;

#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let total = scene.total();
    let phases = &total.phases;
    let samples = scene.requests();
    let unsent = scene.failed(ErrorKind::is_before_sending);
    // Where hardly a connection comes about, none is made that could be kept.
    if unsent > SHARE_MAKING_ONE * samples {
        return Vec::new();
    }
    let made = phases.connect.count as f64 / samples;
    let spent_ms = |phase: &PhaseTimes| phase.mean_ms * phase.count as f64 / samples;
    let all_ms: f64 = [&phases.dns, &phases.connect, &phases.tls]
        .into_iter()
        .map(spent_ms)
        .sum();
    let share = (all_ms / total.service_time_ms.mean.max(1e-9)).min(1.0);
    if made < SHARE_MAKING_ONE || share < LEAST {
        return Vec::new();
    }
    let layer = Layer::cause_if(share >= SHARE_OF_TIME && total.error_rate < FAILING);
    let text = Message::new("exhibit-new-connections")
        .with("made", percent(made.min(1.0)))
        .with("dns", tenths(spent_ms(&phases.dns)))
        .with("connect", tenths(spent_ms(&phases.connect)))
        .with("tls", tenths(spent_ms(&phases.tls)));
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let about = seen_by_client("target", scene.load().target.as_str());
    let finding = Finding::new("new_connections", layer, about, explains)
        .with("made", percent(made.min(1.0)))
        .shows(Exhibit::new(text))
        .advises(Advice::code(Message::new("advice-new-connections")));
    vec![Finding {
        confidence: 0.9,
        source: "RFC 9112, section 9.3; the client's own times of each phase",
        ..finding
    }]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use crate::model::Layer;
    use crate::testing::Made;

    #[test]
    fn connections_that_are_made_for_each_request() {
        let layer = |made: f64, connect_ms: f64| {
            let made = Made::load(100.0, 20.0).connects(made, connect_ms);
            made.find("new_connections").map(|finding| finding.layer)
        };
        assert_eq!(layer(1.0, 10.0), Some(Layer::Cause));
        assert_eq!(layer(1.0, 2.0), Some(Layer::Hint));
        let fails = Made::load(100.0, 20.0)
            .connects(1.0, 10.0)
            .responded("503", 200);
        assert_eq!(fails.find("new_connections").unwrap().layer, Layer::Hint);
        let refused = Made::load(100.0, 20.0)
            .connects(1.0, 10.0)
            .errors(plimsoll_stats::ErrorKind::ConnectionRefused, 1_500);
        assert!(refused.find("new_connections").is_none());
        // Next to no time; only the first request of each user.
        assert_eq!(layer(1.0, 0.1), None);
        assert_eq!(layer(0.1, 100.0), None);
    }
}
