//! What was seen of the target without load: the last minutes second by second, the last hours by ten seconds. What it
//! takes is bounded by the number of series.

use std::collections::{BTreeMap, VecDeque};

use plimsoll_stats::series::{SeriesId, SeriesKey, SeriesKind};

/// Series at most; what comes beyond is left out.
const MOST_SERIES: usize = 3_000;
/// Seconds of a fine point and of a coarse one, and how many of each are kept: 10 minutes and 6 hours.
pub(crate) const FINE_S: i64 = 1;
pub(crate) const COARSE_S: i64 = 10;
const FINE_KEPT: usize = 600;
const COARSE_KEPT: usize = 2_160;
/// A counter that is looked at less often than that has no rate.
const LONGEST_STRETCH_MS: i64 = 120_000;

/// A mean that grows.
#[derive(Debug, Clone, Copy)]
struct MonitorPoint {
    /// When it begins, Unix seconds.
    at_s: i64,
    sum: f32,
    count: u16,
}

#[derive(Debug, Default)]
struct SeriesKept {
    /// Of a counter: when it was seen last, and what it was.
    before: Option<(i64, f64)>,
    fine: VecDeque<MonitorPoint>,
    coarse: VecDeque<MonitorPoint>,
}

fn add(points: &mut VecDeque<MonitorPoint>, most: usize, at_s: i64, value: f64) {
    match points.back_mut() {
        Some(last) if last.at_s == at_s => {
            last.sum += value as f32;
            last.count = last.count.saturating_add(1);
        }
        // What comes late is told no more.
        Some(last) if last.at_s > at_s => {}
        _ => {
            if points.len() >= most {
                points.pop_front();
            }
            points.push_back(MonitorPoint {
                at_s,
                sum: value as f32,
                count: 1,
            });
        }
    }
}

/// The last hours.
#[derive(Debug, Default)]
pub(crate) struct MonitorKept {
    ids: BTreeMap<SeriesKey, SeriesId>,
    series: BTreeMap<SeriesId, SeriesKept>,
    /// The values of the last second that was told, for those who watch.
    fresh: BTreeMap<SeriesId, f64>,
    /// When that was, Unix seconds.
    now_s: i64,
}

impl MonitorKept {
    /// Takes in a point as it was seen: a level, or the sum of a counter.
    pub fn take(&mut self, key: SeriesKey, at_ms: i64, value: f64) {
        let next = SeriesId(u32::try_from(self.ids.len()).unwrap_or(u32::MAX));
        let id = match self.ids.get(&key) {
            Some(id) => *id,
            None if self.ids.len() >= MOST_SERIES => return,
            None => next,
        };
        let kept = self.series.entry(id).or_default();
        let value = match key.kind {
            SeriesKind::Gauge => Some(value),
            SeriesKind::Counter => {
                kept.before
                    .replace((at_ms, value))
                    .and_then(|(then, before)| {
                        let stretch_ms = at_ms - then;
                        let is_rate =
                            value >= before && (1..=LONGEST_STRETCH_MS).contains(&stretch_ms);
                        is_rate.then(|| (value - before) / stretch_ms as f64 * 1e3)
                    })
            }
        };
        if let Some(value) = value.filter(|value| value.is_finite()) {
            let at_s = at_ms.div_euclid(1_000);
            add(
                &mut kept.fine,
                FINE_KEPT,
                at_s.div_euclid(FINE_S) * FINE_S,
                value,
            );
            add(
                &mut kept.coarse,
                COARSE_KEPT,
                at_s.div_euclid(COARSE_S) * COARSE_S,
                value,
            );
            self.fresh.insert(id, value);
            self.now_s = self.now_s.max(at_s);
        }
        self.ids.entry(key).or_insert(id);
    }

    /// What is new since this was called last.
    pub fn fresh(&mut self) -> (i64, BTreeMap<SeriesId, f64>) {
        (self.now_s, std::mem::take(&mut self.fresh))
    }

    /// The series there are.
    pub fn keys(&self) -> Vec<(SeriesId, SeriesKey)> {
        let mut keys: Vec<(SeriesId, SeriesKey)> = self
            .ids
            .iter()
            .map(|(key, id)| (*id, key.clone()))
            .collect();
        keys.sort_by_key(|(id, _)| *id);
        keys
    }

    /// Means of a series at points of equal length from a second on, Unix.
    pub fn values(
        &self,
        id: SeriesId,
        from_s: i64,
        step_s: i64,
        points: usize,
    ) -> Vec<Option<f64>> {
        let mut sums = vec![(0.0, 0_u32); points];
        let Some(kept) = self.series.get(&id) else {
            return vec![None; points];
        };
        // As fine as it is asked for, where that is there from the beginning.
        let is_fine =
            step_s < COARSE_S || kept.coarse.front().is_none_or(|first| first.at_s > from_s);
        let has_fine = kept.fine.front().is_some_and(|first| first.at_s <= from_s);
        let from = match is_fine && has_fine {
            true => &kept.fine,
            false => &kept.coarse,
        };
        for point in from {
            let place = (point.at_s - from_s).div_euclid(step_s);
            if let Some(sum) = usize::try_from(place)
                .ok()
                .and_then(|place| sums.get_mut(place))
            {
                sum.0 += f64::from(point.sum);
                sum.1 += u32::from(point.count);
            }
        }
        let mean = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count));
        sums.into_iter().map(mean).collect()
    }

    /// The first second that is known of, and the last, Unix.
    pub fn extent(&self) -> Option<(i64, i64)> {
        let firsts = self
            .series
            .values()
            .filter_map(|kept| Some(kept.coarse.front()?.at_s));
        Some((firsts.min()?, self.now_s))
    }
}
