//! Series that belong together, and what they say over the judged stretch.

use std::collections::BTreeMap;

use plimsoll_stats::names::attributes::AttributeName;
use plimsoll_stats::series::fold::{Grid, fold};
use plimsoll_stats::series::{Entity, SeriesKind};

use crate::evidence::Series;

/// Series of one name, narrowed down by thing and attributes. Sums are over what is left; a
/// query without series says nothing (`None`), which is not zero.
#[derive(Debug, Clone)]
pub struct SeriesQuery<'a> {
    series: Vec<&'a Series>,
    window_ms: (i64, i64),
}

impl<'a> SeriesQuery<'a> {
    pub(super) fn new(series: Vec<&'a Series>, window_ms: (i64, i64)) -> Self {
        Self { series, window_ms }
    }

    fn narrowed(&self, keep: impl Fn(&Series) -> bool) -> Self {
        let series = self.series.iter().copied();
        Self {
            series: series.filter(|series| keep(series)).collect(),
            window_ms: self.window_ms,
        }
    }

    /// Those of a thing.
    #[must_use]
    pub fn of(&self, entity: &Entity) -> Self {
        self.narrowed(|series| *series.key.entity == *entity)
    }

    /// Those on a host.
    #[must_use]
    pub fn on(&self, host: &str) -> Self {
        self.narrowed(|series| series.key.entity.host == host)
    }

    /// Those whose attribute has that value.
    #[must_use]
    pub fn with(&self, attribute: AttributeName, value: &str) -> Self {
        self.narrowed(|series| series.key.attribute(attribute.0) == Some(value))
    }

    /// Those whose attribute has one of the values.
    #[must_use]
    pub fn with_any(&self, attribute: AttributeName, values: &[&str]) -> Self {
        self.narrowed(|series| {
            let own = series.key.attribute(attribute.0);
            own.is_some_and(|own| values.contains(&own))
        })
    }

    /// Those that have the attribute at all.
    #[must_use]
    pub fn having(&self, attribute: AttributeName) -> Self {
        self.narrowed(|series| series.key.attribute(attribute.0).is_some())
    }

    /// The groups by the values of an attribute; series without it are left out.
    #[must_use]
    pub fn by(&self, attribute: AttributeName) -> BTreeMap<String, Self> {
        self.groups(|series| series.key.attribute(attribute.0).map(str::to_owned))
    }

    /// The groups by thing.
    #[must_use]
    pub fn by_thing(&self) -> BTreeMap<Entity, Self> {
        self.groups(|series| Some((*series.key.entity).clone()))
    }

    fn groups<K: Ord>(&self, key: impl Fn(&Series) -> Option<K>) -> BTreeMap<K, Self> {
        let mut groups: BTreeMap<K, Self> = BTreeMap::new();
        for series in &self.series {
            if let Some(key) = key(series) {
                let new = || Self::new(Vec::new(), self.window_ms);
                groups.entry(key).or_insert_with(new).series.push(series);
            }
        }
        groups
    }

    /// Whether there is no such series.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The sum of the gauges' means, of the counters' rates a second, over the stretch.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        self.mean_in(self.window_ms)
    }

    /// The same over another stretch, ms from the run's start.
    #[must_use]
    pub fn mean_in(&self, (from_ms, to_ms): (i64, i64)) -> Option<f64> {
        sum(self.series.iter().map(|series| {
            let inside = || looks(series, from_ms, to_ms);
            if series.key.kind == SeriesKind::Gauge && inside().next().is_some() {
                // What is looked at after the stretch says nothing of it: load has ended.
                let (count, total) = inside().fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + v));
                return Some(total / count);
            }
            let grid = Grid::window(from_ms, to_ms);
            let folded = fold(&series.column(), series.key.kind, grid);
            folded.first().copied().flatten()
        }))
    }

    /// The sum second by second: offset from the stretch's start in seconds, and value.
    #[must_use]
    pub fn track(&self) -> Vec<(usize, f64)> {
        let (from_ms, to_ms) = self.window_ms;
        let points = usize::try_from((to_ms - from_ms) / 1_000).unwrap_or(0);
        let grid = Grid {
            from_ms,
            step_ms: 1_000,
            points,
        };
        let folded: Vec<_> = self.folded(grid).collect();
        let at = |second: usize| sum(folded.iter().map(|points| points[second]));
        let all = (0..points).filter_map(|second| Some((second, at(second)?)));
        all.collect()
    }

    /// The largest value of [`track`](Self::track).
    #[must_use]
    pub fn peak(&self) -> Option<f64> {
        let values = self.track().into_iter().map(|(_, value)| value);
        values.reduce(f64::max)
    }

    /// The sum of the last values in or before the stretch.
    #[must_use]
    pub fn last(&self) -> Option<f64> {
        sum(self
            .series
            .iter()
            .map(|series| value_at(series, self.window_ms.1)))
    }

    /// The sum of the values as the stretch began.
    #[must_use]
    pub fn first(&self) -> Option<f64> {
        sum(self.series.iter().map(|series| {
            let before = value_at(series, self.window_ms.0);
            before.or_else(|| series.values.first().copied())
        }))
    }

    /// What counters counted in the stretch: their rise between looks, and of looks that reach
    /// beyond the stretch their part in it. Where the first look comes after its beginning, or the
    /// last before its end, the counters went on as they did, for as long as one look lasts and no
    /// longer. Resets are left out.
    #[must_use]
    pub fn counted(&self) -> Option<f64> {
        sum(self
            .series
            .iter()
            .map(|series| rise_in(series, self.window_ms)))
    }

    /// The stretches between two looks in which counters counted on, ms from the run's start.
    #[must_use]
    pub fn counted_between(&self) -> Vec<(i64, i64)> {
        self.between(|before, after| after > before)
    }

    /// The stretches between two looks in which levels fell.
    #[must_use]
    pub fn fell_between(&self) -> Vec<(i64, i64)> {
        self.between(|before, after| after < before)
    }

    fn between(&self, holds: impl Fn(f64, f64) -> bool) -> Vec<(i64, i64)> {
        let (from_ms, to_ms) = self.window_ms;
        let mut found = Vec::new();
        for series in &self.series {
            let looks = || series.at_ms.iter().zip(&series.values);
            for ((from, before), (to, after)) in looks().zip(looks().skip(1)) {
                if holds(*before, *after) && *to > from_ms && *from < to_ms {
                    found.push((*from, *to));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// How much a level rose from the beginning to the end of the stretch.
    #[must_use]
    pub fn rise(&self) -> Option<f64> {
        Some(self.last()? - self.first()?)
    }

    fn folded(&self, grid: Grid) -> impl Iterator<Item = Vec<Option<f64>>> {
        let fold_one = move |series: &&Series| fold(&series.column(), series.key.kind, grid);
        self.series.iter().map(fold_one)
    }
}

/// The values of the looks in a stretch.
fn looks(series: &Series, from_ms: i64, to_ms: i64) -> impl Iterator<Item = f64> {
    let all = series.at_ms.iter().zip(&series.values);
    let inside = all.filter(move |(at_ms, _)| (from_ms..to_ms).contains(*at_ms));
    inside.map(|(_, value)| *value)
}

/// How much a counter rose in a stretch; none if no two looks say so.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
fn rise_in(series: &Series, (from_ms, to_ms): (i64, i64)) -> Option<f64> {
    let looks = || {
        let values = series.values.iter().copied();
        series.at_ms.iter().copied().zip(values)
    };
    let (mut rise, mut seen_ms, mut whole_ms, mut count) = (0.0, 0, 0, 0);
    let (mut first_ms, mut last_ms) = (to_ms, from_ms);
    for (((from, before), (to, after)), place) in looks().zip(looks().skip(1)).zip(1_usize..) {
        let (begins, ends) = (from.max(from_ms), to.min(to_ms));
        let (inside, whole) = (ends - begins, to - from);
        // Where nobody looked, it is not known when a counter rose.
        let unseen = series.breaks.contains(&place) && inside < whole;
        if inside <= 0 || unseen || after < before {
            continue;
        }
        rise += (after - before) * (inside as f64 / whole as f64);
        (first_ms, last_ms) = (first_ms.min(begins), last_ms.max(ends));
        (seen_ms, whole_ms, count) = (seen_ms + inside, whole_ms + whole, count + 1);
    }
    let one_look_ms = whole_ms.checked_div(count)?;
    let beside_ms = (first_ms - from_ms).min(one_look_ms) + (to_ms - last_ms).min(one_look_ms);
    Some(rise * (1.0 + beside_ms as f64 / seen_ms as f64))
}

fn value_at(series: &Series, at_ms: i64) -> Option<f64> {
    let known = series.at_ms.partition_point(|at| *at <= at_ms);
    known
        .checked_sub(1)
        .and_then(|last| series.values.get(last).copied())
}

/// The sum of what is there; none if nothing is.
fn sum(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().reduce(|a, b| a + b)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use plimsoll_stats::names::redis::HITS;
    use plimsoll_stats::series::EntityKind;

    use crate::testing::{Chance, Made, SECONDS, thing};

    /// Sampled at any period and from any moment on, a counter counts what it rose by in the
    /// stretch, but for what happened between the stretch's ends and the looks next to them.
    #[test]
    fn what_is_counted_is_the_rise_of_the_counter() {
        let (mut chance, lasts_ms) = (Chance(7), i64::from(SECONDS) * 1_000);
        for _ in 0..500 {
            let period_ms = 50 + chance.below(6_000);
            let first_ms = chance.below(3_000) - 1_500;
            let (a_look, ends_ms) = (chance.below(90), chance.below(4_000) - 2_000);
            let mut looks = vec![(first_ms, 1_000.0)];
            while looks.last().unwrap().0 + period_ms <= lasts_ms + ends_ms {
                let (at_ms, value) = *looks.last().unwrap();
                let more = f64::from(u32::try_from(chance.below(a_look + 1)).unwrap());
                looks.push((at_ms + period_ms, value + more));
            }
            let proxy = thing(EntityKind::Proxy, "nginx:80");
            let made = Made::load(100.0, 30.0).looked_at(&proxy, HITS.name, &[], &looks);
            let counted = made.scene().series(HITS).counted();
            let inside = |pair: &&[(i64, f64)]| pair[1].0 > 0 && pair[0].0 < lasts_ms;
            let (mut least, mut most, mut largest) = (0.0, 0.0, None);
            for pair in looks.windows(2).filter(inside) {
                let rise = pair[1].1 - pair[0].1;
                let whole = pair[0].0 >= 0 && pair[1].0 <= lasts_ms;
                least += if whole { rise } else { 0.0 };
                most += rise;
                largest = Some(rise.max(largest.unwrap_or(0.0)));
            }
            assert_eq!(counted.is_some(), largest.is_some(), "{looks:?}");
            // What one look at each end leaves open.
            most += 2.0 * largest.unwrap_or(0.0);
            let counted = counted.unwrap_or(0.0);
            assert!(
                (least - 1e-6..=most + 1e-6).contains(&counted),
                "{counted} of {looks:?}"
            );
        }
    }

    /// An even counter is counted exactly, whenever it is looked at, from the stretch's first to
    /// its last moment, if looks begin and end within one look of them.
    #[test]
    fn what_rises_evenly_is_counted_to_the_last_one() {
        let mut chance = Chance(8);
        for _ in 0..300 {
            let period_ms = 100 + chance.below(4_000);
            let first_ms = chance.below(2 * period_ms) - period_ms;
            let times = (0..).map(|at| first_ms + at * period_ms);
            let until = i64::from(SECONDS) * 1_000 + chance.below(2) * period_ms;
            let looks: Vec<(i64, f64)> = times
                .take_while(|at| *at <= until)
                .map(|at| (at, 0.101 * f64::from(i32::try_from(at).unwrap())))
                .collect();
            let proxy = thing(EntityKind::Proxy, "nginx:80");
            let made = Made::load(150.0, 30.0).looked_at(&proxy, HITS.name, &[], &looks);
            let counted = made.scene().series(HITS).counted().unwrap();
            assert!((counted - 2_020.0).abs() < 1e-6, "{counted} of {looks:?}");
        }
    }

    #[test]
    fn a_counter_that_began_anew_and_looks_outside_add_nothing() {
        let proxy = thing(EntityKind::Proxy, "nginx:80");
        let counted = |looks: &[(i64, f64)]| {
            let made = Made::load(100.0, 30.0).looked_at(&proxy, HITS.name, &[], looks);
            made.scene().series(HITS).counted()
        };
        assert_eq!(
            counted(&[(0, 5.0), (1_000, 9.0), (2_000, 1.0), (3_000, 4.0)]),
            Some(7.0 * 1.5)
        );
        assert_eq!(counted(&[(0, 5.0)]), None);
        assert_eq!(counted(&[(20_000, 5.0), (21_000, 9.0)]), None);
    }
}
