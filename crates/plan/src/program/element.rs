//! Elements with their texts compiled, and the packages they work in.

use super::Template;
use crate::model::Span;

/// Index into [`super::Program::elements`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(pub u32);

/// Index into [`super::Program::packages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackageId(pub u32);

/// A place in the plan that may keep something between its uses: an element, or a call of a
/// function. Each has a number of its own, below [`super::Program::sites`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// An element with its texts compiled.
#[derive(Debug, Clone)]
pub struct ElementProgram {
    /// What it is, as in [`crate::model::Element::class`].
    pub class: String,
    /// Its name.
    pub name: Template,
    /// Its properties, in their order.
    pub properties: Vec<(Box<str>, ValueProgram)>,
    /// Where it keeps what it keeps.
    pub site: SiteId,
    /// Where it is written.
    pub at: Span,
}

/// The value of a property.
#[derive(Debug, Clone)]
pub enum ValueProgram {
    /// A text.
    Text(Template),
    /// A collection.
    List(Vec<ValueProgram>),
    /// An element within.
    Element(Box<ElementProgram>),
}

impl ElementProgram {
    /// A property's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ValueProgram> {
        let found = self.properties.iter().find(|(known, _)| **known == *name);
        found.map(|(_, value)| value)
    }

    /// A property's text; none when it is not there or is no text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&Template> {
        match self.get(name)? {
            ValueProgram::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a collection; none when it is not there or is no collection.
    #[must_use]
    pub fn list(&self, name: &str) -> &[ValueProgram] {
        match self.get(name) {
            Some(ValueProgram::List(values)) => values,
            _ => &[],
        }
    }

    /// An element within.
    #[must_use]
    pub fn element(&self, name: &str) -> Option<&Self> {
        match self.get(name)? {
            ValueProgram::Element(element) => Some(element),
            _ => None,
        }
    }
}

/// All that works on one sampler, in the order in which JMeter asks them: its
/// `SamplePackage`. Shared elements are in many packages, each under its one number.
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// The sampler. None: a transaction that is itself a sample, or a flow action, which only
    /// waits for its pre-processors and timers.
    pub sampler: Option<ElementId>,
    /// Configuration, the nearest first.
    pub configs: Vec<ElementId>,
    /// Pre-processors, the outermost first.
    pub before: Vec<ElementId>,
    /// Timers, the nearest first.
    pub timers: Vec<ElementId>,
    /// Post-processors, the outermost first.
    pub after: Vec<ElementId>,
    /// Assertions, the outermost first.
    pub assertions: Vec<ElementId>,
    /// Listeners, the nearest first.
    pub listeners: Vec<ElementId>,
}
