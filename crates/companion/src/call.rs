//! What is asked of the companion.

use plimsoll_elements::{Evaluated, SampleResult};
use plimsoll_plan::program::SiteId;

/// The user a [`crate::CompanionSession`] is for; does not change while it lives.
#[derive(Debug, Clone, Default)]
pub struct CompanionUser {
    /// JMeter's thread name: `group 1-7`. The Java thread that works for it has this name.
    pub thread_name: String,
    /// The thread group's name.
    pub group: String,
    /// Number within the group, from 0.
    pub number: u32,
    /// Users that the group has by the plan.
    pub group_size: u32,
    /// The plan says that the user is the same one in its next iteration.
    pub same_user: bool,
}

/// An element with its texts computed, and the place where it keeps what it keeps.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// One Java object is kept for each user and site.
    pub site: SiteId,
    /// The element.
    pub element: &'a Evaluated,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub enum Work<'a> {
    /// A function's value: [`crate::WorkOutcome::Text`].
    Function {
        /// Its name: `__groovy`.
        name: &'a str,
        /// The place of the call; one Java object is kept for it.
        site: SiteId,
        /// Its arguments, computed.
        args: &'a [String],
    },
    /// A pre-processor: [`crate::WorkOutcome::Done`].
    Pre(Site<'a>),
    /// A timer: [`crate::WorkOutcome::DelayMs`]. It may wait itself as well.
    Timer(Site<'a>),
    /// [`CallMoment::sampler`] is to sample: [`crate::WorkOutcome::Sample`].
    Sample,
    /// A post-processor: [`crate::WorkOutcome::Done`], and what it changed in [`CallMoment::previous`].
    Post(Site<'a>),
    /// An assertion on [`CallMoment::previous`]: [`crate::WorkOutcome::Done`], what it found is in the
    /// changed result (of its sub-results too, by its scope).
    Assertion(Site<'a>),
    /// A listener is told of [`CallMoment::previous`]: [`crate::WorkOutcome::Done`].
    Listener(Site<'a>),
    /// An element's scope is entered again (JMeter's `LoopIterationListener` and
    /// `TestIterationListener`): [`crate::WorkOutcome::Done`].
    Pass(Site<'a>),
}

/// Calls what it is given with the name and value of each variable.
pub type Variables<'a> = &'a dyn Fn(&mut dyn FnMut(&str, &str));

/// What the user is like when it asks.
#[derive(Clone, Copy, Default)]
pub struct CallMoment<'a> {
    /// The user's iteration, from 1.
    pub iteration: u64,
    /// Users of the group at work now.
    pub group_threads: u32,
    /// All users at work now.
    pub all_threads: u32,
    /// When no new sample may begin, as far as the plan's schedule says: ms since 1970 UTC.
    pub end_unix_ms: Option<u64>,
    /// The variables that have values; none: there are none.
    pub variables: Option<Variables<'a>>,
    /// The last result, or the one that is being worked on.
    pub previous: Option<&'a SampleResult>,
    /// The sampler at work, if one is.
    pub sampler: Option<Site<'a>>,
    /// Configuration for the sampler, the nearest first, as in
    /// [`plimsoll_plan::program::Package::configs`].
    pub configs: &'a [Site<'a>],
}

impl std::fmt::Debug for CallMoment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moment")
            .field("iteration", &self.iteration)
            .field("sampler", &self.sampler.map(|sampler| sampler.site))
            .finish_non_exhaustive()
    }
}

/// What the companion is told when a test starts.
#[derive(Debug, Default)]
pub struct TestStart<'a> {
    /// Every element of the plan that runs in the companion. Those that want to know of the
    /// start of the test (JMeter's `TestStateListener`) are told.
    pub elements: Vec<Site<'a>>,
    /// The plan's own variables.
    pub variables: Vec<(String, String)>,
}
