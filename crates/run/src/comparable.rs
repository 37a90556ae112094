//! What runs that are compared say against it: sides that are different things, runs that are doubtful as evidence.

use std::collections::BTreeSet;

use plimsoll_report::load_text;
use plimsoll_stats::compare::RunComparison;
use plimsoll_stats::{LabelKind, Summary, Verdict};
use plimsoll_store::RunState;
use plimsoll_text::{Lang, Message};

/// Whether a comparison says that B is worse by more than that many percent, and why; too few runs for a
/// judgement say so, and nothing worse.
#[must_use]
pub fn gate(comparison: &RunComparison, beyond_percent: f64) -> (bool, Vec<Message>) {
    if comparison.needs_repeats() {
        return (false, vec![Message::new("compare-gate-open")]);
    }
    let worse = comparison.worse(beyond_percent / 100.0);
    if worse.is_empty() {
        let passed = Message::new("compare-gate-passed").with("percent", beyond_percent);
        return (false, vec![passed]);
    }
    let said = worse.iter().map(|one| {
        let metric = Message::new(format!("report-compare-metric-{}", one.metric.name()));
        let percent = one
            .relative_diff
            .map_or_else(|| "–".to_owned(), |diff| format!("{:+.1} %", diff * 100.0));
        Message::new("compare-gate-worse")
            .with("metric", metric)
            .with("percent", percent)
            .with("p", format!("{:.4}", one.p_adjusted.unwrap_or(1.0)))
    });
    (true, said.collect())
}

/// What makes two sides different things, so that their difference says little: no request that
/// both make, or another load. Loads are told in a language.
#[must_use]
pub fn unlike(a: &[Summary], b: &[Summary], lang: Lang) -> Vec<Message> {
    let labels = |runs: &[Summary]| -> BTreeSet<String> {
        let labels = runs.iter().flat_map(|run| &run.labels);
        let requests = labels.filter(|label| label.kind == LabelKind::Request);
        requests.map(|label| label.label.clone()).collect()
    };
    let loads = |runs: &[Summary]| -> BTreeSet<String> {
        let scenarios = runs.iter().flat_map(|run| &run.scenarios);
        scenarios
            .map(|scenario| load_text(&scenario.load, lang))
            .collect()
    };
    let plans = |runs: &[Summary]| {
        let plans: BTreeSet<&str> = runs.iter().map(|run| run.plan.as_str()).collect();
        plans.into_iter().collect::<Vec<_>>().join(", ")
    };
    let (of_a, of_b) = (labels(a), labels(b));
    let mut unlike = Vec::new();
    if !of_a.is_empty() && !of_b.is_empty() && of_a.is_disjoint(&of_b) {
        let message = Message::new("compare-warn-unrelated");
        unlike.push(message.with("a", plans(a)).with("b", plans(b)));
    }
    let (of_a, of_b) = (loads(a), loads(b));
    if of_a != of_b {
        let joined = |loads: BTreeSet<String>| loads.into_iter().collect::<Vec<_>>().join("; ");
        let message = Message::new("compare-warn-other-load");
        unlike.push(message.with("a", joined(of_a)).with("b", joined(of_b)));
    }
    unlike
}

/// What makes a run doubtful as evidence.
#[must_use]
pub fn doubt(run: &str, state: RunState, summary: &Summary) -> Option<Message> {
    let id = match (state, summary.verdict) {
        (RunState::Running, _) => "compare-warn-running",
        (RunState::CutShort, _) => "compare-warn-cut-short",
        _ if summary.generator.limited => "compare-warn-limited",
        (_, Verdict::Aborted | Verdict::Interrupted | Verdict::Error) => "compare-warn-ended",
        _ if summary.total.samples == 0 => "compare-warn-empty",
        (_, Verdict::NoSuccess) => "compare-warn-no-success",
        _ => return None,
    };
    Some(Message::new(id).with("run", run))
}
