//! A target from which nothing comes for whole seconds while requests wait: it stood still. The seconds before and
//! after have the usual response times, so that means and percentiles hide it.

use plimsoll_stats::names;
use plimsoll_text::Message;

use super::Rule;
use crate::about::seen_by_client;
use crate::evidence::SecondOfLoad;
use crate::figures::{hundredths, percent, tenths};
use crate::model::{Advice, Exhibit, Explains, Finding, Layer, ShareOf};
use crate::scene::Scene;

pub const RULE: Rule = Rule {
    ids: &["stood_still"],
    refuted_by: "responses in those seconds, no request that waits, a response time that is as long by itself, or CPU time that the target used as always",
    look,
};

/// Where so many end each second, a second without any is no chance: e^-10 (Poisson).
const LEAST_PER_S: f64 = 10.0;
/// What ends of itself (a refused connection, a cached page) is no sign of life up to this share of the usual.
const NOTHING: f64 = 0.02;
/// So many requests wait together in a target that stands still.
const LEAST_WAITING: u64 = 2;
/// Users in lockstep are silent for as long as a request takes. It must be so many times as long.
const TIMES: f64 = 3.0;
/// A target that uses more of its usual CPU time is busy, and other rules say with what.
const IDLE: f64 = 0.25;
/// Stretches that are told one by one.
const TOLD: usize = 3;

/// Seconds one after the other.
#[derive(Debug, Clone, Copy)]
struct Still {
    from_s: u32,
    seconds: u32,
    /// Seconds that requests waited for it, added up.
    waited_s: f64,
}

fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let seconds: Vec<&SecondOfLoad> = scene.seconds().collect();
    let usual = usual_per_s(&seconds);
    if usual < LEAST_PER_S {
        return Vec::new();
    }
    // Of several kinds of requests the slowest, by its own median.
    let labels = scene.load().labels.iter().filter(|label| label.samples > 0);
    let medians = labels.map(|label| label.response_time_ms.p50);
    let slowest_ms = medians.fold(scene.total().response_time_ms.p50, f64::max);
    let longest_s = TIMES * slowest_ms / 1e3;
    let still: Vec<Still> = stretches(&seconds, usual)
        .into_iter()
        .filter(|still| f64::from(still.seconds) > longest_s)
        .collect();
    match still.is_empty() {
        true => Vec::new(),
        false => vec![finding(scene, &seconds, usual, &still)],
    }
}

/// The requests that end in the middle second.
#[expect(clippy::cast_precision_loss, reason = "counts of a second")]
fn usual_per_s(seconds: &[&SecondOfLoad]) -> f64 {
    let mut samples: Vec<u64> = seconds.iter().map(|second| second.samples).collect();
    samples.sort_unstable();
    samples.get(samples.len() / 2).map_or(0.0, |it| *it as f64)
}

/// Where nothing came while requests waited, between seconds in which something did.
#[expect(clippy::cast_precision_loss, reason = "counts of a second")]
fn stretches(seconds: &[&SecondOfLoad], usual: f64) -> Vec<Still> {
    let mut found: Vec<Still> = Vec::new();
    let mut is_open = false;
    let mut has_begun = false;
    for second in seconds {
        let came = second.samples as f64 > NOTHING * usual;
        // A single user waits for one request, be it as slow as it may.
        let is_still = !came && second.in_flight >= LEAST_WAITING && has_begun;
        match found.last_mut().filter(|_| is_open && is_still) {
            Some(last) => {
                last.seconds += 1;
                last.waited_s += second.in_flight as f64;
            }
            None if is_still => found.push(Still {
                from_s: second.second,
                seconds: 1,
                waited_s: second.in_flight as f64,
            }),
            None => {}
        }
        (is_open, has_begun) = (is_still, has_begun || came);
    }
    if is_open {
        // It never came back: that is a target that is gone, which others say.
        found.pop();
    }
    found
}

/// The CPUs that the target's processes used meanwhile, and in all; none where nobody looked.
fn cpus(scene: &Scene<'_>, still: &[Still]) -> Option<(f64, f64)> {
    let used = scene.series(names::process::CPU_TIME);
    let all = used.mean()?;
    let mut sum = (0.0, 0.0);
    for one in still {
        let (from, lasts) = (i64::from(one.from_s), i64::from(one.seconds));
        let there = used.mean_in((from * 1_000, (from + lasts) * 1_000))?;
        sum = (
            sum.0 + there * f64::from(one.seconds),
            sum.1 + f64::from(one.seconds),
        );
    }
    Some((sum.0 / sum.1.max(1.0), all))
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run")]
fn finding(scene: &Scene<'_>, seconds: &[&SecondOfLoad], usual: f64, still: &[Still]) -> Finding {
    let waited: f64 = still.iter().map(|one| one.waited_s).sum();
    let all: f64 = seconds
        .iter()
        .map(|second| second.samples as f64 * second.response_ms / 1e3)
        .sum();
    let share = waited / all.max(waited).max(1e-9);
    let lasted: u32 = still.iter().map(|one| one.seconds).sum();
    let cpus = cpus(scene, still);
    let is_idle = cpus.is_none_or(|(meanwhile, all)| meanwhile <= IDLE * all);
    let layer = if is_idle {
        Layer::Resource
    } else {
        Layer::Hint
    };
    let about = seen_by_client("target", scene.load().target.as_str());
    let told = still.iter().take(TOLD).map(|one| {
        Exhibit::new(
            Message::new("exhibit-stood-still")
                .with("from", one.from_s)
                .with("to", one.from_s + one.seconds)
                .with("waiting", tenths(one.waited_s / f64::from(one.seconds)))
                .with("usual", tenths(usual)),
        )
    });
    let used = cpus.map(|(meanwhile, all)| {
        let text = Message::new("exhibit-stood-still-cpu")
            .with("how", if is_idle { "idle" } else { "busy" })
            .with("cpus", hundredths(meanwhile))
            .with("usual", hundredths(all));
        Exhibit::new(text).series(names::process::CPU_TIME)
    });
    let explains = Explains::new(share, ShareOf::ResponseTime);
    let mut finding = Finding::new("stood_still", layer, about, explains)
        .with("seconds", lasted)
        .with("times", still.len())
        .with("percent", percent(share))
        .shows_all(told)
        .shows_all(used)
        .advises(Advice::code(Message::new("advice-stood-still")));
    finding.confidence = 0.6;
    finding.source = "Tene, How NOT to Measure Latency, 2013 (a stalled server)";
    finding
}

#[cfg(test)]
mod tests {
    use plimsoll_stats::series::{EntityKind, SeriesKind};

    use super::*;
    use crate::testing::{Made, thing};

    /// 100 requests a second, none in these seconds of 20, while so many wait; CPU by the second.
    fn made(still: std::ops::Range<u32>, waiting: u64, cpus: impl Fn(u32) -> f64) -> Made {
        let used: Vec<f64> = (0..=20)
            .scan(0.0, |sum, second| {
                let before = *sum;
                *sum += cpus(second);
                Some(before)
            })
            .collect();
        let process = thing(EntityKind::Process, "shop");
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 20"
        )]
        let at = |second: f64| used[second as usize];
        Made::load(100.0, 50.0).stands_still(still, waiting).track(
            &process,
            "process.cpu.time",
            &[],
            SeriesKind::Counter,
            at,
        )
    }

    fn frozen(second: u32) -> f64 {
        if (8..12).contains(&second) { 0.0 } else { 0.5 }
    }

    #[test]
    fn a_target_that_stands_still_is_named() {
        let found = made(8..12, 20, frozen).find("stood_still");
        let found = found.unwrap_or_else(|| panic!("it stood still"));
        assert_eq!(found.layer, Layer::Resource);
        // 4 s with 20 waiting against 16 s with 100 requests a second of 50 ms.
        let whole = 16.0 * 100.0 * 0.05;
        assert!(
            (found.explains.share - 80.0 / f64::max(80.0, whole)).abs() < 1e-9,
            "{found:?}"
        );
        // Its CPU was busy all the while: something else keeps it.
        let busy = made(8..12, 20, |_| 0.5).find("stood_still");
        assert_eq!(busy.map(|found| found.layer), Some(Layer::Hint));
    }

    #[test]
    fn what_only_looks_like_it_is_not() {
        // Nobody waits; nothing is silent; it begins late; it never comes back.
        assert_eq!(made(8..12, 0, frozen).find("stood_still"), None);
        assert_eq!(made(8..8, 20, frozen).find("stood_still"), None);
        assert_eq!(made(0..4, 20, frozen).find("stood_still"), None);
        assert_eq!(made(16..20, 20, frozen).find("stood_still"), None);
        // Requests that take a second are silent for a second.
        let slow = made(8..10, 20, frozen).spread(900.0, 1_000.0);
        assert_eq!(slow.find("stood_still"), None);
    }
}
