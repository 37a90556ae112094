//! The runs of one undertaking.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use plimsoll_store::rfc3339;
use plimsoll_text::Message;

use crate::{
    Interrupt, Listener, LoadSettings, Made, PlanSource, ReadyPlan, RejectedPlan, RunRequest,
    RunSetting,
};

/// Exit code of a run whose target cannot be reached.
pub(super) const UNREACHABLE: u8 = 3;

/// The time of day, as results keep it.
pub(super) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let ns = since.unwrap_or_default().as_nanos();
    rfc3339(u64::try_from(ns).unwrap_or(u64::MAX))
}

/// What the runs of one undertaking have in common.
pub struct RunSeries<'a> {
    /// Folder of the runs.
    pub root: &'a Path,
    /// Ends the undertaking.
    pub interrupt: &'a Interrupt,
    command_line: Vec<String>,
    /// Who hears of each run.
    pub listen: &'a dyn Fn(&ReadyPlan) -> Box<dyn Listener>,
    /// Who is told what comes next.
    pub tell: &'a dyn Fn(&Message),
    is_lost: Cell<bool>,
}

/// Why an undertaking has no result.
pub enum MeasureError {
    /// The plan is not valid.
    Plan(RejectedPlan),
    /// What is asked for cannot be, or what was made cannot be read.
    Unusable(Message),
    /// The target cannot be reached.
    Unreachable(Message),
    /// The target mostly fails.
    Failing(Message),
    /// Somebody ended it.
    Interrupted(Message),
}

impl From<Message> for MeasureError {
    fn from(message: Message) -> Self {
        Self::Unusable(message)
    }
}

impl From<RejectedPlan> for MeasureError {
    fn from(rejected: RejectedPlan) -> Self {
        Self::Plan(rejected)
    }
}

impl<'a> RunSeries<'a> {
    /// Runs below a folder.
    #[must_use]
    pub fn new(
        root: &'a Path,
        interrupt: &'a Interrupt,
        listen: &'a dyn Fn(&ReadyPlan) -> Box<dyn Listener>,
        tell: &'a dyn Fn(&Message),
    ) -> Self {
        Self {
            root,
            interrupt,
            command_line: Vec::new(),
            listen,
            tell,
            is_lost: Cell::new(false),
        }
    }

    /// As the command line asked for it, which is kept without secrets.
    #[must_use]
    pub fn asked_by(self, command_line: Vec<String>) -> Self {
        Self {
            command_line,
            ..self
        }
    }

    /// Makes one of the runs.
    ///
    /// # Errors
    /// What a person must be told when it could not be made.
    pub fn make(&self, ready: &Arc<ReadyPlan>, load: &LoadSettings) -> Result<Made, Message> {
        self.make_as(RunSetting::ended_by(self.root, self.interrupt), ready, load)
    }

    /// As [`make`](Self::make), in another folder, ended early, or as a step of a search.
    pub(super) fn make_as(
        &self,
        setting: RunSetting,
        ready: &Arc<ReadyPlan>,
        load: &LoadSettings,
    ) -> Result<Made, Message> {
        let setting = RunSetting {
            command_line: self.command_line.clone(),
            ..setting
        };
        // Its plan is read already.
        let source = PlanSource::default();
        let request = RunRequest {
            listener: (self.listen)(ready),
            ..RunRequest::of(Arc::clone(ready), source, load.clone(), setting)
        };
        let made = request.begin()?.join()?;
        self.is_lost.set(self.is_lost.get() || !made.is_kept);
        Ok(made)
    }

    /// Whether all runs are stored where they should be.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        !self.is_lost.get()
    }
}
