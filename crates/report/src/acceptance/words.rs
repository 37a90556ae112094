//! The conclusion in words.

use plimsoll_stats::Verdict;
use plimsoll_stats::goal::GoalResult;
use plimsoll_text::{Lang, Message};

use super::report::AcceptanceReport;
use super::rows::load_words;
use crate::document::{ReportGrid, Say};
use crate::number::{count, figure, percent, rate};

/// The verdict, what was asked for, what holds, where each goal breaks.
pub(super) fn conclusion(report: &AcceptanceReport) -> String {
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
    sentences.extend(loads(report));
    sentences.extend(report.mixes.iter().map(|mix| say.message(mix)));
    if let Some(diagnosis) = &report.diagnosis {
        sentences.push(say.message(&plimsoll_diagnose::json::summary(diagnosis)));
    }
    sentences.join("\n")
}

/// Said before anything else: runs whose generator was the bottleneck, and loads that are not the plan's.
pub(super) fn warning(report: &AcceptanceReport) -> Option<String> {
    let limited = report.rows.iter().filter(|row| row.limited);
    let names: Vec<String> = limited.map(|row| row.load_text(report.say)).collect();
    let text = Message::new("acceptance-generator-limited")
        .with("loads", names.join(crate::words::comma(report.say)));
    let limited = (!names.is_empty()).then(|| report.say.message(&text));
    let all: Vec<String> = limited.into_iter().chain(report.changed.clone()).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// What the loads of all rows are counted in.
pub(super) fn load_head(report: &AcceptanceReport) -> String {
    let all = |open: bool| report.rows.iter().all(|row| row.open == open);
    report.say.text(match (all(false), all(true)) {
        (true, false) => "curve-users",
        (false, true) => "curve-rate",
        _ => "acceptance-column-load",
    })
}

/// What a goal saw, with its verdict's mark.
pub(super) fn observed(say: Say, goal: &GoalResult) -> String {
    let mark = if goal.met { '✓' } else { '✗' };
    format!("{mark} {}", crate::sections::observed(say, goal))
}

/// The load asked for, the one that meets all goals, and which goal is missed where.
fn loads(report: &AcceptanceReport) -> Vec<String> {
    let say = report.say;
    let mut lines = Vec::new();
    for (asked, open) in &report.judged.asked {
        let line =
            Message::new("acceptance-asked-load").with("load", load_words(say, *asked, *open));
        lines.push(say.message(&line));
        lines.extend((!report.requirements.is_empty()).then(|| heaviest(report, *open)));
    }
    for (asked, open) in &report.judged.not_reached {
        let line =
            Message::new("acceptance-not-reached").with("load", load_words(say, *asked, *open));
        lines.push(say.message(&line));
    }
    for open in [false, true] {
        for at in 0..report.requirements.len() {
            lines.extend(breaks(report, open, at));
        }
    }
    for (run, goal) in &report.judged.missed {
        let line = Message::new("acceptance-run-missed")
            .with("run", run.as_str())
            .with("goal", goal.goal.as_str())
            .with("observed", crate::sections::observed(say, goal));
        lines.push(say.message(&line));
    }
    lines
}

/// The heaviest load at which all goals are met.
fn heaviest(report: &AcceptanceReport, open: bool) -> String {
    let meeting = report
        .rows
        .iter()
        .filter(|row| row.open == open && row.meets);
    let Some(row) = meeting.max_by(|a, b| a.load.total_cmp(&b.load)) else {
        return report.say.text("acceptance-meets-none");
    };
    let line = Message::new("acceptance-meets")
        .with("load", row.load_text(report.say))
        .with("throughput", rate(row.throughput_per_s))
        .with("mean", figure(row.mean_ms))
        .with("p90", figure(row.p90_ms));
    let mut text = report.say.message(&line);
    let missing = report
        .rows
        .iter()
        .filter(|other| other.open == open && other.load < row.load && !other.meets);
    if let Some(lighter) = missing.min_by(|a, b| a.load.total_cmp(&b.load)) {
        let gap = Message::new("acceptance-meets-gap").with("load", lighter.load_text(report.say));
        if report.say.0 == Lang::En {
            text.push(' ');
        }
        text.push_str(&report.say.message(&gap));
    }
    text
}

/// The lightest load at which this goal is missed, with its figure.
fn breaks(report: &AcceptanceReport, open: bool, at: usize) -> Option<String> {
    let rows = report.rows.iter().filter(|row| row.open == open);
    let missed = rows.filter(|row| row.goals.get(at).is_some_and(|goal| !goal.met));
    let row = missed.min_by(|a, b| a.load.total_cmp(&b.load))?;
    let goal = row.goals.get(at)?;
    let line = Message::new("acceptance-goal-breaks")
        .with("load", row.load_text(report.say))
        .with("goal", goal.goal.as_str())
        .with("observed", crate::sections::observed(report.say, goal));
    Some(report.say.message(&line))
}

/// Rows to be filled in by hand.
pub(super) fn signatures(report: &AcceptanceReport) -> ReportGrid {
    let heads = [
        ("acceptance-sign-role", false),
        ("acceptance-sign-name", false),
        ("acceptance-sign-signature", false),
        ("acceptance-sign-date", false),
    ];
    let mut grid = ReportGrid::new(report.say, &heads);
    for role in ["tester", "reviewer", "customer"] {
        let role = report.say.text(&format!("acceptance-sign-{role}"));
        grid.row(vec![role, String::new(), String::new(), String::new()]);
    }
    grid
}
