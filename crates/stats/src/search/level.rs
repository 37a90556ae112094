//! What was measured at one load.

use crate::batch_means::CONFIDENCE;
use crate::t_test::t_quantile;

/// A ratio is not better known than this.
const LEAST_ERROR: f64 = 0.01;
/// Degrees of freedom that a measurement's error has: it comes of about five parts.
const BATCH_FREEDOM: f64 = 4.0;
/// All measurements of one load.
#[derive(Clone, Debug)]
pub(super) struct LoadLevel {
    pub(super) load: f64,
    /// Logarithms of the ratios.
    pub(super) logs: Vec<f64>,
    pub(super) errors: Vec<f64>,
    pub(super) capacity: Option<f64>,
    pub(super) concurrency: Option<f64>,
}

impl LoadLevel {
    pub(super) fn log(&self) -> f64 {
        self.logs.iter().sum::<f64>() / self.logs.len() as f64
    }

    pub(super) fn met(&self) -> bool {
        self.log() <= 0.0
    }

    /// Whether its measurements leave no doubt on which side of the limit it lies.
    pub(super) fn is_sure(&self) -> bool {
        let measured = self.logs.len() as f64;
        let reach = t_quantile(BATCH_FREEDOM * measured, CONFIDENCE).unwrap_or(2.0);
        self.log().abs() > reach * self.error().max(self.spread())
    }

    /// The same as [`LoadLevel::error`] by how much the measurements differ; 0 with a single one.
    fn spread(&self) -> f64 {
        let (n, mean) = (self.logs.len() as f64, self.log());
        if n < 2.0 {
            return 0.0;
        }
        let squares: f64 = self.logs.iter().map(|log| (log - mean).powi(2)).sum();
        (squares / (n - 1.0) / n).sqrt()
    }

    /// Standard error of [`LoadLevel::log`].
    pub(super) fn error(&self) -> f64 {
        let n = self.logs.len() as f64;
        let own = self
            .errors
            .iter()
            .map(|error| error.powi(2))
            .sum::<f64>()
            .sqrt()
            / n;
        own.max(LEAST_ERROR / n.sqrt())
    }
}
