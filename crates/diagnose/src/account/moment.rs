//! Which of several captures of a thing an account is made from.

use plimsoll_stats::series::Entity;

use crate::evidence::CapturedText;
use crate::scene::Scene;

/// By then all users of a load without ramp-up are at work.
const SETTLED_MS: i64 = 1_000;

/// The captures of a kind, those that stand for the judged stretch last: a steady moment in it,
/// then another, then one before it.
pub(super) fn captures<'a>(scene: &Scene<'a>, kind: &'a str) -> Vec<&'a CapturedText> {
    let (_, to_ms) = scene.window_ms();
    let all = scene.captures(kind);
    let mut found: Vec<&CapturedText> = all
        .filter(|capture| (SETTLED_MS..to_ms).contains(&capture.at_ms))
        .collect();
    found.sort_by_key(|capture| {
        let is_inside = scene.is_under_load(capture.at_ms);
        (is_inside, capture.moment == "steady", capture.at_ms)
    });
    found
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
