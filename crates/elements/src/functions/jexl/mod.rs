//! `__jexl3` and `__jexl2`: JEXL, read and run here (Apache Commons JEXL 3.2.1 and 2.1.1 as
//! JMeter 5.6.3 sets them up: strict, an error gives nothing).
//!
//! Not here: Java's classes and objects (`new`, `''.class.forName(…)`), annotations, pragmas,
//! numbers of any precision. Where JEXL 2 refuses what JEXL 3 knows, it is read for both.

mod arithmetic;
mod flow;
mod host;
mod made;
mod parse;
mod primaries;
mod run;
mod statements;
mod strings;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod value;

use plimsoll_plan::program::Call;

use super::args::{count, save, text};
use super::keep::made;
use crate::context::{Context, Fault};
use token::Version;

/// `__jexl3(script[, variable])`.
pub(super) fn jexl3(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    evaluate(call, Version::Three, cx)
}

/// `__jexl2(script[, variable])`.
pub(super) fn jexl2(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    evaluate(call, Version::Two, cx)
}

fn evaluate(call: &Call, version: Version, cx: &mut dyn Context) -> Result<String, Fault> {
    let script = text(call, 0, cx)?;
    let fixed = call.args.first().is_some_and(|arg| arg.as_text().is_some());
    let tree = made(cx, call.site, fixed, &script, |script| {
        parse::parse(script, version)
    });
    let value = match &*tree {
        Ok(tree) => run::run(tree, version, cx),
        Err(why) => Err(why.clone()),
    };
    match value {
        Ok(value) => {
            let value = value.unwrap_or_default();
            if count(call) > 1 {
                save(call, 1, &value, cx)?;
            }
            Ok(value)
        }
        Err(why) => {
            // JEXL 3 is silent as JMeter sets it up: the script has no value.
            if version == Version::Three && tree.is_ok() && count(call) > 1 {
                save(call, 1, "", cx)?;
            }
            cx.log(&format!(
                "ERROR An error occurred while evaluating the expression \"{script}\": {why}"
            ));
            Ok(String::new())
        }
    }
}
