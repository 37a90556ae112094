//! The summary of a run that did not live to write its own.

use plimsoll_stats::summary::SCHEMA_VERSION;
use plimsoll_stats::{
    GeneratorSummary, Goal, ScenarioSummary, Summary, Verdict, goal, judge_generator,
};

use crate::time::rfc3339;
use crate::{Run, StoreError};

impl Run {
    /// Makes the summary from the intervals, for a run that goes on or was cut short. Its
    /// verdict is `interrupted`. What only the engine knew (send lateness and receive lag
    /// as distributions) is missing.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub fn rebuild_summary(&self) -> Result<Summary, StoreError> {
        let meta = self.meta();
        let (_, end) = self.load_span_s()?;
        let end = meta.probe_from_s.map_or(end, |from_s| end.min(from_s));
        // A run that did not outlast its warm-up is shown whole rather than empty.
        let warm_up_s = match meta.warm_up_s < end {
            true => meta.warm_up_s,
            false => 0,
        };
        let sum = self.aggregate_with_tail(f64::from(warm_up_s), f64::from(end))?;
        let total = sum.total_summary();
        let mut seconds = self.generator()?;
        seconds.retain(|second| sum.window().contains(second.second));
        let judged = judge_generator(&seconds, &sum.total());
        let goals = meta
            .goals
            .iter()
            .filter_map(|text| text.parse::<Goal>().ok());
        Ok(Summary {
            schema_version: SCHEMA_VERSION,
            run: self.id(),
            plan: meta.plan_name.clone(),
            started_at: rfc3339(meta.started_at_unix_ns),
            duration_s: sum.window().seconds(),
            warm_up_s: f64::from(warm_up_s),
            verdict: Verdict::Interrupted,
            exit_code: 130,
            generator: GeneratorSummary::new(judged, &seconds),
            labels: sum.label_summaries(),
            errors_by_kind: total.errors_by_kind.clone(),
            status_codes: total.status_codes.clone(),
            total,
            errors: plimsoll_stats::failures::groups(&sum),
            goals: goals.map(|goal| goal::evaluate(&goal, &sum)).collect(),
            scenarios: meta
                .scenarios
                .iter()
                .map(|scenario| ScenarioSummary {
                    name: scenario.name.clone(),
                    load: scenario.load.clone(),
                })
                .collect(),
            load_changes: meta.load_changes.clone(),
            probe: None,
            fleet: None,
        })
    }
}
