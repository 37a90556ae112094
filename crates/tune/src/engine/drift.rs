//! What drifts while a study goes on, by what is measured again and again.

use std::collections::HashMap;

use crate::space::Configuration;

/// A slope this many standard errors away from 0 is one.
const SURE: f64 = 2.5;
/// Repeated runs that say something of it.
const FEWEST: usize = 4;

/// By how much scores change from one trial to the next, by runs of equal configurations (configuration, number,
/// score): least squares around each configuration's own mean. 0 where it may be noise.
#[must_use]
pub fn slope(scores: &[(&Configuration, f64, f64)], variance: f64) -> f64 {
    let mut by_configuration: HashMap<&Configuration, Vec<(f64, f64)>> = HashMap::new();
    for (of, number, score) in scores {
        by_configuration
            .entry(of)
            .or_default()
            .push((*number, *score));
    }
    let (mut squares, mut products, mut repeats) = (0.0, 0.0, 0);
    for runs in by_configuration.values().filter(|runs| runs.len() > 1) {
        let count = runs.len() as f64;
        let at = runs.iter().map(|(at, _)| at).sum::<f64>() / count;
        let mean = runs.iter().map(|(_, score)| score).sum::<f64>() / count;
        squares += runs.iter().map(|(t, _)| (t - at).powi(2)).sum::<f64>();
        products += runs.iter().map(|(t, y)| (t - at) * (y - mean)).sum::<f64>();
        repeats += runs.len() - 1;
    }
    if repeats < FEWEST || squares <= 0.0 {
        return 0.0;
    }
    let slope = products / squares;
    match slope.abs() > SURE * (variance / squares).sqrt() {
        true => slope,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_is_seen_and_noise_is_none() {
        let (a, b) = (
            Configuration::unchanged(1),
            Configuration(vec![Some("2".into())]),
        );
        let drifting: Vec<_> = (0..10)
            .map(|at| {
                let t = f64::from(at);
                if at % 2 == 0 {
                    (&a, t, 3.0 - 0.02 * t)
                } else {
                    (&b, t, 5.0 - 0.02 * t)
                }
            })
            .collect();
        assert!((slope(&drifting, 1e-4) + 0.02).abs() < 1e-9);
        assert_eq!(slope(&drifting, 1.0), 0.0);
        assert_eq!(slope(&drifting[..3], 1e-4), 0.0);
        assert_eq!(slope(&[], 1e-4), 0.0);
    }
}
