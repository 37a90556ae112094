//! The table: a row for each load.

use super::asked::limit_ns;
use super::report::AcceptanceReport;
use super::rows::LoadRow;
use super::words;
use crate::document::ReportGrid;
use crate::number::{count, figure, percent, rate};

/// Where the load, the errors and the throughput stand among the columns of [`HEADS`].
pub(super) const LOAD_AT: usize = 2;
const ERRORS_AT: usize = 4;
pub(super) const THROUGHPUT_AT: usize = 5;

/// Where the goals' own columns stand among those of [`HEADS`].
pub(super) const GOALS_AT: usize = 8;

/// Columns by text id; those marked `true` hold numbers.
const HEADS: [(&str, bool); 11] = [
    ("acceptance-column-scenario", false),
    ("acceptance-column-case", false),
    ("acceptance-column-load", true),
    ("acceptance-column-requests", true),
    ("acceptance-column-errors", true),
    ("acceptance-column-throughput", true),
    ("acceptance-column-mean", true),
    ("acceptance-column-p90", true),
    ("acceptance-column-cpu", true),
    ("acceptance-column-memory", true),
    ("acceptance-column-mark", false),
];

/// Of one run the facts say which it is, and each row need not.
pub(super) fn without_run(report: &AcceptanceReport, mut grid: ReportGrid) -> ReportGrid {
    if report.rows.iter().all(|row| row.run == 0) {
        grid.heads.drain(..LOAD_AT);
        for row in &mut grid.rows {
            row.drain(..LOAD_AT);
        }
    }
    grid
}

/// The table; the best row stands out.
pub(super) fn grid(report: &AcceptanceReport) -> ReportGrid {
    let mut grid = ReportGrid::new(report.say, &HEADS);
    grid.heads[LOAD_AT].0 = words::load_head(report);
    if limit_ns(&report.requirements).is_some() {
        grid.heads[ERRORS_AT].0 = report.say.text("acceptance-column-errors-slow");
    }
    let goals = report
        .requirements
        .iter()
        .map(|goal| (goal.to_string(), true));
    grid.heads.splice(GOALS_AT..GOALS_AT, goals);
    for (number, row) in report.rows.iter().enumerate() {
        let best = report.best == Some(number) && row.meets;
        let cells = cells(report, row, best);
        if best {
            grid.strong_row(cells);
        } else {
            grid.row(cells);
        }
    }
    grid
}

pub(super) fn cells(report: &AcceptanceReport, row: &LoadRow, best: bool) -> Vec<String> {
    let share = |value: Option<f64>| match value {
        Some(value) => format!("{:.0} %", value * 100.0),
        None => "–".to_owned(),
    };
    let mark = match (best, row.meets, report.requirements.is_empty()) {
        (true, _, _) => report.say.text("acceptance-best"),
        (false, _, true) => String::new(),
        (false, true, false) => "✓".to_owned(),
        (false, false, false) => "✗".to_owned(),
    };
    let mut cells = vec![
        row.scenario.clone(),
        row.name.clone(),
        row.load_text(report.say),
        count(row.samples),
        format!("{} %", percent(row.error_rate)),
        rate(row.throughput_per_s),
        figure(row.mean_ms),
        figure(row.p90_ms),
        share(row.server_cpu),
        share(row.server_memory),
        mark,
    ];
    let seen = row
        .goals
        .iter()
        .map(|goal| words::observed(report.say, goal));
    cells.splice(GOALS_AT..GOALS_AT, seen);
    cells
}
