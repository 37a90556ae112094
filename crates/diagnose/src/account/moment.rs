//! Which of several captures of a thing an account is made from.

use plimsoll_stats::series::Entity;
use serde::Deserialize;

use crate::evidence::CapturedText;
use crate::scene::Scene;

/// By then all users of a load without ramp-up are at work.
const SETTLED_MS: i64 = 1_000;

/// A look that ends so much after the stretch still saw nothing else.
const SLACK_MS: f64 = 300.0;

/// A look that lasts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Lasting {
    lasts_ms: f64,
}

/// The captures of a kind, those that stand for the judged stretch last: a steady moment whose look
/// lies in it as a whole, then one in part, then another moment, then one before it.
pub(super) fn captures<'a>(scene: &Scene<'a>, kind: &'a str) -> Vec<&'a CapturedText> {
    let (_, to_ms) = scene.window_ms();
    let all = scene.captures(kind);
    let mut found: Vec<&CapturedText> = all
        .filter(|capture| (SETTLED_MS..to_ms).contains(&capture.at_ms))
        .collect();
    found.sort_by_cached_key(|capture| {
        let is_inside = scene.is_under_load(capture.at_ms);
        let is_whole = lies_before(capture, to_ms);
        (
            is_inside,
            is_whole,
            capture.moment == "steady",
            capture.at_ms,
        )
    });
    found
}

/// Whether nothing of a look is behind an instant.
#[expect(clippy::cast_precision_loss, reason = "ms of a run")]
fn lies_before(capture: &CapturedText, to_ms: i64) -> bool {
    let lasting: Lasting = serde_json::from_str(&capture.text).unwrap_or_default();
    capture.at_ms as f64 + lasting.lasts_ms <= to_ms as f64 + SLACK_MS
}

/// The same of one thing.
pub(super) fn captures_of<'a>(
    scene: &Scene<'a>,
    kind: &'a str,
    of: &Entity,
) -> impl Iterator<Item = &'a CapturedText> {
    let own =
        |capture: &&CapturedText| capture.entity.name == of.name && capture.entity.host == of.host;
    captures(scene, kind).into_iter().filter(own)
}
