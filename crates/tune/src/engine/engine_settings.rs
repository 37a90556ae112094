//! What an engine is told.

use crate::space::Configuration;

/// What a study's engine is told.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// More of the objective is better.
    pub maximise: bool,
    /// Scores are logarithms: effects are ratios. Else they are differences, in units of the baseline's value.
    pub by_ratio: bool,
    /// Most trials.
    pub trials: u32,
    /// Most seconds.
    pub seconds: Option<f64>,
    /// The share of studies without anything to gain that may keep something.
    pub error_rate: f64,
    /// Effects below this share are none that matter.
    pub matters: f64,
    /// How it is looked for.
    pub search: plimsoll_plan::study::StudySearch,
    /// Seed of the search.
    pub seed: u64,
    /// Trials of an earlier study, which the search knows from the start.
    pub earlier: Vec<EarlierTrial>,
    /// By how much more than the target as it was found a configuration may fail, as a share of the samples: where no
    /// constraint says it.
    pub most_more_failures: Option<f64>,
}

/// A trial of an earlier study.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierTrial {
    /// What was tried.
    pub of: Configuration,
    /// Its score less that of the target as it was found then; none where it did not work.
    pub score: Option<f64>,
}
