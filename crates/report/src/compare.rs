//! Comparisons and runs side by side, as text, Markdown or a page.

use plimsoll_stats::Summary;
use plimsoll_stats::compare::{
    ComparisonVerdict, Design, LabelComparison, Metric, MetricComparison, RunComparison,
};
use plimsoll_text::{Lang, Message};

use crate::aggregate::per_second;
use crate::document::{NoticeLevel, ReportBlock, ReportGrid, Say};
use crate::number::{count, figure, percent, rate};
use crate::{html, markdown, screen};

/// In which form something is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderForm {
    /// Plain text, for a terminal.
    Text,
    /// Markdown.
    Markdown,
    /// A self-contained HTML page.
    Html,
}

/// What the sides of a comparison are called, e.g. after their plans or runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides<'a> {
    /// The side that is compared with.
    pub a: &'a str,
    /// The side that is judged.
    pub b: &'a str,
}

/// The comparison of B with A: what can be said, then all metrics of the total and of every
/// label with their intervals.
#[must_use]
pub fn render_compare(
    comparison: &RunComparison,
    sides: Sides<'_>,
    form: RenderForm,
    lang: Lang,
) -> String {
    let say = Say(lang);
    let mut blocks = vec![
        headline(say, comparison),
        sides_fact(say, comparison, sides),
    ];
    let mut total = grid(say, false);
    for metric in &comparison.total {
        total.row(row(say, metric));
    }
    blocks.push(ReportBlock::Heading(say.text("report-all-requests")));
    blocks.push(ReportBlock::Table(total));
    let mut labels = grid(say, true);
    for label in &comparison.labels {
        label_rows(say, label, &mut labels);
    }
    if !labels.is_empty() {
        blocks.push(ReportBlock::Heading(say.text("report-compare-labels")));
        blocks.push(ReportBlock::Table(labels));
    }
    blocks.extend(notes(say, comparison).into_iter().map(ReportBlock::Text));
    let title = say.message(
        &Message::new("report-compare-title")
            .with("a", sides.a)
            .with("b", sides.b),
    );
    render(say, &title, blocks, form)
}

/// Several runs in one table, in the order given. `extra` adds columns: a heading and a
/// cell for each run.
#[must_use]
pub fn side_by_side(
    runs: &[(&str, &Summary)],
    extra: &[(String, Vec<String>)],
    form: RenderForm,
    lang: Lang,
) -> String {
    let say = Say(lang);
    let mut grid = ReportGrid::new(
        say,
        &[
            ("report-column-run", false),
            ("report-column-samples", true),
            ("report-column-throughput", true),
            ("report-column-average", true),
            ("report-column-median", true),
            ("report-column-p95", true),
            ("report-column-p99", true),
            ("report-column-max", true),
            ("report-column-error", true),
        ],
    );
    grid.heads
        .extend(extra.iter().map(|(head, _)| (head.clone(), true)));
    grid.heads.push((say.text("report-column-verdict"), false));
    for (number, (name, summary)) in runs.iter().enumerate() {
        let (total, times) = (&summary.total, &summary.total.response_time_ms);
        let mut cells = vec![(*name).to_owned(), count(total.samples)];
        cells.push(per_second(say, total.throughput_per_s));
        let times = [times.mean, times.p50, times.p95, times.p99, times.max];
        cells.extend(times.map(|ms| {
            if total.samples > 0 {
                figure(ms)
            } else {
                "–".to_owned()
            }
        }));
        cells.push(percent(total.error_rate));
        cells.extend(
            extra
                .iter()
                .map(|(_, cells)| cells.get(number).cloned().unwrap_or_default()),
        );
        cells.push(say.text(crate::verdict_id(summary)));
        grid.row(cells);
    }
    let title = say.text("report-side-by-side");
    let note = ReportBlock::Text(say.text("report-aggregate-note"));
    render(say, &title, vec![ReportBlock::Table(grid), note], form)
}

fn render(say: Say, title: &str, mut blocks: Vec<ReportBlock>, form: RenderForm) -> String {
    match form {
        RenderForm::Text => {
            blocks.insert(0, ReportBlock::Heading(title.to_owned()));
            screen::to_text(&blocks).trim_start().to_owned()
        }
        RenderForm::Markdown => {
            blocks.insert(0, ReportBlock::Heading(title.to_owned()));
            markdown::to_markdown(&blocks)
        }
        RenderForm::Html => html::simple_page(say, title, &blocks),
    }
}

fn headline(say: Say, comparison: &RunComparison) -> ReportBlock {
    let told: Vec<String> = comparison
        .total
        .iter()
        .filter(|metric| differs(metric.verdict))
        .map(|metric| {
            let text = Message::new("report-compare-told")
                .with("metric", metric_name(say, metric.metric))
                .with("verdict", verdict(say, metric))
                .with("relative", relative(metric));
            say.message(&text)
        })
        .collect();
    let separator = match say.0 {
        Lang::En => "; ",
        Lang::Zh => "；",
    };
    let repeat = comparison
        .total
        .iter()
        .all(|metric| metric.verdict == ComparisonVerdict::RepeatNeeded);
    match (told.is_empty(), comparison.shows_difference()) {
        (false, _) => {
            let told = Message::new("report-compare-differs").with("told", told.join(separator));
            ReportBlock::Notice(NoticeLevel::Warn, say.message(&told))
        }
        (true, true) => {
            ReportBlock::Notice(NoticeLevel::Warn, say.text("report-compare-labels-differ"))
        }
        (true, false) if repeat => {
            ReportBlock::Notice(NoticeLevel::Warn, say.text("report-compare-repeat"))
        }
        (true, false) => ReportBlock::Notice(NoticeLevel::Plain, say.text("report-compare-none")),
    }
}

fn sides_fact(say: Say, comparison: &RunComparison, sides: Sides<'_>) -> ReportBlock {
    let side = |name: &str, runs: usize| {
        let text = Message::new("report-compare-side").with("name", name);
        say.message(&text.with("runs", runs))
    };
    let design = match comparison.design {
        Design::Paired => "report-compare-paired",
        Design::Unpaired => "report-compare-unpaired",
    };
    ReportBlock::Facts(vec![
        ("A".to_owned(), side(sides.a, comparison.runs_a)),
        ("B".to_owned(), side(sides.b, comparison.runs_b)),
        (say.text("report-compare-design"), say.text(design)),
    ])
}

fn grid(say: Say, with_label: bool) -> ReportGrid {
    let mut grid = ReportGrid::new(
        say,
        &[
            ("report-compare-metric", false),
            ("report-compare-a", true),
            ("report-compare-b", true),
            ("report-compare-difference", true),
            ("report-compare-relative", true),
            ("report-compare-interval", true),
            ("report-column-verdict", false),
        ],
    );
    if with_label {
        grid.heads
            .insert(0, (say.text("report-column-label"), false));
    }
    grid
}

/// The label's name stands at its first metric only.
fn label_rows(say: Say, label: &LabelComparison, grid: &mut ReportGrid) {
    for (number, metric) in label.metrics.iter().enumerate() {
        let name = if number == 0 {
            label.key.label.as_str()
        } else {
            ""
        };
        let mut cells = vec![name.to_owned()];
        cells.extend(row(say, metric));
        grid.row(cells);
    }
}

fn row(say: Say, metric: &MetricComparison) -> Vec<String> {
    let value = |value: f64| value_text(metric.metric, value);
    let signed = |value: f64| match value_text(metric.metric, value.abs()) {
        text if value > 0.0 => format!("+{text}"),
        text if value < 0.0 => format!("−{text}"),
        text => text,
    };
    let interval = match (metric.ci_low, metric.ci_high) {
        (Some(low), Some(high)) => format!("{} … {}", signed(low), signed(high)),
        _ => "–".to_owned(),
    };
    let unit = match metric.metric {
        Metric::Throughput => say.text("report-per-second"),
        Metric::ErrorRate => "%".to_owned(),
        _ => "ms".to_owned(),
    };
    vec![
        format!("{} ({unit})", metric_name(say, metric.metric)),
        value(metric.a_mean),
        value(metric.b_mean),
        signed(metric.diff),
        relative(metric),
        interval,
        marked_verdict(say, metric),
    ]
}

fn value_text(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Throughput => rate(value),
        Metric::ErrorRate => percent(value),
        _ => figure(value),
    }
}

fn relative(metric: &MetricComparison) -> String {
    match metric.relative_diff {
        Some(share) if share.abs() < 0.000_5 => "0 %".to_owned(),
        Some(share) => format!("{:+.1} %", share * 100.0).replace('-', "−"),
        None => "–".to_owned(),
    }
}

fn metric_name(say: Say, metric: Metric) -> String {
    say.text(&format!("report-compare-metric-{}", metric.name()))
}

fn differs(verdict: ComparisonVerdict) -> bool {
    matches!(
        verdict,
        ComparisonVerdict::Higher | ComparisonVerdict::Lower
    )
}

fn is_better(metric: &MetricComparison) -> bool {
    (metric.verdict == ComparisonVerdict::Higher) == metric.metric.higher_is_better()
}

fn verdict(say: Say, metric: &MetricComparison) -> String {
    let id = match (metric.verdict, is_better(metric)) {
        (ComparisonVerdict::NoDifferenceShown, _) => "report-compare-verdict-none",
        (ComparisonVerdict::RepeatNeeded, _) => "report-compare-verdict-repeat",
        (ComparisonVerdict::Higher, true) => "report-compare-verdict-higher-better",
        (ComparisonVerdict::Higher, false) => "report-compare-verdict-higher-worse",
        (ComparisonVerdict::Lower, true) => "report-compare-verdict-lower-better",
        (ComparisonVerdict::Lower, false) => "report-compare-verdict-lower-worse",
    };
    say.text(id)
}

fn marked_verdict(say: Say, metric: &MetricComparison) -> String {
    let text = verdict(say, metric);
    match (differs(metric.verdict), is_better(metric)) {
        (false, _) => text,
        (true, true) => format!("✓ {text}"),
        (true, false) => format!("✗ {text}"),
    }
}

fn notes(say: Say, comparison: &RunComparison) -> Vec<String> {
    let mut notes = vec![say.text("report-compare-note")];
    if !comparison.unmatched.is_empty() {
        let names: Vec<&str> = comparison
            .unmatched
            .iter()
            .map(|key| key.label.as_str())
            .collect();
        let text = Message::new("report-compare-unmatched").with("labels", names.join(", "));
        notes.push(say.message(&text));
    }
    notes
}
