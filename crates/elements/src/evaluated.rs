//! An element with all its texts computed, for one user at one moment: what the companion is
//! sent, and what listeners are made from.

use plimsoll_plan::program::{ElementProgram, ValueProgram};

use crate::context::{Context, Fault};

/// An element without variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evaluated {
    /// Its class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its properties, in their order.
    pub properties: Vec<(String, EvaluatedValue)>,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvaluatedValue {
    /// A text.
    Text(String),
    /// A collection.
    List(Vec<EvaluatedValue>),
    /// An element within.
    Element(Evaluated),
}

impl Evaluated {
    /// Computes all texts of an element, in their order.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn of(element: &ElementProgram, cx: &mut dyn Context) -> Result<Self, Fault> {
        let name = cx.text(&element.name)?.into_owned();
        let mut properties = Vec::with_capacity(element.properties.len());
        for (key, value) in &element.properties {
            properties.push((key.to_string(), value_of(value, cx)?));
        }
        let class = element.class.clone();
        Ok(Self {
            class,
            name,
            properties,
        })
    }

    /// A property's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&EvaluatedValue> {
        let found = self.properties.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// A property's text; empty when it is not there or is no text.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(EvaluatedValue::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether a property's text is `true`; `default` when it is not there.
    #[must_use]
    pub fn truth(&self, name: &str, default: bool) -> bool {
        match self.get(name) {
            Some(EvaluatedValue::Text(text)) => text.eq_ignore_ascii_case("true"),
            _ => default,
        }
    }

    /// An element within.
    #[must_use]
    pub fn element(&self, name: &str) -> Option<&Self> {
        match self.get(name)? {
            EvaluatedValue::Element(element) => Some(element),
            _ => None,
        }
    }
}

fn value_of(value: &ValueProgram, cx: &mut dyn Context) -> Result<EvaluatedValue, Fault> {
    Ok(match value {
        ValueProgram::Text(text) => EvaluatedValue::Text(cx.text(text)?.into_owned()),
        ValueProgram::List(values) => {
            let values: Result<_, _> = values.iter().map(|value| value_of(value, cx)).collect();
            EvaluatedValue::List(values?)
        }
        ValueProgram::Element(element) => EvaluatedValue::Element(Evaluated::of(element, cx)?),
    })
}
