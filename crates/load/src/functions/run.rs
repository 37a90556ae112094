//! Values of the run: who, how often, where.

use plimsoll_text::Message;

use super::args::Args;
use super::context::EvalError;
use super::sink::TextSink;

pub(super) fn env(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    let name = args.text(0)?;
    // Names with `=` or a zero byte cannot exist; asking for them is "not set", not a panic.
    match args.ctx.scripts.access().variable(&name) {
        Some(value) => out.put(&value),
        None => match args.get(1)? {
            Some(default) => out.put(&default),
            None => {
                return Err(Message::new("function-env-not-set")
                    .with("name", &*name)
                    .into());
            }
        },
    }
    Ok(())
}

pub(super) fn user(args: &mut Args<'_, '_, '_>, out: &mut dyn TextSink) -> Result<(), EvalError> {
    out.put(&(u64::from(args.ctx.user) + 1).to_string());
    Ok(())
}

pub(super) fn iteration(
    args: &mut Args<'_, '_, '_>,
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
    out.put(&args.ctx.iteration.saturating_add(1).to_string());
    Ok(())
}

pub(super) fn scenario(
    args: &mut Args<'_, '_, '_>,
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
    out.put(args.ctx.scenario);
    Ok(())
}

/// Start and step are the compiler's business: they are in the shared counter.
pub(super) fn counter(
    args: &mut Args<'_, '_, '_>,
    out: &mut dyn TextSink,
) -> Result<(), EvalError> {
    let Some(id) = args.call.shared else {
        return Err(Message::new("function-counter-unknown")
            .with("name", args.text(0)?.into_owned())
            .into());
    };
    out.put(&args.ctx.shared.next(id).to_string());
    Ok(())
}
