//! What all reports of one run draw from.

use plimsoll_stats::curve::Curve;
use plimsoll_stats::{HopTimes, LabelKind, LabelSummary, Summary};
use plimsoll_store::{Run, RunMeta, RunState, StoredEvent};
use plimsoll_text::Lang;

use crate::ReportError;
use crate::document::Say;

/// A run, read.
pub(crate) struct RunData<'a> {
    pub(crate) run: &'a Run,
    pub(crate) summary: Summary,
    pub(crate) state: RunState,
    pub(crate) events: Vec<StoredEvent>,
    /// Of a run with several loads.
    pub(crate) curve: Option<Curve>,
    /// Of a run whose chain's hops were loaded alone.
    pub(crate) hops: Option<HopTimes>,
    pub(crate) say: Say,
}

impl<'a> RunData<'a> {
    /// Reads a run; one without a summary gets it made from its intervals.
    pub(crate) fn read(run: &'a Run, lang: Lang) -> Result<Self, ReportError> {
        let (summary, state) = summary_of(run)?;
        Ok(Self {
            run,
            summary,
            state,
            events: run.events()?,
            curve: run.curve()?,
            hops: run.hops()?,
            say: Say(lang),
        })
    }

    pub(crate) fn meta(&self) -> &RunMeta {
        self.run.meta()
    }

    /// The labels of a kind, in the order of the plan.
    pub(crate) fn labels(&self, kind: LabelKind) -> impl Iterator<Item = &LabelSummary> + Clone {
        self.summary
            .labels
            .iter()
            .filter(move |label| label.kind == kind)
    }
}

/// The run's summary, made from its intervals if it has none.
pub(crate) fn summary_of(run: &Run) -> Result<(Summary, RunState), ReportError> {
    // In this order: a run that ends in between is then merely called running.
    let state = run.state()?;
    Ok(match run.summary()? {
        Some(summary) => (summary, RunState::Finished),
        None => (run.rebuild_summary()?, state),
    })
}
