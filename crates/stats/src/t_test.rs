//! Student's and Welch's t: differences, intervals of means, slopes.

use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

/// A difference of means with what is needed to judge it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TTest {
    diff: f64,
    standard_error: f64,
    /// `None` if there is no spread, so that t is undefined.
    distribution: Option<StudentsT>,
    /// Smallest p-value that the data's number of arrangements allows.
    smallest_p: f64,
}

/// A spread below this share of the values is rounding.
const ROUNDING: f64 = 1e-12;

impl TTest {
    /// B against A with unequal variances; `None` with fewer than two runs on a
    /// side.
    pub(crate) fn unpaired(a: &[f64], b: &[f64]) -> Option<Self> {
        let (var_a, var_b) = (variance(a)?, variance(b)?);
        let (n_a, n_b) = (a.len() as f64, b.len() as f64);
        let (of_a, of_b) = (var_a / n_a, var_b / n_b);
        // Satterthwaite's approximation.
        let freedom =
            (of_a + of_b).powi(2) / (of_a.powi(2) / (n_a - 1.0) + of_b.powi(2) / (n_b - 1.0));
        let arrangements = binomial(a.len() + b.len(), a.len());
        let (mean_a, mean_b) = (mean(a), mean(b));
        let scale = mean_a.abs().max(mean_b.abs());
        let standard_error = (of_a + of_b).sqrt();
        Some(Self::new(
            mean_b - mean_a,
            standard_error,
            freedom,
            scale,
            arrangements,
        ))
    }

    /// B against A by pairs; `None` with fewer than two pairs.
    pub(crate) fn paired(a: &[f64], b: &[f64]) -> Option<Self> {
        let diffs: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
        let n = diffs.len() as f64;
        let standard_error = (variance(&diffs)? / n).sqrt();
        let scale = mean(a).abs().max(mean(b).abs());
        let arrangements = diffs.len().min(1000) as i32;
        Some(Self::new(
            mean(&diffs),
            standard_error,
            n - 1.0,
            scale,
            2.0_f64.powi(arrangements),
        ))
    }

    fn new(diff: f64, standard_error: f64, freedom: f64, scale: f64, arrangements: f64) -> Self {
        let spread = standard_error > scale * ROUNDING;
        Self {
            diff: if diff.abs() > scale * ROUNDING {
                diff
            } else {
                0.0
            },
            standard_error,
            distribution: spread
                .then(|| StudentsT::new(0.0, 1.0, freedom).ok())
                .flatten(),
            smallest_p: (2.0 / arrangements).min(1.0),
        }
    }

    /// Two-sided p-value of "no difference".
    pub(crate) fn p_value(&self) -> f64 {
        match &self.distribution {
            Some(t) => (2.0 * t.cdf(-(self.diff / self.standard_error).abs())).min(1.0),
            None if self.diff == 0.0 => 1.0,
            None => self.smallest_p,
        }
    }

    /// The difference's interval; `None` if there is no spread.
    pub(crate) fn interval(&self, confidence: f64) -> Option<(f64, f64)> {
        let t = self.distribution.as_ref()?;
        let half = t.inverse_cdf(0.5 + confidence / 2.0) * self.standard_error;
        Some((self.diff - half, self.diff + half))
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample variance; `None` with fewer than two values.
#[must_use]
pub fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Some(squares / (values.len() - 1) as f64)
}

/// n over k.
fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

/// Half the width of the interval of the mean of independent values; `None` with fewer than
/// two.
pub(crate) fn mean_interval(values: &[f64], confidence: f64) -> Option<f64> {
    let n = values.len() as f64;
    let error = (variance(values)? / n).sqrt();
    Some(t_quantile(n - 1.0, confidence)? * error)
}

/// How many standard errors an interval reaches to each side.
#[must_use]
pub fn t_quantile(freedom: f64, confidence: f64) -> Option<f64> {
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(t.inverse_cdf(0.5 + confidence / 2.0))
}

/// How probable it is that the ratio of two variances of the same size is as large as `ratio`, with their degrees of
/// freedom; none without any.
#[must_use]
pub fn variance_ratio_p(ratio: f64, above: f64, below: f64) -> Option<f64> {
    let f = FisherSnedecor::new(above, below).ok()?;
    Some(f.sf(ratio))
}

/// A straight line through values that follow each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope {
    /// Change from one value to the next.
    pub(crate) slope: f64,
    /// Two-sided p-value of "it does not change".
    pub(crate) p_value: f64,
}

/// The line of least squares; `None` with fewer than three values.
pub(crate) fn slope_test(values: &[f64]) -> Option<Slope> {
    if values.len() < 3 {
        return None;
    }
    let n = values.len() as f64;
    let (centre, middle) = (mean(values), (n - 1.0) / 2.0);
    let at = |i: usize| i as f64 - middle;
    let squares = n * (n * n - 1.0) / 12.0;
    let of_value = |(i, value): (usize, &f64)| at(i) * (value - centre);
    let slope = values.iter().enumerate().map(of_value).sum::<f64>() / squares;
    let left = |(i, value): (usize, &f64)| (value - centre - slope * at(i)).powi(2);
    let rest: f64 = values.iter().enumerate().map(left).sum();
    let error = (rest / (n - 2.0) / squares).sqrt();
    if error <= centre.abs() * ROUNDING {
        let still = slope.abs() <= centre.abs() * ROUNDING;
        return Some(Slope {
            slope,
            p_value: if still { 1.0 } else { 0.0 },
        });
    }
    let t = StudentsT::new(0.0, 1.0, n - 2.0).ok()?;
    Some(Slope {
        slope,
        p_value: (2.0 * t.cdf(-(slope / error).abs())).min(1.0),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    // The data of Student's 1908 paper, as R's `sleep` has them; the expected
    // numbers are those of R's t.test.
    const A: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    const B: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    fn assert_test(test: &TTest, p: f64, interval: (f64, f64)) {
        let (low, high) = test.interval(0.95).unwrap();
        assert!((test.p_value() - p).abs() < p * 1e-3, "{}", test.p_value());
        assert!((low - interval.0).abs() < 1e-6, "{low}");
        assert!((high - interval.1).abs() < 1e-6, "{high}");
    }

    #[test]
    fn agrees_with_r() {
        let paired = TTest::paired(&A, &B).unwrap();
        assert_test(&paired, 0.002833, (0.7001142, 2.4598858));
        let unpaired = TTest::unpaired(&A, &B).unwrap();
        assert_test(&unpaired, 0.07939, (-0.2054832, 3.3654832));
    }

    #[test]
    fn without_spread_the_number_of_arrangements_decides() {
        let p = |a: &[f64], b: &[f64]| {
            let unpaired = TTest::unpaired(a, b).unwrap();
            let paired = TTest::paired(a, b).unwrap();
            assert!(unpaired.interval(0.95).is_none());
            (unpaired.p_value(), paired.p_value())
        };
        assert_eq!(p(&[0.0; 3], &[0.0; 3]), (1.0, 1.0));
        assert_eq!(p(&[0.1; 3], &[0.1; 3]), (1.0, 1.0));
        assert_eq!(p(&[0.1; 2], &[0.3; 2]), (2.0 / 6.0, 0.5));
        let (unpaired, paired) = p(&[0.1; 10], &[0.3; 10]);
        assert!((unpaired - 2.0 / 184_756.0).abs() < 1e-12);
        assert_eq!(paired, 2.0 / 1024.0);
    }

    #[test]
    fn one_run_a_side_is_no_test() {
        assert!(TTest::unpaired(&[1.0], &[2.0]).is_none());
        assert!(TTest::unpaired(&[1.0, 1.1], &[2.0]).is_none());
        assert!(TTest::paired(&[1.0], &[2.0]).is_none());
    }
}
