//! Descriptors that are opened for requests and never closed: more and more, until none is left.

use std::sync::Arc;

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::Entity;
use plimsoll_text::Message;

use crate::about::object;
use crate::figures::hundredths;
use crate::findings::support::{descriptors, descriptors_exhibit};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

/// Descriptors are exhausted from this share on.
pub(super) const EXHAUSTED: f64 = 0.97;
/// Fewer may be a pool that fills.
const MANY: f64 = 100.0;
/// Looks that show a trend.
const LEAST_LOOKS: usize = 6;
/// In the last third of the stretch so much of what came in the one before comes still: what fills ends.
const GOES_ON: f64 = 0.5;
/// What is closed now and then, by a collector of garbage or a time limit, falls back by more than that of the rise.
const FALLS: f64 = 0.3;
/// The load is even if its users differ by less: what more users hold open is not left open.
const EVEN: f64 = 0.9;

/// How descriptors of a process grow.
struct Growing {
    rise: f64,
    per_s: f64,
}

/// A process that leaves descriptors open.
pub(super) fn find(scene: &Scene<'_>, process: &Arc<Entity>) -> Option<Finding> {
    let growing =
        growing(scene, process).filter(|growing| !is_unclosed(scene, process, growing))?;
    let each = growing.per_s / scene.throughput_per_s().max(1e-9);
    let limit = descriptors(scene, process);
    let is_full = limit.is_some_and(|(open, limit)| open >= EXHAUSTED * limit);
    let failed = scene.total().error_rate;
    let explains = match is_full && failed > 0.0 {
        true => Explains::new(0.9, ShareOf::Errors),
        false => Explains::new(0.0, ShareOf::Errors),
    };
    let kind = kind(scene, process);
    let text = Message::new("exhibit-descriptors-grow")
        .with("count", growing.rise.round())
        .with("each", hundredths(each))
        .with("kind", kind.as_str());
    let left_s = limit.map(|(open, limit)| (limit - open) / growing.per_s);
    let left = left_s
        .filter(|left_s| *left_s > 0.0 && !is_full)
        .map(|left_s| {
            let text =
                Message::new("exhibit-descriptors-left").with("minutes", (left_s / 60.0).ceil());
            Exhibit::new(text).series(names::process::FILES_LIMIT)
        });
    let about = object("process", process.name.as_str(), process);
    let layer = Layer::cause_if(explains.share > 0.0);
    let finding = Finding::new("descriptors_left_open", layer, about, explains)
        .with("each", hundredths(each))
        .shows(Exhibit::new(text).series(names::process::FILES))
        .shows_all(limit.map(descriptors_exhibit))
        .shows_all(left)
        .advises(Advice::code(
            Message::new("advice-descriptors-left-open").with("kind", kind),
        ));
    Some(Finding {
        confidence: 0.9,
        source: "proc(5), /proc/PID/fd; close(2)",
        ..finding
    })
}

/// Whether descriptors grow evenly under an even load, and do not fall again.
fn growing(scene: &Scene<'_>, process: &Entity) -> Option<Growing> {
    let track = scene.of(process, names::process::FILES).track();
    let values: Vec<f64> = track.iter().map(|(_, value)| *value).collect();
    let third = values.len() / 3;
    if values.len() < LEAST_LOOKS || !is_even(scene) {
        return None;
    }
    let rise_of = |part: &[f64]| {
        part.last()
            .zip(part.first())
            .map_or(0.0, |(to, from)| to - from)
    };
    let (middle, end) = (&values[third..2 * third], &values[values.len() - third..]);
    let rise = rise_of(&values);
    let mut most = values[0];
    let mut fell: f64 = 0.0;
    for value in &values {
        most = most.max(*value);
        fell = fell.max(most - value);
    }
    let goes_on = rise_of(end) >= GOES_ON * rise_of(middle) && rise_of(middle) > 0.0;
    let ends = track.first().zip(track.last());
    #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
    let looked_s = ends.map_or(0.0, |(first, last)| (last.0 - first.0) as f64);
    let leaves = rise >= MANY && goes_on && fell <= FALLS * rise;
    leaves.then(|| Growing {
        rise,
        per_s: rise / looked_s.max(1.0),
    })
}

/// Whether connections that their clients have ended are most of them: a finding of its own.
fn is_unclosed(scene: &Scene<'_>, process: &Entity, growing: &Growing) -> bool {
    let connections = scene.of(process, names::process::CONNECTIONS);
    let waiting = connections.with(attributes::NETWORK_CONNECTION_STATE, "close_wait");
    waiting
        .rise()
        .is_some_and(|rise| rise >= 0.5 * growing.rise)
}

/// Whether as many users were at work all the time.
#[expect(clippy::cast_precision_loss, reason = "counts of users")]
fn is_even(scene: &Scene<'_>) -> bool {
    let users = || scene.seconds().map(|second| second.users);
    let (least, most) = (users().min().unwrap_or(0), users().max().unwrap_or(0));
    least as f64 >= EVEN * most as f64
}

/// Of which kind those are that grow most; `other` where nobody told.
fn kind(scene: &Scene<'_>, process: &Entity) -> String {
    let kinds = scene.of(process, names::process::FILES_BY_KIND);
    let kinds = kinds.by(attributes::FILE_DESCRIPTOR_KIND).into_iter();
    let rises = kinds.filter_map(|(kind, open)| Some((kind, open.rise()?)));
    let most = rises.max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or_else(|| "other".to_owned(), |(kind, _)| kind)
}
