//! Elements: leaves of a plan that are known by their class and their properties, as JMeter's
//! are. Their meaning is JMeter's; this crate only carries them.

use super::{Span, Text};

/// An element: its class and its properties, in JMeter's own names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Element {
    /// What it is: the class's name without its package (`HTTPSamplerProxy`), or with it when
    /// the class is not one of JMeter's own.
    pub class: String,
    /// The name a person gave it; a sampler's label.
    pub name: Text,
    /// Its properties, in their order.
    pub properties: Vec<(String, ElementValue)>,
    /// Where it is written.
    pub at: Span,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementValue {
    /// A text, number or truth value; may hold variables and calls.
    Text(Text),
    /// A collection, in its order.
    List(Vec<ElementValue>),
    /// An element within (an argument, a header, the arguments of a request).
    Element(Box<Element>),
}

impl Element {
    /// A property's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ElementValue> {
        let found = self.properties.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// A property's text; none when it is not there or is no text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&Text> {
        match self.get(name)? {
            ElementValue::Text(text) => Some(text),
            _ => None,
        }
    }
}
