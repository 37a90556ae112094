//! Reading an element's properties: once when it is bound, and for each sample.

use std::borrow::Cow;

use plimsoll_plan::program::{ElementProgram, Part, Template, ValueProgram};

use crate::context::{Context, Fault};

/// Stands for what a text holds only while a plan runs.
pub const UNKNOWN: char = '\u{fffc}';

/// A property that may not be there, evaluated for each use.
#[derive(Debug, Clone, Default)]
pub struct Field(Option<Template>);

impl Field {
    /// Its text; empty when the property is not there.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn text<'f>(&'f self, cx: &mut dyn Context) -> Result<Cow<'f, str>, Fault> {
        match &self.0 {
            Some(template) => cx.text(template),
            None => Ok(Cow::Borrowed("")),
        }
    }

    /// Its text, or `default` when the property is not there.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn text_or<'f>(
        &'f self,
        cx: &mut dyn Context,
        default: &'f str,
    ) -> Result<Cow<'f, str>, Fault> {
        match &self.0 {
            Some(template) => cx.text(template),
            None => Ok(Cow::Borrowed(default)),
        }
    }

    /// Whether its text is `true` (as Java's `Boolean.parseBoolean`), or `default` when the
    /// property is not there.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn truth(&self, cx: &mut dyn Context, default: bool) -> Result<bool, Fault> {
        match &self.0 {
            Some(template) => Ok(cx.text(template)?.eq_ignore_ascii_case("true")),
            None => Ok(default),
        }
    }

    /// Its text as a whole number, or `default` when it is not there or is none.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn whole(&self, cx: &mut dyn Context, default: i64) -> Result<i64, Fault> {
        match &self.0 {
            Some(template) => Ok(cx.text(template)?.trim().parse().unwrap_or(default)),
            None => Ok(default),
        }
    }

    /// Its text as a number, or `default` when it is not there or is none.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn number(&self, cx: &mut dyn Context, default: f64) -> Result<f64, Fault> {
        match &self.0 {
            Some(template) => Ok(cx.text(template)?.trim().parse().unwrap_or(default)),
            None => Ok(default),
        }
    }

    /// Its text when it holds no variables: what can be compiled once.
    #[must_use]
    pub fn fixed(&self) -> Option<&str> {
        match &self.0 {
            Some(template) => template.as_text(),
            None => Some(""),
        }
    }

    /// Whether the property is there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }
}

impl From<Template> for Field {
    fn from(template: Template) -> Self {
        Self(Some(template))
    }
}

/// The properties of an element being bound.
#[derive(Clone, Copy)]
pub struct Fields<'e>(pub &'e ElementProgram);

impl<'e> Fields<'e> {
    /// A text.
    #[must_use]
    pub fn field(self, name: &str) -> Field {
        Field(self.0.text(name).cloned())
    }

    /// The texts of a collection.
    #[must_use]
    pub fn texts(self, name: &str) -> Vec<Field> {
        self.0.list(name).iter().filter_map(text_of).collect()
    }

    /// The elements of a collection.
    #[must_use]
    pub fn elements(self, name: &str) -> Vec<Fields<'e>> {
        let element = |value: &'e ValueProgram| match value {
            ValueProgram::Element(element) => Some(Fields(element)),
            _ => None,
        };
        self.0.list(name).iter().filter_map(element).collect()
    }

    /// An element within.
    #[must_use]
    pub fn element(self, name: &str) -> Option<Fields<'e>> {
        self.0.element(name).map(Fields)
    }

    /// A truth value that must be known before the run; `default` when it is not there or
    /// holds variables.
    #[must_use]
    pub fn fixed_truth(self, name: &str, default: bool) -> bool {
        let text = self.0.text(name).and_then(Template::as_text);
        text.map_or(default, |text| text.eq_ignore_ascii_case("true"))
    }

    /// A text that must be known before the run; empty when it is not there or holds
    /// variables.
    #[must_use]
    pub fn fixed_text(self, name: &str) -> &'e str {
        let text = self.0.text(name).and_then(Template::as_text);
        text.unwrap_or_default()
    }

    /// A text as far as it is known before the run, with [`UNKNOWN`] for the rest of it.
    #[must_use]
    pub fn shape(self, name: &str) -> String {
        let parts = self.0.text(name).map(|text| text.parts.as_slice());
        let mut shape = String::new();
        for part in parts.unwrap_or_default() {
            match part {
                Part::Text(text) => shape.push_str(text),
                _ => shape.push(UNKNOWN),
            }
        }
        shape
    }
}

fn text_of(value: &ValueProgram) -> Option<Field> {
    match value {
        ValueProgram::Text(template) => Some(Field(Some(template.clone()))),
        _ => None,
    }
}
