//! Sources that refused the watcher or did not respond to it in the judged stretch: what they would have told is
//! not known, and that is said.

use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::{Arg, Message};

use crate::evidence::UnseenSource;
use crate::processes::listens_at;
use crate::scene::Scene;

/// The sources, each place once. One that was seen all the same, with other credentials or by another way, is none.
pub(crate) fn sources<'a>(scene: &Scene<'a>) -> Vec<&'a UnseenSource> {
    let mut all: Vec<&UnseenSource> = Vec::new();
    for source in &scene.evidence().unseen {
        let same = |known: &&UnseenSource| {
            known.kind() == source.kind() && known.address() == source.address()
        };
        if source.is_in(scene.window_ms()) && !was_seen(scene, source) && !all.iter().any(same) {
            all.push(source);
        }
    }
    all
}

/// Whether what listens there told of itself in the time in which this source was not seen.
fn was_seen(scene: &Scene<'_>, source: &UnseenSource) -> bool {
    let kinds = match source.kind() {
        "mysql" | "postgresql" => &[EntityKind::Database][..],
        "redis" => &[EntityKind::Cache],
        "haproxy" | "nginx" => &[EntityKind::Proxy],
        "pgbouncer" => &[EntityKind::Proxy, EntityKind::Pool],
        _ => return false,
    };
    let end = format!(":{}", source.port());
    let (from_ms, to_ms) = scene.window_ms();
    let until_ms = source.until_ms.unwrap_or(to_ms).min(to_ms);
    let unseen_ms = source.from_ms.max(from_ms)..until_ms;
    scene.evidence().series.iter().any(|series| {
        let entity = &series.key.entity;
        kinds.contains(&entity.kind)
            && entity.name.ends_with(&end)
            && series.at_ms.iter().any(|at_ms| unseen_ms.contains(at_ms))
    })
}

/// What was not watched, and why.
pub(crate) fn told(scene: &Scene<'_>) -> Vec<Message> {
    let sources = sources(scene).into_iter();
    let told = sources.map(|source| {
        let message = Message::new("diagnosis-missing-source")
            .with("source", source.source.as_str())
            .with("reason", source.reason());
        during(source, message)
    });
    told.collect()
}

/// The message with the seconds in which the source was not seen.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
pub(crate) fn during(source: &UnseenSource, message: Message) -> Message {
    let seconds = |at_ms: i64| (at_ms as f64 / 1e3).round();
    let until = source
        .until_ms
        .map_or(Arg::from("open"), |at_ms| seconds(at_ms).into());
    message
        .with("from", seconds(source.from_ms))
        .with("until", until)
}

/// Whether it is told of the server that this process is.
pub(crate) fn is_told(scene: &Scene<'_>, process: &Entity) -> bool {
    let here = |source: &&UnseenSource| listens_at(scene, process, source.port());
    sources(scene).iter().any(here)
}
