//! What the companion responds.

use plimsoll_elements::{Evaluated, SampleResult};
use plimsoll_plan::model::Action;

use crate::changes::ResultChanges;

/// How a piece of work ended.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkOutcome {
    /// A function's value.
    Text(String),
    /// It is done.
    Done,
    /// How long the timer says to wait.
    DelayMs(u64),
    /// What the sampler brought back; none when it gave nothing. Thread name and counts of
    /// users are not filled in.
    Sample(Option<Box<SampleResult>>),
    /// A Java exception came out: JMeter writes it to its log and leaves the rest of the
    /// package out. (Most elements catch what goes wrong in them: that is in the log only.)
    Failed(String),
}

/// The companion's response.
#[derive(Debug)]
pub struct CallResult {
    /// What was asked for.
    pub outcome: WorkOutcome,
    /// Variables that changed, in no order; none: it is taken away.
    pub variables: Vec<(String, Option<String>)>,
    /// [`crate::CallMoment::previous`] was changed.
    pub result: Option<ResultChanges>,
    /// The sampler's properties were changed by a script: all of them, and of the
    /// configuration merged into it.
    pub sampler: Option<Evaluated>,
    /// Changes of flow that were asked for, in their order.
    pub actions: Vec<Action>,
}
