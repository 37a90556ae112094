//! What a study asks for in vain.

use std::time::Duration;

use plimsoll_plan::Problem;
use plimsoll_plan::model::Span;
use plimsoll_plan::study::{LEAST_MEASURE, ObjectiveMetric, Study, cannot_judge};
use plimsoll_text::Message;

/// The same of a study to which options were given, with times that are too short to judge by; in a file these are
/// refused when it is read.
pub fn options_in_vain(study: &Study) -> Vec<Problem> {
    let short = |key: &'static str, value: Option<Duration>, least: Duration| {
        let value = value.filter(|value| *value < least)?;
        Some(cannot_judge(key, format!("{} s", value.as_secs_f64())))
    };
    let times = [
        short("measure", study.measure, LEAST_MEASURE),
        short("time", study.time, Duration::from_nanos(1)),
    ];
    let all = asked_in_vain(study).into_iter();
    let all = all.chain(times.into_iter().flatten());
    all.map(|message| Problem::mistake(Span::default(), message))
        .collect()
}

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
