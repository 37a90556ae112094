//! Which samples a leaf looks at: JMeter's "Apply to".

use std::borrow::Cow;

use crate::context::{Context, Fault};
use crate::fields::{Field, Fields};
use crate::result::SampleResult;

/// How deep sub-samples of sub-samples are looked at, as in JMeter.
const DEEPEST: u32 = 3;

/// The scope of an element (`Sample.scope` or `Assertion.scope`, and `Scope.variable`).
#[derive(Debug, Clone, Default)]
pub struct ElementScope {
    scope: Field,
    variable: Field,
}

/// A scope's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeValue<'s> {
    /// The sample itself.
    Main,
    /// What it consists of.
    Parts,
    /// Both.
    All,
    /// A variable of this name.
    Variable(Cow<'s, str>),
    /// A word that JMeter does not know: nothing.
    Nothing,
}

impl ElementScope {
    /// The scope of a post-processor.
    #[must_use]
    pub fn of_post(fields: Fields<'_>) -> Self {
        Self::named(fields, "Sample.scope")
    }

    /// The scope of an assertion.
    #[must_use]
    pub fn of_assertion(fields: Fields<'_>) -> Self {
        Self::named(fields, "Assertion.scope")
    }

    fn named(fields: Fields<'_>, name: &str) -> Self {
        Self {
            scope: fields.field(name),
            variable: fields.field("Scope.variable"),
        }
    }

    /// Its value.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn which(&self, cx: &mut dyn Context) -> Result<ScopeValue<'_>, Fault> {
        Ok(match &*self.scope.text_or(cx, "parent")? {
            "parent" => ScopeValue::Main,
            "children" => ScopeValue::Parts,
            "all" => ScopeValue::All,
            "variable" => ScopeValue::Variable(self.variable.text(cx)?),
            _ => ScopeValue::Nothing,
        })
    }
}

impl ScopeValue<'_> {
    /// The samples looked at, in JMeter's order: level by level below each sample.
    #[must_use]
    pub fn samples<'s>(&self, sample: &'s SampleResult) -> Vec<&'s SampleResult> {
        match self {
            Self::Main => vec![sample],
            Self::Parts => parts_of(sample, Vec::new()),
            Self::All => parts_of(sample, vec![sample]),
            Self::Variable(_) | Self::Nothing => Vec::new(),
        }
    }
}

fn parts_of<'s>(
    sample: &'s SampleResult,
    mut found: Vec<&'s SampleResult>,
) -> Vec<&'s SampleResult> {
    fn below<'s>(parts: &'s [SampleResult], level: u32, found: &mut Vec<&'s SampleResult>) {
        for part in parts {
            found.extend(&part.parts);
            if level > 0 {
                below(&part.parts, level - 1, found);
            }
        }
    }
    found.extend(&sample.parts);
    below(&sample.parts, DEEPEST, &mut found);
    found
}
