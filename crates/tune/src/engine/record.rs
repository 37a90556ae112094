//! A trial that was made, and what its figures are worth.

use serde::{Deserialize, Serialize};

use super::engine_settings::EngineSettings;
use crate::space::Configuration;
use crate::trial::{FailedTrial, Measured, Reason, TrialEnd};

/// A trial and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number, from 1.
    pub number: u32,
    /// Why it was made.
    pub why: Reason,
    /// What was tried.
    pub configuration: Configuration,
    /// Seconds that it took in all.
    pub seconds: f64,
    /// What came of it.
    pub result: TrialEnd,
}

impl Record {
    /// Whether anything was changed.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.configuration.changed().next().is_some()
    }

    /// Whether somebody has refused it.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.result.failed_by(FailedTrial::NotApproved)
    }

    /// What was measured.
    #[must_use]
    pub fn measured(&self) -> Option<&Measured> {
        match &self.result {
            TrialEnd::Measured(measured) => Some(measured),
            _ => None,
        }
    }
}

/// The trials of a configuration, in order.
pub fn runs_of<'r>(
    records: &'r [Record],
    of: &'r Configuration,
) -> impl DoubleEndedIterator<Item = &'r Record> + Clone {
    records.iter().filter(move |it| it.configuration == *of)
}

/// The mean objective of the target as it was found: what differences are counted in. 1 where there is none.
#[must_use]
pub fn scale_of(records: &[Record], knobs: usize) -> f64 {
    let baseline = Configuration::unchanged(knobs);
    mean_objective(runs_of(records, &baseline).filter_map(Record::measured)).unwrap_or(1.0)
}

/// The mean size of the objective of runs; none where there is none.
#[must_use]
pub fn mean_objective<'m>(runs: impl Iterator<Item = &'m Measured>) -> Option<f64> {
    let values = runs.map(|measured| measured.objective.abs());
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
    (sum > 0.0).then(|| sum / count)
}

/// The score of a trial: more is better, whatever the objective is; none where nothing was measured.
#[must_use]
pub fn score_of(record: &Record, settings: &EngineSettings, scale: f64) -> Option<f64> {
    let value = record.measured()?.objective;
    let score = match settings.by_ratio {
        true if value > 0.0 => value.ln(),
        true => return None,
        false => value / scale,
    };
    let score = if settings.maximise { score } else { -score };
    score.is_finite().then_some(score)
}
