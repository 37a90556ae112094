//! What is asked of the companion, and what it responds.

use plimsoll_elements::{Evaluated, SampleResult};
use plimsoll_plan::model::Action;
use plimsoll_plan::program::SiteId;

use crate::changes::ResultChanges;

/// The user a [`crate::Session`] is for; does not change while it lives.
#[derive(Debug, Clone, Default)]
pub struct User {
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
    /// A function's value: [`Outcome::Text`].
    Function {
        /// Its name: `__groovy`.
        name: &'a str,
        /// The place of the call; one Java object is kept for it.
        site: SiteId,
        /// Its arguments, computed.
        args: &'a [String],
    },
    /// A pre-processor: [`Outcome::Done`].
    Pre(Site<'a>),
    /// A timer: [`Outcome::DelayMs`]. It may wait itself as well.
    Timer(Site<'a>),
    /// [`Moment::sampler`] is to sample: [`Outcome::Sample`].
    Sample,
    /// A post-processor: [`Outcome::Done`], and what it changed in [`Moment::previous`].
    Post(Site<'a>),
    /// An assertion on [`Moment::previous`]: [`Outcome::Done`], what it found is in the
    /// changed result (of its sub-results too, by its scope).
    Assertion(Site<'a>),
    /// A listener is told of [`Moment::previous`]: [`Outcome::Done`].
    Listener(Site<'a>),
    /// An element's scope is entered again (JMeter's `LoopIterationListener` and
    /// `TestIterationListener`): [`Outcome::Done`].
    Pass(Site<'a>),
}

/// Calls what it is given with the name and value of each variable.
pub type Variables<'a> = &'a dyn Fn(&mut dyn FnMut(&str, &str));

/// What the user is like when it asks.
#[derive(Clone, Copy, Default)]
pub struct Moment<'a> {
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

impl std::fmt::Debug for Moment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moment")
            .field("iteration", &self.iteration)
            .field("sampler", &self.sampler.map(|sampler| sampler.site))
            .finish_non_exhaustive()
    }
}

/// How a piece of work ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
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
    pub outcome: Outcome,
    /// Variables that changed, in no order; none: it is taken away.
    pub variables: Vec<(String, Option<String>)>,
    /// [`Moment::previous`] was changed.
    pub result: Option<ResultChanges>,
    /// The sampler's properties were changed by a script: all of them, and of the
    /// configuration merged into it.
    pub sampler: Option<Evaluated>,
    /// Changes of flow that were asked for, in their order.
    pub actions: Vec<Action>,
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
