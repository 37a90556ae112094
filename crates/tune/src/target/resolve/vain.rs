//! What a study asks for in vain.

use plimsoll_plan::study::{ObjectiveMetric, Study};
use plimsoll_text::Message;

/// What a study asks for and no trial could tell: a capacity without goals, or what nobody sees of a target that
/// Plimsoll does not start.
pub fn asked_in_vain(study: &Study) -> Vec<Message> {
    let asks = |metric: ObjectiveMetric| study.objective.parts.iter().any(|it| it.metric == metric);
    let mut wrong = Vec::new();
    // A capacity is the most load that meets the constraints.
    if asks(ObjectiveMetric::Capacity) && study.constraints.is_empty() {
        wrong.push(Message::new("tune-capacity-without-goal"));
    }
    let asked = [
        ("memory", asks(ObjectiveMetric::Memory)),
        ("most-memory", study.most_memory.is_some()),
        ("most-cpu", study.most_cpu.is_some()),
    ];
    let mut components = study.components.iter();
    let is_seen = components.any(|it| it.start.is_some() || it.agent.is_some());
    if let Some((what, _)) = asked.iter().find(|(_, asked)| *asked && !is_seen) {
        wrong.push(Message::new("tune-usage-of-nothing").with("what", *what));
    }
    wrong
}
