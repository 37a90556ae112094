//! Which seconds of a run belong to which load.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Seconds a load must be held for to be a step of its own.
pub const SHORTEST_HOLD_S: usize = 5;
/// Seconds of a ramp that a load must have to be a point of its own.
const SHORTEST_BIN_S: usize = 3;
/// Loads that a ramp is cut into at most.
const MOST_BINS: usize = 12;
/// Seconds that each of them should have.
const SECONDS_PER_BIN: usize = 8;
/// More levels than this in counts are a ramp in small stairs.
const MOST_LEVELS: usize = 30;
/// Loads that make a curve.
pub const FEWEST_LOADS: usize = 3;
/// Two loads closer than this share are the same.
const SAME: f64 = 1e-6;

/// What the load of a run is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadModel {
    /// Closed: users.
    #[default]
    Users,
    /// Open: arrivals per second.
    Rate,
}

/// A stretch of time in which the load goes evenly from one value to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// Its start, in seconds since the run's start.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Load at its start.
    pub from: f64,
    /// Load at its end.
    pub to: f64,
}

/// The load that a plan asks for over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadProfile {
    /// What it is counted in.
    pub model: LoadModel,
    /// Its stretches, in the order of time, without gaps where there is load.
    pub stretches: Vec<Stretch>,
}

/// The load in one second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondLoad {
    /// Seconds since the run's start.
    pub second: u32,
    /// The mean load in it.
    pub load: f64,
    /// Whether it is that load all the time.
    pub held: bool,
}

impl LoadProfile {
    /// The load in each whole second from `from_s` to before `to_s`.
    #[must_use]
    pub fn seconds(&self, from_s: u32, to_s: u32) -> Vec<SecondLoad> {
        (from_s..to_s)
            .filter_map(|second| self.second(second))
            .collect()
    }

    /// None in a second that is not wholly in the profile.
    fn second(&self, second: u32) -> Option<SecondLoad> {
        let (from, to) = (f64::from(second), f64::from(second) + 1.0);
        let (mut load, mut covered) = (0.0, 0.0);
        let mut held = true;
        let mut seen: Option<f64> = None;
        for stretch in &self.stretches {
            let (start, end) = (stretch.from_s.max(from), stretch.to_s.min(to));
            if end <= start {
                continue;
            }
            let at = |time: f64| {
                let part = (time - stretch.from_s) / (stretch.to_s - stretch.from_s);
                stretch.from + part * (stretch.to - stretch.from)
            };
            let mean = (at(start) + at(end)) / 2.0;
            held &= same(stretch.from, stretch.to) && seen.is_none_or(|known| same(known, mean));
            seen = Some(mean);
            load += mean * (end - start);
            covered += end - start;
        }
        (covered > 1.0 - 1e-9).then_some(SecondLoad { second, load, held })
    }
}

/// The load of seconds of which only a count is known (users at work): it is held where the
/// count stays the same for [`SHORTEST_HOLD_S`], unless that makes so many levels that they are
/// the stairs of a ramp.
#[must_use]
pub fn from_counts(counts: &[(u32, f64)]) -> Vec<SecondLoad> {
    let mut seconds: Vec<SecondLoad> = Vec::with_capacity(counts.len());
    let mut levels = 0;
    let level = |a: &(u32, f64), b: &(u32, f64)| (a.1 - b.1).abs() <= (0.01 * a.1).max(0.5);
    let mut at = 0;
    while at < counts.len() {
        let rest = &counts[at..];
        let len = rest.iter().take_while(|next| level(&rest[0], next)).count();
        let held = len >= SHORTEST_HOLD_S;
        let mut values: Vec<f64> = rest[..len].iter().map(|(_, load)| *load).collect();
        values.sort_by(f64::total_cmp);
        for (second, load) in &rest[..len] {
            seconds.push(SecondLoad {
                second: *second,
                load: if held { values[len / 2] } else { *load },
                held,
            });
        }
        levels += usize::from(held);
        at += len;
    }
    if levels > MOST_LEVELS {
        for (second, (_, load)) in seconds.iter_mut().zip(counts) {
            (second.load, second.held) = (*load, false);
        }
    }
    seconds
}

/// The seconds of one load.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveStep {
    /// The load; of a ramp the mean over its seconds.
    pub load: f64,
    /// Whether it was held; else it is a part of a ramp, which has no steady state.
    pub held: bool,
    /// Where in the seconds given it lies, in the order of time: once for each time the load
    /// was held.
    pub parts: Vec<Range<usize>>,
}

/// Cuts seconds into loads, in the order of the loads: those that were held; if there are
/// fewer than three of them and ramps take a third of the time or more, ramps are cut into
/// loads of equal width, too. Empty if that makes fewer than three.
#[must_use]
pub fn steps(seconds: &[SecondLoad]) -> Vec<CurveStep> {
    let mut steps = holds(seconds);
    if steps.len() < FEWEST_LOADS {
        let ramps: Vec<usize> = match steps.is_empty() {
            true => (0..seconds.len()).collect(),
            false => (0..seconds.len()).filter(|at| !seconds[*at].held).collect(),
        };
        if ramps.len() * 3 >= seconds.len() {
            steps.extend(bins(seconds, &ramps));
        }
    }
    steps.retain(|step| step.load > 0.0);
    steps.sort_by(|a, b| a.load.total_cmp(&b.load));
    if steps.len() < FEWEST_LOADS {
        steps.clear();
    }
    steps
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

// Runs of seconds are ranges, also when there is one.
#[expect(clippy::single_range_in_vec_init)]
fn holds(seconds: &[SecondLoad]) -> Vec<CurveStep> {
    let mut steps: Vec<CurveStep> = Vec::new();
    let mut at = 0;
    while at < seconds.len() {
        let (first, load) = (at, seconds[at].load);
        let goes_on = |at: usize| {
            seconds.get(at).is_some_and(|next| {
                next.held && same(next.load, load) && next.second == seconds[at - 1].second + 1
            })
        };
        at += 1;
        if !seconds[first].held {
            continue;
        }
        while goes_on(at) {
            at += 1;
        }
        if at - first < SHORTEST_HOLD_S {
            continue;
        }
        match steps.iter_mut().find(|step| same(step.load, load)) {
            Some(step) => step.parts.push(first..at),
            None => steps.push(CurveStep {
                load,
                held: true,
                parts: vec![first..at],
            }),
        }
    }
    steps
}

fn bins(seconds: &[SecondLoad], ramps: &[usize]) -> Vec<CurveStep> {
    let loads = || ramps.iter().map(|at| seconds[*at].load);
    let (low, high) = (
        loads().fold(f64::INFINITY, f64::min),
        loads().fold(0.0, f64::max),
    );
    let count = (ramps.len() / SECONDS_PER_BIN).min(MOST_BINS);
    if count == 0 || high <= low {
        return Vec::new();
    }
    let width = (high - low) / count as f64;
    let mut bins: Vec<Vec<usize>> = vec![Vec::new(); count];
    for at in ramps {
        let bin = ((seconds[*at].load - low) / width) as usize;
        bins[bin.min(count - 1)].push(*at);
    }
    bins.retain(|bin| bin.len() >= SHORTEST_BIN_S);
    let step = |bin: Vec<usize>| CurveStep {
        load: bin.iter().map(|at| seconds[*at].load).sum::<f64>() / bin.len() as f64,
        held: false,
        parts: joined(&bin),
    };
    bins.into_iter().map(step).collect()
}

/// Numbers as ranges of neighbours.
fn joined(numbers: &[usize]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end == *number => last.end += 1,
            _ => ranges.push(*number..number + 1),
        }
    }
    ranges
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)]
mod tests {
    use super::*;

    fn profile(stretches: &[(f64, f64, f64, f64)]) -> LoadProfile {
        let stretch = |(from_s, to_s, from, to): &(f64, f64, f64, f64)| Stretch {
            from_s: *from_s,
            to_s: *to_s,
            from: *from,
            to: *to,
        };
        LoadProfile {
            model: LoadModel::Users,
            stretches: stretches.iter().map(stretch).collect(),
        }
    }

    #[test]
    fn holds_are_steps_and_the_ramps_between_are_left_out() {
        let plan = profile(&[
            (0.0, 2.5, 0.0, 10.0),
            (2.5, 20.0, 10.0, 10.0),
            (20.0, 30.0, 10.0, 20.0),
            (30.0, 40.0, 20.0, 20.0),
            (40.0, 50.0, 40.0, 40.0),
            (50.0, 60.0, 20.0, 20.0),
        ]);
        let seconds = plan.seconds(0, 60);
        assert_eq!(seconds.len(), 60);
        let steps = steps(&seconds);
        let found: Vec<_> = steps.iter().map(|s| (s.load, s.parts.clone())).collect();
        assert_eq!(found[0], (10.0, vec![3..20]));
        assert_eq!(found[1], (20.0, vec![30..40, 50..60]));
        assert_eq!(found[2], (40.0, vec![40..50]));
    }

    #[test]
    fn a_ramp_is_cut_into_loads_of_equal_width() {
        let plan = profile(&[(0.0, 60.0, 0.0, 120.0)]);
        let steps = steps(&plan.seconds(0, 60));
        assert_eq!(steps.len(), 7);
        assert!(steps.iter().all(|step| !step.held));
        let gaps = steps.windows(2).map(|two| two[1].load - two[0].load);
        assert!(gaps.into_iter().all(|gap| (14.0..20.0).contains(&gap)));
        let seconds: usize = steps.iter().flat_map(|s| &s.parts).map(|p| p.len()).sum();
        assert_eq!(seconds, 60);
    }

    #[test]
    fn a_short_ramp_up_before_a_constant_load_is_no_curve() {
        let plan = profile(&[(0.0, 10.0, 0.0, 50.0), (10.0, 60.0, 50.0, 50.0)]);
        assert!(steps(&plan.seconds(0, 60)).is_empty());
        assert!(steps(&[]).is_empty());
    }

    #[test]
    fn counts_tell_levels_from_ramps() {
        let level = |from: u32, load: f64| (from..from + 10).map(move |s| (s, load));
        let mut counts: Vec<(u32, f64)> = level(0, 5.0).chain(level(10, 10.0)).collect();
        counts.extend((20..24).map(|s| (s, f64::from(s))));
        counts.extend(level(24, 40.0));
        counts[15].1 = 10.4; // one second that was counted a little off
        let seconds = from_counts(&counts);
        let found = steps(&seconds);
        let loads: Vec<f64> = found.iter().map(|step| step.load).collect();
        assert_eq!(loads, [5.0, 10.0, 40.0]);
        assert!(!seconds[21].held && seconds[24].held);
        // One more user each second: a ramp.
        let ramp: Vec<(u32, f64)> = (0..100).map(|s| (s, f64::from(s) * 2.0)).collect();
        let found = steps(&from_counts(&ramp));
        assert_eq!(found.len(), 12);
        assert!(found.iter().all(|step| !step.held));
        // One more user each six seconds: the same, in stairs.
        let stairs: Vec<(u32, f64)> = (0..300).map(|s| (s, f64::from(s / 6 + 1))).collect();
        let found = steps(&from_counts(&stairs));
        assert!(found.iter().all(|step| !step.held) && found.len() == 12);
    }

    #[test]
    fn a_gap_in_the_seconds_ends_a_step() {
        let second = |second| SecondLoad {
            second,
            load: 3.0,
            held: true,
        };
        let seconds: Vec<_> = (0..8).chain(20..28).map(second).collect();
        assert_eq!(holds(&seconds)[0].parts, [0..8, 8..16]);
    }
}
