//! A program's elements, bound once for the run.

use plimsoll_elements::Bound;
use plimsoll_plan::program::ElementId;

use super::sampler::BoundSampler;

/// An element, bound.
pub enum BoundElement {
    /// A native leaf.
    Leaf(Bound),
    /// The companion's.
    Remote,
    /// A listener, by its number among the run's listeners.
    Listener(u32),
    /// A sampler or its configuration: bound with its package.
    Config,
    /// It has nothing to do in a run.
    Nothing,
}

/// What somebody wants of the result of a sampler. What nobody wants is not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// The body.
    pub body: bool,
    /// The header text of the answer.
    pub response_headers: bool,
    /// What was sent: header text, body or query, cookies, sampler data.
    pub request: bool,
    /// Sub-results (redirects, embedded resources) in full; they are always timed.
    pub parts: bool,
}

impl Needs {
    /// Everything.
    pub const ALL: Self = Self {
        body: true,
        response_headers: true,
        request: true,
        parts: true,
    };

    /// Both together.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            body: self.body | other.body,
            response_headers: self.response_headers | other.response_headers,
            request: self.request | other.request,
            parts: self.parts | other.parts,
        }
    }
}

/// A package, bound.
pub struct BoundPackage {
    /// The sampler with its configuration.
    pub sampler: BoundSampler,
    /// What is wanted of its result.
    pub needs: Needs,
    /// Pre-processors.
    pub before: Vec<ElementId>,
    /// Timers.
    pub timers: Vec<ElementId>,
    /// Post-processors.
    pub after: Vec<ElementId>,
    /// Assertions.
    pub assertions: Vec<ElementId>,
    /// Listeners, by their number among the run's listeners.
    pub listeners: Vec<u32>,
}
