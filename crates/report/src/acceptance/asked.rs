//! What the report is asked for.

use plimsoll_stats::{Goal, GoalMetric};
use plimsoll_store::Run;

/// What a reader must be told that no run knows.
#[derive(Debug, Clone, Default)]
pub struct Acceptance {
    /// The title; by default that of the first run's plan.
    pub title: Option<String>,
    /// Who tested.
    pub testers: Vec<String>,
    /// Requirements; by default the goals of the runs' plans.
    pub requirements: Vec<Goal>,
}

/// What was asked for, else the goals of the plans, each once.
pub(super) fn requirements(runs: &[Run], asked: &Acceptance) -> Vec<Goal> {
    if !asked.requirements.is_empty() {
        return asked.requirements.clone();
    }
    let mut texts: Vec<&String> = runs.iter().flat_map(|run| &run.meta().goals).collect();
    texts.dedup();
    let mut goals: Vec<Goal> = Vec::new();
    for goal in texts.iter().filter_map(|text| Goal::parse(text).ok()) {
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    goals
}

/// The latency limit among the requirements, ns: who takes longer counts as an error.
pub(super) fn limit_ns(goals: &[Goal]) -> Option<u64> {
    let times = goals.iter().filter(|goal| {
        goal.label.is_none() && matches!(goal.metric, GoalMetric::Percentile(_) | GoalMetric::Max)
    });
    // Nanoseconds of a limit fit.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let longest = times.map(|goal| goal.base_value() as u64).max();
    longest
}
