//! Templates: their pieces put together, their functions computed.
//!
//! One file a group of functions; [`call`] is the table of them.

mod encode;
mod hash;
mod initial;
mod random;
mod run;
mod sink;
mod time;

use std::borrow::Cow;
use std::rc::Rc;

use plimsoll_plan::functions::Function;
use plimsoll_plan::limits::TEXT_BYTES;
use plimsoll_plan::program::{Call, Part, ScriptId, Template};
use plimsoll_stats::ErrorKind;
use plimsoll_text::Message;

pub(crate) use hash::hex;
pub use initial::{InitialValues, OnceValues};
pub use sink::{FormEncoded, Sink};

use crate::extract::ResponseView;
use crate::random::Random;
use crate::script::Scripts;
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
    pub scripts: &'a Scripts,
    /// The response at hand, after a request.
    pub response: Option<&'a ResponseView<'a>>,
    /// The wall clock: nanoseconds since 1970-01-01 UTC.
    pub unix_ns: &'a dyn Fn() -> u64,
    /// JMeter's things, in plans that have them.
    pub jmeter: Option<crate::jmeter::JMeterView<'a>>,
    /// What is kept for nobody.
    pub nobody: plimsoll_elements::Own,
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

impl From<Message> for EvalError {
    fn from(message: Message) -> Self {
        Self {
            message: Box::new(message),
            kind: ErrorKind::ScriptFailed,
        }
    }
}

/// Appends a template's text to `out`. What was appended before an error stays.
///
/// # Errors
/// When a function cannot use its arguments or a script fails.
#[inline]
pub fn eval<S: Sink>(
    template: &Template,
    ctx: &mut EvalContext<'_>,
    out: &mut S,
) -> Result<(), EvalError> {
    // What is there already is not this template's.
    let most = out.held().saturating_add(TEXT_BYTES);
    for part in &template.parts {
        match part {
            Part::Text(text) => out.put(text),
            Part::Slot { slot, literal } => match ctx.vars.get(*slot) {
                Some(value) => out.put(value),
                None => put_unset(literal, ctx, out)?,
            },
            Part::Call(inner) => call(inner, ctx, out)?,
            Part::Script(script) => put_script(*script, ctx, out)?,
        }
        if out.held() > most {
            return Err(too_long());
        }
    }
    Ok(())
}

/// A text that became longer than any may be.
#[cold]
fn too_long() -> EvalError {
    Message::new("function-text-too-long")
        .with("limit_mib", TEXT_BYTES >> 20)
        .into()
}

/// A template's text: borrowed when it is fixed.
///
/// # Errors
/// As [`eval`].
pub fn eval_text<'t>(
    template: &'t Template,
    ctx: &mut EvalContext<'_>,
) -> Result<Cow<'t, str>, EvalError> {
    if let Some(text) = template.as_text() {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = String::new();
    eval(template, ctx, &mut text)?;
    Ok(Cow::Owned(text))
}

/// A template's text as a variable's value: a template that is just one variable shares it.
///
/// # Errors
/// As [`eval`].
pub fn eval_value(template: &Template, ctx: &mut EvalContext<'_>) -> Result<Rc<str>, EvalError> {
    if let [Part::Slot { slot, .. }] = template.parts.as_slice()
        && let Some(value) = ctx.vars.get(*slot)
    {
        return Ok(Rc::clone(value));
    }
    Ok(Rc::from(eval_text(template, ctx)?))
}

/// A variable that is defined, but has no value yet.
#[cold]
fn put_unset(literal: &str, ctx: &EvalContext<'_>, out: &mut dyn Sink) -> Result<(), EvalError> {
    if !ctx.vars.names().keeps_literal() {
        return Err(Message::new("function-variable-not-set")
            .with("variable", literal)
            .into());
    }
    out.put(literal);
    Ok(())
}

fn put_script(
    script: ScriptId,
    ctx: &mut EvalContext<'_>,
    out: &mut dyn Sink,
) -> Result<(), EvalError> {
    let scripts = ctx.scripts;
    out.put(&scripts.text(script, ctx)?);
    Ok(())
}

/// The functions, one line each.
fn call(call: &Call, ctx: &mut EvalContext<'_>, out: &mut dyn Sink) -> Result<(), EvalError> {
    let args = &mut Args { call, ctx };
    match call.function {
        Function::Random => random::random(args, out),
        Function::RandomText => random::random_text(args, out),
        Function::Pick => random::pick(args, out),
        Function::Uuid => random::uuid(args, out),
        Function::Now => time::now(args, out),
        Function::Timestamp => time::timestamp(args, out),
        Function::Env => run::env(args, out),
        Function::User => run::user(args, out),
        Function::Iteration => run::iteration(args, out),
        Function::Scenario => run::scenario(args, out),
        Function::Counter => run::counter(args, out),
        Function::UrlEncode => encode::url_encode(args, out),
        Function::Base64 => encode::base64(args, out),
        Function::Lower => encode::lower(args, out),
        Function::Upper => encode::upper(args, out),
        Function::Json => encode::json(args, out),
        Function::Md5 => hash::md5(args, out),
        Function::Sha256 => hash::sha256(args, out),
        Function::JMeter(_) => {
            out.put(&crate::jmeter::context::call(call, args.ctx)?);
            Ok(())
        }
    }
}

/// The beginning of a text, at most so many bytes and whole characters.
pub(crate) fn beginning(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The arguments of a call, computed when asked for.
struct Args<'c, 'x, 'a> {
    call: &'c Call,
    ctx: &'x mut EvalContext<'a>,
}

impl<'c> Args<'c, '_, '_> {
    /// The text of an argument, if it is there.
    fn get(&mut self, index: usize) -> Result<Option<Cow<'c, str>>, EvalError> {
        let template = self.call.args.get(index);
        template
            .map(|template| eval_text(template, self.ctx))
            .transpose()
    }

    /// The text of an argument; empty when it is not there (the checker counts them).
    fn text(&mut self, index: usize) -> Result<Cow<'c, str>, EvalError> {
        Ok(self.get(index)?.unwrap_or_default())
    }

    /// An argument as a whole number.
    fn whole(&mut self, index: usize) -> Result<i64, EvalError> {
        let text = self.text(index)?;
        text.trim()
            .parse()
            .map_err(|_| self.wrong(index, &text, "function-wants-whole-number"))
    }

    /// The error for an argument that the function cannot use; `wants` says what it could.
    fn wrong(&self, index: usize, found: &str, wants: &'static str) -> EvalError {
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

#[cfg(test)]
pub(crate) mod tests;
