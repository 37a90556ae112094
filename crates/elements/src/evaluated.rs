//! An element with all its texts computed, for one user at one moment: what the companion is
//! sent, and what listeners are made from.

use plimsoll_plan::program::{ElementProgram, Part, Template, ValueProgram};

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

    /// An element with its texts as they stand in the plan: nothing is computed.
    #[must_use]
    pub fn as_written(element: &ElementProgram) -> Self {
        let properties = element.properties.iter();
        let properties = properties.map(|(key, value)| (key.to_string(), value_as_written(value)));
        Self {
            class: element.class.clone(),
            name: as_written(&element.name),
            properties: properties.collect(),
        }
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

/// A text as it stands in the plan.
#[must_use]
pub fn as_written(template: &Template) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.to_string(),
        Part::Slot { literal, .. } => literal.to_string(),
        Part::Call(call) => call.raw.to_string(),
        Part::Script(_) => String::new(),
    };
    template.parts.iter().map(part).collect()
}

fn value_as_written(value: &ValueProgram) -> EvaluatedValue {
    match value {
        ValueProgram::Text(text) => EvaluatedValue::Text(as_written(text)),
        ValueProgram::List(values) => {
            EvaluatedValue::List(values.iter().map(value_as_written).collect())
        }
        ValueProgram::Element(element) => EvaluatedValue::Element(Evaluated::as_written(element)),
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
