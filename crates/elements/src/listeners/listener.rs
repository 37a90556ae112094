//! What a listener is, and what it is told.

use std::sync::Arc;

use plimsoll_text::Message;

use crate::context::{Context, Fault};
use crate::result::SampleResult;

/// A sample as listeners are told of it.
#[derive(Debug, Clone)]
pub struct SampleEvent {
    /// The sample with its parts. All listeners are told of the same one.
    pub result: Arc<SampleResult>,
    /// The thread group's name.
    pub group: Arc<str>,
    /// Values of the variables that the property `sample_variables` names, in its order; none
    /// where the variable is not set.
    pub variables: Arc<[Option<String>]>,
    /// It is a transaction's own sample, not that of a sampler.
    pub transaction: bool,
    /// It was told before, when it was not done yet, and whether it was a success then. Files
    /// have a sample once.
    pub told_before: Option<bool>,
}

/// What a listener looks at in results. What nobody looks at need not be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// The body.
    pub body: bool,
    /// The header text of the response.
    pub response_headers: bool,
    /// What was sent: header text, body or query, cookies, sampler data.
    pub request: bool,
    /// Sub-results in full.
    pub parts: bool,
}

/// What a listener does at once, on the user's own thread, before anybody is told: it may
/// name files in the result and set variables.
pub trait Namer: Send + Sync {
    /// A sample of this user has ended.
    ///
    /// # Errors
    /// As [`Context::text`].
    fn name(&self, cx: &mut dyn Context, sample: &mut SampleResult) -> Result<(), Fault>;
}

/// What is told of samples: on a thread of its own, in the order of their ends.
pub trait Listener: Send {
    /// A sample has ended.
    fn sample(&mut self, event: &SampleEvent);
    /// A moment has passed (about once a second): for what is told at intervals.
    fn tick(&mut self, unix_ms: u64) {
        let _ = unix_ms;
    }
    /// The run has ended; gives what went wrong meanwhile (a full disk), for people.
    fn end(self: Box<Self>) -> Vec<Message>;
    /// What it looks at.
    fn wants(&self) -> Wants {
        Wants::default()
    }
    /// What it does on the user's own thread, if anything.
    fn namer(&self) -> Option<Arc<dyn Namer>> {
        None
    }
}

/// Whether a result is a transaction's own: JMeter knows it by its message (5.6.3,
/// `TransactionController.isFromTransactionController`).
#[must_use]
pub fn is_of_transaction(result: &SampleResult) -> bool {
    result
        .message
        .starts_with("Number of samples in transaction : ")
}
