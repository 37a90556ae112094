//! Was it measured before it was warm? Throughput that still rises under an even load while the
//! JIT compiles, says little about the steady state.

use std::sync::Arc;

use plimsoll_stats::names::{self, attributes};
use plimsoll_stats::series::{Entity, EntityKind};
use plimsoll_text::Message;

use super::Rule;
use crate::about::object;
use crate::evidence::SecondOfLoad;
use crate::figures::percent;
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &[ID],
    refuted_by: "throughput that does not rise under an even load, or no compiler at work",
    look,
};

pub(super) const ID: &str = "cold_start";
/// The end of the stretch must be so much faster than its beginning.
const RISES: f64 = 1.35;
/// The compiler must take this share of the process's CPU in the beginning.
const COMPILES: f64 = 0.1;
/// What would have been measured warm must be so much more that nothing else can be concluded.
const DECIDES: f64 = 0.45;
/// The same for a stretch that begins with the load, or nearly so.
const DECIDES_AT_ONCE: f64 = 0.3;
/// It does, if it begins so early.
const AT_ONCE_S: u32 = 5;
/// Shorter stretches have no trend.
const LEAST_S: usize = 5;

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    find(scene).into_iter().collect()
}

/// A measurement that was not warm since the compiler was at work.
pub(super) fn find(scene: &Scene<'_>) -> Option<Finding> {
    let seconds: Vec<_> = scene.seconds().collect();
    if seconds.len() < LEAST_S || !is_even(&seconds) {
        return None;
    }
    let third = seconds.len() / 3;
    let early = served_per_s(&seconds[..third]);
    let late = served_per_s(&seconds[seconds.len() - third..]);
    if early <= 0.0 || late < early * RISES {
        return None;
    }
    let (from_ms, to_ms) = scene.window_ms();
    let first = (from_ms, from_ms + (to_ms - from_ms) / 3);
    let (process, share) = most_compiling(scene, first).filter(|(_, share)| *share >= COMPILES)?;
    let explains = Explains::new(1.0 - early / late, ShareOf::Measurement);
    let at_once = scene.load().window_s.0 < AT_ONCE_S && explains.share >= DECIDES_AT_ONCE;
    let layer = if explains.share >= DECIDES || at_once {
        Layer::Measurement
    } else {
        Layer::Hint
    };
    let trend = Message::new("exhibit-rising")
        .with("early", early.round())
        .with("late", late.round());
    let compiler = Message::new("exhibit-compiling").with("percent", percent(share));
    let about = object("process", process.name.as_str(), &process);
    let finding = Finding::new(ID, layer, about, explains)
        .shows(Exhibit::new(trend))
        .shows(Exhibit::new(compiler).series(names::process::GROUP_CPU_TIME))
        .advises(Advice::setting(
            "warm-up",
            Some(format!("{}s", scene.load().warm_up_s)),
            format!("{}s", scene.load().warm_up_s + warm_after(&seconds, late)),
            Message::new("advice-warm-up"),
        ));
    Some(Finding {
        source: "Georges, Buytaert, Eeckhout, OOPSLA 2007; field case F23",
        ..finding
    })
}

/// Requests a second that did not fail.
#[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
fn served_per_s(seconds: &[&SecondOfLoad]) -> f64 {
    let served = seconds.iter().map(|second| second.served());
    served.sum::<f64>() / seconds.len().max(1) as f64
}

/// The process whose compiler takes most of its CPU in a stretch, with that share.
pub(super) fn most_compiling(scene: &Scene<'_>, first: (i64, i64)) -> Option<(Arc<Entity>, f64)> {
    let processes = scene.things(EntityKind::Process).into_iter();
    let compiling = processes.filter_map(|process| {
        let cpu = scene
            .of(&process, names::process::CPU_TIME)
            .mean_in(first)?;
        let groups = scene.of(&process, names::process::GROUP_CPU_TIME);
        let groups = groups.by(attributes::THREAD_GROUP).into_iter();
        let used: f64 = groups
            .filter(|(name, _)| name.contains("CompilerThre"))
            .filter_map(|(_, group)| group.mean_in(first))
            .sum();
        Some((process, used / cpu.max(1e-6)))
    });
    compiling.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Whether a compiler takes much of the CPU of its process in a stretch.
pub(super) fn compiles_in(scene: &Scene<'_>, stretch_ms: (i64, i64)) -> bool {
    most_compiling(scene, stretch_ms).is_some_and(|(_, share)| share >= COMPILES)
}

/// Whether the number of users hardly changed.
pub(super) fn is_even(seconds: &[&SecondOfLoad]) -> bool {
    let users = || seconds.iter().map(|second| second.users);
    let (least, most) = (users().min().unwrap_or(0), users().max().unwrap_or(0));
    least * 10 >= most * 8
}

/// Seconds in a row that are as fast as the end: one alone may be by chance, and so may one that is slow later.
const WARM_FOR: usize = 5;

/// Seconds until throughput first was within a tenth of the end's for some seconds.
fn warm_after(seconds: &[&SecondOfLoad], late: f64) -> u32 {
    let mut stretches = seconds.windows(WARM_FOR.min(seconds.len()).max(1));
    let warm = stretches.position(|stretch| served_per_s(stretch) >= late * 0.9);
    // The rise itself is in the first of them.
    let warm = warm.map_or(seconds.len(), |at| at + WARM_FOR / 2);
    u32::try_from(warm).unwrap_or(u32::MAX).max(10)
}
