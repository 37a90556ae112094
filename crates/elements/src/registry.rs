//! Which classes are native, and how an element becomes a leaf.

use plimsoll_plan::program::ElementProgram;
use plimsoll_text::Message;

use crate::assertions::Assertion;
use crate::fields::Fields;
use crate::post::PostProcessor;
use crate::pre::{PassListener, PreProcessor, SampleTimeout};
use crate::timers::Timer;

/// A leaf, ready to work.
pub enum Bound {
    /// Before the sampler.
    Pre(Box<dyn PreProcessor>),
    /// Each time its scope is entered.
    Pass(Box<dyn PassListener>),
    /// How long the sampler may take; it stands among the pre-processors.
    Timeout(SampleTimeout),
    /// How long to wait before the sampler.
    Timer(Box<dyn Timer>),
    /// After the sampler.
    Post(Box<dyn PostProcessor>),
    /// Whether the sample holds.
    Assertion(Box<dyn Assertion>),
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pre(_) => "Pre",
            Self::Pass(_) => "Pass",
            Self::Timeout(_) => "Timeout",
            Self::Timer(_) => "Timer",
            Self::Post(_) => "Post",
            Self::Assertion(_) => "Assertion",
        })
    }
}

/// How an element of a class becomes a leaf; the message says what is wrong with it.
pub type Bind = fn(Fields<'_>) -> Result<Bound, Message>;

/// One class.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name, as in [`ElementProgram::class`].
    pub class: &'static str,
    /// How it is bound.
    pub bind: Bind,
}

/// Every native leaf. Each group of files has its own list, one line a class.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        crate::assertions::ENTRIES,
        crate::post::ENTRIES,
        crate::pre::ENTRIES,
        crate::timers::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

/// Whether this crate has a leaf for the class.
#[must_use]
pub fn is_native(class: &str) -> bool {
    entries().any(|entry| entry.class == class)
}

/// Binds an element; none when its class is not one of this crate's, or it wants what only the
/// companion can do.
///
/// # Errors
/// What is wrong with its properties.
pub fn bind(element: &ElementProgram) -> Result<Option<Bound>, Message> {
    match entries().find(|entry| entry.class == element.class) {
        Some(_) if crate::assertions::is_beyond(element) || crate::post::is_beyond(element) => {
            Ok(None)
        }
        Some(entry) => (entry.bind)(Fields(element)).map(Some),
        None => Ok(None),
    }
}
