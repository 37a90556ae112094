//! What was run, where and when.

use plimsoll_stats::ScenarioSummary;
use plimsoll_store::{StoredEvent, kept_message};
use plimsoll_text::{Lang, Message};

use crate::data::RunData;
use crate::document::{ReportGrid, Say};
use crate::number::{bytes, duration, trimmed};

/// Facts of the run by name, those that are known.
pub(crate) fn facts(data: &RunData<'_>) -> Vec<(String, String)> {
    let (say, meta, summary) = (data.say, data.meta(), &data.summary);
    let environment = &meta.environment;
    let system = [environment.os.as_str(), environment.kernel.as_str()];
    let known = |text: &str| !text.is_empty();
    let cpus = Message::new("report-fact-cpus")
        .with("allowed", trimmed(environment.allowed_cpus))
        .with("all", environment.cpus)
        .with("model", environment.cpu_model.as_str());
    let scenario =
        |s: &ScenarioSummary| format!("{}: {}", s.name, crate::words::load(&s.load, say));
    let scenarios: Vec<String> = summary.scenarios.iter().map(scenario).collect();
    let warm_up = match summary.warm_up_s {
        s if s > 0.0 => duration(s),
        _ => String::new(),
    };
    let when = |condition: bool, text: String| if condition { text } else { String::new() };
    [
        ("plan", summary.plan.clone()),
        ("target", meta.target.clone()),
        ("started", summary.started_at.clone()),
        ("duration", duration(summary.duration_s)),
        ("warm-up", warm_up),
        ("scenarios", scenarios.join("\n")),
        ("command", meta.command_line.join(" ")),
        ("seed", meta.seed.to_string()),
        ("version", meta.plimsoll_version.clone()),
        ("host", environment.host_name.clone()),
        (
            "system",
            system
                .into_iter()
                .filter(|s| known(s))
                .collect::<Vec<_>>()
                .join(", "),
        ),
        ("cpu", when(environment.cpus > 0, say.message(&cpus))),
        (
            "memory",
            when(
                environment.memory_bytes > 0,
                bytes(environment.memory_bytes),
            ),
        ),
    ]
    .into_iter()
    .filter(|(_, value)| known(value))
    .map(|(name, value)| (say.text(&format!("report-fact-{name}")), value))
    .collect()
}

/// Events that a reader must know of before the numbers.
const GRAVE: &[&str] = &[
    "goal-abort",
    "guard",
    "labels-folded",
    "no-request",
    "setup-failed",
    "stopped-by-plan",
    "thread-failed",
    "thread-lost",
    "unreachable",
];

/// Events that may be why a run has no samples.
const CAUSES: &[&str] = &[
    "listeners-lost",
    "outside-failed",
    "scenario-stopped-by-plan",
    "step-failed",
    "user-failed",
    "user-lost",
];

/// Most causes that are told.
const CAUSES_TOLD: usize = 5;

/// What happened during the run.
pub(crate) fn events(data: &RunData<'_>) -> ReportGrid {
    let heads = [("report-column-time", true), ("report-column-event", false)];
    let mut grid = ReportGrid::new(data.say, &heads);
    for event in &data.events {
        let time = format!("{:.1} s", event.at_ns as f64 / 1e9);
        grid.row(vec![time, text(data.say, event)]);
    }
    grid
}

/// The texts of the events that bear on all numbers, each once.
pub(crate) fn grave_events(data: &RunData<'_>) -> Vec<String> {
    let mut texts = once_each(data, GRAVE);
    if data.summary.total.samples == 0 {
        texts.extend(once_each(data, CAUSES).into_iter().take(CAUSES_TOLD));
    }
    texts
}

fn once_each(data: &RunData<'_>, kinds: &[&str]) -> Vec<String> {
    let is_one = |event: &&StoredEvent| kinds.contains(&event.kind.as_str());
    let mut texts: Vec<String> = Vec::new();
    for event in data.events.iter().filter(is_one) {
        let text = text(data.say, event);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// An event of a run in words.
#[must_use]
pub fn event_text(event: &StoredEvent, lang: Lang) -> String {
    text(Say(lang), event)
}

/// The event in words, or its name and arguments if there are none for it.
fn text(say: Say, event: &StoredEvent) -> String {
    let ids = [format!("event-{}", event.kind), event.kind.clone()];
    let known = ids
        .into_iter()
        .find_map(|id| say.if_known(&kept_message(id, &event.args)));
    known.unwrap_or_else(|| {
        let args = event.args.as_object().into_iter().flatten();
        args.fold(event.kind.clone(), |plain, (name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            format!("{plain} {name}={value}")
        })
    })
}
