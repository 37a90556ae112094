//! `plimsoll list`: the runs there are, the newest last.

use plimsoll_stats::Summary;
use plimsoll_store::{Run, RunEntry, RunState, StoreError, list, rfc3339};
use plimsoll_text::{Align, Lang, Message, Table, render};

use crate::args::RunsDir;
use crate::say::out_foreign;
use crate::tell::{BAD_USE, fail};
use plimsoll_run::runs::summary_of;

/// Columns of the list: the id of the heading, and how it is set.
const COLUMNS: [(&str, Align); 9] = [
    ("list-run", Align::Left),
    ("list-plan", Align::Left),
    ("list-started", Align::Left),
    ("list-duration", Align::Right),
    ("list-samples", Align::Right),
    ("list-throughput", Align::Right),
    ("list-p95", Align::Right),
    ("list-errors", Align::Right),
    ("list-verdict", Align::Left),
];

/// Runs `plimsoll list`; gives the exit code.
#[must_use]
pub fn run(args: &RunsDir, lang: Lang) -> u8 {
    let runs = match list(&args.out) {
        Ok(runs) => runs,
        Err(error) => return fail(&error.message(), lang, BAD_USE),
    };
    if runs.is_empty() {
        let message = Message::new("store-no-runs").with("path", args.out.display().to_string());
        return fail(&message, lang, 0);
    }
    let text = |id: &str| render(lang, &Message::new(id));
    let mut table = Table::new(COLUMNS.map(|(id, align)| (text(id), align)).to_vec());
    for entry in runs {
        let cells = cells(&entry, lang).unwrap_or_else(|error| {
            // A run that cannot be read hides no other. The last column is as wide as it likes.
            let mut cells = vec![String::new(); COLUMNS.len()];
            cells[0].clone_from(&entry.name);
            cells[COLUMNS.len() - 1] = render(lang, &error.message());
            cells
        });
        table.row(
            cells
                .iter()
                .map(|cell| plimsoll_report::printable(cell))
                .collect(),
        );
    }
    out_foreign(table.to_text().as_bytes());
    0
}

fn cells(entry: &RunEntry, lang: Lang) -> Result<Vec<String>, StoreError> {
    let run = Run::open(&entry.dir)?;
    let summary = summary_of(&run)?;
    let total = &summary.total;
    let times = |text: String| {
        if total.samples > 0 {
            text
        } else {
            "–".to_owned()
        }
    };
    Ok(vec![
        entry.name.clone(),
        run.meta().plan_name.clone(),
        started(&run),
        seconds(summary.duration_s),
        total.samples.to_string(),
        format!("{:.1}", total.throughput_per_s),
        times(format!("{:.2}", total.response_time_ms.p95)),
        times(format!("{:.2} %", total.error_rate * 100.0)),
        render(lang, &Message::new(verdict_id(run.state()?, &summary))),
    ])
}

fn seconds(duration_s: f64) -> String {
    if duration_s < 10.0 {
        format!("{duration_s:.2} s")
    } else {
        format!("{duration_s:.0} s")
    }
}

/// To the second, as in `2026-01-31 23:59:59Z`.
fn started(run: &Run) -> String {
    let text = rfc3339(run.meta().started_at_unix_ns);
    let seconds = text.get(..19).unwrap_or(&text);
    format!("{}Z", seconds.replace('T', " "))
}

fn verdict_id(state: RunState, summary: &Summary) -> &'static str {
    match state {
        RunState::Running => return "list-running",
        RunState::CutShort => return "list-cut-short",
        RunState::Finished => {}
    }
    plimsoll_report::verdict_id(summary)
}
