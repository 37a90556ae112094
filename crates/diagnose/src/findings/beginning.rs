//! Did the run's beginning differ, in any runtime? Under an even load responses are slow at first and then steady:
//! caches fill, connections are made, code is loaded. What is measured then is no steady state, and a warm-up that
//! leaves it out is proposed, with the time it lasted. Where nothing differs none is.

use std::sync::Arc;

use plimsoll_stats::names::{self, SeriesName, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use super::warm_up::{self, is_even, most_compiling};
use crate::about::{object, seen_by_client};
use crate::evidence::SecondOfLoad;
use crate::figures::{percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, FindingObject, Layer, ShareOf};
use crate::scene::Scene;

pub(super) const ID: &str = "warm_up";
pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "slow seconds that come again later, a load that changes meanwhile, or a mean that is the same without them",
    look,
};

/// Shorter stretches have no steady part to compare with.
const LEAST_S: usize = 10;
/// A second of the beginning is so many times slower than the middle one of the second half, and slower than the
/// slowest of these: what comes later, too, is no beginning.
const SLOWER: f64 = 1.5;
/// The mean must be so much too long because of it.
const LEAST_SHARE: f64 = 0.05;
/// From this share on nothing else can be concluded from the figures.
const DECIDES: f64 = 0.45;
/// A beginning is no longer than that part of the stretch: else it is the load that changes.
const PART: f64 = 0.5;
/// What fills is asked for so many times more often at first.
const FILLS: f64 = 2.0;
/// Bytes and keys a second that are worth a word.
const LEAST_READ: f64 = 1e6;
const LEAST_MISSED: f64 = 1.0;
/// The compiler takes this share of the CPU of the beginning.
const COMPILES: f64 = 0.1;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    // Where the compiler is known to be it, that says more.
    match warm_up::find(scene) {
        Some(_) => Vec::new(),
        None => find(scene).into_iter().collect(),
    }
}

/// The slow seconds at the beginning, and what follows.
struct Beginning {
    seconds: u32,
    early_ms: f64,
    late_ms: f64,
    /// The share of the mean response time that is too long because of it.
    share: f64,
}

fn find(scene: &Scene<'_>) -> Option<Finding> {
    let load = scene.load();
    // A stretch that begins behind the warm-up is no beginning.
    if load.window_s.0 > load.warm_up_s {
        return None;
    }
    let begins = beginning(scene)?;
    let (from_ms, to_ms) = scene.window_ms();
    let ends_ms = from_ms + i64::from(begins.seconds) * 1_000;
    let (who, filled) = filled(scene, (from_ms, ends_ms), (ends_ms, to_ms)).unzip();
    let target = seen_by_client("target", load.target.as_str());
    let decides = begins.share >= DECIDES;
    let layer = if decides {
        Layer::Measurement
    } else {
        Layer::Hint
    };
    let text = Message::new("exhibit-beginning")
        .with("seconds", begins.seconds)
        .with("early", tenths(begins.early_ms))
        .with("late", tenths(begins.late_ms))
        .with("percent", percent(begins.share));
    let explains = Explains::new(begins.share, ShareOf::Measurement);
    let finding = Finding::new(ID, layer, who.unwrap_or(target), explains)
        .with("seconds", begins.seconds)
        .shows(Exhibit::new(text))
        .shows_all(filled)
        .advises(Advice::setting(
            "warm-up",
            Some(format!("{}s", load.warm_up_s)),
            format!("{}s", load.warm_up_s + begins.seconds.max(2)),
            Message::new("advice-warm-up"),
        ));
    Some(Finding {
        confidence: 0.8,
        source: "Georges, Buytaert, Eeckhout, OOPSLA 2007; Kalibera, Jones, ISMM 2013",
        ..finding
    })
}

/// The slow seconds at the beginning of an even load; none if there are none, or slow ones come again.
#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn beginning(scene: &Scene<'_>) -> Option<Beginning> {
    let seconds: Vec<&SecondOfLoad> = scene.seconds().filter(|one| one.samples > 0).collect();
    if seconds.len() < LEAST_S || !is_even(&seconds) {
        return None;
    }
    let mut later: Vec<f64> = seconds[seconds.len() / 2..]
        .iter()
        .map(|one| one.response_ms)
        .collect();
    later.sort_by(f64::total_cmp);
    let (middle, slowest) = (later[later.len() / 2], later[later.len() - 1]);
    let limit = (SLOWER * middle).max(slowest);
    let count = seconds
        .iter()
        .take_while(|one| one.response_ms > limit)
        .count();
    let (early, late) = seconds.split_at(count);
    let again = late.iter().any(|one| one.response_ms > limit);
    if count == 0 || again || count as f64 > PART * seconds.len() as f64 {
        return None;
    }
    let mean = |part: &[&SecondOfLoad]| {
        let samples: u64 = part.iter().map(|one| one.samples).sum();
        let time: f64 = part
            .iter()
            .map(|one| one.response_ms * one.samples as f64)
            .sum();
        time / samples.max(1) as f64
    };
    let (early_ms, late_ms) = (mean(early), mean(late));
    let share = 1.0 - late_ms / mean(&seconds).max(1e-9);
    (share >= LEAST_SHARE).then_some(Beginning {
        seconds: u32::try_from(count).unwrap_or(u32::MAX),
        early_ms,
        late_ms,
        share,
    })
}

/// Who is seen to fill or to compile in the beginning, and not later.
fn filled(
    scene: &Scene<'_>,
    early_ms: (i64, i64),
    late_ms: (i64, i64),
) -> Option<(FindingObject, Exhibit)> {
    let compiling = most_compiling(scene, early_ms).filter(|(_, share)| *share >= COMPILES);
    if let Some((process, share)) = compiling {
        let text = Message::new("exhibit-beginning-compiles")
            .with("process", process.name.as_str())
            .with("percent", percent(share));
        let about = object("process", process.name.as_str(), &process);
        let shown = Exhibit::new(text).series(names::process::GROUP_CPU_TIME);
        return Some((about, shown));
    }
    let more = |thing: &Arc<Entity>, series: SeriesName, least: f64| {
        let query = scene.of(thing, series);
        let query = match series == names::process::DISK_IO {
            true => query.with(attributes::DISK_IO_DIRECTION, "read"),
            false => query,
        };
        let (early, late) = (
            query.mean_in(early_ms)?,
            query.mean_in(late_ms).unwrap_or(0.0),
        );
        (early >= least && early >= FILLS * late).then_some((early, late))
    };
    let caches = scene.things(EntityKind::Cache).into_iter();
    let missing = caches.filter_map(|cache| {
        let rates = more(&cache, names::redis::MISSES, LEAST_MISSED)?;
        Some(("misses", "cache", cache, rates, names::redis::MISSES))
    });
    let processes = scene.things(EntityKind::Process).into_iter();
    let reading = processes.filter_map(|process| {
        let (early, late) = more(&process, names::process::DISK_IO, LEAST_READ)?;
        let rates = (early / 1e6, late / 1e6);
        Some(("reads", "process", process, rates, names::process::DISK_IO))
    });
    let (how, kind, thing, (early, late), series) = missing.chain(reading).next()?;
    let text = Message::new("exhibit-beginning-fills")
        .with("how", how)
        .with("name", thing.name.as_str())
        .with("early", tenths(early))
        .with("late", tenths(late));
    let about = object(kind, thing.name.as_str(), &thing);
    Some((about, Exhibit::new(text).series(series)))
}
