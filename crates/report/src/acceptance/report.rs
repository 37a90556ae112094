//! What the report says, before it has a form.

use plimsoll_diagnose::{Diagnosis, Evidence, diagnose};
use plimsoll_stats::{Goal, Outcome, Verdict};
use plimsoll_store::Run;
use plimsoll_text::Message;

use super::asked::{self, Acceptance};
use super::environment;
use super::judged::JudgedLoad;
use super::rows::{self, LoadRow};
use crate::ReportError;
use crate::data::summary_of;
use crate::document::Say;

/// All that the report says.
pub(super) struct AcceptanceReport {
    pub(super) say: Say,
    pub(super) title: String,
    pub(super) requirements: Vec<Goal>,
    pub(super) facts: Vec<(String, String)>,
    pub(super) rows: Vec<LoadRow>,
    /// Requests of all runs, and how many of them failed.
    pub(super) requests: u64,
    pub(super) errors: u64,
    /// What was asked for, what holds, what was missed.
    pub(super) judged: JudgedLoad,
    /// What was changed of the loads while the runs went on, each in words.
    pub(super) changed: Vec<String>,
    /// Where loads of the same scenarios are made of different requests.
    pub(super) mixes: Vec<Message>,
    /// The row with the most throughput that meets the requirements; else the most of all.
    pub(super) best: Option<usize>,
    /// What limited the run that carried most.
    pub(super) diagnosis: Option<Diagnosis>,
}

impl AcceptanceReport {
    pub(super) fn read(runs: &[Run], wanted: &Acceptance, say: Say) -> Result<Self, ReportError> {
        let requirements = asked::requirements(runs, wanted);
        let mut rows = Vec::new();
        let mut evidence = Vec::new();
        let (mut requests, mut errors) = (0, 0);
        let mut changed = Vec::new();
        for (number, run) in runs.iter().enumerate() {
            let of_run = Evidence::of_run(run)?;
            let (summary, _) = summary_of(run)?;
            requests += summary.total.samples;
            errors += summary.total.errors;
            let words = crate::changed::words(say, &summary.load_changes);
            changed.extend(words.map(|words| format!("{}: {words}", run.id())));
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
        let title = wanted
            .title
            .clone()
            .or_else(|| runs.first().map(|run| run.meta().plan_name.clone()));
        let named = Message::new("acceptance-title").with("name", title.unwrap_or_default());
        Ok(Self {
            title: say.message(&named),
            facts: environment::facts(runs, &evidence, wanted, say)?,
            changed,
            mixes: rows::mixes(&rows)
                .iter()
                .map(crate::curve::mix_line)
                .collect(),
            judged: JudgedLoad::new(runs, &rows, wanted.requirements.is_empty())?,
            say,
            requirements,
            rows,
            requests,
            errors,
            best,
            diagnosis,
        })
    }

    /// Passed if the load that was asked for meets all requirements and no run missed its own;
    /// without requirements there is nothing to judge by. As with a run, one without a success has
    /// failed either way.
    pub(super) fn verdict(&self) -> Verdict {
        let judged = !self.requirements.is_empty();
        let outcome = Outcome {
            no_success: self.requests == self.errors,
            goals_missed: judged && !self.judged.holds,
            judged,
            ..Outcome::default()
        };
        outcome.verdict().0
    }
}
