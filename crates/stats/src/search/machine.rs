//! Which load is measured next, and what is known.

use super::level::LoadLevel;
use super::{LoadOutcome, SearchEnd, SearchOptions, SearchPhase, SearchResult};
use crate::batch_means::CONFIDENCE;
use crate::curve::LoadModel;
use crate::t_test::t_quantile;

/// The load grows by this factor while nothing says that the limit is near.
const GROWTH: f64 = 4.0;
/// And by this one when the ratio is above [`NEAR`] or throughput lags.
const CAREFUL_GROWTH: f64 = 2.0;
const NEAR: f64 = 0.5;
/// A trial stays this far from both ends of the bracket, as a share of its logarithm.
const MARGIN: f64 = 0.1;
/// A trial aims this share of the precision beside the limit: two of them, one on each side,
/// are near enough to each other.
const AIM: f64 = 0.45;
/// Loads within this factor of the result take part in its estimate.
const LOCAL: f64 = 1.2;

/// See [`Search::line`].
struct SearchLine {
    loads: usize,
    /// Logarithm of the load at which the ratio is 1.
    crossing: f64,
    /// Half of its interval.
    reach: f64,
}

/// A search under way.
#[derive(Clone, Debug)]
pub struct Search {
    options: SearchOptions,
    levels: Vec<LoadLevel>,
    made: u32,
    /// Widths of the bracket (logarithms), one for each measurement since there is one.
    widths: Vec<f64>,
}

impl Search {
    /// A search that has measured nothing. Bounds are put in order, users made whole.
    #[must_use]
    pub fn new(mut options: SearchOptions) -> Self {
        let least = match options.model {
            LoadModel::Users => 1.0,
            LoadModel::Rate => f64::MIN_POSITIVE,
        };
        options.from = options.from.max(least);
        options.to = options.to.max(options.from);
        Self {
            options,
            levels: Vec::new(),
            made: 0,
            widths: Vec::new(),
        }
    }

    /// The load to measure next and why; `None` when the search is over.
    #[must_use]
    pub fn next(&self) -> Option<(f64, SearchPhase)> {
        if self.made >= self.options.most_measurements {
            return None;
        }
        let Some((low, high)) = self.bracket() else {
            return self.widen().map(|load| (load, SearchPhase::Bracket));
        };
        if self.is_beaten(high) {
            return None;
        }
        if !self.is_narrow(low, high) {
            let load = self.trial(low, high);
            let phase = match self.level(load) {
                Some(_) => SearchPhase::Repeat,
                None => SearchPhase::Narrow,
            };
            return Some((load, phase));
        }
        let repeats = self.options.repeats as usize;
        // The end that is less sure first, the failing one last: it hurts the target.
        [low, high]
            .into_iter()
            .find(|level| level.logs.len() < repeats)
            .map(|level| (level.load, SearchPhase::Repeat))
    }

    /// Takes what a measurement said.
    pub fn report(&mut self, load: f64, outcome: LoadOutcome) {
        self.made += 1;
        let log = outcome.ratio.clamp(1e-6, 1e6).ln();
        let error = outcome.error.clamp(0.0, 1.0);
        match self.levels.iter_mut().find(|level| same(level.load, load)) {
            Some(level) => {
                level.logs.push(log);
                level.errors.push(error);
                level.capacity = outcome.capacity.or(level.capacity);
                level.concurrency = outcome.concurrency.or(level.concurrency);
            }
            None => {
                self.levels.push(LoadLevel {
                    load,
                    logs: vec![log],
                    errors: vec![error],
                    capacity: outcome.capacity,
                    concurrency: outcome.concurrency,
                });
                self.levels.sort_by(|a, b| a.load.total_cmp(&b.load));
            }
        }
        if let Some((low, high)) = self.bracket() {
            self.widths.push((high.load / low.load).ln());
        }
    }

    /// What is known now.
    #[must_use]
    pub fn result(&self) -> SearchResult {
        let measurements = self.made;
        let of = |end, load, low: Option<f64>, high: Option<f64>| SearchResult {
            end,
            load,
            low,
            high,
            precision: low.zip(high).map(|(low, high)| (high - low) / low),
            precision_asked: self.options.precision,
            measurements,
        };
        let largest_met = self.levels.iter().rev().find(|level| level.met());
        match (self.bracket(), largest_met) {
            (Some((low, high)), _) => {
                let end = match self.is_narrow(low, high) {
                    true => SearchEnd::Found,
                    false if self.is_beaten(high) => SearchEnd::OutOfReach,
                    false => SearchEnd::MeasurementsEnded,
                };
                let (load, from, to) = self.estimate(low, high);
                of(end, Some(load), Some(from), Some(to))
            }
            (None, Some(level)) => {
                let end = match level.load >= self.options.to {
                    true => SearchEnd::MetAtLargest,
                    false => SearchEnd::MeasurementsEnded,
                };
                of(end, Some(level.load), Some(level.load), None)
            }
            (None, None) => {
                let high = self.levels.first().map(|level| level.load);
                of(SearchEnd::MissedAtSmallest, None, None, high)
            }
        }
    }

    /// What is known when somebody ends the search.
    #[must_use]
    pub fn interrupted(&self) -> SearchResult {
        SearchResult {
            end: SearchEnd::Interrupted,
            ..self.result()
        }
    }

    /// The lowest load that missed and the highest below it that did not.
    fn bracket(&self) -> Option<(&LoadLevel, &LoadLevel)> {
        let high = self.levels.iter().position(|level| !level.met())?;
        let low = high.checked_sub(1)?;
        Some((&self.levels[low], &self.levels[high]))
    }

    /// Whether the limit lies below what had to be reached.
    fn is_beaten(&self, high: &LoadLevel) -> bool {
        self.options.reach.is_some_and(|reach| high.load <= reach)
    }

    fn level(&self, load: f64) -> Option<&LoadLevel> {
        self.levels.iter().find(|level| same(level.load, load))
    }

    fn is_narrow(&self, low: &LoadLevel, high: &LoadLevel) -> bool {
        let next_to = self.options.model == LoadModel::Users && high.load - low.load <= 1.0;
        next_to || high.load <= low.load * (1.0 + self.options.precision) * (1.0 + 1e-9)
    }

    /// The next load while all met the goals, or all missed them.
    fn widen(&self) -> Option<f64> {
        let options = &self.options;
        let Some(last) = self.levels.last() else {
            return Some(self.round(options.from));
        };
        if last.met() {
            let careful = last.log() > NEAR.ln() || last.capacity.is_some();
            let factor = if careful { CAREFUL_GROWTH } else { GROWTH };
            let next = self.round((last.load * factor).min(options.to));
            return (last.load < options.to && !same(next, last.load)).then_some(next);
        }
        // All missed: below what it kept up with, or far below.
        let first = self.levels.first()?;
        let below = first.load / GROWTH;
        let next = self.round(
            first
                .capacity
                .map_or(below, |capacity| capacity * 0.5)
                .min(below * 2.0),
        );
        let smallest = match options.model {
            LoadModel::Users => 1.0,
            LoadModel::Rate => options.from / 1e3,
        };
        (next >= smallest && next < first.load).then_some(next)
    }

    /// A load inside the bracket: a little below where the limit seems to be, so that it
    /// meets the goals; once a load near there has met them, a little above.
    fn trial(&self, low: &LoadLevel, high: &LoadLevel) -> f64 {
        let step = self.options.precision * AIM;
        let capacity = self.capacity(low, high);
        let top = capacity.unwrap_or(high.load);
        if top <= low.load * (1.0 + step) {
            // It met the goals at about the most it can do: a little more must fail.
            return self.inside(low.load * (1.0 + 2.0 * step), low, high);
        }
        let middle = (low.load * top).sqrt();
        let limit = match self.stuck() {
            true => None,
            false => self
                .crossing(low, high)
                .or_else(|| self.interpolate(low, high, capacity)),
        };
        let inside = |limit: &f64| *limit > low.load && *limit < top;
        let Some(limit) = limit.filter(inside) else {
            return self.inside(middle, low, high);
        };
        let wanted = match low.load < limit * (1.0 - 2.0 * step) {
            true => limit * (1.0 - step),
            false => limit * (1.0 + step),
        };
        let margin = (top / low.load).powf(MARGIN);
        self.inside(wanted.clamp(low.load * margin, top / margin), low, high)
    }

    /// Kept away from loads that were measured; users are whole.
    fn inside(&self, load: f64, low: &LoadLevel, high: &LoadLevel) -> f64 {
        let load = self.round(load);
        match self.options.model {
            LoadModel::Users => load.clamp(low.load + 1.0, high.load - 1.0),
            LoadModel::Rate => load.clamp(low.load * 1.001, high.load / 1.001),
        }
    }

    /// The least that the target kept up with when it fell behind, if that is in the bracket.
    /// What it said at a load that met the goals was noise.
    fn capacity(&self, low: &LoadLevel, high: &LoadLevel) -> Option<f64> {
        let missed = self.levels.iter().filter(|level| !level.met());
        let least = missed.filter_map(|level| level.capacity).reduce(f64::min)?;
        (least > low.load && least < high.load).then_some(least)
    }

    /// Whether the last two trials did not halve the bracket each.
    fn stuck(&self) -> bool {
        match self.widths.as_slice() {
            [.., before, _, now] => *now > before / 4.0,
            _ => false,
        }
    }

    /// Where the limit seems to be, from the bracket's ends alone.
    fn interpolate(&self, low: &LoadLevel, high: &LoadLevel, capacity: Option<f64>) -> Option<f64> {
        let (x0, x1) = (low.load, capacity.unwrap_or(high.load));
        let (r0, r1) = (low.log().exp(), high.log().exp());
        let at = match (self.options.model, high.concurrency, capacity) {
            // N = X (R + Z), and R is to shrink by the ratio.
            (LoadModel::Users, Some(under_way), _) => x1 - under_way * (1.0 - 1.0 / r1),
            (LoadModel::Users, None, _) => x0 + (x1 - x0) * (1.0 - r0) / (r1 - r0),
            // At its capacity a queue has no end.
            (LoadModel::Rate, _, Some(_)) => x0 + (x1 - x0) * (1.0 - r0),
            (LoadModel::Rate, _, None) => x0 + (x1 - x0) * (1.0 / r0 - 1.0) / (1.0 / r0 - 1.0 / r1),
        };
        at.is_finite().then_some(at)
    }

    /// The same from all loads nearby, if they are enough to speak for themselves.
    fn crossing(&self, low: &LoadLevel, high: &LoadLevel) -> Option<f64> {
        let line = self.line(low, high)?;
        (line.loads >= 3).then(|| line.crossing.exp())
    }

    /// A straight line through the logarithms of load and ratio of the loads nearby, each
    /// with the weight of its error; none if it does not rise.
    fn line(&self, low: &LoadLevel, high: &LoadLevel) -> Option<SearchLine> {
        let middle = (low.load * high.load).sqrt();
        let (from, to) = (middle / LOCAL, middle * LOCAL);
        let near = |level: &&LoadLevel| level.load >= from && level.load <= to;
        let all: Vec<&LoadLevel> = self.levels.iter().filter(near).collect();
        let weight = |level: &LoadLevel| 1.0 / level.error().powi(2);
        let total: f64 = all.iter().map(|level| weight(level)).sum();
        let mean = |of: &dyn Fn(&LoadLevel) -> f64| -> f64 {
            all.iter()
                .map(|level| weight(level) * of(level))
                .sum::<f64>()
                / total
        };
        let (x, y) = (mean(&|level| level.load.ln()), mean(&LoadLevel::log));
        let xx = mean(&|level| (level.load.ln() - x).powi(2));
        let xy = mean(&|level| (level.load.ln() - x) * (level.log() - y));
        let slope = xy / xx;
        let crossing = x - y / slope;
        // Measurements that scatter more than their own errors say are trusted less.
        let measured: usize = all.iter().map(|level| level.logs.len()).sum();
        let freedom = measured.saturating_sub(2).max(1) as f64;
        let scatter = |level: &&LoadLevel| {
            let expected = y + slope * (level.load.ln() - x);
            let squares = level.logs.iter().map(|log| (log - expected).powi(2));
            squares.sum::<f64>() * weight(level) / level.logs.len() as f64
        };
        let scatter = (all.iter().map(scatter).sum::<f64>() / freedom).max(1.0);
        let error = (scatter / total * (1.0 + (crossing - x).powi(2) / xx)).sqrt() / slope;
        let reach = t_quantile(freedom.max(3.0), CONFIDENCE).unwrap_or(2.0) * error;
        (slope.is_finite() && slope > 0.0 && crossing.is_finite()).then_some(SearchLine {
            loads: all.len(),
            crossing,
            reach,
        })
    }

    /// Where the ratio crosses 1, with its interval. An end whose measurements leave no doubt
    /// bounds it: more load never helps. Where they do, the line through the loads nearby says
    /// how far it may reach, at most to the next load that leaves none.
    fn estimate(&self, low: &LoadLevel, high: &LoadLevel) -> (f64, f64, f64) {
        // Beyond the middle a result would be nearer to a load that was seen to miss a goal.
        let middle = (low.load * high.load).sqrt();
        let sure_met =
            |level: &&LoadLevel| level.load <= low.load && level.met() && level.is_sure();
        let sure_missed =
            |level: &&LoadLevel| level.load >= high.load && !level.met() && level.is_sure();
        let lowest = self.levels.iter().rev().find(sure_met);
        let highest = self.levels.iter().find(sure_missed);
        let lowest = lowest.map_or(low.load / LOCAL, |level| level.load);
        let highest = highest.map_or(high.load * LOCAL, |level| level.load);
        let Some(line) = self.line(low, high) else {
            return (self.reachable(middle, low), lowest, highest);
        };
        let load = line.crossing.exp().clamp(low.load, middle);
        let (from, to) = (
            (line.crossing - line.reach).exp(),
            (line.crossing + line.reach).exp(),
        );
        (
            self.reachable(load, low),
            from.clamp(lowest, low.load),
            to.clamp(high.load, highest),
        )
    }

    /// Users are whole, and never fewer than were seen to do.
    fn reachable(&self, load: f64, low: &LoadLevel) -> f64 {
        match self.options.model {
            LoadModel::Users => load.floor().max(low.load),
            LoadModel::Rate => load,
        }
    }

    fn round(&self, load: f64) -> f64 {
        match self.options.model {
            LoadModel::Users => load.round().max(1.0),
            // Three digits: a rate that people can read.
            LoadModel::Rate => {
                let unit = 10_f64.powf(load.log10().floor() - 3.0);
                (load / unit).round() * unit
            }
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
