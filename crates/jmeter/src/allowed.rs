//! What a plan's elements would do on this host beyond sending requests, as far as it is known
//! before the run. What they do while it runs asks again where it is done.

use plimsoll_access::{Access, Right};
use plimsoll_plan::functions::Function;
use plimsoll_plan::model::Span;
use plimsoll_plan::program::{Call, ElementProgram, Part, Program, Template};

use super::bound::{BoundProgram, all_ops, each_text};
use super::needs::{data_files, texts_of};
use super::samplers::PROCESS;
use plimsoll_load::kit::extract::BindError;

/// Asks for all that is known.
///
/// # Errors
/// All that is not allowed.
pub(super) fn check(
    program: &Program,
    bound: &BoundProgram,
    access: &Access,
) -> Result<(), Vec<BindError>> {
    let mut refused = Vec::new();
    let mut ask = |right: Right, what: &str, at: Span| {
        if let Err(why) = access.ask(right, what) {
            let message = why.message();
            refused.push(BindError { at, message });
        }
    };
    for (number, element) in (0..).zip(&program.elements) {
        let what = shown(element);
        if element.class == PROCESS {
            ask(Right::Processes, &what, element.at);
        }
        if bound
            .remote
            .contains(&plimsoll_plan::program::ElementId(number))
        {
            ask(Right::Scripts, &what, element.at);
        }
        each_text(element, &mut |text| {
            each_call(text, &mut |name| {
                if runs_code(name) {
                    ask(Right::Scripts, &format!("{name} ({what})"), element.at);
                }
            });
        });
    }
    let mut texts: Vec<&Template> = Vec::new();
    all_ops(program).for_each(|op| texts_of(op, &mut texts));
    let slots = program.slots.iter();
    texts.extend(slots.filter_map(|slot| slot.initial.as_ref()));
    for text in texts {
        each_call(text, &mut |name| {
            if runs_code(name) {
                ask(Right::Scripts, name, Span::default());
            }
        });
    }
    for (path, data) in data_files(program) {
        each_call(path, &mut |name| {
            if runs_code(name) {
                ask(
                    Right::Scripts,
                    &format!("{name} (“{}”)", data.name),
                    data.at,
                );
            }
        });
    }
    match refused.is_empty() {
        true => Ok(()),
        false => Err(refused),
    }
}

/// Functions that run code: one for scripts, and all that the companion computes.
fn runs_code(name: &str) -> bool {
    name == "__javaScript" || !plimsoll_elements::functions::is_native(name)
}

fn shown(element: &ElementProgram) -> String {
    let name = element.name.as_text().unwrap_or_default();
    format!("{} “{name}”", element.class)
}

/// JMeter's functions in a text, those in arguments of others included.
fn each_call(text: &Template, see: &mut dyn FnMut(&'static str)) {
    for part in &text.parts {
        if let Part::Call(call) = part {
            let Call { function, args, .. } = &**call;
            if let Function::JMeter(name) = function {
                see(name);
            }
            args.iter().for_each(|arg| each_call(arg, see));
        }
    }
}
