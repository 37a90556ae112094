//! The conclusion in words.

use plimsoll_stats::Verdict;
use plimsoll_text::Message;

use super::Report;
use crate::number::{count, figure, percent, rate};

/// The verdict, the best load with its figures, and where the requirements break.
pub(super) fn conclusion(report: &Report) -> String {
    let say = report.say;
    let mut sentences = Vec::new();
    let share = report.errors as f64 / report.requests.max(1) as f64;
    let verdict = Message::new(match report.verdict() {
        Verdict::Passed => "acceptance-pass",
        Verdict::NotJudged => "acceptance-not-judged",
        Verdict::NoSuccess => "acceptance-no-success",
        _ => "acceptance-fail",
    });
    let verdict = verdict.with("errors", percent(share));
    sentences.push(say.message(&verdict.with("requests", count(report.requests))));
    let best = report.best.and_then(|at| report.rows.get(at));
    if let Some(best) = best {
        let message = Message::new("acceptance-best-load")
            .with("load", report.load_text(best))
            .with("throughput", rate(best.throughput_per_s))
            .with("mean", figure(best.mean_ms))
            .with("p90", figure(best.p90_ms));
        sentences.push(say.message(&message));
        let beyond = report
            .rows
            .iter()
            .filter(|row| !row.meets && row.load > best.load && row.run_is_comparable(best))
            .min_by(|a, b| a.load.total_cmp(&b.load));
        if let Some(beyond) = beyond
            && best.meets
            && !report.requirements.is_empty()
        {
            let message = Message::new("acceptance-breaks")
                .with("load", report.load_text(beyond))
                .with("throughput", rate(beyond.throughput_per_s))
                .with("p90", figure(beyond.p90_ms));
            sentences.push(say.message(&message));
        }
    }
    if let Some(diagnosis) = &report.diagnosis {
        sentences.push(say.message(&plimsoll_diagnose::json::summary(diagnosis)));
    }
    sentences.join("\n")
}

impl super::Row {
    /// Loads are only set against each other within one way of counting them.
    fn run_is_comparable(&self, other: &Self) -> bool {
        self.open == other.open
    }
}
