//! What a text is evaluated with: the user, its scripts, and what an extension adds.

use std::rc::Rc;

use plimsoll_access::Access;
use plimsoll_plan::program::{Call, ScriptId};
use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;

use crate::extension::KeptForUser;
use crate::extract::ResponseView;
use crate::random::Random;
use crate::shared::Shared;
use crate::variables::Variables;

/// What a template, a condition, an extraction or a check may look at.
pub struct EvalContext<'a> {
    /// The user's variables. Scripts may change them.
    pub vars: &'a mut Variables,
    /// The user's randomness.
    pub rng: &'a mut Random,
    /// The user's number, from 0.
    pub user: u32,
    /// The user's iteration, from 0.
    pub iteration: u64,
    /// The scenario's name.
    pub scenario: &'a str,
    /// What crosses users.
    pub shared: &'a dyn Shared,
    /// The thread's scripts.
    pub scripts: &'a dyn Scripting,
    /// The response at hand, after a request.
    pub response: Option<&'a ResponseView<'a>>,
    /// The wall clock: nanoseconds since 1970-01-01 UTC.
    pub unix_ns: &'a dyn Fn() -> u64,
    /// What the plan's extension adds, if it has one.
    pub extension: Option<ExtensionView<'a>>,
}

/// What an extension adds to texts.
pub struct ExtensionView<'a> {
    /// What it keeps for the user.
    pub kept: &'a mut dyn KeptForUser,
    /// What it computes.
    pub texts: &'a dyn TextExtension,
}

/// What an extension computes in texts.
pub trait TextExtension {
    /// The value of a call of one of its functions.
    ///
    /// # Errors
    /// Why there is none; [`EvalError::waiting`] when somebody must be asked first.
    fn call(&self, call: &Call, ctx: &mut EvalContext<'_>) -> Result<String, EvalError>;

    /// Asks at once, where waiting blocks nobody, for what the last try waited for; `false`: it
    /// waited for nothing.
    fn ask_now(&self, ctx: &mut EvalContext<'_>) -> bool;

    /// A setting by the name that it has where the plan comes from.
    fn setting(&self, name: &str) -> Option<String>;
}

/// Runs scripts for whoever evaluates something.
pub trait Scripting {
    /// What the plan may do on this host.
    fn access(&self) -> &Access;

    /// Runs a script for its effects.
    ///
    /// # Errors
    /// When it throws, calls `fail`, or takes too long.
    fn run(&self, id: ScriptId, ctx: &mut EvalContext<'_>) -> Result<(), EvalError>;

    /// Runs a script and says whether its value is truthy.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn truthy(&self, id: ScriptId, ctx: &mut EvalContext<'_>) -> Result<bool, EvalError>;

    /// Runs a script and gives its value as text: nothing for `undefined` and `null`, JSON for
    /// objects.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn text(&self, id: ScriptId, ctx: &mut EvalContext<'_>) -> Result<String, EvalError>;

    /// Runs a script whose text was made while the plan runs; gives its value as text.
    ///
    /// # Errors
    /// When it throws or takes too long, or scripts may not run here.
    fn dynamic(
        &self,
        script: &DynamicScript<'_>,
        ctx: &mut EvalContext<'_>,
    ) -> Result<String, EvalError>;
}

/// A script whose text was made while the plan runs.
pub struct DynamicScript<'s> {
    /// What runs it, as whoever refuses it calls it.
    pub by: &'static str,
    /// Makes the objects that it sees; all scripts of a run have the same.
    pub prelude: &'static str,
    /// Its text.
    pub source: &'s str,
    /// Texts that are globals for it.
    pub bindings: &'s [(&'s str, &'s str)],
    /// Properties that it may read and change.
    pub properties: Rc<dyn ScriptProperties>,
}

/// Properties that scripts may read and change.
pub trait ScriptProperties {
    /// One by its name.
    fn get(&self, name: &str) -> Option<String>;

    /// Sets one; its value before.
    fn set(&self, name: &str, value: &str) -> Option<String>;

    /// Takes one away; its value before.
    fn remove(&self, name: &str) -> Option<String>;
}

/// Why a template or script has no value. The sample it belongs to fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", plimsoll_text::render(plimsoll_text::Lang::En, .message))]
pub struct EvalError {
    /// The reason, for people.
    pub message: Box<Message>,
    /// How the sample fails: [`ErrorKind::ScriptFailed`], or [`ErrorKind::CheckFailed`] when a
    /// script called `fail`.
    pub kind: ErrorKind,
}

/// Says that a value waits for somebody who must be asked. Nobody is shown it: the engine lets
/// ask and tries again.
const WAITS: &str = "value-waits";

impl EvalError {
    /// Somebody must be asked first.
    #[must_use]
    pub fn waiting() -> Self {
        Message::new(WAITS).into()
    }

    /// Whether it only says that somebody must be asked first.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.message.id == WAITS
    }
}

impl From<Message> for EvalError {
    fn from(message: Message) -> Self {
        Self {
            message: Box::new(message),
            kind: ErrorKind::ScriptFailed,
        }
    }
}

impl EvalContext<'_> {
    /// Works before the run, where waiting blocks nobody: asks as often as something waits.
    ///
    /// # Errors
    /// As the work.
    pub fn resolve<T>(
        &mut self,
        mut work: impl FnMut(&mut EvalContext<'_>) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        loop {
            if let Some(view) = &mut self.extension {
                view.kept.begin_try();
            }
            match work(self) {
                Err(error) if error.waits() => {
                    let texts = self.extension.as_ref().map(|view| view.texts);
                    if !texts.is_some_and(|texts| texts.ask_now(self)) {
                        return Err(error);
                    }
                }
                done => {
                    if let Some(view) = &mut self.extension {
                        view.kept.end_try();
                    }
                    return done;
                }
            }
        }
    }
}
