//! What a run has of an extension: see [`crate::extension`].

use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use plimsoll_access::Access;
use plimsoll_plan::program::Program;
use plimsoll_text::Message;

use super::event::Event;
use super::hosts::Hosts;
use super::thread::Thread;
use crate::extension::{KeptForUser, UserCounts};
use crate::extract::BindError;
use crate::functions::{EvalContext, OnceValues, TextExtension};
use crate::user::UserExtension;

/// Runs those parts of plans that the engine does not know.
pub trait Extension: Debug + Send + Sync {
    /// What a run of this program has of it; none when there is nothing in the program for it.
    ///
    /// # Errors
    /// All that is wrong with the program's parts, and what they may not do here.
    fn bind(
        &self,
        program: &Program,
        access: &Access,
    ) -> Result<Option<Arc<dyn ExtensionRun>>, Vec<BindError>>;
}

/// What one run has of an extension. Its methods are called in their order here, [`check`] in place
/// of all after [`prepare`] when nothing is run.
///
/// [`check`]: ExtensionRun::check
/// [`prepare`]: ExtensionRun::prepare
pub trait ExtensionRun: UserCounts + TextExtension + Send + Sync {
    /// Starts what [`prepare`](Self::prepare) may have to ask.
    ///
    /// # Errors
    /// Why it cannot be started.
    fn start(&self, program: &Program) -> Result<(), Vec<BindError>>;

    /// What is kept while there is no user.
    fn kept_by_nobody(&self) -> Box<dyn KeptForUser>;

    /// Evaluates what is the same for the whole run.
    ///
    /// # Errors
    /// All that has no value, or cannot be used.
    fn prepare(&self, program: &Program, ctx: &mut EvalContext<'_>) -> Result<(), Vec<BindError>>;

    /// Makes ready all that can be without a run.
    ///
    /// # Errors
    /// All mistakes.
    fn check(&self, program: &Program) -> Result<(), Vec<BindError>>;

    /// The test begins.
    ///
    /// # Errors
    /// All that cannot be begun.
    fn begin(&self, program: &Program, with: &RunBeginning<'_>) -> Result<(), Vec<BindError>>;

    /// What should be known of the run as it begins.
    fn warnings(&self) -> Vec<Message>;

    /// The run begins at this time: milliseconds since 1970-01-01 UTC.
    fn starts_at(&self, unix_ms: u64);

    /// Where lines of the log go from now on.
    fn log_to(&self, events: Option<Sender<Event>>);

    /// Passes on what was logged elsewhere meanwhile. Called often.
    fn pass_on_log(&self);

    /// What the users of a load thread have of it.
    fn of_thread(self: Arc<Self>, thread: &Rc<Thread>) -> Rc<dyn UserExtension>;

    /// Ends all that was begun; what went wrong.
    fn end(&self) -> Vec<Message>;
}

/// What is known when a run begins.
pub struct RunBeginning<'b> {
    /// Values that are the same for all users.
    pub once: &'b OnceValues,
    /// Hosts that may be loaded.
    pub hosts: &'b Arc<Hosts>,
    /// Somebody looks at all results in full.
    pub traced: bool,
    /// This is the first of the load hosts, or the only one.
    pub is_first: bool,
}
