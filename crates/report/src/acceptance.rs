//! The report that people hand in: one or several runs, their loads as rows of one table, what
//! was asked, what it ran on, what limited it, and the verdict. As HTML, Markdown or XLSX.

mod chart;
mod environment;
mod judged;
mod rows;
mod words;
mod xlsx;

use std::io::Write;

use plimsoll_diagnose::{Diagnosis, Evidence, diagnose};
use plimsoll_stats::{Goal, GoalMetric, Outcome, Verdict};
use plimsoll_store::Run;
use plimsoll_text::Message;

use crate::data::summary_of;
use crate::document::{Block, Grid, Level, Say};
use crate::html::simple_page;
use crate::markdown::{escape, to_markdown};
use crate::number::{count, figure, percent, rate};
use crate::{Options, ReportError, diagnosis};
use rows::Row;

/// What a reader must be told that no run knows.
#[derive(Debug, Clone, Default)]
pub struct Acceptance {
    /// The title; by default that of the first run's plan.
    pub title: Option<String>,
    /// Who tested.
    pub testers: Vec<String>,
    /// Requirements; by default the goals of the runs' plans.
    pub requirements: Vec<Goal>,
}

/// The forms there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptanceForm {
    /// A page.
    Html,
    /// Markdown.
    Markdown,
    /// A workbook: summary, table, findings.
    Xlsx,
}

impl AcceptanceForm {
    /// The form of a name or of a file name's extension.
    ///
    /// # Errors
    /// A message that lists the forms there are.
    pub fn parse(name: &str) -> Result<Self, Message> {
        match name {
            "html" => Ok(Self::Html),
            "markdown" | "md" => Ok(Self::Markdown),
            "xlsx" => Ok(Self::Xlsx),
            other => Err(Message::new("report-format-unknown")
                .with("name", other)
                .with("known", "html, markdown, xlsx")),
        }
    }

    /// The usual end of a file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Xlsx => "xlsx",
        }
    }
}

/// Writes the report of these runs.
///
/// # Errors
/// If a run cannot be read or the output not written.
pub fn acceptance(
    runs: &[Run],
    asked: &Acceptance,
    form: AcceptanceForm,
    options: &Options,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let report = Report::read(runs, asked, Say(options.lang))?;
    match form {
        AcceptanceForm::Html => {
            let page = simple_page(report.say, &report.title, &report.blocks());
            out.write_all(page.as_bytes())?;
        }
        AcceptanceForm::Markdown => {
            let text = format!(
                "# {}\n\n{}",
                escape(&report.title),
                to_markdown(&report.blocks())
            );
            out.write_all(text.as_bytes())?;
        }
        AcceptanceForm::Xlsx => out.write_all(&xlsx::workbook(&report)?)?,
    }
    Ok(())
}

/// All that the report says.
struct Report {
    say: Say,
    title: String,
    requirements: Vec<Goal>,
    facts: Vec<(String, String)>,
    rows: Vec<Row>,
    /// Requests of all runs, and how many of them failed.
    requests: u64,
    errors: u64,
    /// What was asked for, what holds, what was missed.
    judged: judged::Judged,
    /// Where loads of the same scenarios are made of different requests.
    mixes: Vec<Message>,
    /// The row with the most throughput that meets the requirements; else the most of all.
    best: Option<usize>,
    /// What limited the run that carried most.
    diagnosis: Option<Diagnosis>,
}

impl Report {
    fn read(runs: &[Run], asked: &Acceptance, say: Say) -> Result<Self, ReportError> {
        let requirements = requirements(runs, asked);
        let mut rows = Vec::new();
        let mut evidence = Vec::new();
        let (mut requests, mut errors) = (0, 0);
        for (number, run) in runs.iter().enumerate() {
            let of_run = Evidence::of_run(run)?;
            let (summary, _) = summary_of(run)?;
            requests += summary.total.samples;
            errors += summary.total.errors;
            rows.extend(rows::of_run(run, number, &of_run, &requirements)?);
            evidence.push(of_run);
        }
        let best = rows::best(&rows);
        // The limit shows in the run with the heaviest load.
        let heaviest = rows
            .iter()
            .max_by(|a, b| a.load.total_cmp(&b.load))
            .map(|row| row.run);
        let diagnosis = heaviest.and_then(|at| evidence.get(at)).map(diagnose);
        let title = asked
            .title
            .clone()
            .or_else(|| runs.first().map(|run| run.meta().plan_name.clone()));
        let named = Message::new("acceptance-title").with("name", title.unwrap_or_default());
        Ok(Self {
            title: say.message(&named),
            facts: environment::facts(runs, &evidence, asked, say)?,
            mixes: rows::mixes(&rows)
                .iter()
                .map(crate::curve::mix_line)
                .collect(),
            judged: judged::Judged::new(runs, &rows, asked.requirements.is_empty())?,
            say,
            requirements,
            rows,
            requests,
            errors,
            best,
            diagnosis,
        })
    }

    /// Passed if the load that was asked for meets all requirements and no run missed its own; without requirements there is nothing to judge
    /// by. As with a run, one without a success has failed either way.
    fn verdict(&self) -> Verdict {
        let judged = !self.requirements.is_empty();
        let outcome = Outcome {
            no_success: self.requests == self.errors,
            goals_missed: judged && !self.judged.holds,
            judged,
            ..Outcome::default()
        };
        outcome.verdict().0
    }

    fn blocks(&self) -> Vec<Block> {
        let say = self.say;
        let level = match self.verdict() {
            Verdict::Passed => Level::Good,
            Verdict::NotJudged => Level::Plain,
            _ => Level::Bad,
        };
        let warning = self.warning();
        let mut blocks: Vec<Block> = warning
            .map(|text| Block::Notice(Level::Bad, text))
            .into_iter()
            .collect();
        blocks.push(Block::Notice(level, words::conclusion(self)));
        blocks.push(Block::Heading(say.text("acceptance-about")));
        blocks.push(Block::Facts(self.facts.clone()));
        blocks.push(Block::Heading(say.text("acceptance-requirements")));
        if self.requirements.is_empty() {
            blocks.push(Block::Text(say.text("acceptance-no-requirements")));
        }
        for goal in &self.requirements {
            blocks.push(Block::Text(format!("• {goal}")));
        }
        blocks.push(Block::Heading(say.text("acceptance-results")));
        blocks.push(Block::Picture(chart::svg(self)));
        blocks.push(Block::Table(self.without_run(self.grid())));
        if limit_ns(&self.requirements).is_some() {
            blocks.push(Block::Text(say.text("acceptance-errors-note")));
        }
        blocks.push(Block::Text(say.text("acceptance-table-note")));
        blocks.push(Block::Heading(say.text("diagnosis-title")));
        if let Some(diagnosis) = &self.diagnosis {
            blocks.extend(diagnosis::blocks(diagnosis, say));
        }
        blocks.push(Block::Heading(say.text("acceptance-sign")));
        blocks.push(Block::Text(say.text("acceptance-sign-note")));
        blocks.push(Block::Table(words::signatures(self)));
        blocks
    }

    /// Said before anything else: runs whose generator was the bottleneck.
    fn warning(&self) -> Option<String> {
        let limited = self.rows.iter().filter(|row| row.limited);
        let names: Vec<String> = limited.map(|row| self.load_text(row)).collect();
        let text = Message::new("acceptance-generator-limited")
            .with("loads", names.join(crate::words::comma(self.say)));
        (!names.is_empty()).then(|| self.say.message(&text))
    }

    fn load_text(&self, row: &Row) -> String {
        words::load(self.say, row.load, row.open)
    }

    /// Of one run the facts say which it is, and each row need not.
    fn without_run(&self, mut grid: Grid) -> Grid {
        if self.rows.iter().all(|row| row.run == 0) {
            grid.heads.drain(..LOAD_AT);
            for row in &mut grid.rows {
                row.drain(..LOAD_AT);
            }
        }
        grid
    }

    /// The table; the best row stands out.
    fn grid(&self) -> Grid {
        let mut grid = Grid::new(self.say, &HEADS);
        grid.heads[LOAD_AT].0 = words::load_head(self);
        if limit_ns(&self.requirements).is_some() {
            grid.heads[ERRORS_AT].0 = self.say.text("acceptance-column-errors-slow");
        }
        let goals = self
            .requirements
            .iter()
            .map(|goal| (goal.to_string(), true));
        grid.heads.splice(GOALS_AT..GOALS_AT, goals);
        for (number, row) in self.rows.iter().enumerate() {
            let best = self.best == Some(number) && row.meets;
            let cells = self.cells(row, best);
            if best {
                grid.strong_row(cells);
            } else {
                grid.row(cells);
            }
        }
        grid
    }

    fn cells(&self, row: &Row, best: bool) -> Vec<String> {
        let share = |value: Option<f64>| match value {
            Some(value) => format!("{:.0} %", value * 100.0),
            None => "–".to_owned(),
        };
        let mark = match (best, row.meets, self.requirements.is_empty()) {
            (true, _, _) => self.say.text("acceptance-best"),
            (false, _, true) => String::new(),
            (false, true, false) => "✓".to_owned(),
            (false, false, false) => "✗".to_owned(),
        };
        let mut cells = vec![
            row.scenario.clone(),
            row.name.clone(),
            self.load_text(row),
            count(row.samples),
            format!("{} %", percent(row.error_rate)),
            rate(row.throughput_per_s),
            figure(row.mean_ms),
            figure(row.p90_ms),
            share(row.server_cpu),
            share(row.server_memory),
            mark,
        ];
        let seen = row.goals.iter().map(|goal| words::observed(self.say, goal));
        cells.splice(GOALS_AT..GOALS_AT, seen);
        cells
    }
}

/// Where the load and the errors stand among the columns of [`HEADS`].
const LOAD_AT: usize = 2;
const ERRORS_AT: usize = 4;

/// Where the goals' own columns stand among those of [`HEADS`].
const GOALS_AT: usize = 8;

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

/// What was asked for, else the goals of the plans, each once.
fn requirements(runs: &[Run], asked: &Acceptance) -> Vec<Goal> {
    if !asked.requirements.is_empty() {
        return asked.requirements.clone();
    }
    let mut texts: Vec<&String> = runs.iter().flat_map(|run| &run.meta().goals).collect();
    texts.dedup();
    let mut goals: Vec<Goal> = Vec::new();
    for goal in texts.iter().filter_map(|text| Goal::parse(text).ok()) {
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    goals
}

/// The latency limit among the requirements, ns: who takes longer counts as an error.
fn limit_ns(goals: &[Goal]) -> Option<u64> {
    let times = goals.iter().filter(|goal| {
        goal.label.is_none() && matches!(goal.metric, GoalMetric::Percentile(_) | GoalMetric::Max)
    });
    // Nanoseconds of a limit fit.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let longest = times.map(|goal| goal.base_value() as u64).max();
    longest
}
