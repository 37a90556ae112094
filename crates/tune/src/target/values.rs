//! Knobs that are set on the target while it runs: by commands, statements, files of the kernel.

use std::path::Path;

use plimsoll_knobs::write::assign;
use plimsoll_run::Interrupt;
use plimsoll_text::{Lang, render};

use super::commands;
use super::component::{CannotStop, Component, StartWith};
use super::place::{Place, TargetKnob};
use super::prepared::Prepared;
use super::resolve::COMMAND;

/// Gives a knob that is set while the target runs a value; others are left as they are. A command is ended when somebody
/// ends the study.
///
/// # Errors
/// What it was told.
pub fn set_value(
    prepared: &Prepared,
    knob: &TargetKnob,
    value: &str,
    interrupt: &Interrupt,
) -> Result<(), String> {
    match &knob.place {
        Place::Command(command) => {
            let line = command.replace("{}", value);
            let end = commands::run_unless(&line, &prepared.folder, COMMAND, interrupt);
            end.failure().map_or(Ok(()), Err)
        }
        Place::Sql(statement) => {
            let statement = statement.replace("{}", value);
            let database = prepared.database(knob.component);
            let database = database.map_err(|message| render(Lang::En, &message))?;
            let said = database.set(&statement, COMMAND);
            said.map_err(|error| format!("{}: {error}", plimsoll_secrets::text(&statement)))
        }
        Place::Value(path) => {
            let written = assign(path, &knob.spelled(value));
            written.map_err(|error| format!("{}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The same of a component that a study has started and stopped again: what takes the value may be there only while it
/// runs, and keep it beyond. It is started for that where nothing takes the value, with the mark of the study.
///
/// # Errors
/// What it was told.
pub fn set_stopped_value(
    prepared: &Prepared,
    knob: &TargetKnob,
    value: &str,
    (mark, state): (&str, &Path),
) -> Result<(), String> {
    let whole = Interrupt::default();
    let refused = match set_value(prepared, knob, value, &whole) {
        Ok(()) => return Ok(()),
        Err(refused) => refused,
    };
    let spec = &prepared.study.components[knob.component];
    if spec.start.is_none() || matches!(knob.place, Place::Value(_)) {
        return Err(refused);
    }
    let mut component = Component::new(spec, &prepared.folder, mark, state);
    let started = component.start(&StartWith::default(), &whole);
    let set = match started {
        Ok(()) => set_value(prepared, knob, value, &whole),
        Err(failure) => Err(format!("{refused}; {}", failure.detail)),
    };
    let stopped = component.stop().map_err(|CannotStop| spec.name.clone());
    set.and(stopped)
}
