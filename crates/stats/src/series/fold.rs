//! Points of a series brought onto an even grid.

use super::{Column, SeriesKind};

/// Between two looks that are further apart nothing is known.
const LONGEST_STRETCH_MS: i64 = 65_000;

/// Points of equal length, one behind the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Where the first begins, ms on the column's clock.
    pub from_ms: i64,
    /// How long each is, ms; at least 1.
    pub step_ms: i64,
    /// How many there are.
    pub points: usize,
}

impl Grid {
    /// A single point.
    #[must_use]
    pub fn window(from_ms: i64, to_ms: i64) -> Self {
        Self {
            from_ms,
            step_ms: (to_ms - from_ms).max(1),
            points: 1,
        }
    }

    /// Seconds from 0 on.
    #[must_use]
    pub fn seconds(step_s: u32, points: usize) -> Self {
        Self {
            from_ms: 0,
            step_ms: i64::from(step_s) * 1_000,
            points,
        }
    }
}

/// A series at the points of a grid: the mean of a gauge, the rate (a second) of a counter.
///
/// The rate of a stretch between two looks counts in every point that the stretch touches, so
/// that what is looked at every 5 s has no holes. A stretch of over 65 s is a gap, and so is one
/// in which a counter began anew, and one in which nobody looked ([`Column::breaks`]).
#[must_use]
pub fn fold(column: &Column, kind: SeriesKind, grid: Grid) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); grid.points];
    let step_ms = grid.step_ms.max(1);
    let points = || {
        column
            .at_ms
            .iter()
            .copied()
            .zip(column.values.iter().copied())
    };
    let stretches = points().zip(points().skip(1)).zip(1..);
    for (((from, before), (to, value)), place) in stretches {
        if column.breaks.contains(&place) {
            continue;
        }
        let stretch_ms = to - from;
        let value = match kind {
            SeriesKind::Gauge => value,
            SeriesKind::Counter if value < before => continue,
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
            SeriesKind::Counter => (value - before) / (stretch_ms as f64 / 1e3),
        };
        let (from, to) = (from - grid.from_ms, to - grid.from_ms);
        if stretch_ms <= 0 || stretch_ms > LONGEST_STRETCH_MS || to <= 0 {
            continue;
        }
        let first = usize::try_from(from.max(0) / step_ms).unwrap_or(0);
        let last = usize::try_from((to - 1) / step_ms).unwrap_or(0);
        let touched = sums.iter_mut().enumerate().take(last.saturating_add(1));
        for (point, sum) in touched.skip(first) {
            let begins = i64::try_from(point)
                .unwrap_or(i64::MAX)
                .saturating_mul(step_ms);
            #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
            let share = (to.min(begins.saturating_add(step_ms)) - from.max(begins)) as f64;
            sum.0 += value * share;
            sum.1 += share;
        }
    }
    let value = |(sum, weight): (f64, f64)| (weight > 0.0).then(|| sum / weight);
    sums.into_iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(points: &[(i64, f64)]) -> Column {
        let mut column = Column::default();
        points
            .iter()
            .for_each(|(at, value)| column.push(*at, *value));
        column
    }

    #[test]
    fn counters_become_rates_and_gaps_stay() {
        let counted = column(&[
            (-500, 0.0),
            (500, 10.0),
            (1_500, 30.0),
            (2_500, 5.0),
            (3_500, 6.0),
        ]);
        let rates = fold(&counted, SeriesKind::Counter, Grid::seconds(1, 6));
        let expected = [Some(15.0), Some(20.0), Some(1.0), Some(1.0), None, None];
        assert_eq!(rates, expected);
        let later = Grid {
            from_ms: 500,
            step_ms: 1_000,
            points: 2,
        };
        assert_eq!(
            fold(&counted, SeriesKind::Counter, later),
            [Some(20.0), None]
        );
        let window = fold(&counted, SeriesKind::Counter, Grid::window(0, 1_500));
        assert_eq!(window, [Some(25.0 / 1.5)]);
    }

    #[test]
    fn slow_looks_have_no_holes_and_lost_ones_do() {
        let slow = column(&[(0, 1.0), (5_000, 11.0)]);
        let grid = Grid::seconds(1, 6);
        assert_eq!(fold(&slow, SeriesKind::Counter, grid)[..5], [Some(2.0); 5]);
        assert_eq!(fold(&slow, SeriesKind::Gauge, grid)[4], Some(11.0));
        let lost = column(&[(0, 1.0), (120_000, 11.0)]);
        assert_eq!(fold(&lost, SeriesKind::Gauge, grid), [None; 6]);
    }

    #[test]
    fn where_nobody_looked_is_a_gap_however_short() {
        let mut broken = column(&[(0, 1.0), (1_000, 2.0), (4_000, 8.0), (5_000, 9.0)]);
        broken.breaks = vec![2];
        for kind in [SeriesKind::Gauge, SeriesKind::Counter] {
            let folded = fold(&broken, kind, Grid::seconds(1, 5));
            let known: Vec<bool> = folded.iter().map(Option::is_some).collect();
            assert_eq!(known, [true, false, false, false, true], "{kind:?}");
        }
    }
}
