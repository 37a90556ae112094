//! What is said of a study's load.

use plimsoll_plan::model::Load as PlanLoad;
use plimsoll_plan::study::{ObjectiveMetric, StudyObjective};
use plimsoll_run::load_in_words;
use plimsoll_text::Message;

use super::measure::Load;

impl Load {
    /// The load of each run in the plan's words; nothing where it is searched.
    #[must_use]
    pub fn in_words(&self) -> String {
        if self.is_capacity() {
            return String::new();
        }
        let scenarios = self.plan().plan.scenarios.iter();
        let each = scenarios.map(|scenario| load_in_words(&scenario.load));
        each.collect::<Vec<_>>().join("; ")
    }

    /// That no setting can raise the throughput, where the plan's arrival rates decide it.
    #[must_use]
    pub fn rate_decides(&self, objective: &StudyObjective) -> Option<Message> {
        let mut parts = objective.parts.iter();
        let is_asked =
            parts.any(|part| part.metric == ObjectiveMetric::Throughput && part.maximise);
        let mut scenarios = self.plan().plan.scenarios.iter();
        let decides = scenarios.all(|scenario| matches!(scenario.load, PlanLoad::Arrivals(_)));
        (is_asked && decides)
            .then(|| Message::new("tune-rate-decides").with("load", self.in_words()))
    }
}
