//! Fewer points for a chart, with every peak and dip kept.

/// At most `max_points` of the points, in their order. The points are cut into
/// stretches of (nearly) the same number of points, and of each stretch the
/// smallest and the largest value stay, so no extreme is lost. First and last
/// point stay, too. NaN stands for a gap: a stretch without any value leaves
/// one gap.
///
/// Below four points there is no room for that: nothing is kept then unless all
/// points fit.
///
/// ```
/// use plimsoll_stats::downsample;
///
/// let points: Vec<(f64, f64)> = (0..1_000).map(|at| (f64::from(at), f64::from(at % 97))).collect();
/// let few = downsample(&points, 100);
/// assert!(few.len() <= 100);
/// assert!(few.iter().any(|(_, value)| *value == 96.0), "no extreme is lost");
/// ```
pub fn downsample(points: &[(f64, f64)], max_points: usize) -> Vec<(f64, f64)> {
    if points.len() <= max_points {
        return points.to_vec();
    }
    let ([first, inner @ .., last], Some(stretches)) = (
        points,
        max_points.checked_sub(2).map(|n| n / 2).filter(|n| *n > 0),
    ) else {
        return Vec::new();
    };
    let mut kept = Vec::with_capacity(max_points);
    kept.push(*first);
    let mut start = 0;
    for stretch in 1..=stretches {
        // Exact integer bounds: no stretch is empty, none is counted twice.
        let end = (inner.len() as u128 * stretch as u128 / stretches as u128) as usize;
        keep_extremes(&inner[start..end], &mut kept);
        start = end;
    }
    kept.push(*last);
    kept
}

fn keep_extremes(stretch: &[(f64, f64)], kept: &mut Vec<(f64, f64)>) {
    let values = || {
        stretch
            .iter()
            .enumerate()
            .filter(|(_, (_, value))| !value.is_nan())
    };
    let low = values().min_by(|(_, a), (_, b)| a.1.total_cmp(&b.1));
    let high = values().max_by(|(_, a), (_, b)| a.1.total_cmp(&b.1));
    let (Some((low, _)), Some((high, _))) = (low, high) else {
        kept.extend(stretch.first()); // all NaN: one gap
        return;
    };
    kept.push(stretch[low.min(high)]);
    if low != high {
        kept.push(stretch[low.max(high)]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn series(values: &[f64]) -> Vec<(f64, f64)> {
        values
            .iter()
            .enumerate()
            .map(|(t, value)| (t as f64, *value))
            .collect()
    }

    #[test]
    fn a_single_peak_and_dip_stay() {
        let mut points = series(&[5.0; 10_000]);
        points[1_234].1 = 900.0;
        points[8_001].1 = -3.0;
        let kept = downsample(&points, 100);
        assert!(kept.len() <= 100);
        assert!(kept.contains(&(1_234.0, 900.0)));
        assert!(kept.contains(&(8_001.0, -3.0)));
    }

    #[test]
    fn gaps_stay_gaps() {
        let mut points = series(&[1.0; 1_000]);
        points[400..600].iter_mut().for_each(|p| p.1 = f64::NAN);
        let kept = downsample(&points, 42);
        assert!(kept.iter().any(|p| p.1.is_nan()));
        assert!(kept.iter().filter(|p| !p.1.is_nan()).count() > 20);
    }

    #[test]
    fn small_limits_do_not_panic() {
        let points = series(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        for max in 0..4 {
            assert!(downsample(&points, max).is_empty());
        }
        assert_eq!(downsample(&points, 5), points);
        assert!(downsample(&[], 0).is_empty());
    }

    proptest! {
        #[test]
        fn extremes_ends_and_order_are_kept(
            values in vec(-1e9..1e9_f64, 1..2_000),
            max in 4_usize..300,
        ) {
            let points = series(&values);
            let kept = downsample(&points, max);
            prop_assert!(kept.len() <= max);
            prop_assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
            prop_assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert!(kept.iter().all(|p| points.contains(p)));
            let extremes = |of: &[(f64, f64)]| {
                let of = || of.iter().map(|p| p.1);
                (of().fold(f64::MAX, f64::min), of().fold(f64::MIN, f64::max))
            };
            prop_assert_eq!(extremes(&kept), extremes(&points));
        }
    }
}
