//! The arguments of a call, computed when asked for.

use std::borrow::Cow;

use plimsoll_plan::program::{Call, Template};
use plimsoll_text::Message;

use super::context::{EvalContext, EvalError};

/// Evaluates a template.
pub(super) type Evaluate =
    fn(&Template, &mut EvalContext<'_>, &mut String) -> Result<(), EvalError>;

/// The arguments of a call, computed when asked for.
pub(super) struct Args<'c, 'x, 'a> {
    pub call: &'c Call,
    pub ctx: &'x mut EvalContext<'a>,
    /// Arguments have calls of their own.
    pub evaluate: Evaluate,
}

impl<'c> Args<'c, '_, '_> {
    /// The text of an argument, if it is there.
    pub fn get(&mut self, index: usize) -> Result<Option<Cow<'c, str>>, EvalError> {
        let Some(template) = self.call.args.get(index) else {
            return Ok(None);
        };
        if let Some(text) = template.as_text() {
            return Ok(Some(Cow::Borrowed(text)));
        }
        self.evaluated(template).map(|text| Some(Cow::Owned(text)))
    }

    /// The text of an argument; empty when it is not there (the checker counts them).
    pub fn text(&mut self, index: usize) -> Result<Cow<'c, str>, EvalError> {
        Ok(self.get(index)?.unwrap_or_default())
    }

    /// The text of a template.
    pub fn evaluated(&mut self, template: &Template) -> Result<String, EvalError> {
        let mut text = String::new();
        (self.evaluate)(template, self.ctx, &mut text)?;
        Ok(text)
    }

    /// An argument as a whole number.
    pub fn whole(&mut self, index: usize) -> Result<i64, EvalError> {
        let text = self.text(index)?;
        text.trim()
            .parse()
            .map_err(|_| self.wrong(index, &text, "function-wants-whole-number"))
    }

    /// The error for an argument that the function cannot use; `wants` says what it could.
    pub fn wrong(&self, index: usize, found: &str, wants: &'static str) -> EvalError {
        let mut defs = plimsoll_plan::functions::FUNCTIONS.iter();
        let usage = defs
            .find(|def| def.function == self.call.function)
            .map_or("", |def| def.usage);
        Message::new("function-argument")
            .with("usage", usage)
            .with("number", index + 1)
            .with("found", self.ctx.vars.redact(found))
            .with("wants", Message::new(wants))
            .into()
    }
}
