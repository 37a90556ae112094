//! Templates: their pieces put together, their functions computed.
//!
//! One file a group of functions; [`call`] is the table of them.

mod args;
mod context;
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
use plimsoll_text::Message;

use args::Args;
pub use context::{
    DynamicScript, EvalContext, EvalError, ExtensionView, ScriptProperties, Scripting,
    TextExtension,
};
pub use hash::hex;
pub use initial::{InitialValues, OnceValues};
pub use sink::TextSink;
pub(crate) use sink::beginning;

/// Appends a template's text to `out`. What was appended before an error stays.
///
/// # Errors
/// When a function cannot use its arguments or a script fails.
#[inline]
pub fn eval<S: TextSink>(
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
fn put_unset(
    literal: &str,
    ctx: &EvalContext<'_>,
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
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
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
    let scripts = ctx.scripts;
    out.put(&scripts.text(script, ctx)?);
    Ok(())
}

/// The functions, one line each.
fn call(call: &Call, ctx: &mut EvalContext<'_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    let args = &mut Args {
        call,
        ctx,
        evaluate: eval,
    };
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
        Function::JMeter(name) => match &args.ctx.extension {
            Some(view) => {
                let texts = view.texts;
                out.put(&texts.call(call, args.ctx)?);
                Ok(())
            }
            None => Err(Message::new("function-unknown-here")
                .with("name", name)
                .into()),
        },
    }
}

#[cfg(test)]
pub(crate) mod tests;
