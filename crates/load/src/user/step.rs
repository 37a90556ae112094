//! What follows an operation, and an iteration.

use plimsoll_plan::program::Pc;

/// What follows an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The next iteration.
    Next,
    /// The user ends.
    StopUser,
    /// The user's scenario ends.
    StopScenario,
    /// The run ends.
    StopRun,
    /// The run ends at once.
    StopRunNow,
    /// The run's end cut the user off.
    CutOff,
    /// A branch of the user came to its end.
    BranchDone,
}

/// What follows an operation.
pub(crate) enum NextStep {
    To(Pc),
    Over(Flow),
}

/// The end of a request without a sample: the run's end cut it off.
pub struct Cut;
